"""Reading the status of a document, from its header, a `Status:` line, a switch or a section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from app.domain.artifact import StatedStatus
from app.domain.entity import ReferenceType
from app.domain.recall import StateFlag
from app.domain.status_words import (
    CUT,
    MAX_STATUS_READ,
    MAX_STATUS_WORDS,
    SUPERSEDED,
    flag_of_status,
    is_choice,
    is_known,
    is_notice,
    later_status,
    leading_status,
)
from app.domain.text import beginning, fold
from app.services.parsing.blocks import Block, BlockKind, Section
from app.services.parsing.context import Reading
from app.services.parsing.dates import DateReading, find_date
from app.services.parsing.field_lines import column_values, split_field
from app.services.parsing.inline import COVER, plain_text, read_prose
from app.services.parsing.mentions import find_mentions
from app.services.parsing.relation_phrases import stated_relations
from app.services.parsing.text import INVISIBLE, texts_of
from app.services.parsing.vocabulary import field_key, vocabulary

SECTION_ROLE = "status"
MAX_UNKNOWN_WORDS = 4
"""More words without a known one among them are a sentence, which is kept as it was written."""

MAX_STATUS_LENGTH = 120
IN_PART = "superseded in part"
THIS = " this"
WHOLLY_REPLACED = ("superseded", "superceded", "replaced", "obsoleted")
MAX_NOTICES = 10
MAX_STATED = 20
"""Places of one document whose statuses are compared."""

_STRUCK = re.compile(r"~~[^~]{1,400}~~|<(del|s|strike)>[^<]{0,400}</\1>", re.IGNORECASE)
_END = re.compile(
    r"[.;:,(\[{<\n|]|(?<!\S)\S*\d|\s[-–—]+\s|\s(?:by|on|in|as|since|per|see|until|at|of|from|via|into|due|because|after"
    r"|that|which|to(?!\sbe\b))(?=\s|$)"
)
_HARD_END = re.compile(
    r"[.;:,(\[{<\n|]|(?<!\S)\S*\d|\s[-–—]+\s|\s(?:by|on|in|with|as|since|for|per|see|until)\s"
)
_NUMBERED = re.compile(r"\S*\d")
_LINKED = re.compile(r"(?<=\w)[\s:]+(?:by\s+)?!?\[[^\n]*")
_STEP = re.compile(r"\s*(?:→|⇒|->|=>|»|>)\s*")
_CONNECTORS = re.compile(
    r"(?:\s+(?:with|for|in|favou?r|of|to|by|as|the|an?|and|but|see|on|from|into|is|was|version|since|at|via|per"
    r"|or))+$",
    re.IGNORECASE,
)
_ORNAMENT = re.compile(r"^(?::[a-z0-9_+-]{1,40}:|[^\w:]+|[:_])+")
_CLOSING = re.compile(r"[^\w!?'’)]+$")
_BOLD = re.compile(r"\*\*([^*\n|]{1,80})\*\*|__([^_\n|]{1,80})__")
_TASK = re.compile(r"\s*(?:\[[ xX✓✔-]\](?!\()|[☐☑☒])")
_BOX = re.compile(r"(?:\[(?P<mark>[ xX✓✔-])\](?!\()|(?P<box>[☐☑☒]))\s*(?P<text>[^\[☐☑☒]*)")
_MAPPING = re.compile(r"[{}'\"]|:\s*(?:None|'')")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLANK_TAG = re.compile(
    r"\s*<(?:[^<>=/!]*[|,][^<>=]*|[^<>=/!]*\b(?:status|state|todo|tbd|fill|insert|choose|your)\b[^<>=]*)>\s*",
    re.IGNORECASE,
)
_MARK = re.compile(r"\W{0,4}[\[(]?(?P<mark>[A-Za-z' -]{4,30})(?:[\])]|:\s)")
_MARK_BEHIND = re.compile(r"[\[(](?P<mark>[A-Za-z' -]{4,30})[\])]\W{0,4}$")
_NOTICE_START = re.compile(
    r"^\W*(?:\[![a-z]{2,20}\]\W*)?(?:(?:note|notice|warning|important|caution|attention|info|update)\b\W*)?"
    r"(?:this\s+(?:[\w-]+\s+){0,3}?(?:is|was|has been|is now|has now been)\s+)?(?:now\s+)?",
    re.IGNORECASE,
)
_NOTICE_END = re.compile(
    r"\W*$|[*_]*\s*[.:!,;(—–-]|[*_]*\s+(?:by|in favou?r|see|as of|since|on|and)\b", re.IGNORECASE
)
_FORMER = re.compile(
    r"(?:it\s+)?(?:(?:was|were|had been|used to be|originally|initially|formerly|previously)\b[\s,]*){1,3}",
    re.IGNORECASE,
)
"""What the status was before: "Was proposed, now accepted"."""

_CHANGED = re.compile(
    r"(?:(?:it|the)\s+)?(?:status\s+)?(?:(?:was|has|been|is)\s+){0,2}"
    r"(?:changed|moved|updated|promoted|advanced|transitioned|went|switched)\s+from\s+(?P<old>[^.,;:\n]{2,60}?)\s+to\s+(?=\w)",
    re.IGNORECASE,
)
_BEFORE_DATE = re.compile(
    r"(?<![\w-])(?:(?:on|since|as of|in)\s+)?(?=\d{4}(?!\w)|\d{1,2}[ .]|[A-Z][a-z]{2,8}\.?\s\d)"
)
_LATER = re.compile(r"[.,;]\s+|\s+[-–—]+\s+")


def read_status(reading: Reading) -> str | None:
    """Return the status in the document's own words, such as "Accepted" or "Partly superseded", or None."""
    stated = next((each.status for each in _stated(reading) if each.status is not None), None)
    return stated or _switched(reading) or _notice(reading)


