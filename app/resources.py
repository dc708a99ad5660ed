"""Where the files that ship beside the code are, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def shipped_folder(packaged: str, in_checkout: str) -> Path:
    """Return the folder an installed wheel carries, or its place in a checkout.

    Raises FileNotFoundError when the installation holds neither.
    """
    candidates = (PACKAGE / "packaged" / packaged, PACKAGE.parent / in_checkout)
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"this installation lacks its folder {packaged}; install trigraph again")
