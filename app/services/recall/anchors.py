"""Find the anchors of a query: the entities it names by identifier, name or alias, longest match first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import asyncpg

from app.domain.bounds import MAX_FORM, MIN_SURFACE_FORM
from app.domain.entity import Entity
from app.domain.identifier import identifier_key
from app.domain.numbers import ArtifactNumber
from app.domain.recall import Anchor
from app.domain.temporal import Branch, EntityState
from app.domain.text import fold, may_be_a_word, name_key, without_invisible
from app.domain.types import label_of
from app.services.parsing.identifiers import keys_of_number, place_of_best
from app.stores.postgres import anchors, artifacts, entities, states, type_definitions
from app.stores.postgres import anchors as names
from app.stores.postgres.anchors import NamedEntity, NameOrigin
from app.stores.postgres.scope import Scope

WORDS_READ = 64
MAX_NAME_WORDS = 16
MAX_KEY_WORDS = 3
_EDGES = "\"'`“”‘’«»()[]{}<>?!.,;:*_ "


@dataclass(frozen=True, slots=True)
class WordSpan:
    """Neighbouring words of a query, as written, with the key that they have as a name."""

    start: int
    end: int
    text: str
    key: str

    def overlaps(self, other: WordSpan) -> bool:
        """Return whether the two share a word."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class NamedSpan:
    """An entity named by a span of the query; `exact` if nothing else can be meant."""

    entity: UUID
    span: WordSpan
    origin: NameOrigin
    is_former: bool
    exact: bool


async def find_named(
    connection: asyncpg.Connection, scope: Scope, query: str, *, with_drafts: bool = False
) -> list[NamedSpan]:
    """Return the entities that a query names at the scope's moment, in the order of the query."""
    words = query.split()[:WORDS_READ]
    if len(words) == 1 and (numbered := await _numbered(connection, scope, words[0])):
        return numbered
    spans = list(_spans(words))
    forms = {span.key for span in spans}
    keys = {identifier_key(span.text) for span in spans if span.end - span.start <= MAX_KEY_WORDS}
    found = await anchors.named_entities(
        connection, scope, sorted(forms), sorted(keys), with_drafts=with_drafts
    )
    if not found:
        return []
    whole = fold(query.strip(_EDGES))
    named = _longest_first(_matches(spans, found, whole))
    preferred = await _follow_aliases(connection, scope, named)
    return sorted(preferred, key=lambda match: (match.span.start, str(match.entity)))


async def _numbered(connection: asyncpg.Connection, scope: Scope, word: str) -> list[NamedSpan]:
    """Return the documents that a bare number means: those of the one kind that has it."""
    text = word.strip(_EDGES)
    if not text.isdigit() or len(text) < MIN_SURFACE_FORM:
        return []
    known = await type_definitions.types_in_projects(connection, scope.tenant, scope.projects)
    keys = keys_of_number(text, (each.definition.name for each in known))
    found = await anchors.named_entities(connection, scope, [], keys) if keys else []
    if len({named.folded_form for named in found}) != 1:
        return []
    span = WordSpan(0, 1, found[0].folded_form, found[0].folded_form)
    ids = dict.fromkeys(named.entity for named in found)
    return [NamedSpan(id, span, NameOrigin.IDENTIFIER, is_former=False, exact=True) for id in ids]


def is_bare_identifier(query: str, named: Sequence[NamedSpan]) -> bool:
    """Return whether a query is an identifier and nothing else, so that its words have no other meaning."""
    words = len(query.split())
    return any(
        match.origin is NameOrigin.IDENTIFIER and (match.span.start, match.span.end) == (0, words)
        for match in named
    )


def _spans(words: Sequence[str]) -> Iterator[WordSpan]:
    # Some characters fold to eighteen: each word is folded by itself first, in time linear in its length.
    lengths = [len(fold(word)) if len(word) <= MAX_FORM else MAX_FORM + 1 for word in words]
    for start in range(len(words)):
        for end in range(start + 1, min(start + MAX_NAME_WORDS, len(words)) + 1):
            if sum(lengths[start:end]) > MAX_FORM:
                break
            text = " ".join(words[start:end]).strip(_EDGES)
            if len(text) >= MIN_SURFACE_FORM:
                yield WordSpan(start, end, text, name_key(text))


def _matches(spans: Sequence[WordSpan], found: Sequence[NamedEntity], whole: str) -> list[NamedSpan]:
    by_form: dict[str, list[WordSpan]] = defaultdict(list)
    by_key: dict[str, list[WordSpan]] = defaultdict(list)
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
                matches.append(NamedSpan(named.entity, span, named.origin, named.is_former, exact))
    return matches


def _is_meant(named: NamedEntity, span: WordSpan) -> bool:
    """Return whether part of a query names a thing: a bare number or a common word does not."""
    if named.origin is NameOrigin.IDENTIFIER:
        return not named.folded_form.isdigit() and not span.text.isalpha()
    if not span.text.isalpha() or not may_be_a_word(named.form):
        return True
    return without_invisible(span.text) == without_invisible(named.form) and not span.text.islower()