def stated_statuses(reading: Reading) -> tuple[StatedStatus, ...]:
    """Return what the header, the opening and the sections say of the status, the one that counts first."""
    return tuple(islice(_stated(replace(reading, warnings=[])), MAX_STATED))


def _stated(reading: Reading) -> Iterator[StatedStatus]:
    for name, value in reading.by_role("status"):
        if texts_of(value):
            yield _read(_written_value(value), reading.above.line_of(name), reading)
    for line in reading.lines_by_role("status"):
        if line.value:
            yield _read(line.value, reading.line_of(line.block, line.value), reading)
    for section in reading.sections:
        if section.heading is not None and is_status_section(section, reading):
            yield _section_status(section, section.heading, reading)


def _written_value(value: object) -> str:
    """Return the value of a header field as it stands there: a placeholder is no text to YAML."""
    written = ", ".join(texts_of(value))
    return f"{{{_MAPPING.sub('', written)}}}" if isinstance(value, dict) else written


def _read(text: str, line: int, reading: Reading) -> StatedStatus:
    """Return the status that a text states, or what it says instead, which has no meaning then."""
    status = status_in(text)
    return StatedStatus(_by_relations(text, status, reading) or status or _as_written(text), line)


def _by_relations(text: str, status: str | None, reading: Reading) -> str | None:
    """Return the status that follows from the relations of a text, if its words say less, or None.

    "ADR-9 supersedes this record" means superseded, and "Superseded by ADR-9 (section 3)" only in part.
    """
    if status is not None and fold(status) not in WHOLLY_REPLACED:
        return None
    prose = read_prose(text[:MAX_STATUS_READ], reading.page.definitions)
    mentions = find_mentions(prose, reading.prefixes)
    stated = [relation for relation, _, _ in stated_relations(prose.text, mentions)] if mentions else []
    if any(each.type is ReferenceType.SUPERSEDES and each.inverted for each in stated):
        return SUPERSEDED if status is None else None
    return IN_PART if any(each.in_part and each.inverted for each in stated) else None


