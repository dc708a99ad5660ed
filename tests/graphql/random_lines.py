"""Random words, and lines of them with inline Markdown in between."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from tests.graphql.odd_words import CODE_NAMES, IDENTIFIERS, MARKUP, PLAIN, SPACES, STRANGE

Texts = st.SearchStrategy[str]

FRAMES = (
    "*%*", "**%**", "_%_", "~~%~~", "`%`", "`` % ``", "***%", "[%](@)", '[%](<@> "t")', "![%](@)", "<@>",
    "[%][@]", "[%]", "[[%]]", "[[%|@]]", "<!-- % -->", "<b>%</b>", "\\%", "%\\@", "$%$", "==%==", "%[^@]",
    "%**@**", "%_@_", "[%](0002-%.md)", "<https://%>",
)  # fmt: skip
# Past what a term, a stretch of text, a passage or a piece of work may hold.
LENGTHS = (30, 64, 127, 128, 129, 200, 255, 300, 513, 1_025)
LONGEST = 4_200
RANGES = ((0x21, 0x7F), (0x61, 0x7B), (0x4E00, 0xA000), (0x20000, 0x2A6D0), (0x1F300, 0x1F600))


def picked(*pools: tuple[str, ...]) -> Texts:
    """Return any of these texts."""
    return st.sampled_from([text for pool in pools for text in pool])


def joined(parts: Texts, joints: Texts, most: int) -> Texts:
    """Return some parts with a joint of its own after each."""
    drawn = st.lists(st.tuples(parts, joints), max_size=most)
    return drawn.map(lambda pairs: "".join(part + joint for part, joint in pairs))


def _framed(frame: str, inside: str, other: str) -> str:
    return frame.replace("%", inside).replace("@", other)


def _noise(seed: int, among: tuple[int, int], times: int) -> str:
    """Return so many characters of a range, in an order that no store can make shorter."""
    return "".join(map(chr, Random(seed).choices(range(*among), k=times)))


def _repeated(part: str, times: int) -> str:
    return (part * times)[:LONGEST]


characters = st.characters(exclude_categories=["Cs"])
raw_text = st.text(characters, max_size=12)
long_words = st.one_of(
    st.builds(
        _repeated,
        st.one_of(picked(PLAIN, STRANGE, MARKUP), st.text(characters, min_size=1, max_size=3)),
        st.sampled_from(LENGTHS),
    ),
    st.builds(_noise, st.integers(0, 1_000), st.sampled_from(RANGES), st.sampled_from(LENGTHS)),
)
words = st.one_of(
    picked(PLAIN), picked(PLAIN), picked(CODE_NAMES), picked(IDENTIFIERS), picked(STRANGE), raw_text
)
spans = st.one_of(
    words, words, picked(MARKUP), st.builds(_framed, st.sampled_from(FRAMES), inside=words, other=words)
)
lines = joined(spans, st.sampled_from(SPACES), most=10)
