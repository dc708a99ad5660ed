"""The one way names are compared: NFKC, case folding and white-space folding."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from app.domain.stacked_marks import without_stacks

UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
"""What a text cannot hold in any store: NUL, and halves of characters."""

_WORD = re.compile(r"\w+")

SHORTEST_FORM = 2
LONGEST_FORM = 512
LONGEST_KEY_BYTES = 2_048


def fold(text: str) -> str:
    """Answer the form under which two spellings of one name are equal.

    NFKC first, then full case folding (ß and SS meet, İ keeps its dot), NFKC again since folding
    can undo it, then every run of white space becomes one space and the ends are trimmed. A text that is
    too long for a name loses what stands beyond thirty marks on one letter, as the analyser reads it. Takes
    time linear in the text, which NFKC makes 18 times as long at most; what a caller names is bounded before
    (`app.domain.bounds`).
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    if len(text) > LONGEST_KEY_BYTES:
        text = without_stacks(text)
    composed = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", composed).split())


def name_key(text: str) -> str:
    """Answer the form under which names are kept and looked up: folded, and short enough for an index."""
    return short_key(fold(text))


def may_be_a_word(form: str) -> bool:
    """Tell whether a form may be an ordinary word: letters of one case, or small ones after a capital.

    `Harbor` and `IT` may, and in other case are; `PrismGR` and `C++` are names in any case.
    """
    rest = form[1:]
    return form.isalpha() and (form == form.upper() or rest == rest.lower())


def first_word(folded: str) -> str:
    """Answer the first word of a folded form, which every text that uses the form holds; "" without one."""
    found = _WORD.search(folded)
    return "" if found is None else short_key(found.group())


def words_of(folded: str) -> set[str]:
    """Answer every word of a folded text as `first_word` gives them, the empty one included."""
    return {"", *(short_key(word) for word in set(_WORD.findall(folded)))}


def short_key(key: str) -> str:
    """Answer a key that an index can hold: a key of more than 2,048 bytes is its start and a digest."""
    if len(key.encode()) <= LONGEST_KEY_BYTES:
        return key
    return f"{key[:128]}…{hashlib.sha256(key.encode()).hexdigest()}"
