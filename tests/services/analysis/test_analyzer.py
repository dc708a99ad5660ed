from __future__ import annotations

import hashlib
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import bm25s
import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from app.services.analysis import MAX_QUERY_LENGTH_READ, MAX_QUERY_TERMS, is_one_name, query_terms, terms_of

PROSE = """Tenants never see each other's rows: the database itself refuses, by policy and by key.
The policies were written before the first table, and there is no table without one. Writing them late
would have meant migrating everything; this is what happened to those who tried."""

EDGE = "deploy lane edge-eu-west"
PATH = "edit src/search/fuse.py first"
LINK = "see https://ex.example/adr/7"
SCOPE = "raises MissingTenantScope when unset"
RETRY = "call retry_with_jitter() before commit"
NUMBERED = "see TDR-0032 for framing"


def shared(document: str, query: str) -> set[str]:
    return terms_of(document).terms.keys() & set(query_terms(query))


@pytest.mark.parametrize(
    ("case", "document", "query"),
    [
        ("LEX-02", NUMBERED, "TDR-0032"),
        ("LEX-02", NUMBERED, '"TDR-0032"'),
        ("LEX-02", NUMBERED, "tdr 0032"),
        ("LEX-02", NUMBERED, "tdr0032"),
        ("LEX-02", NUMBERED, "0032"),
        ("LEX-02 unpadded", NUMBERED, "tdr32"),
        ("LEX-02 underscore", NUMBERED, "TDR_32"),
        ("LEX-02 dash", NUMBERED, "TDR\u20130032"),
        ("LEX-02 of somebody", "as TDR-0032's framing says", "tdr-32"),
        ("LEX-02 across lines", "as decided in PEP\n    484.", "pep484"),
        ("LEX-04", RETRY, "retry_with_jitter"),
        ("LEX-04", RETRY, '"retry with jitter"'),
        ("LEX-04", RETRY, "jitter"),
        ("LEX-04", RETRY, "retry_with_jitter()"),
        ("LEX-04 sub-run", RETRY, "with_jitter"),
        ("LEX-04 private", "see _read_chunk", "read_chunk"),
        ("LEX-04 capitals", "set TRIGRAPH_POOL_SIZE", "pool_size"),
        ("LEX-05", SCOPE, "missing tenant scope"),
        ("LEX-05", SCOPE, "tenant scope"),
        ("LEX-05", SCOPE, "MissingTenantScope"),
        ("LEX-05", SCOPE, "missingtenantscope"),
        ("LEX-05 acronym", "an HTTPServer waits", "server"),
        ("LEX-05 plural acronym", "two typed APIs", "API"),
        ("LEX-05 other spelling", "the asOfValid pair", "as_of_valid"),
        ("LEX-06", EDGE, "eu-west"),
        ("LEX-06", EDGE, "edge-eu"),
        ("LEX-06", EDGE, "edge-eu-west"),
        ("LEX-06", EDGE, "west"),
        ("LEX-06 middle", "lane a1-edge-eu-west-b2", "edge-eu-west"),
        ("LEX-06 typographic hyphen", "lane edge\u2010eu\u2011west", "eu-west"),
        ("LEX-06 dash", "lane edge\u2013eu\u2012west", "eu-west"),
        ("LEX-06 plural", "a well-known-name", "well-known-names"),
        ("LEX-07", "config lives in settings.toml and Node.js", "settings"),
        ("LEX-07", "config lives in settings.toml and Node.js", "toml"),
        ("LEX-07", "config lives in settings.toml and Node.js", "settings.toml"),
        ("LEX-07", "config lives in settings.toml and Node.js", "node"),
        ("LEX-07 sentence end", "it lives in settings.toml.", "settings.toml"),
        ("LEX-07 version", "since Python 3.14", "3.14"),
        ("LEX-07 capitals", "see SETTINGS.TOML", "settings"),
        ("LEX-07 hidden file", "listed in .gitignore", "gitignore"),
        ("LEX-08", PATH, "fuse.py"),
        ("LEX-08", PATH, "search/fuse.py"),
        ("LEX-08", PATH, "fuse"),
        ("LEX-08", PATH, "src/search/fuse.py"),
        ("LEX-08 back slashes", r"edit src\search\fuse.py", "search/fuse.py"),
        ("LEX-08 dots", "import app.services.recall", "services/recall"),
        ("LEX-08 here", PATH, "./src/search/fuse.py"),
        ("LEX-08 line number", PATH, "src/search/fuse.py:42"),
        ("LEX-08 absolute", "/etc/trigraph/settings.toml", "trigraph/settings.toml"),
        ("LEX-09", LINK, "https://ex.example/adr/7"),
        ("LEX-09", LINK, "ex.example"),
        ("LEX-09", LINK, "ex.example/adr/7"),
        ("LEX-09 in brackets", "see <https://ex.example/adr/7>.", "ex.example/adr/7"),
        ("LEX-09 other scheme", LINK, "http://ex.example/adr/7/"),
        ("LEX-09 with a question", LINK, "https://ex.example/adr/7?x=1#y"),
        ("LEX-09 mail", "ask ops@ex.example", "ex.example"),
        ("LEX-09 fragment", "at ex.example/adr#status", "adr#status"),
        ("LEX-11 dotted", "runs on .NET here", ".NET"),
        ("LEX-11 glued", "C++17 at least", "C++"),
        ("LEX-11 full width", "We use C++ here", "Ｃ＋＋"),
        ("LEX-11 both", "a header for C/C++", "C++"),
        ("LEX-11 ampersand", "the R&D budget", "R&D"),
        ("LEX-11 in brackets", "(C#, F#)", "F#"),
        ("LEX-14", "Málaga policy", "Ma\u0301laga policy"),
        ("LEX-14", "Québec", "Que\u0301bec"),
        ("LEX-14 bare", "Málaga policy", "malaga"),
        ("LEX-14 full width", "ＡＤＲ－７", "adr-7"),
        ("LEX-14 no accent mark", "Łódź Ørsted", "lodz orsted"),
    ],
)
def test_a_name_is_found(case: str, document: str, query: str) -> None:
    assert shared(document, query), case


