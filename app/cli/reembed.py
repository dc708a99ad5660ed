"""`trigraph reembed`: compute every vector again with the encoder of the settings."""

from __future__ import annotations

from app.cli.output import error_console, redraws, say
from app.cli.runner import run_async, settings
from app.domain.text import pluralize


def reembed() -> None:
    """Compute all vectors again, after a change of the model.

    If it is interrupted, the next run continues where it stopped.
    """
    done = run_async(_reembed())
    say(f"re-embedded {pluralize(done, 'document')}" if done else "all vectors are already from this encoder")


async def _reembed() -> int:
    from rich.progress import Progress

    from app.embedding import open_embedder
    from app.services.maintenance.reembed import reembed as embed_again
    from app.stores.postgres.location import locate_ledger
    from app.stores.postgres.migrate import check

    chosen = settings()
    embedder = open_embedder(chosen)
    location = await locate_ledger(chosen)
    console = error_console()
    try:
        await check(location.url)
        with Progress(console=console, transient=True, disable=not redraws(console)) as progress:
            task = progress.add_task("embedding", total=None)
            return await embed_again(
                location.url,
                embedder,
                lambda done, total: progress.update(task, total=total, completed=done),
            )
    finally:
        await location.close()
        await embedder.close()
