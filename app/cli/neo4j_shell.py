"""The Cypher shell: split a text into statements, run a script, or run an interactive prompt."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rich.console import Console

from app.cli.layout import print_text
from app.cli.neo4j_output import Result, print_result
from app.cli.output import say
from app.cli.runner import print_error, print_failure
from app.errors import TrigraphError
from app.stores.neo4j.driver import Graph

_PIECE = re.compile(
    r"""
      "(?:\\.|[^"\\])*(?:"|\Z)          # text in quotes
    | '(?:\\.|[^'\\])*(?:'|\Z)
    | `[^`]*(?:`|\Z)                    # a name in back-quotes; a doubled one reads as two names
    | //[^\n]*                          # a comment to the end of its line
    | /\*.*?(?:\*/|\Z)                  # a comment
    | ;
    | [^"'`/;]+ | /
    """,
    re.VERBOSE | re.DOTALL,
)


def split_statements(text: str) -> tuple[list[str], str]:
    """Return the statements that end in a semicolon, and the text after the last one.

    A semicolon in quotes, in a name or in a comment ends no statement. Blank statements are left out.
    """
    statements, pieces = [], list[str]()
    for match in _PIECE.finditer(text):
        if match[0] != ";":
            pieces.append(match[0])
            continue
        statements.append("".join(pieces).strip())
        pieces.clear()
    return [statement for statement in statements if has_words(statement)], "".join(pieces)


def has_words(text: str) -> bool:
    """Return whether a text has more than white space and comments."""
    return any(match[0].strip() and not match[0].startswith(("//", "/*")) for match in _PIECE.finditer(text))


GREETING = "Neo4j {version} at {uri}. End a query with ; and leave with :quit. The graph is read-only here."
_PROMPT, _CONTINUATION_PROMPT = "cypher> ", "   ...> "
_QUIT_WORDS = (":quit", ":exit", "quit", "exit")
_HISTORY_LENGTH = 1000


async def run_query(graph: Graph, query: str) -> Result:
    """Run one query in a read-only transaction; raises Unavailable when the server refuses it."""
    async with graph.reading() as transaction:
        result = await transaction.run(query)
        return Result(list(result.keys()), [record async for record in result])


async def run_script(graph: Graph, text: str, console: Console, *, as_json: bool) -> None:
    """Run and print each query of a text in turn until one fails; the last needs no semicolon."""
    queries, rest = split_statements(text)
    for query in [*queries, rest.strip()] if has_words(rest) else queries:
        print_result(console, await run_query(graph, query), as_json=as_json)


def run_prompt(runner: asyncio.Runner, graph: Graph, console: Console, history: Path) -> None:
    """Read queries from a terminal and print each result, until the user quits."""
    version = runner.run(graph.version())
    print_text(console, GREETING.format(version=version, uri=graph.uri))
    text = ""
    with _line_editing(history):
        while True:
            try:
                line = input(_CONTINUATION_PROMPT if has_words(text) else _PROMPT)
            except KeyboardInterrupt:  # takes back what was typed, as in any shell
                say("")
                text = ""
                continue
            except EOFError:
                say("")
                return
            if not has_words(text) and line.strip().rstrip(";").lower() in _QUIT_WORDS:
                return
            queries, text = split_statements(f"{text}{line}\n")
            for query in queries:
                _print_answer(runner, graph, console, query)


def _print_answer(runner: asyncio.Runner, graph: Graph, console: Console, query: str) -> None:
    try:
        print_result(console, runner.run(run_query(graph, query)), as_json=False)
    except TrigraphError as error:
        print_failure(error)
    except KeyboardInterrupt:
        print_error("interrupted")


@contextmanager
def _line_editing(history: Path) -> Iterator[None]:
    """Enable line editing and history if this Python has readline; save the history at the end."""
    try:
        import readline
    except ImportError:
        yield
        return
    with suppress(OSError):
        readline.read_history_file(history)
    readline.set_history_length(_HISTORY_LENGTH)
    try:
        yield
    finally:
        with suppress(OSError):
            readline.write_history_file(history)