@pytest.mark.parametrize(
    ("case", "query", "exact", "scattered"),
    [
        ("LEX-02", "TDR-0032", NUMBERED, "a TDR of page 0032"),
        ("LEX-04", "retry_with_jitter", RETRY, "jitter comes with a retry"),
        ("LEX-05", "MissingTenantScope", SCOPE, "the scope of a tenant is missing"),
        ("LEX-06", "edge-eu-west", EDGE, "the eu is west of the edge"),
        ("LEX-06 sub-run", "eu-west", EDGE, "the eu is west of the edge"),
        ("LEX-07", "settings.toml", "in settings.toml", "toml is for settings"),
        ("LEX-08", "src/search/fuse.py", PATH, "edit search/fuse.py first"),
        ("LEX-08 sub-run", "search/fuse.py", PATH, "py files that fuse a search"),
        ("LEX-09", "ex.example/adr/7", LINK, "adr 7 is an example by ex"),
        ("LEX-11", "C++", "We use C++ here", "Plain C kernel"),
        ("LEX-11", "C#", "We use C# here", "We use C++ here"),
        ("LEX-11", ".NET", "We use .NET here", "a net of fish"),
        ("LEX-11 ampersand", "R&D", "the R&D budget", "plan r and plan d"),
        ("LEX-11 ampersand", "AT&T", "run by AT&T", "plan t"),
    ],
)
def test_the_exact_name_shares_more_terms_than_its_words_apart(
    case: str, query: str, exact: str, scattered: str
) -> None:
    assert shared(exact, query) > shared(scattered, query), case


def test_lex_02_every_spelling_of_an_identifier_shares_one_term() -> None:
    spellings = ["pep484", "pep-0484", "PEP 484", "Pep_484", "PEP #484", "PEP#484", "what is PEP 484?"]
    assert [spelling for spelling in spellings if "pep-484" not in query_terms(spelling)] == []


def test_lex_02_a_number_that_goes_on_is_no_identifier() -> None:
    assert "python-3" not in query_terms("Python 3.14")
    assert "since-2026" not in query_terms("since 2026-01-31")
    assert "of-3" not in query_terms("two of 3")


