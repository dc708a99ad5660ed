"""The `trigraph` command line application: it registers the commands, one module each."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, TypeAlias, cast

import typer
from typer.core import TyperCommand, TyperGroup

from app import __version__
from app.cli.output import say

COMMANDS: Mapping[str, str] = {
    "demo": "app.cli.demo:demo",
    "serve": "app.cli.serve:serve",
    "mcp": "app.cli.mcp:mcp",
    "ingest": "app.cli.ingest:ingest",
    "watch": "app.cli.watch:watch",
    "migrate-artifacts": "app.cli.ingest:migrate_artifacts",
    "recall": "app.cli.recall:recall",
    "state": "app.cli.state:state",
    "references": "app.cli.references:references",
    "review": "app.cli.review:review",
    "withdraw": "app.cli.document:withdraw",
    "check": "app.cli.check:check",
    "statuses": "app.cli.statuses:statuses",
    "rename": "app.cli.document:rename",
    "migrate": "app.cli.maintenance:migrate",
    "schema": "app.cli.maintenance:schema",
    "doctor": "app.cli.maintenance:doctor",
    "reembed": "app.cli.maintenance:reembed",
    "bench": "app.cli.bench:bench",
    "eval": "app.cli.eval:evaluate",
    "token": "app.cli.access:token",
    "tenant": "app.cli.access:tenant",
    "list": "app.cli.list_entities:list_entities",
    "neo4j": "app.cli.neo4j:neo4j",
    "projection": "app.cli.projection:projection",
}
"""The commands and groups in the order of the help, each with its module and its name there."""

SUMMARIES: Mapping[str, str] = {
    "demo": "Import sixteen Python proposals and ask six questions.",
    "serve": "Serve GraphQL and GraphiQL at /graphql, and MCP at /mcp.",
    "mcp": "Serve the memory to an agent as MCP tools, over standard input and output.",
    "ingest": "Import documents.",
    "watch": "Import a folder, and import it again whenever its files change.",
    "migrate-artifacts": "Import documents from a table of a PostgreSQL database.",
    "recall": "Ask a question and print the hits, best first.",
    "state": "Show the state of a document or entity, or a timeline.",
    "references": "List references between documents and entities.",
    "review": "List alias and fact candidates, or decide about one.",
    "withdraw": "Withdraw a document: recall and lists no longer show it, except as of a moment before.",
    "check": "Check decision records: numbers, supersessions, references, statuses, dates.",
    "statuses": "List the status words that documents have, with flag and count, or define one with `set`.",
    "rename": "Give a document another identifier, from now on.",
    "migrate": "Apply the pending migrations of the database schema.",
    "schema": "Print the GraphQL schema.",
    "doctor": "Run a health check and say how to fix problems.",
    "reembed": "Compute all vectors again, after a change of the model.",
    "bench": "Benchmark import and recall against a baseline.",
    "eval": "Score recall on a folder of questions.",
    "token": "Create, list and revoke the tokens with which a team uses the service.",
    "tenant": "Create and list tenants, whose memories never see each other.",
    "list": "List documents and entities with their status.",
    "neo4j": "Manage the embedded Neo4j, and query the graph.",
    "projection": "Copy the ledger into Neo4j, and compare the two.",
}
"""The first sentence of each command's help, so that the list of commands imports none of them."""

Command: TypeAlias = TyperCommand | TyperGroup

OPTIONS: Any = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
MAX_ARGUMENT_LENGTH = 16_384
"""Characters. No question, name or path is longer."""


class _LoadedCommands(Mapping[str, Command]):
    """The commands by name; a command's module is imported when the command is looked up."""

    def __getitem__(self, name: str) -> Command:
        module, _, attribute = COMMANDS[name].partition(":")
        found = getattr(import_module(module), attribute)
        if not isinstance(found, typer.Typer):
            found, function = typer.Typer(**OPTIONS), found
            found.command(name)(function)
        command = cast(Command, typer.main.get_command(found))
        command.name = name
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


_UsageError: type[Any] = typer.BadParameter.__bases__[0]


@contextmanager
def _broken_between_words() -> Iterator[None]:
    """Let the terminal break the usage errors of the block between words."""
    try:
        yield
    except _UsageError as error:
        shown = io.StringIO()
        error.show(shown)
        error.show = lambda: _print_usage_error(shown.getvalue())
        raise


def _print_usage_error(text: str) -> None:
    from app.cli.layout import print_text
    from app.cli.output import error_console

    screen = error_console()
    for line in text.splitlines():
        print_text(screen, line, hang=4)


class CommandGroup(TyperGroup):
    """The group of all commands; it refuses overlong arguments."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = cast(Any, _LoadedCommands())

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands from their summaries."""
        commands = {name: TyperCommand(name, help=text) for name, text in SUMMARIES.items()}
        TyperGroup(commands=cast(Any, commands)).format_commands(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the arguments that remain for a command; raises BadParameter for one that is too long."""
        with _broken_between_words():
            return self._parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Return the result of a command; its usage errors fit the terminal."""
        with _broken_between_words():
            return super().invoke(ctx)

    def _parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for word in args:
            if len(word) > MAX_ARGUMENT_LENGTH:
                raise typer.BadParameter(
                    f"an argument has {len(word)} characters; at most {MAX_ARGUMENT_LENGTH} are allowed"
                )
        return super().parse_args(ctx, args)


application = typer.Typer(
    name="trigraph",
    cls=CommandGroup,
    help="Self-hosted memory for teams and agents: what a decision says, what replaced it, and"
    " what was in force on any date.",
    no_args_is_help=True,
    **OPTIONS,
)


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
