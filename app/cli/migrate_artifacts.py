"""`trigraph migrate-artifacts`: import documents from a table of a PostgreSQL database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.runner import run_async

if TYPE_CHECKING:
    from app.services.importing import ImportSummary
    from app.services.importing.table import TableRequest

NO_ROWS = "found nothing to import: the table has no rows"


def migrate_artifacts(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="ADDRESS",
            help="The source database, postgresql://user@host:5432/name. The password may be in"
            " PGPASSWORD or in a password file. Trigraph only reads this database.",
        ),
    ],
    table: Annotated[
        str, typer.Option(help="The table or view with the documents, such as public.artifacts.")
    ],
    aliases: Annotated[str | None, typer.Option(help="A table with aliases of the documents.")] = None,
    project: Annotated[
        str | None, typer.Option(help="The project to import into; it is created if it does not exist.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="The kind (document type) of rows that do not state one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only one JSON object.")] = False,
) -> None:
    """Import documents from a table of a PostgreSQL database.

    Documents that did not change since the last import stay as they are. A row that cannot be imported is
    listed with the reason; the others are imported, and the exit status is 1.
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
