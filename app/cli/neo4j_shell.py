"""The Cypher shell: split a text into statements, run a script, or run an interactive prompt."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neo4j import Record
from neo4j.graph import Node, Relationship
from neo4j.graph import Path as GraphPath
from neo4j.time import Date, DateTime, Time
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from app.cli.escaping import one_line
from app.cli.layout import print_text
from app.cli.output import Screen, print_json, printable, say, styled_text
from app.cli.runner import print_error, print_failure
from app.errors import TrigraphError
from app.stores.neo4j.driver import Graph

_PLAIN_NAME = re.compile(r"[^\W\d]\w*\Z")


def cypher_text(value: Any) -> str:
    """Return a value on one line, almost in Cypher syntax."""
    match value:
        case Node():
            return f"({_labelled(value)})"
        case Relationship():
            return f"[:{_name(value.type)}{_properties(value)}]"
        case GraphPath():
            return _path(value)
        case str():
            return one_line(json.dumps(" ".join(value.split()), ensure_ascii=False))
        case list():
            return f"[{', '.join(map(cypher_text, value))}]"
        case Mapping():
            return f"{{{_entries(value)}}}"
        case Date() | Time() | DateTime():
            return _moment(value)
        case None | bool():
            return json.dumps(value)
        case _:
            return printable(str(value))


def json_value(value: Any) -> Any:
    """Return a value as JSON; what JSON cannot express becomes text."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case None | bool() | int() | float() | str():
            return value
        case Node():
            return {"labels": sorted(value.labels), "properties": json_value(dict(value.items()))}
        case Relationship():
            return {"type": value.type, "properties": json_value(dict(value.items()))}
        case GraphPath():
            return {
                "nodes": [json_value(node) for node in value.nodes],
                "relationships": [json_value(relationship) for relationship in value.relationships],
            }
        case Date() | Time() | DateTime():
            return _moment(value)
        case list():
            return [json_value(each) for each in value]
        case Mapping():
            return {key: json_value(each) for key, each in value.items()}
        case _:
            return str(value)


def _moment(value: Date | Time | DateTime) -> str:
    """Return a moment in ISO 8601, without nanoseconds if they are zero."""
    return value.iso_format().replace(".000000000", "")


def _path(path: GraphPath) -> str:
    pieces = [cypher_text(path.start_node)]
    for node, relationship in zip(path.nodes, path.relationships, strict=False):
        is_forward = relationship.start_node == node
        other = relationship.end_node if is_forward else relationship.start_node
        text = cypher_text(relationship)
        pieces.append(f"-{text}->" if is_forward else f"<-{text}-")
        pieces.append(cypher_text(other))
    return "".join(pieces)


def _labelled(node: Node) -> str:
    labels = "".join(f":{_name(label)}" for label in sorted(node.labels))
    return (labels + _properties(node)).strip()


def _properties(entity: Node | Relationship) -> str:
    entries = _entries(dict(entity.items()))
    return f" {{{entries}}}" if entries else ""


def _entries(mapping: Mapping[str, Any]) -> str:
    return ", ".join(f"{_name(key)}: {cypher_text(mapping[key])}" for key in sorted(mapping))


def _name(name: str) -> str:
    return name if _PLAIN_NAME.match(name) else "`" + printable(name).replace("`", "``") + "`"


MAX_ROWS = 1000
_UNBOUNDED = 1_000_000


@dataclass(frozen=True, slots=True)
class Result:
    """The columns and rows of a query."""

    columns: list[str]
    rows: list[Record]


def print_result(console: Console, result: Result, *, as_json: bool) -> None:
    """Print a result; a table shows at most a thousand rows and says so."""
    if as_json:
        print_json(
            {"columns": result.columns, "rows": [_row(result.columns, record) for record in result.rows]}
        )
        return
    if result.columns:
        _print_table(console, _table(result))
    print_text(console, _row_count(len(result.rows)), "dim")


def _table(result: Result) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in result.columns:
        table.add_column(styled_text(printable(column)), overflow="fold")
    for record in result.rows[:MAX_ROWS]:
        table.add_row(*(styled_text(cypher_text(value)) for value in record.values()))
    return table


def _print_table(console: Console, table: Table) -> None:
    """Print a table as wide as the terminal; without a terminal, wide enough to cut nothing."""
    if not console.is_terminal:
        console = Screen(width=_UNBOUNDED)
        console.width = Measurement.get(console, console.options, table).maximum
    console.print(table)


def _row_count(rows: int) -> str:
    if rows > MAX_ROWS:
        return f"{MAX_ROWS} of {rows} rows; add LIMIT to the query, or use --json to see all"
    return "1 row" if rows == 1 else f"{rows} rows"


def _row(columns: list[str], record: Record) -> dict[str, Any]:
    return {column: json_value(record[column]) for column in columns}


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
