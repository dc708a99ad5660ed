"""`trigraph withdraw`: hide a document from a moment on."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.runner import MOMENT_HELP, parse_moment, run_async, settings

if TYPE_CHECKING:
    from app.services.catalog import EntityNames
    from app.services.filing.document_withdrawal import WithdrawnDocument

ALREADY = "it is withdrawn already, so file it again first"


def withdraw(
    what: Annotated[
        str,
        typer.Argument(metavar="NAME", help="The document: an identifier, a name, an alias or an id."),
    ],
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
    project: Annotated[str | None, typer.Option(help="Search only this project.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
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
