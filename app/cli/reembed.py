"""`trigraph reembed`: compute every vector again with the encoder of the settings."""

from __future__ import annotations

from app.cli.output import error_console, say
from app.cli.runner import run_async, settings
from app.domain.text import pluralize


def reembed() -> None:
    """Make every vector again with the encoder that the settings name.

    Cut off, it goes on where it stopped when it is run again.
    """
    done = run_async(_reembed())
    say(
        f"embedded {pluralize(done, 'document')} again" if done else "every vector is of this encoder already"
    )


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
        with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task("embedding", total=None)
            return await embed_again(
                location.url,
                embedder,
                lambda done, total: progress.update(task, total=total, completed=done),
            )
    finally:
        await location.close()
        await embedder.close()
