"""`trigraph migrate-artifacts`: import documents from a table of a PostgreSQL database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.runner import run_async

if TYPE_CHECKING:
    from app.services.importing import ImportSummary
    from app.services.importing.table import TableRequest

NO_ROWS = "found nothing to file: the table has no rows"


def migrate_artifacts(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="ADDRESS",
            help="The database that holds them, postgresql://user@host:5432/name; the password may be in"
            " PGPASSWORD or in a password file. It is only read.",
        ),
    ],
    table: Annotated[str, typer.Option(help="Their table or view, as in public.artifacts.")],
    aliases: Annotated[str | None, typer.Option(help="A table of what else they are called.")] = None,
    project: Annotated[str | None, typer.Option(help="The project to file into; made when new.")] = None,
    kind: Annotated[str | None, typer.Option(help="The kind of rows that tell none.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and no more.")] = False,
) -> None:
    """File the documents that an older system keeps in a table of a PostgreSQL database.

    What is filed already and says the same is left as it is. A row that cannot be filed is listed with the
    reason and stops no other; the exit status is then 1.
    """
    from app.cli.import_output import end_import
    from app.services.importing.table import TableRequest

    summary, pending = run_async(_migrate(TableRequest(source, table, project, kind, aliases)))
    end_import(summary, pending, as_json=as_json, nothing_found=NO_ROWS)


async def _migrate(request: TableRequest) -> tuple[ImportSummary, int | None]:
    """Run the import; return its summary and the number of pending references of the project."""
    from app.cli.ingest import run_import

    return await run_import(
        lambda memory, stop, watch: memory.table_imports.run(memory.caller, request, stop=stop, watch=watch),
        request.project,
    )
