from __future__ import annotations

import hashlib
from pathlib import Path

from app.errors import Unavailable


def read_verified(path: Path, sha256: str, remedy: str) -> bytes:
    """Answer the bytes of a file that must be, to the byte, the one expected.

    Raises Unavailable, naming the file and the remedy, when it is missing or altered.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Unavailable(f"cannot read {path} ({error.strerror}); {remedy}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise Unavailable(f"{path} is altered (sha256 {found}, expected {sha256}); {remedy}")
    return content
