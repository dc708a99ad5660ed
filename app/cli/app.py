"""The `trigraph` command line application: it registers the commands, one module each."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from app import __version__
from app.cli.bench import bench
from app.cli.demo import demo
from app.cli.doctor import doctor
from app.cli.eval import evaluate
from app.cli.ingest import ingest
from app.cli.list_entities import list_entities
from app.cli.migrate import migrate
from app.cli.migrate_artifacts import migrate_artifacts
from app.cli.neo4j import neo4j
from app.cli.output import say
from app.cli.projection import projection
from app.cli.recall import recall
from app.cli.reembed import reembed
from app.cli.references import references
from app.cli.review import review
from app.cli.schema import schema
from app.cli.serve import serve
from app.cli.state import state
from app.cli.withdraw import withdraw

MAX_ARGUMENT_LENGTH = 16_384
"""Characters. No question, name or path is longer."""


class BoundedCommandGroup(TyperGroup):
    """A command group that refuses overlong arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the arguments that remain for a command; raises BadParameter for one that is too long."""
        for word in args:
            if len(word) > MAX_ARGUMENT_LENGTH:
                raise typer.BadParameter(
                    f"an argument has {len(word)} characters; at most {MAX_ARGUMENT_LENGTH} are allowed"
                )
        return super().parse_args(ctx, args)


application = typer.Typer(
    name="trigraph",
    cls=BoundedCommandGroup,
    help="Self-hosted memory for teams and agents: what a decision says, what replaced it, and"
    " what was in force on any date.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

for command in (
    demo,
    serve,
    ingest,
    migrate_artifacts,
    recall,
    state,
    references,
    review,
    withdraw,
    migrate,
    schema,
    doctor,
    reembed,
    bench,
):
    application.command()(command)
application.command("eval")(evaluate)
application.command("list")(list_entities)
application.add_typer(neo4j, name="neo4j")
application.add_typer(projection, name="projection")


def _print_version(asked: bool) -> None:
    if asked:
        say(f"trigraph {__version__}")
        raise typer.Exit


@application.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Settings are environment variables whose names start with TRIGRAPH_. None are required."""