def _longest_first(matches: Sequence[NamedSpan]) -> list[NamedSpan]:
    kept: list[NamedSpan] = []
    order = sorted(
        matches, key=lambda match: (match.span.start - match.span.end, match.span.start, _order(match))
    )
    for match in order:
        rivals = [held for held in kept if held.span.overlaps(match.span)]
        is_same_span = all(held.span == match.span and _ranks_with(held, match) for held in rivals)
        if is_same_span and all(held.entity != match.entity for held in kept):
            kept.append(match)
    return kept


def _order(match: NamedSpan) -> tuple[bool, bool]:
    return match.origin is not NameOrigin.IDENTIFIER, not match.exact


def _ranks_with(held: NamedSpan, match: NamedSpan) -> bool:
    """Return whether a match counts beside another: an identifier outranks other names spelled alike."""
    return match.origin is NameOrigin.IDENTIFIER or held.origin is not NameOrigin.IDENTIFIER


async def _follow_aliases(
    connection: asyncpg.Connection, scope: Scope, named: Sequence[NamedSpan]
) -> list[NamedSpan]:
    """Follow the alias chain of each match to the entity it ends at."""
    if not named:
        return []
    ends = await anchors.preferred_entities(
        connection, scope.tenant, [match.entity for match in named], scope.moment
    )
    by_entity = {
        ends[match.entity]: NamedSpan(
            ends[match.entity], match.span, match.origin, match.is_former, match.exact
        )
        for match in reversed(named)
    }
    return list(by_entity.values())


@dataclass(frozen=True, slots=True)
class QueryAnchors:
    """The anchors of a query, the artifacts of the exact ones, and other forms to search by.

    `identified` are the artifacts of those that the query names by their identifiers. `is_bare_identifier` is
    true for a query that has no words besides an identifier.
    """

    anchors: tuple[Anchor, ...] = ()
    leading: tuple[ArtifactNumber, ...] = ()
    identified: tuple[ArtifactNumber, ...] = ()
    other_forms: tuple[str, ...] = ()
    is_bare_identifier: bool = False


async def anchor_query(
    connection: asyncpg.Connection, scope: Scope, query: str, *, with_drafts: bool
) -> QueryAnchors:
    """Return the anchors of a query at the scope's moment; a query without any costs one statement."""
    named = await find_named(connection, scope, query, with_drafts=with_drafts)
    if not named:
        return QueryAnchors()
    ids = [match.entity for match in named]
    found = {
        id: replace(entity, created_at=scope.former_beginnings.get(id, entity.created_at))
        for id, entity in (await entities.entities_by_id(connection, scope.tenant, ids)).items()
    }
    named = await _best_first(connection, scope, named, found)
    held = await states.states_as_of(connection, scope.tenant, ids, scope.moment)
    newest = await artifacts.newest_versions_in_scope(connection, scope, ids)
    forms = await names.other_forms_of(connection, scope.tenant, ids, scope.moment, with_identifiers=True)
    return QueryAnchors(
        anchors=tuple(_anchor(match, found, held) for match in named),
        leading=tuple(newest[match.entity] for match in named if match.exact and match.entity in newest),
        identified=tuple(
            newest[match.entity]
            for match in named
            if match.origin is NameOrigin.IDENTIFIER and match.entity in newest
        ),
        other_forms=(*(form.form for form in forms), *_current_names(named, held)),
        is_bare_identifier=is_bare_identifier(query, named),
    )


async def _best_first(
    connection: asyncpg.Connection, scope: Scope, named: Sequence[NamedSpan], found: Mapping[UUID, Entity]
) -> list[NamedSpan]:
    """Return the matches in the order of the query; of documents with one number the best fitting first."""
    by_span: dict[WordSpan, list[Entity]] = defaultdict(list)
    for match in named:
        if match.origin is NameOrigin.IDENTIFIER:
            by_span[match.span].append(found[match.entity])
    shared = {span: each for span, each in by_span.items() if len(each) > 1}
    best: set[UUID] = set()
    if shared:
        ids = [entity.id for each in shared.values() for entity in each]
        sources = await artifacts.newest_sources(connection, scope.tenant, ids, scope.moment)
        best = {entity.id for span, each in shared.items() for entity in _best(span, each, sources)}
    return sorted(
        named,
        key=lambda match: (
            match.span.start,
            match.entity not in best,
            found[match.entity].key or "",
            found[match.entity].created_at,
            str(match.entity),
        ),
    )


def _best(span: WordSpan, claiming: Sequence[Entity], sources: Mapping[UUID, str | None]) -> list[Entity]:
    key = identifier_key(span.text)
    plain = [entity for entity in claiming if entity.key == key]
    place = place_of_best(key, [(entity.type_name, sources.get(entity.id)) for entity in claiming])
    return plain if place is None else [claiming[place]]


def _anchor(
    match: NamedSpan, found: dict[UUID, Entity], held: dict[tuple[UUID, Branch], EntityState]
) -> Anchor:
    state = held.get((match.entity, Branch.COMMITTED))
    return Anchor(found[match.entity], match.span.text, state, match.exact)


def _current_names(named: Sequence[NamedSpan], held: dict[tuple[UUID, Branch], EntityState]) -> list[str]:
    """Return the names at the asked time of the things that were named by an alias or a former name."""
    old = [match for match in named if match.is_former or match.origin is NameOrigin.ALIAS]
    found = (held.get((match.entity, Branch.COMMITTED)) for match in old)
    labels = (label_of(state.props) for state in found if state is not None)
    return [label for label in labels if label is not None]
