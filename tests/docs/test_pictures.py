"""The picture in the README shows what the demo prints."""

from __future__ import annotations

import re

from app.services.container import Memory
from tests.docs.screenshot import PICTURE, draw_demo

NAMESPACE = "http://www.w3.org/2000/svg"
LARGEST = 100_000


async def test_the_picture_of_the_demo_is_what_the_demo_prints(memory: Memory) -> None:
    assert PICTURE.read_text(encoding="utf-8") == await draw_demo(memory), "draw it again: make pictures"


def test_the_picture_is_small_and_loads_nothing() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    assert len(picture.encode()) < LARGEST
    assert set(re.findall(r"\w+://[^\s\"')]+", picture)) == {NAMESPACE}
    assert "@font-face" not in picture
    assert "<image" not in picture
