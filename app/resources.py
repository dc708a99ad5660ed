"""Locate the files that are shipped with the code, in a checkout or an installed wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def shipped_folder(packaged: str, in_checkout: str) -> Path:
    """Return a shipped folder, in an installed wheel or in a checkout.

    Raises FileNotFoundError when it is in neither.
    """
    candidates = (PACKAGE / "packaged" / packaged, PACKAGE.parent / in_checkout)
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the folder {packaged} is missing in this installation; install trigraph again")
