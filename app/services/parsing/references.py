"""Reading the references of a document, in header fields, under headings, in status lines and in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from app.domain.artifact import ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.identifier import bare_key, identifier_key
from app.domain.text import beginning, fold
from app.services.parsing.blocks import Block, BlockKind, Section
from app.services.parsing.context import Reading
from app.services.parsing.identifiers import whole_identifier
from app.services.parsing.inline import COVER, plain_text, read_prose
from app.services.parsing.kind_and_title import Identity, numbered_path, without_year
from app.services.parsing.mentions import (
    WrittenMention,
    find_mentions,
    is_placeholder,
    relative_path,
    without_anchor,
)
from app.services.parsing.relation_phrases import (
    bare_numbers,
    date_behind,
    is_denied,
    joined_run,
    looks_like_relation,
    relation_fields,
    stated_relations,
)
from app.services.parsing.status import is_status_section
from app.services.parsing.text import INVISIBLE, texts_of
from app.services.parsing.vocabulary import Relation, relation_named, vocabulary

GENERIC = Relation(ReferenceType.REFERENCES)
MAX_REFERENCES = 2_000
"""Each is looked up and written while nobody else can write."""

MAX_SUPERSESSIONS = 100
"""Each may change the timeline of another document, while nobody else can write."""


class Claims:
    """Collects claims: one for each relation and target, generic ones only where no typed one stands."""

    def __init__(self, own: tuple[str, ...], warnings: list[str]) -> None:
        self._own = frozenset(identifier_key(name) for name in own)
        self._warnings = warnings
        self._claims: dict[tuple[Relation, str], ReferenceClaim] = {}
        self._typed: set[str] = set()
        self._generic: list[ReferenceClaim] = []
        self._path_of: dict[tuple[Relation, str], str] = {}

    def add(
        self,
        relation: Relation,
        target: str,
        path: str | None = None,
        count: int = 1,
        line: int | None = None,
        since: datetime | None = None,
    ) -> None:
        """Add a claim of a relation to a target, stated in a line; a supersession may give its date."""
        is_undirected = relation.type in _UNTITLED and not relation.in_part
        relation = replace(relation, inverted=relation.inverted and not is_undirected)
        if relation.type is ReferenceType.REFERENCES:
            self._generic.append(ReferenceClaim(GENERIC.type, target, False, count, path, line))
            return
        if self._is_own(target):
            self._warnings.append(f"the document has a {relation.type} to itself; it was left out")
            return
        self._typed.update(_names(target, path))
        dated = since if relation.type is ReferenceType.SUPERSEDES else None
        claim = ReferenceClaim(
            relation.type, target, relation.inverted, count, path, line, dated, relation.in_part
        )
        self._join(relation, claim)

    def collect(self) -> tuple[ReferenceClaim, ...]:
        """Return the claims, typed ones first, each kind in the order of the document."""
        for each in self._generic:
            if not self._is_own(each.target) and not self._typed.intersection(_names(each.target, each.path)):
                self._join(GENERIC, each)
        self._demote_supersessions()
        if len(self._claims) > MAX_REFERENCES:
            self._warnings.append(
                f"the document has {len(self._claims)} references; only the first"
                f" {MAX_REFERENCES} are recorded"
            )
        return tuple(islice(self._claims.values(), MAX_REFERENCES))

    def _demote_supersessions(self) -> None:
        """Turn supersessions beyond the maximum into plain references, and warn about it."""
        found = [place for place in self._claims if place[0].type is ReferenceType.SUPERSEDES]
        for place in found[MAX_SUPERSESSIONS:]:
            self._claims[place] = replace(self._claims[place], type=ReferenceType.REFERENCES, inverted=False)
        if len(found) > MAX_SUPERSESSIONS:
            self._warnings.append(
                f"the document has {len(found)} supersessions; only the first"
                f" {MAX_SUPERSESSIONS} count, and the others are recorded as REFERENCES"
            )

    def _is_own(self, target: str) -> bool:
        key = identifier_key(target)
        return key in self._own or any(bare_key(own) == key for own in self._own)

    def _join(self, relation: Relation, claim: ReferenceClaim) -> None:
        key = identifier_key(claim.target)
        # A bare identifier after a link with that label means the linked file.
        place = (relation, claim.path or self._path_of.get((relation, key)) or key)
        known = self._claims.get(place)
        if known is not None:
            since = known.since or claim.since
            self._claims[place] = replace(known, count=known.count + claim.count, since=since)
            return
        if claim.path is not None:
            self._path_of.setdefault((relation, key), claim.path)
            if (unlinked := self._claims.pop((relation, key), None)) is not None:
                claim = replace(
                    claim,
                    count=claim.count + unlinked.count,
                    line=unlinked.line,
                    since=unlinked.since or claim.since,
                )
        self._claims[place] = claim


def _names(target: str, path: str | None) -> set[str]:
    return {identifier_key(target)} | ({path} if path is not None else set())


MAX_TITLE_WORDS = 12

MAX_MENTIONS = 20_000
"""Mentions after this many are not read: a document keeps a tenth as many references."""

MAX_LABEL_LENGTH = 80

_WORD = re.compile(r"\w")
_GOES_ON = re.compile(r"\W*(?:by|with|see|in favou?r of)\b", re.IGNORECASE)
_IS_OVER = re.compile(r"(?:superseded|superceded|replaced|deprecated|obsoleted?|retired)\W*$", re.IGNORECASE)
_UNTITLED = frozenset({ReferenceType.RELATES_TO, ReferenceType.REFERENCES})
_SEPARATORS = re.compile(r"[,;]|\s+(?:and|&)\s+")


def read_references(reading: Reading, identity: Identity) -> tuple[ReferenceClaim, ...]:
    """Return the references of a document; a target with a typed claim gets no generic one."""
    claims = Claims(_own_names(reading, identity), reading.warnings)
    reader = _Reader(reading, identity, claims)
    reader.read_fields()
    for section in reading.sections:
        reader.read_section(section)
    return claims.collect()


def _own_names(reading: Reading, identity: Identity) -> tuple[str, ...]:
    """Return the document's own names, without a title that is an identifier of another document."""
    borrowed = whole_identifier(identity.title, reading.prefixes)
    names = (identity.identifier, None if borrowed else identity.title)
    return tuple(name for name in names if name)