def _as_written(text: str) -> str | None:
    """Return the beginning of a text that states no status; None if it is blank."""
    written = _COMMENT.sub("", text[:MAX_STATUS_READ])
    is_blank = not INVISIBLE.sub("", written).strip(f" \n-–—*_`|{COVER}")
    return None if is_blank else _cut(plain_text(written) or written.strip())


def _cut(words: str) -> str:
    """Return a text, or as many of its first words as a status may have, with a mark behind them."""
    kept = beginning(" ".join(words.split()[:MAX_STATUS_WORDS]), MAX_STATUS_LENGTH)
    if len(kept) == len(" ".join(words.split())):
        return kept
    return f"{kept.rsplit(' ', 1)[0] if len(kept) == MAX_STATUS_LENGTH and ' ' in kept else kept}{CUT}"


def is_status_section(section: Section, reading: Reading) -> bool:
    """Return whether a section holds the status: `## Status`, `## Decision status`, `## Status: Accepted`."""
    if section.heading is None or section.heading is reading.title:
        return False
    name, _, _ = section.name.partition(":")
    return vocabulary().fields.get(field_key(name)) == SECTION_ROLE and field_key(name) != "state"


def _switched(reading: Reading) -> str | None:
    """Return the status that a field such as `draft: true` says, or None."""
    said = {
        field_key(name): str(value).lower() for name, value in reading.fields.items() if value is not None
    }
    return next((each.status for each in vocabulary().switches if said.get(each.field) == each.value), None)


def _notice(reading: Reading) -> str | None:
    """Return what a title or a first line says of a document that is over: `[DEPRECATED] Use X`."""
    title = "" if reading.title is None else plain_text(reading.title.content[:400])
    marked = _MARK.match(title) or _MARK_BEHIND.search(title)
    if marked is not None and is_notice(marked["mark"]):
        return marked["mark"].strip()
    for block in (*reading.quotes, *reading.opening)[:MAX_NOTICES]:
        if not (block.top or block.quoted):
            continue
        if (said := _said_by_another(block, reading)) is not None:
            return said
        words = _NOTICE_START.sub("", plain_text(block.content[:200].replace("\n", " . ")), count=1)
        known = leading_status(words)
        if known is not None and is_notice(known[0]) and _NOTICE_END.match(words, known.end()) is not None:
            return known[0]
    return None


def _said_by_another(block: Block, reading: Reading) -> str | None:
    """Return the status of a document, if a line says what replaced it: "ADR-9 supersedes this record"."""
    prose = read_prose(block.content[:MAX_STATUS_READ], reading.page.definitions)
    mentions = find_mentions(prose, reading.prefixes) if THIS in prose.text else []
    stated = stated_relations(prose.text, mentions, at_line_start=True) if mentions else ()
    found = (
        mention.end <= prose.text.rfind(THIS)
        for relation, mention, _ in stated
        if relation.type is ReferenceType.SUPERSEDES and relation.inverted
    )
    return SUPERSEDED if any(found) else None


def status_in(text: str) -> str | None:
    """Return the leading words of a text that state a status; a list of choices states none."""
    unstruck = _STRUCK.sub("", INVISIBLE.sub("", text[:MAX_STATUS_READ])).strip()
    if _TASK.match(unstruck) is not None:
        unstruck = _ticked(unstruck)
    raw = unstruck.split("\n", 1)[0]
    if raw.startswith(("{", "<%")):
        return None
    shown = plain_text(_LINKED.sub(" ", raw, count=1)).strip(f" *_{COVER}")
    words = _without_change(_STEP.split(_without_opening(shown))[-1])
    if is_choice(words):
        return _marked(raw)
    return _latest_step(shown) or _later_end(words) or _turned(words, _leading(words))