@pytest.mark.parametrize(
    "query",
    [
        "TDR-0032",
        '"TDR-0032"',
        "tdr 0032",
        "tdr0032",
        "TDR\u20130032?",
        "retry_with_jitter()",
        "MissingTenantScope",
        "edge-eu-west",
        "settings.toml",
        "src/search/fuse.py",
        "https://ex.example/adr/7",
        "C++",
        "c#.",
        ".NET",
        "R&D",
        "Que\u0301bec-City",
    ],
)
def test_a_query_that_is_one_name_is_recognised(query: str) -> None:
    assert is_one_name(query)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "jitter",
        "don't",
        "are",
        "C",
        "missing tenant scope",
        "TDR-0032 framing",
        "of 3",
        "東京都",
        "'",
        "a b",
        "🚀",
    ],
)
def test_words_are_no_name(query: str) -> None:
    assert not is_one_name(query)


@pytest.mark.parametrize("document", ["We use C# here", "Plain C kernel", "grade c"])
def test_lex_11_a_language_named_by_signs_is_not_its_letter(document: str) -> None:
    assert query_terms("C++") == ["c++"]
    assert not shared(document, "C++")


def test_lex_11_a_letter_is_looked_up_only_when_nothing_else_is_asked() -> None:
    assert shared("Plain C kernel", "C") == {"c"}
    assert query_terms("C kernel") == ["kernel"]
    assert query_terms("section 7") == ["section", "section-7"]


def test_lex_11_a_word_before_signs_stays_findable() -> None:
    assert query_terms("notepad++") == ["notepad++", "notepad"]


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("東京都の方針", "東京"),
        ("東京都の方針", "京"),
        ("サーバー設定", "ｻｰﾊﾞｰ"),
        ("테넌트는 격리된다", "테넌트"),
        ("PythonでのMLモデル", "python"),
        ("นโยบายความปลอดภัย", "ปลอดภัย"),
        ("सुरक्षा नीति", "नीति"),
        ("Политика безопасности", "ПОЛИТИКА"),
        ("شَرِكَة", "شركة"),
    ],
)
def test_text_in_every_script_is_found(document: str, query: str) -> None:
    assert shared(document, query)


def test_a_run_of_han_gives_characters_and_pairs_and_counts_characters() -> None:
    analysed = terms_of("東京都")
    assert set(analysed.terms) == {"東", "京", "都", "東京", "京都"}
    assert analysed.length == 3


@pytest.mark.parametrize(
    ("case", "query"),
    [
        ("DEG-03", "are"),
        ("DEG-03 several", "to be, or not to be"),
        ("DEG-03 capitals", "THE"),
        ("DEG-03 contraction", "it's"),
        ("DEG-04", "'"),
        ("DEG-04 operators", "& | ! ( ) :* <->"),
        ("DEG-04 quotes", "\"\" '' “”"),
        ("DEG-04 emoji", "🚀 👩\u200d💻 ✅"),
        ("DEG-06", ""),
        ("DEG-06", "   "),
        ("DEG-06", "\u200b"),
        ("DEG-06 joiner", "\u200d"),
        ("DEG-06 byte order mark", "\ufeff"),
        ("DEG-06 ideographic space", "\u3000"),
        ("DEG-07", " \t\n "),
        ("DEG-07 no-break", "\u00a0"),
        ("DEG-07 rule", "---- ____ ...."),
        ("DEG-07 bytes no text holds", "\0\ud800\udfff"),
    ],
)
def test_a_query_that_says_nothing_has_no_terms(case: str, query: str) -> None:
    assert query_terms(query) == [], case


def test_deg_03_stop_words_are_no_terms_of_a_document() -> None:
    assert terms_of("they are as they are").terms.keys() == set()


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Who's on call & why?", ["who", "call", "whi"]),
        ("foo & | ! ( ) :*", ["foo"]),
        ("red <-> green", ["red", "green"]),
        ("NOT recall:* OR 'ledger'", ["recal", "ledger"]),
        ("🚀launch🚀", ["launch"]),
        ("the tenants\u2019 and the tenant's", ["tenant"]),
    ],
)
def test_deg_04_a_query_is_data(query: str, terms: list[str]) -> None:
    assert query_terms(query) == terms


def test_deg_04_a_colon_between_letters_is_no_weight() -> None:
    assert shared("the pair a:b", "a:b <-> c") == {"a-b"}


