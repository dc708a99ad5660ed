"""`trigraph withdraw` and `trigraph rename`: hide a document, or give it another identifier."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.runner import MOMENT_HELP, parse_moment, run_async, settings

if TYPE_CHECKING:
    from app.services.catalog import EntityNames
    from app.services.filing.document_withdrawal import WithdrawnDocument

ALREADY = "it is withdrawn already, so file it again first"

DocumentArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The document: an identifier, a name, an alias or an id.")
]
ProjectOption = Annotated[str | None, typer.Option(help="Search only this project.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]


def withdraw(
    what: DocumentArgument,
    valid_from: Annotated[
        datetime | None,
        typer.Option(
            "--from",
            parser=parse_moment,
            metavar="MOMENT",
            help=f"The moment from which it is hidden; the default is now. {MOMENT_HELP}",
        ),
    ] = None,
    reason: Annotated[str | None, typer.Option(help="The reason, of at most 2,000 characters.")] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Withdraw a document: recall and lists no longer show it, except as of a moment before.

    Its references end with it. To undo it, file the document again through the API, or import a changed text
    of it.
    """
    run_async(_withdraw(what, valid_from, reason, project, as_json=as_json))


async def _withdraw(
    what: str, valid_from: datetime | None, reason: str | None, project: str | None, *, as_json: bool
) -> None:
    from app.cli.entity_lookup import find_named
    from app.cli.layout import print_text
    from app.cli.output import console, moment_text, print_json, printable
    from app.services.container import open_memory
    from app.services.filing.document_withdrawal import WithdrawalRequest

    async with open_memory(settings()) as memory:
        entity = (await find_named(memory, what, project, None, ALREADY)).entity.id
        names = await memory.catalog.names(memory.caller, [entity])
        request = WithdrawalRequest(entity=entity, valid_from=valid_from, reason=reason)
        withdrawn = await memory.withdrawals.withdraw(memory.caller, request)
    if as_json:
        print_json(withdrawal_json(withdrawn, names))
    else:
        since = moment_text(withdrawn.absence.valid.start)
        print_text(console(), f"withdrew {printable(names.text(entity))} from {since} on", hang=4)


def withdrawal_json(withdrawn: WithdrawnDocument, names: EntityNames) -> dict[str, Any]:
    """Return a withdrawn document as a JSON object with the names of the API."""
    from app.cli.api_json import absence_json, entity_json

    return {
        "entity": entity_json(withdrawn.entity.id, names),
        "absence": absence_json(withdrawn.absence),
    }


def rename(
    what: DocumentArgument,
    identifier: Annotated[str, typer.Argument(metavar="IDENTIFIER", help="Its new identifier.")],
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a document another identifier, from now on.

    Its history and its references stay. The former identifier still finds it, until another document has it.
    """
    run_async(_rename(what, identifier, project, as_json=as_json))


async def _rename(what: str, identifier: str, project: str | None, *, as_json: bool) -> None:
    from app.cli.api_json import entity_json, event_json, state_json
    from app.cli.entity_lookup import find_named
    from app.cli.layout import print_text
    from app.cli.output import console, print_json, printable
    from app.services.container import open_memory
    from app.services.filing.document_rename import RenameRequest

    async with open_memory(settings()) as memory:
        entity = (await find_named(memory, what, project, None, "file it again first")).entity.id
        before = await memory.catalog.names(memory.caller, [entity])
        request = RenameRequest(identifier, entity)
        renamed = await memory.renames.rename(memory.caller, request)
        after = await memory.catalog.names(memory.caller, [entity])
    if as_json:
        event = event_json(renamed.event, {})
        print_json({"entity": entity_json(entity, after), "state": state_json(renamed.state), "event": event})
    else:
        outcome = f"{printable(before.text(entity))} is {printable(identifier)} from now on"
        print_text(console(), outcome, hang=4)