def _ticked(text: str) -> str:
    """Return what is ticked in a list of boxes: the last one where the others were steps towards it.

    Nothing if none is, or if several are that mean different things.
    """
    boxes = list(_BOX.finditer(text))
    ticked = [box["text"].strip(" \n-*+") for box in boxes if (box["mark"] or box["box"]).strip(" -☐")]
    steps = [each for each in ticked[:-1] if flag_of_status(status_in(each) or each) is not StateFlag.WIP]
    flags = {flag_of_status(status_in(each) or each) for each in (*steps, *ticked[-1:])}
    return ticked[-1] if len(flags) == 1 else ""


def _without_opening(words: str) -> str:
    """Return a text without the ornaments, the date and the name of a field that stand before its status."""
    for _ in range(3):
        words = _ORNAMENT.sub("", words, count=1) if words[:1] and not words[0].isalnum() else words
        dated = find_date(words)
        field = split_field(words)
        if dated is not None:
            words = words[dated.end :].strip()
        elif field is not None and vocabulary().fields.get(field_key(field[0])) == SECTION_ROLE:
            words = field[1]
        else:
            break
    return words


def _without_change(words: str) -> str:
    """Return what a status was changed to: "Changed from Proposed to Accepted"."""
    change = _CHANGED.match(words)
    return words if change is None or leading_status(change["old"]) is None else words[change.end() :]


def _latest_step(shown: str) -> str | None:
    """Return the latest of several dated statuses of a line: "Proposed 2024-01-02, accepted 2024-02-03".

    Those without a date count as earlier than a last one that has one.
    """
    steps = list(_steps(shown))
    dated = [
        (found.moment, place, known)
        for place, (known, rest) in enumerate(steps)
        if (found := _date_in(rest)) is not None
    ]
    latest = max(dated, default=None)
    if latest is None or len(steps) < 2 or (len(dated) < len(steps) and latest[1] != len(steps) - 1):
        return None
    # A review that is still to come does not take back what was decided.
    is_open = flag_of_status(latest[2]) is StateFlag.WIP
    return None if is_open and len({flag_of_status(known) for known, _ in steps}) > 1 else latest[2]


def _steps(shown: str) -> Iterator[tuple[str, str]]:
    """Yield the known statuses with which the parts of a line begin, and what follows each."""
    parts: list[tuple[str, str]] = []
    for part in _LATER.split(shown.rstrip(" ."))[:MAX_STATED]:
        known = leading_status(part)
        if known is not None:
            parts.append((known[0], part[known.end() :]))
        elif parts:
            parts[-1] = (parts[-1][0], f"{parts[-1][1]}, {part}")
        else:
            return
    yield from parts


def _date_in(words: str) -> DateReading | None:
    """Return the first date in a text, or None."""
    starts = (match.end() for match in islice(_BEFORE_DATE.finditer(words), MAX_NOTICES))
    return next((found for start in starts if (found := find_date(words[start:])) is not None), None)


def _turned(words: str, lead: str | None) -> str | None:
    """Return what the first sentence turns a status to: "Accepted by all, but later rejected"."""
    sentence = re.split(r"[.!?](?:\s|$)", words, maxsplit=1)[0]
    former = _FORMER.match(sentence)
    if former is not None and leading_status(sentence, former.end()) is not None:
        return later_status(sentence) or lead
    later = None if lead is None else later_status(sentence)
    if lead is None or later is None or flag_of_status(later) is flag_of_status(lead):
        return lead
    return later if flag_of_status(sentence) is flag_of_status(later) else _cut(sentence)


def _leading(words: str) -> str | None:
    known = leading_status(words)
    end = (_END if known is not None or is_known(words[:MAX_STATUS_LENGTH]) else _HARD_END).search(words, 1)
    lead = _CLOSING.sub("", words[: end.start()] if end else words).strip()
    lead = "" if _NUMBERED.match(words) else _CONNECTORS.sub("", lead)
    if end and end[0] == "|" and known is None:
        return None
    if known is not None and len(lead) <= len(known[0]):
        return known[0]
    if not lead[:1].isalpha() or (not is_known(lead) and len(lead.split()) > MAX_UNKNOWN_WORDS):
        return None
    return _cut(lead)


