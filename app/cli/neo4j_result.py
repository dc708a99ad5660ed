"""What a query answers: a table for people, or one JSON object a query for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neo4j import Record
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from app.cli.neo4j_values import cypher_text, json_value
from app.cli.printing import print_json, printable
from app.cli.screen import Screen, styled

MOST_ROWS = 1000
_UNBOUNDED = 1_000_000


@dataclass(frozen=True, slots=True)
class Result:
    """The columns of an answer, and its rows."""

    columns: list[str]
    rows: list[Record]


def print_result(console: Console, result: Result, *, as_json: bool) -> None:
    """Write an answer; a table ends after a thousand rows and says so."""
    if as_json:
        print_json(
            {"columns": result.columns, "rows": [_row(result.columns, record) for record in result.rows]}
        )
        return
    if result.columns:
        _print_table(console, _table(result))
    console.print(styled(_counted(len(result.rows)), style="dim"), soft_wrap=True)


def _table(result: Result) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in result.columns:
        table.add_column(styled(printable(column)), overflow="fold")
    for record in result.rows[:MOST_ROWS]:
        table.add_row(*(styled(cypher_text(value)) for value in record.values()))
    return table


def _print_table(console: Console, table: Table) -> None:
    """Write a table as wide as the terminal, or so wide that nothing is cut where there is none."""
    if not console.is_terminal:
        console = Screen(width=_UNBOUNDED)
        console.width = Measurement.get(console, console.options, table).maximum
    console.print(table)


def _counted(rows: int) -> str:
    if rows > MOST_ROWS:
        return f"{MOST_ROWS} of {rows} rows; end the query with LIMIT, or see all with --json"
    return "1 row" if rows == 1 else f"{rows} rows"


def _row(columns: list[str], record: Record) -> dict[str, Any]:
    return {column: json_value(record[column]) for column in columns}
