"""Words of every kind that documents hold, and the marks, names and values that stand around them."""

from __future__ import annotations

PLAIN = (
    "queue", "ledger", "tenant", "Worker", "POLICY", "naïve", "Málaga", "straße", "İstanbul", "ﬁne", "Ωmega",
    "ﬃx", "e\u0301te\u0301", "don't", "it's", "the", "and", "of", "to", "not", "or", "a", "an", "with",
    "recall", "recalled", "recalls", "recalling", "zanzibar", "gateway", "42", "3.14", "1,000", "x", "y",
)  # fmt: skip
CODE_NAMES = (
    "retry_with_jitter", "MissingTenantScope", "HTTPServer", "pg_advisory_xact_lock()", "src/search/fuse.py",
    "C:\\temp\\x", "../up/one.md", "./0004-a-file.md#part", "--dry-run", "$HOME/.config", "user@example.org",
    "https://ex.example/adr/7?q=1&r=a%20b#frag", "ftp://[::1]:21/ü", "C++", "C#", ".NET", "F#", "a.b.c.d",
    "x86_64-linux-gnu", "1.2.3-rc.1+build", "<T>", "a/b//c", "_private_", "__init__", "snake_CaseMix_9",
    "foo::bar<baz>", "@scope/pkg", "key=value;other='x'",
)  # fmt: skip
IDENTIFIERS = (
    "ADR-0001", "ADR-1", "adr 2", "ADR_3", "ADR-4", "SPEC-020", "SPEC-2", "pep-484", "PEP 484", "PEP484",
    "forms/ADR-002", "Plan 9", "PLAN-9", "TODO-0", "ADR-000", "ADR-999999999", "ADR-9999999999", "KEP-1‑2",
    "UTF-8", "CVE-2024-1234", "#123", "[[ADR-2]]", "[[ADR-2#Decision|the second]]", "ADR-１", "ＡＤＲ-7",
    "ADR-٣", "ADR-2,", "(ADR-3)",
)  # fmt: skip
STRANGE = (
    "שלום", "مرحبا", "م\u064fح\u064eم\u064e\u0651د", "ह\u093fन\u094dद\u0940", "ภาษาไทย",
    "မ\u103cန\u103aမ\u102c", "ខ\u17d2ម\u17c2រ", "漢字かな交じり文", "データベース", "ﾃﾞｰﾀ", "한국어", "한",
    "𠮷野家", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
    "𐐀𐐨", "Ⅷ", "①②", "㎏", "ǅ", "ſ", "K", "ŉ", "ß", "İ", "ı", "½", "x²", "²", "٣٤٥", "१२३", "👍🏽",
    "👨\u200d👩\u200d👧\u200d👦", "🏳\ufe0f\u200d🌈", "🇩🇪🇫🇷", "e" + "\u0301" * 40, "\u0301",
    "a\u0315\u0300\u05ae\u0300", "\u0344", "x\xady", "zero\u200bwidth", "\u202eevil\u202c",
    "\u2066iso\u2069", "\u061cmark", "\ufeff", "\ufffd", "\ufffc", "\ufffe", "\uffff", "\U0010ffff",
    "\U0001fffe",
    "\ud7ff", "\ue000", "\U000f0000", "\U000e0041\U000e0042", "\x00", "\x01\x02", "\x0b", "\x0c",
    "\x1b[31mred", "\x1c", "\x1f", "\x7f", "\x85", "\u2028", "\u2029", "\xa0", "\u2003", "\u3000", "\u180e",
    "\u1680", "ª", "ﷺ", "ำ", "㌀", "·", "·", "l·l", "ʼn", "O’Neill", "‐", "−5", "➊",
    "፩", "⓵", "๓", "〇", "7", "007", "0", "9/8", "[[➊]]", "[[7]]",
)  # fmt: skip
MARKUP = (
    "*", "**", "_", "__", "~~", "`", "``", "```", "[", "]", "](", "![", "<", ">", "<!--", "-->", "&amp;",
    "&eacute;", "&#0;", "&#xD800;", "\\", "\\*", "|", "||", "[^1]", "[^1]:", "[x]", "[]()", "![]()", "<br>",
    "</div>", "<script>alert(1)</script>", "<a href='x.md'>", "$$", "\\(", "{{x}}", "{%", "==", ":::", "+++",
    "---", "...", "???", "!!!", ";;", "&", "#", "##", "@", "^", "%", "\"", "'", "…", "—", "“”", "。",
)  # fmt: skip
RELATIONS = (
    "Supersedes", "Superseded by", "Implements", "Implemented by", "Extends", "Depends on", "Requires",
    "Depends on / Requires", "Specifies", "Formalizes", "Resolves", "Fixes", "Closes", "Documents",
    "Related", "See also", "Complements", "Informs", "References", "Mentions", "3. Supersedes:",
    "**Related**",
)  # fmt: skip
SECTIONS = (
    "Status", "Context", "Decision", "Consequences", "Abstract", "status:", "1.2.3 Status", "", "Why",
)  # fmt: skip
STATUSES = (
    "Accepted", "Proposed", "Superseded", "Superseded by ADR-1", "Draft", "~~Proposed~~ Accepted",
    "Deprecated", "Accepted | Rejected", "partly superseded by [ADR-2](0002-b.md)", "In review since 2020",
    "🚀 shipped", "?", "not superseded by ADR-3", "**Done**", "accepted on 2021-02-03",
    "will be replaced by SPEC-2",
)  # fmt: skip
DATES = (
    "2024-02-01", "2024-02-30", "1969-12-31", "2021-03-04T05:06:07Z", "2021-03-04 05:06 +02:00",
    "01-Jan-2020", "3 March 2019", "March 3, 2019", "yesterday", "0000-00-00", "9999-12-31", "2024-13-01",
    "2020/01/02", "9999-12-31T23:59:59-14:00", "2024-02-01T25:00", "１９９９-01-01", "-2024-02-01",
    "20240201",
)  # fmt: skip
SENTENCES = (
    "Prism, formerly known as PrismGR, keeps the queue.", "PrismGR (now Prism) is old.",
    "It was renamed from \"Old Name\" to New Name.", "The status is now Accepted.",
    "The owner was changed from Ada to Grace Hopper.", "Version has been changed\nto 2.0.1.",
    "This supersedes ADR-1 and ADR-2, and extends SPEC-2.", "Status: Superseded by ADR-4",
    "**Status:** Accepted", "* Status: Draft", "Date: 2020-02-02", "Author: Ada <ada@example.org>",
    "Supersedes ADR-1", "Superseded by: ADR-2.", "Hard\\\nbreak  \nhere",
)  # fmt: skip
FIELDS = (
    "title", "Title", "name", "id", "identifier", "adr", "PEP", "number", "kind", "type", "status", "Status",
    "date", "created", "author", "authors", "tags", "keywords", "domain", "aliases", "supersedes",
    "Superseded-By", "requires", "related", "see also", "implements", "summary", "layout", "x",
    "description", "1", "\"quoted\"", "*", "? ", "", "ünï", "a b", "status",
)  # fmt: skip
VALUES = (
    "", "~", "null", "true", "no", "12", "0o17", "1e999", ".nan", "-.inf", "2024-02-01", "2024-02-30", "[]",
    "{}", "[a, b]", "[ADR-1, ADR-2]", "{a: 1, b: {c: [d]}}", "[[[[[[[[[[[[[[x]]]]]]]]]]]]]]", "\"a\\0b\"",
    "'it''s'", "\"\\ud800\"", "|\n  line one\n  line two", ">\n  folded\n  text", "&anchor x", "*anchor",
    "!!binary aGk=", "!!python/object:os.system x", "? complex", "a: b: c", "@at", "`tick", "%percent", "\t",
    "- a\n- b", "\n  - a\n  - b", "99999999999999999999999", "\"unclosed", "{unclosed: [", "😀", "\x01",
    "x # comment", "Prism", "[Prism, PrismGR, \"\", 1, null]", "Prism, Other", "ADR-7", "7", "007", "ADR",
    "DECISION", "nowhere", "2001:db8::1", "<<: x", "a" * 300, "[" + "long name " * 60 + "]",
)  # fmt: skip
SPACES = (
    " ", " ", " ", " ", "  ", "\t", "\n", "\xa0", "\u3000", "", ", ", ". ", "-", "/", "_", "\u200b",
)  # fmt: skip
PLACES = ("adr/0001-a.md", "0002-b.md", "./x.md", "https://ex.example/a b", "\\\\x\\y", "ü")
