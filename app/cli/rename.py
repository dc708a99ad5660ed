"""`trigraph rename`: give a document another identifier."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.runner import run_async, settings


def rename(
    what: Annotated[
        str,
        typer.Argument(metavar="NAME", help="The document: an identifier, a name, an alias or an id."),
    ],
    identifier: Annotated[str, typer.Argument(metavar="IDENTIFIER", help="Its new identifier.")],
    project: Annotated[str | None, typer.Option(help="Search only this project.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
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
