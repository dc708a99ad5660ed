"""The entrance for text: what no store and no encoder can keep is replaced here, once."""

from __future__ import annotations

import re

_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Answer the text without a byte order mark, with \\n line ends and U+FFFD for NUL and lone surrogates.

    All else stays as it is: a body is quoted verbatim later.
    """
    unmarked = text.removeprefix("\ufeff")
    one_line_end = unmarked.replace("\r\n", "\n").replace("\r", "\n")
    return _UNKEEPABLE.sub("\ufffd", one_line_end)
