"""The references a document states, gathered without doubles and without itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from app.domain.artifact import ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.identifier import bare_key, identifier_key
from app.services.parsing.vocabulary import Relation

GENERIC = Relation(ReferenceType.REFERENCES)
MOST_REFERENCES = 2_000
"""Each is looked for and written while nobody else can write."""

MAX_SUPERSESSIONS = 100
"""Each may change the timeline of another document, while nobody else can write."""


class Claims:
    """Collects claims: one for each relation and target, generic ones only where no typed one stands."""

    def __init__(self, own: tuple[str, ...], warnings: list[str]) -> None:
        self._own = frozenset(identifier_key(name) for name in own)
        self._warnings = warnings
        self._claims: dict[tuple[Relation, str], ReferenceClaim] = {}
        self._typed: set[str] = set()
        self._generic: list[tuple[str, str | None, int]] = []
        self._path_of: dict[tuple[Relation, str], str] = {}

    def add(self, relation: Relation, target: str, path: str | None = None, count: int = 1) -> None:
        """Note that the document states this relation to the target."""
        if relation.type is ReferenceType.REFERENCES:
            self._generic.append((target, path, count))
            return
        if self._is_own(target):
            self._warnings.append(f"the document names itself under {relation.type}; that was left out")
            return
        self._typed.update(_names(target, path))
        self._join(relation, target, path, count)

    def gathered(self) -> tuple[ReferenceClaim, ...]:
        """Answer the claims, typed ones first, each kind in the order of the document."""
        for target, path, count in self._generic:
            if not self._is_own(target) and not self._typed.intersection(_names(target, path)):
                self._join(GENERIC, target, path, count)
        self._demote_supersessions()
        if len(self._claims) > MOST_REFERENCES:
            self._warnings.append(
                f"the document has {len(self._claims)} references; only the first {MOST_REFERENCES} are kept"
            )
        return tuple(islice(self._claims.values(), MOST_REFERENCES))

    def _demote_supersessions(self) -> None:
        """Keep what is superseded beyond a number as a plain reference, and warn of it."""
        found = [place for place in self._claims if place[0].type is ReferenceType.SUPERSEDES]
        for place in found[MAX_SUPERSESSIONS:]:
            self._claims[place] = replace(self._claims[place], type=ReferenceType.REFERENCES, inverted=False)
        if len(found) > MAX_SUPERSESSIONS:
            self._warnings.append(
                f"the document states {len(found)} supersessions; only the first {MAX_SUPERSESSIONS} are,"
                " the others are kept as REFERENCES"
            )

    def _is_own(self, target: str) -> bool:
        key = identifier_key(target)
        return key in self._own or any(bare_key(own) == key for own in self._own)

    def _join(self, relation: Relation, target: str, path: str | None, count: int) -> None:
        key = identifier_key(target)
        # A bare identifier after a link with that label means the linked file.
        place = (relation, path or self._path_of.get((relation, key)) or key)
        known = self._claims.get(place)
        if known is not None:
            self._claims[place] = replace(known, count=known.count + count)
            return
        if path is not None:
            self._path_of.setdefault((relation, key), path)
            count += self._take_unlinked(relation, key)
        self._claims[place] = ReferenceClaim(relation.type, target, relation.inverted, count, path)

    def _take_unlinked(self, relation: Relation, key: str) -> int:
        earlier = self._claims.pop((relation, key), None)
        return earlier.count if earlier is not None else 0


def _names(target: str, path: str | None) -> set[str]:
    return {identifier_key(target)} | ({path} if path is not None else set())
