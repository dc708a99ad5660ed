"""Text that steers terminals, a ledger that is full of it, and what of it may be shown."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from app.domain.artifact import AliasClaim, Document, FactClaim, Quote
from app.domain.entity import ReferenceType
from app.services.aliases import AliasRequest
from app.services.container import Memory
from app.services.states import DraftChange, StateChange, StatedCause
from tests.documents import claims, day, file

CONTROLS = "\x1b]0;owned\x07\x1b[7;41mX\x1b]8;;https://evil.example\x1b\\L\x08\x7f\x9b7mC\x85N\x0b\x0c"
HIDDEN = "\u202e\u2066\u200e\u200f\u061c\u2028\u2029\u200b\u2060\ufeff\ufff9\U000e0041"
MARKUP = "[bold red]M[/] [link=file:///etc]K[/link] :smile:"
MARK = f"{CONTROLS}{HIDDEN}{MARKUP}"
"""One line, in as far as a terminal would take it for one; no file system, repository or table refuses it."""
LINES = f"{MARK}\nforged: well\r\x1b[1Aforged: well"
"""Several lines, with one that writes over another."""

ALIAS = f"Mole \u202e\u200b\ufeff{MARKUP}"  # a form takes no controls

STAYS = "\u00ad\u200c\u200d"
OWN_CODES = re.compile(
    r"\x1b\[(?:0|1|2|3|9[0-7]|3[0-7]|38;5;\d+|1;3[0-7]|1;36)m"  # the program's own colours
    r"|\x1b\[\?25[lh]|\x1b\[2K|\x1b\[\d*A|\r"  # a bar that is drawn again
)


def steering(text: str) -> set[str]:
    """Return what of a text steers a terminal; line ends and tabs do not."""
    return {
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and character not in f"{STAYS}\n\t"
    }


async def fill(memory: Memory, project: str) -> None:
    """Write the mark wherever the ledger takes a text."""
    caller = replace(memory.caller, principal=MARK)
    memory = replace(memory, caller=caller)
    quote = Quote(LINES, 0)
    document = Document(
        kind="ADR",
        identifier="ADR-7",
        title=f"Queue {LINES}",
        body=f"Workers poll the queue. {LINES}\n\n{LINES}",
        status=f"Accepted {LINES}",
        created_at=day(2020),
        author=LINES,
        source_uri=LINES,
        source_commit="a" * 40,
        props={"summary": LINES, "tags": [LINES, {LINES: LINES}]},
        references=claims(ReferenceType.RELATES_TO, f"ADR-99 {LINES}"),
        alias_claims=(AliasClaim(f"Beacon {LINES}", "ADR-7", quote),),
        fact_claims=(FactClaim("status", f"Rejected {LINES}", quote),),
        warnings=(LINES,),
    )
    filed = await file(memory, document, project)
    replacing = replace(
        document,
        identifier=f"ADR-8{MARK}",
        title=f"Push {LINES}",
        body=f"Messages are pushed. {LINES}",
        references=claims(ReferenceType.SUPERSEDES, "ADR-7"),
        alias_claims=(),
        fact_claims=(),
    )
    await file(memory, replacing, project)
    for number in (9, 10):  # to be withdrawn and renamed
        spare = replace(replacing, identifier=f"ADR-{number}", title=f"Spare {number} {LINES}", references=())
        await file(memory, spare, project)
    states = memory.states
    cause = StatedCause(event_type="correction", description=LINES)
    change = StateChange({"summary": f"Later {LINES}"})
    await states.transition(caller, filed.entity.id, change, cause)
    await states.save_wip(caller, filed.entity.id, DraftChange({"summary": f"Draft {LINES}"}))
    await memory.aliases.create(caller, AliasRequest(ALIAS, filed.entity.id, project))