def _marked(raw: str) -> str | None:
    """Return the one of several choices that is set in bold, or None."""
    marked = [one or other for one, other in _BOLD.findall(raw)]
    return _leading(marked[0].strip()) if len(marked) == 1 and is_known(marked[0]) else None


def _later_end(words: str) -> str | None:
    """Return a status such as "superseded" that follows another: "Accepted, superseded by ADR-9"."""
    for part in _LATER.split(words)[1:4]:
        known = leading_status(part)
        rest = "" if known is None else part[known.end() :].strip()
        ends = not rest or rest.split()[0].lower() in ("by", "in", "on", "since") or not rest[0].isalpha()
        if known is not None and ends and flag_of_status(known[0]) is StateFlag.HISTORICAL:
            return known[0]
    return None


def _section_status(section: Section, heading: Block, reading: Reading) -> StatedStatus:
    """Return the status that a section holds: in its heading, a table, ticked tasks, a history, or first."""
    inline = heading.content.partition(":")[2]
    if inline.strip() and status_in(inline) is not None:
        return _read(inline, reading.line_of(heading), reading)
    texts = [block for block in section.blocks if block.kind is BlockKind.TEXT and block.content.strip()]
    columns = column_values([block for block in texts if block.cell], SECTION_ROLE)
    if columns:
        return _read(columns[-1], _line_in(texts, columns[-1], heading, reading), reading)
    tasks = [block.content[:400] for block in texts if _TASK.match(block.content[:40]) is not None]
    if tasks:
        ticked = _ticked("\n".join(tasks))
        line = _line_in(texts, ticked, heading, reading)
        return _read(ticked or " ".join("\n".join(tasks).split()), line, reading)
    return _written_status(section, texts, heading, reading)


def _line_in(texts: Sequence[Block], words: str, heading: Block, reading: Reading) -> int:
    """Return the line of the last block that has these words, or that of the heading above them."""
    first = words.split("\n", 1)[0]
    block = next((each for each in reversed(texts) if first and first in each.content), heading)
    return reading.line_of(block, words)


def _written_status(
    section: Section, texts: Sequence[Block], heading: Block, reading: Reading
) -> StatedStatus:
    written = [block for block in texts if not block.quoted and _has_words(block, reading)]
    dated = list(_dated(written, reading))
    if len(dated) > 1:
        return max(dated, key=lambda each: each[0])[1]
    listed = " / ".join(line.strip() for block in written[:10] for line in block.content[:400].split("\n"))
    if is_choice(listed):
        return _read(listed, reading.line_of(written[0]), reading)
    blank = [block for block in section.blocks if _BLANK_TAG.fullmatch(block.content[:200]) is not None]
    for block in (*written, *texts, *blank):
        return _read(block.content, reading.line_of(block), reading)
    return _read(heading.content.partition(":")[2], reading.line_of(heading), reading)


def _has_words(block: Block, reading: Reading) -> bool:
    return bool(reading.prose(block).text.strip(f" \n{COVER}"))


def _dated(texts: Sequence[Block], reading: Reading) -> Iterator[tuple[tuple[object, int], StatedStatus]]:
    """Yield the statuses of a history such as "2024-05-01: Accepted", each with its date and place."""
    lines = [
        (line, block, at)
        for block in texts
        if not block.cell
        for at, line in enumerate(block.content[:4_000].split("\n"))
    ]
    for place, (line, block, at) in enumerate(lines[:200]):
        words = plain_text(line[:200])
        head = find_date(words)
        found = head or _date_in(words)
        status = status_in(words) if found is not None else None
        if found is not None and status is not None and is_known(status):
            yield (found.moment, place), StatedStatus(status, reading.line_of(block) + at)
