"""`trigraph statuses`: list the status words of a project, and say what a word of one's own means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from app.cli.layout import paged, print_text
from app.cli.output import console, print_json, printable
from app.cli.runner import run_async, settings
from app.domain.recall import StateFlag

if TYPE_CHECKING:
    from app.services.entities import DefinedStatusWord, StatusWord

statuses = typer.Typer(
    invoke_without_command=True,
    rich_markup_mode=None,
    help="List the status words that documents have, with flag and count, or define one with `set`.",
)

NO_FLAG = "NONE"

ProjectOption = Annotated[str | None, typer.Option(help="Only statuses of this project.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]


@statuses.callback()
def list_statuses(context: typer.Context, project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """List the status words that documents have, with flag and count, or define one with `set`."""
    if context.invoked_subcommand is None:
        found = run_async(_list(project))
        if as_json:
            print_json({"statuses": [status_json(each) for each in found]})
        else:
            screen = console()
            with paged(screen):
                print_statuses(screen, found)


async def _list(project: str | None) -> Sequence[StatusWord]:
    from app.services.container import open_memory

    async with open_memory(settings()) as memory:
        return await memory.canonical.statuses(memory.caller, project)


def status_json(status: StatusWord) -> dict[str, Any]:
    """Return a status word as a JSON object with the names of the API."""
    return {
        "word": status.word,
        "flag": status.flag,
        "count": status.count,
        "isOwn": status.is_own,
        "project": status.project,
    }


def print_statuses(screen: Console, found: Sequence[StatusWord]) -> None:
    """Print each status word with its flag and count, and the project if there are several."""
    several = len({each.project for each in found}) > 1
    for each in found:
        own = "  yours" if each.is_own else ""
        project = f"  {printable(each.project)}" if several else ""
        line = f"{each.flag or 'no flag':<11}{each.count:>6}  {printable(each.word)}{own}{project}"
        print_text(screen, line, "yellow" if each.flag is None else "", hang=19)
    if not found:
        screen.print("no statuses")


@dataclass(frozen=True, slots=True)
class Definition:
    """A status word, and the flag that it is to mean; None takes its definition back."""

    word: str
    flag: StateFlag | None


def parse_definition(text: str) -> Definition:
    """Return the word and the flag of a text such as "Blessed=CURRENT"; raise BadParameter for any other."""
    word, _, name = text.rpartition("=")
    flag = name.strip().upper()
    if not word.strip() or flag not in (*StateFlag.__members__, NO_FLAG):
        raise typer.BadParameter(
            f"{text!r} is not WORD=FLAG; write it like Blessed=CURRENT, with CURRENT, HISTORICAL, WIP or NONE"
        )
    return Definition(word.strip(), None if flag == NO_FLAG else StateFlag[flag])


@statuses.command("set")
def set_statuses(
    context: typer.Context,
    words: Annotated[
        list[Definition],
        typer.Argument(
            metavar="WORD=FLAG...",
            parser=parse_definition,
            help="A word or phrase, and CURRENT, HISTORICAL, WIP or NONE, which takes a definition back.",
        ),
    ],
    project: Annotated[
        str | None, typer.Option(help="The project; it is created if it does not exist.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Define which flag a status word means in a project.

    It counts for the documents that are there too, as of any date. Without --project the project is
    `default`.
    """
    above = None if context.parent is None else context.parent.params.get("project")
    found = run_async(_set(words, project or above))
    if as_json:
        print_json({"statuses": [status_json(each.status) | {"changed": each.changed} for each in found]})
        return
    for each in found:
        is_new = "" if each.changed else ", as before"
        flag = each.status.flag or "no flag"
        line = f"{printable(each.status.word)} means {flag} in {printable(each.status.project)}{is_new}"
        entities = "1 entity has" if each.status.count == 1 else f"{each.status.count} entities have"
        print_text(console(), f"{line}; {entities} it", hang=4)


async def _set(words: Sequence[Definition], project: str | None) -> Sequence[DefinedStatusWord]:
    from app.services.container import open_memory
    from app.services.entities import StatedStatusWord

    async with open_memory(settings()) as memory:
        return [
            await memory.canonical.define_status(
                memory.caller, StatedStatusWord(each.word, each.flag), project
            )
            for each in words
        ]