def test_distinct_words_are_all_terms() -> None:
    """BYT-04."""
    words = [hashlib.md5(str(number).encode()).hexdigest() for number in range(40_000)]
    analysed = terms_of(" ".join(words))
    assert analysed.length == 40_000
    assert len(analysed.terms) >= 40_000
    assert all(analysed.terms.keys() >= set(query_terms(word)) for word in words[:100])


def test_a_repeated_word_is_one_term() -> None:
    """BYT-04."""
    analysed = terms_of("red green " * 500_000)
    assert analysed.terms == {"red": 500_000, "green": 500_000}
    assert analysed.length == 1_000_000


@pytest.mark.parametrize(
    "text",
    ["a/" * 1_000_000, "." * 2_000_000, "aB" * 1_000_000, "'s" * 1_000_000, "word" + " " * 2_000_000 + "7"],
)
def test_monotonous_megabytes_give_few_terms(text: str) -> None:
    """BYT-04."""
    assert len(terms_of(text).terms) < 10


def test_a_word_too_long_is_left_out_and_its_neighbour_found() -> None:
    """BYT-08."""
    assert shared("a" * 2047 + " needle", "needle") == {"needl"}
    assert query_terms("a" * 2047) == []


def test_a_long_name_is_found_by_its_pairs() -> None:
    """BYT-08."""
    name = "/".join(f"folder{number}" for number in range(30))
    assert "folder7-folder8" in shared(name, "folder7/folder8")
    assert all(len(term.encode()) <= 128 for term in terms_of(name).terms)


def test_a_digest_is_kept_whole() -> None:
    """BYT-08."""
    digest = hashlib.sha256(b"ledger").hexdigest()
    assert query_terms(f"sha256:{digest}")[1] == digest


def test_a_thousand_accents_on_one_letter_are_one_letter() -> None:
    """BYT-08."""
    assert query_terms("cafe" + "\u0301\u0316" * 500_000) == ["cafe"]


def test_a_query_gives_a_bounded_number_of_distinct_terms() -> None:
    terms = query_terms(" ".join(f"word{number}" for number in range(5_000)))
    assert len(terms) == len(set(terms)) == MAX_QUERY_TERMS


def test_a_query_is_read_up_to_its_bound() -> None:
    assert query_terms("needle " + " " * MAX_QUERY_LENGTH_READ + "hidden") == ["needl"]


def test_plain_prose_gives_the_terms_of_the_reference_tokeniser() -> None:
    prose = PROSE.replace("'s", "")
    reference: list[str] = bm25s.tokenize(
        [prose], stopwords="en", stemmer=Stemmer.Stemmer("english"), return_ids=False, show_progress=False
    )[0]
    analysed = terms_of(prose)
    assert sorted(analysed.terms.elements()) == sorted(reference)
    assert analysed.length == len(reference)


def test_the_words_of_a_name_count_once_towards_length() -> None:
    assert terms_of(EDGE).length == terms_of("deploy lane edge eu west").length == 5
    assert terms_of(PATH).length == terms_of("edit src search fuse py first").length == 6


def test_threads_share_the_analyser() -> None:
    texts = [f"{PROSE} tenant{number} {number} policies{number}ing" for number in range(200)]
    with ThreadPoolExecutor(max_workers=8) as threads:
        assert list(threads.map(terms_of, texts)) == [terms_of(text) for text in texts]


@given(st.text(alphabet=st.characters(), max_size=200))
def test_every_term_is_text_a_database_column_takes(text: str) -> None:
    analysed = terms_of(text)
    assert all(0 < len(term.encode()) <= 128 and "\0" not in term for term in analysed.terms)
    assert all(times > 0 for times in analysed.terms.values())
    assert analysed.length <= analysed.terms.total()


@given(st.text(max_size=100))
def test_a_text_is_found_by_itself(text: str) -> None:
    assert set(query_terms(text)) <= terms_of(text).terms.keys()


@given(st.lists(st.sampled_from(re.findall(r"\w+", PROSE)), max_size=30))
def test_composed_and_decomposed_spellings_give_the_same_terms(words: list[str]) -> None:
    text = " ".join(words).replace("e", "é")
    assert terms_of(text) == terms_of(unicodedata.normalize("NFD", text))
