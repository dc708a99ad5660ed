"""Sections of a few words read with their neighbours: alone they say too little to be found or shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from app.services.parsing.encoder_text import JOINT
from app.services.parsing.splitting import Stretch

SMALLEST = 96
"""Characters that say enough to stand alone: about 24 word pieces."""


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring stretches of a body under one path of headings, outermost first.

    `title` holds the headings that begin with it, which are text as well once the part is joined to another.
    """

    path: tuple[str, ...]
    title: tuple[Stretch, ...]
    stretches: tuple[Stretch, ...]

    @property
    def heading(self) -> str | None:
        """The path in one line."""
        return JOINT.join(self.path) or None

    @property
    def size(self) -> int:
        """How many characters it has beside its headings."""
        return sum(end - start for start, end in self.stretches)

    def followed_by(self, stretches: Sequence[Stretch]) -> Part:
        """Answer the part with more text at its end."""
        return replace(self, stretches=(*self.stretches, *stretches))


def join_small(parts: Sequence[Part]) -> list[Part]:
    """Join each part that is too small with those after it until they are not.

    What is too small at the end joins what stands before it.
    """
    joined: list[list[Part]] = []
    for part in parts:
        if joined and _size(joined[-1]) < SMALLEST:
            joined[-1].append(part)
        else:
            joined.append([part])
    if len(joined) > 1 and _size(joined[-1]) < SMALLEST:
        last = joined.pop()
        joined[-1].extend(last)
    return [_one(group) for group in joined]


def _size(group: Sequence[Part]) -> int:
    return sum(part.size for part in group)


def _one(group: Sequence[Part]) -> Part:
    """Answer a group as one part, under the path of its one large part, or else of them all."""
    if len(group) == 1:
        return group[0]
    stretches = [stretch for part in group for stretch in (*part.title, *part.stretches)]
    large = [part for part in group if part.size >= SMALLEST]
    path = large[0].path if len(large) == 1 else _common([part.path for part in group])
    return Part(path, (), tuple(sorted(set(stretches))))


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    levels = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return tuple(names[0] for names in levels)
