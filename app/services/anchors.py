"""Which entities a query names: identifiers, names and aliases, longest match first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from app.domain.bounds import MAX_FORM
from app.domain.identifier import identifier_key
from app.domain.surface_form import SHORTEST_FORM, fold, may_be_a_word, name_key
from app.stores.postgres import anchors
from app.stores.postgres.anchors import NamedEntity, NameOrigin
from app.stores.postgres.scope import Scope

WORDS_READ = 64
LONGEST_NAME = 16
LONGEST_KEY = 3
_EDGES = "\"'`“”‘’«»()[]{}<>?!.,;:*_ "


@dataclass(frozen=True, slots=True)
class Span:
    """Some neighbouring words of a query, as written, with the key of the name they would be."""

    start: int
    end: int
    text: str
    key: str

    def overlaps(self, other: Span) -> bool:
        """Tell whether the two share a word."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Named:
    """An entity named by a span of the query; `exact` when nothing else can be meant."""

    entity: UUID
    span: Span
    origin: NameOrigin
    is_former: bool
    exact: bool


async def find_named(
    connection: asyncpg.Connection, scope: Scope, query: str, *, with_drafts: bool = False
) -> list[Named]:
    """Answer the entities a query names at the scope's moment, if in drafts, in the order it names them."""
    words = query.split()[:WORDS_READ]
    spans = list(_spans(words))
    forms = {span.key for span in spans}
    keys = {identifier_key(span.text) for span in spans if span.end - span.start <= LONGEST_KEY}
    found = await anchors.named_entities(
        connection, scope, sorted(forms), sorted(keys), with_drafts=with_drafts
    )
    if not found:
        return []
    whole = fold(query.strip(_EDGES))
    named = _longest_first(_matches(spans, found, whole))
    preferred = await _preferred(connection, scope, named)
    return sorted(preferred, key=lambda match: (match.span.start, str(match.entity)))


def is_bare_identifier(query: str, named: Sequence[Named]) -> bool:
    """Tell whether a query is an identifier and nothing else: its words then have no meaning of their own."""
    words = len(query.split())
    return any(
        match.origin is NameOrigin.IDENTIFIER and (match.span.start, match.span.end) == (0, words)
        for match in named
    )


def _spans(words: Sequence[str]) -> Iterator[Span]:
    # A few characters fold to eighteen: each word is folded by itself first, which costs what it is long.
    lengths = [len(fold(word)) if len(word) <= MAX_FORM else MAX_FORM + 1 for word in words]
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST_NAME, len(words)) + 1):
            if sum(lengths[start:end]) > MAX_FORM:
                break
            text = " ".join(words[start:end]).strip(_EDGES)
            if len(text) >= SHORTEST_FORM:
                yield Span(start, end, text, name_key(text))


def _matches(spans: Sequence[Span], found: Sequence[NamedEntity], whole: str) -> list[Named]:
    by_form: dict[str, list[Span]] = defaultdict(list)
    by_key: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        by_form[span.key].append(span)
        by_key[identifier_key(span.text)].append(span)
    matches = []
    for named in found:
        is_key = named.origin is NameOrigin.IDENTIFIER
        for span in (by_key if is_key else by_form)[named.folded_form]:
            is_whole = fold(span.text) == whole
            if is_whole or _is_meant(named, span):
                exact = is_key or is_whole
                matches.append(Named(named.entity, span, named.origin, named.is_former, exact))
    return matches


def _is_meant(named: NamedEntity, span: Span) -> bool:
    """Tell whether part of a query names a thing: a bare number or a common word means itself."""
    if named.origin is NameOrigin.IDENTIFIER:
        return not named.folded_form.isdigit() and not span.text.isalpha()
    if not span.text.isalpha() or not may_be_a_word(named.form):
        return True
    return span.text == named.form and not span.text.islower()


def _longest_first(matches: Sequence[Named]) -> list[Named]:
    kept: list[Named] = []
    order = sorted(
        matches, key=lambda match: (match.span.start - match.span.end, match.span.start, _order(match))
    )
    for match in order:
        rivals = [held for held in kept if held.span.overlaps(match.span)]
        is_same_span = all(held.span == match.span and _ranks_with(held, match) for held in rivals)
        if is_same_span and all(held.entity != match.entity for held in kept):
            kept.append(match)
    return kept


def _order(match: Named) -> tuple[bool, bool]:
    return match.origin is not NameOrigin.IDENTIFIER, not match.exact


def _ranks_with(held: Named, match: Named) -> bool:
    """An identifier outranks other names: what it names, no alias or title of the same spelling means."""
    return match.origin is NameOrigin.IDENTIFIER or held.origin is not NameOrigin.IDENTIFIER


async def _preferred(connection: asyncpg.Connection, scope: Scope, named: Sequence[Named]) -> list[Named]:
    """Follow the alias chain of each match to the entity it ends at."""
    if not named:
        return []
    ends = await anchors.preferred_entities(
        connection, scope.tenant, [match.entity for match in named], scope.moment
    )
    by_entity = {
        ends[match.entity]: Named(ends[match.entity], match.span, match.origin, match.is_former, match.exact)
        for match in reversed(named)
    }
    return list(by_entity.values())