def read_links(reading: Reading) -> tuple[str, ...]:
    """Return the paths of links to Markdown files of the same tree, each once, in order, and not too many."""
    paths: dict[str, None] = {}
    for block in reading.page.blocks:
        if _is_prose(block):
            for link in reading.prose(block).links:
                path = relative_path(link.href)
                if path is not None:
                    paths.setdefault(path)
                if len(paths) == MAX_REFERENCES:
                    return tuple(paths)
    return tuple(paths)


class _Place:
    """A text that starts in a line of the file; it counts lines forwards, as mentions mostly come."""

    def __init__(self, text: str, line: int) -> None:
        self._text = text
        self._first = self._line = line
        self._offset = 0

    def line_at(self, offset: int) -> int:
        """Return the line of a place in the text."""
        if offset < self._offset:
            self._line, self._offset = self._first, 0
        self._line += self._text.count("\n", self._offset, offset)
        self._offset = offset
        return self._line


class _Reader:
    """Walks one document and adds its references to the claims."""

    def __init__(self, reading: Reading, identity: Identity, claims: Claims) -> None:
        self._reading = reading
        self._prefix = identity.prefix
        self._claims = claims
        self._opening = {id(block) for block in reading.opening}
        self._quotes = {id(block) for block in reading.quotes}
        self._inherited: tuple[int, Relation] | None = None
        self._label: tuple[int, Relation] | None = None
        self._row: int | None = None
        self._mentioned = 0
        self._place = _Place("", 1)

    def read_fields(self) -> None:
        """Read fields such as `Requires: 3, ADR-4`, and a status such as "superseded by ADR-9"."""
        for name, inner in self._reading.fields.items():
            for relation, value in relation_fields({name: inner}):
                for text in texts_of(value):
                    for target in self._field_targets([text]):
                        self._place = _Place("", self._reading.above.line_of(name, text))
                        self._add(relation, target, date_behind(text[target.end :]) if target.end else None)
        for name, value in self._reading.by_role("status"):
            for text in texts_of(value):
                self._place = _Place("", self._reading.above.line_of(name, text))
                self._read_statement_text(text[:4_000], {})
        for line in self._reading.lines.fields:
            stated = relation_named(line.name)
            if stated is not None and id(line.block) in self._reading.lines.whole:
                self._place = _Place("", self._reading.line_of(line.block, line.value))
                self._read_line_field(stated, line.value)

    def _read_line_field(self, relation: Relation, value: str) -> None:
        prose = read_prose(value.replace("`", "")[:4_000], self._reading.page.definitions)
        mentions = find_mentions(prose, self._reading.prefixes)
        if mentions and not is_denied(prose.text[: mentions[0].start]):
            named = list(joined_run(prose.text, mentions))
            for mention in named:
                self._add(relation, mention, date_behind(prose.text[named[-1].end :]))
        for target in () if mentions else self._field_targets([prose.text]):
            if target.path is not None or target.target.rpartition("-")[2].isdigit():
                self._add(relation, target)

    def _read_statement_text(self, text: str, definitions: dict[str, object]) -> None:
        prose = read_prose(text, definitions)
        mentions = self._with_numbers(prose.text, find_mentions(prose, self._reading.prefixes))
        self._add_rest(mentions, self._add_stated(prose.text, mentions, at_line_start=False))

    def read_section(self, section: Section) -> None:
        """Read one section by what its heading says, and the heading itself as prose."""
        relation = self._relation_of(section)
        self._label = None
        if section.heading is not None and section.heading is not self._reading.title and not self._is_full():
            self._read_heading(section, section.heading)
        before, is_status = "", is_status_section(section, self._reading)
        for block in section.blocks:
            if block.kind is BlockKind.RULE and block.top:
                relation = None
            if id(block) in self._quotes and not self._is_full():
                self._read_quote(block)
            if not _is_prose(block) or self._is_full() or self._reads_label(block):
                continue
            labelled = self._label[1] if self._label is not None else relation
            if labelled is not None:
                self._read_typed(block, labelled)
            else:
                self._read_untyped(section, block, before, is_status=is_status)
            before = block.content[-200:]

    def _read_untyped(self, section: Section, block: Block, before: str, *, is_status: bool) -> None:
        if is_status or (_IS_OVER.search(section.name) and _GOES_ON.match(block.content)):
            self._read_status_block(block, before if is_status else section.name)
        elif id(block) in self._opening or section.name in vocabulary().link_sections:
            self._read_opening_block(block)
        else:
            self._read_plain(block)

    def _reads_label(self, block: Block) -> bool:
        """Return whether a block is a label such as "Supersedes:" for the list below; end an earlier one."""
        if self._label is not None and block.depth <= self._label[0]:
            self._label = None
        if block.cell or len(block.content) > MAX_LABEL_LENGTH or "\n" in block.content:
            return False
        is_label = block.content.rstrip(" *_`").endswith(":") or self._is_bold(block)
        relation = relation_named(plain_text(block.content)) if is_label else None
        if relation is not None and relation.type is not ReferenceType.REFERENCES:
            self._label = (block.depth, relation)
        return relation is not None

    @staticmethod
    def _is_bold(block: Block) -> bool:
        return block.content.startswith(("**", "__")) and block.content.endswith(("**", "__"))

    def _read_quote(self, block: Block) -> None:
        """Read what a callout of the opening states, such as "Superseded by ADR-9", and no more of it."""
        text, mentions = self._mentions(block, with_numbers=True)
        if mentions:
            self._add_stated(text, mentions, at_line_start=True)

    def _read_opening_block(self, block: Block) -> None:
        fields = self._reading.lines
        stated = [line for line in fields.fields if line.block is block] if id(block) in fields.whole else []
        if any(relation_named(line.name) is not None for line in stated):
            for line in stated:
                if relation_named(line.name) is None:
                    self._place = _Place("", self._reading.line_of(block, line.value))
                    self._read_statement_text(line.value[:4_000], self._reading.page.definitions)
            return
        self._read_statements(block, at_line_start=True)

    def _read_status_block(self, block: Block, before: str) -> None:
        """Read what a status says; "By ADR-9" alone goes on with the block before it."""
        text, mentions = self._mentions(block, with_numbers=True)
        goes_on = _GOES_ON.match(text)
        if goes_on is not None and mentions and _IS_OVER.search(plain_text(before)) is not None:
            relation = Relation(ReferenceType.SUPERSEDES, inverted=True)
            typed = tuple(joined_run(text, mentions)) if mentions[0].start <= goes_on.end() + 20 else ()
            for mention in typed:
                self._add(relation, mention, date_behind(text[typed[-1].end :]))
            self._add_rest(mentions, {id(mention) for mention in typed})
        elif mentions:
            self._add_rest(mentions, self._add_stated(text, mentions, at_line_start=False))

    def _relation_of(self, section: Section) -> Relation | None:
        if section.heading is None or section.heading is self._reading.title:
            return None
        relation = relation_named(section.name)
        if relation is not None:
            self._inherited = (section.heading.level, relation)
        elif self._inherited is not None and section.heading.level > self._inherited[0]:
            # "Why" under "Supersedes" supersedes nothing: only what has no direction reaches further down.
            related = self._inherited[1].type is ReferenceType.RELATES_TO
            relation = self._inherited[1] if related else None
        else:
            self._inherited = None
        return relation

    def _read_heading(self, section: Section, heading: Block) -> None:
        """Read a heading such as "Supersedes ADR-1", or "ADR-1" below one that states a relation."""
        text, mentions = self._mentions(heading, with_numbers=True)
        text = INVISIBLE.sub(" ", text)
        taken = self._add_stated(text, mentions, at_line_start=True)
        below = self._inherited is not None and heading.level > self._inherited[0]
        if not taken and below and self._inherited is not None and mentions:
            typed = tuple(joined_run(text, mentions)) if not _WORD.search(text[: mentions[0].start]) else ()
            for mention in typed:
                self._add(self._inherited[1], mention)
            taken = {id(mention) for mention in typed}
        if not taken:
            self._warn_of_lookalike(section, heading, is_naming=bool(mentions))
        self._add_rest(mentions, taken)

    def _warn_of_lookalike(self, section: Section, heading: Block, *, is_naming: bool) -> None:
        """Warn of a heading that looks like a relation and is none, if it or what is below names any."""
        goes_on = any(_GOES_ON.match(block.content) for block in section.blocks[:1])
        if goes_on or relation_named(section.name) is not None or not looks_like_relation(section.name):
            return
        if is_naming or any(self._mentions_any(block) for block in section.blocks[:5]):
            spelled = beginning(plain_text(heading.content[:100]), 60)
            warning = f"the heading {spelled!r} looks like a relation and is read as none"
            self._reading.warn(warning, self._reading.line_of(heading))
            self._reading.unread_headings.add(warning)

    def _mentions_any(self, block: Block) -> bool:
        return _is_prose(block) and bool(find_mentions(self._reading.prose(block), self._reading.prefixes))

    def _read_typed(self, block: Block, relation: Relation) -> None:
        text, mentions = self._mentions(block)
        if not mentions:
            title = _plain_title(block, text, relation)
            if title is not None:
                self._claims.add(relation, title, line=self._reading.line_of(block))
            return
        named = self._add_stated(text, mentions, at_line_start=True)
        if named or is_denied(text[: mentions[0].start]):
            self._add_rest(mentions, named)
            return
        typed = self._typed_mentions(block, text, mentions, relation)
        for mention in typed:
            self._add(relation, mention, date_behind(text[typed[-1].end :]))
        self._add_rest(mentions, {id(mention) for mention in typed})

    def _typed_mentions(
        self, block: Block, text: str, mentions: list[WrittenMention], relation: Relation
    ) -> Sequence[WrittenMention]:
        if relation.type is ReferenceType.RELATES_TO:
            return mentions
        if block.cell and block.first_line == self._row:
            # In a table row only the first cell with a mention counts; the others explain it.
            return ()
        self._row = block.first_line
        return tuple(joined_run(text, mentions))

    def _read_statements(self, block: Block, *, at_line_start: bool) -> None:
        text, mentions = self._mentions(block, with_numbers=True)
        if mentions:
            self._add_rest(mentions, self._add_stated(text, mentions, at_line_start=at_line_start))

    def _read_plain(self, block: Block) -> None:
        self._add_rest(self._mentions(block)[1], set())

    def _mentions(self, block: Block, *, with_numbers: bool = False) -> tuple[str, list[WrittenMention]]:
        prose = self._reading.prose(block)
        self._place = _Place(prose.text, self._reading.line_of(block))
        mentions = find_mentions(prose, self._reading.prefixes)
        if with_numbers:
            mentions = self._with_numbers(prose.text, mentions)
        self._mentioned += len(mentions)
        return prose.text, mentions[: len(mentions) - max(0, self._mentioned - MAX_MENTIONS)]

    def _with_numbers(self, text: str, mentions: list[WrittenMention]) -> list[WrittenMention]:
        """Return the mentions with the bare numbers that a relation names, where no mention stands."""
        numbers = bare_numbers(text, self._prefix)
        if not numbers:
            return mentions
        taken = {place for mention in mentions for place in range(mention.start, mention.end)}
        free = [number for number in numbers if number.start not in taken]
        return sorted([*mentions, *free], key=lambda mention: mention.start)

    def _is_full(self) -> bool:
        """Return whether no more mentions are read, and warn of it."""
        if self._mentioned < MAX_MENTIONS:
            return False
        self._reading.warnings.append(f"only the first {MAX_MENTIONS} links and identifiers were read")
        return True

    def _add_stated(self, text: str, mentions: list[WrittenMention], *, at_line_start: bool) -> set[int]:
        taken: set[int] = set()
        for relation, mention, since in stated_relations(text, mentions, at_line_start=at_line_start):
            self._add(relation, mention, since)
            taken.add(id(mention))
        return taken

    def _add_rest(self, mentions: list[WrittenMention], taken: set[int]) -> None:
        for mention in mentions:
            if id(mention) not in taken:
                self._add(GENERIC, mention)

    def _add(self, relation: Relation, mention: WrittenMention, since: datetime | None = None) -> None:
        target = mention.target
        if mention.path is not None and target == mention.path:
            target = self._identifier_of(mention.path) or target
        line = self._place.line_at(mention.start)
        self._claims.add(relation, target, mention.path, line=line, since=since)

    def _identifier_of(self, path: str) -> str | None:
        """Return the identifier that the number of a file such as 0004-x.md stands for, or None."""
        numbered = without_year(numbered_path(path, self._reading.prefixes), self._prefix)
        prefix = (numbered.prefix or self._prefix) if numbered is not None else None
        return f"{prefix}-{numbered.number}" if numbered is not None and prefix is not None else None

    def _field_targets(self, texts: list[str]) -> Iterator[WrittenMention]:
        for text in texts:
            prose = read_prose(text[:4_000].replace("`", ""), {})
            mentions = find_mentions(prose, self._reading.prefixes)
            yield from mentions
            for part in _SEPARATORS.split(text.replace("`", "")):
                words = part.strip(" []\"'")
                # Beside identifiers, words are a remark, and a bare number is one of the series.
                target = self._field_target(words) if not mentions or words.isdigit() else None
                if target is not None:
                    yield target

    def _field_target(self, text: str) -> WrittenMention | None:
        if fold(text) in vocabulary().nothing or is_placeholder(text):
            return None
        if text.isascii() and text.isdigit():
            return WrittenMention(0, 0, f"{self._prefix}-{text}" if self._prefix else text)
        target = without_anchor(text, self._reading.prefixes)
        return WrittenMention(0, 0, target, relative_path(target))


def _is_prose(block: Block) -> bool:
    return block.kind in (BlockKind.TEXT, BlockKind.HEADING) and not block.quoted


def _plain_title(block: Block, text: str, relation: Relation) -> str | None:
    """Return a short line under a typed heading as a title; None for a sentence or a placeholder."""
    if block.cell or relation.type in _UNTITLED or COVER in text or "\n" in text:
        return None
    title = plain_text(block.content[:400])
    if title.endswith((".", ":", "?", "!")) or len(title.split()) > MAX_TITLE_WORDS or is_denied(title):
        return None
    return None if any(is_placeholder(part.strip()) for part in _SEPARATORS.split(title)) else title
