"""Lines of a file that judges, and their fields: what is not as it must be is named by its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import orjson

from app.errors import Invalid
from app.services.importing.opening import open_file


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one object, the place it stands at, and what must stand there, in words."""

    values: dict[str, object]
    place: str
    needed: str

    def invalid(self, problem: str) -> Invalid:
        """Answer the failure that names the place, the problem and what must stand there."""
        return Invalid(f"{self.place}: {problem}; {self.needed}")

    def text(self, name: str) -> str:
        """Answer a text that is not blank; raises Invalid when there is none."""
        value = self.text_or_none(name)
        if value is None or not value.strip():
            raise self.invalid(f'"{name}" must be a text')
        return value

    def text_or_none(self, name: str) -> str | None:
        """Answer a text, or None when it is left out; raises Invalid when it is anything else."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, str):
            raise self.invalid(f'"{name}" must be a text')
        return value

    def whole(self, name: str) -> int:
        """Answer a whole number; raises Invalid when there is none."""
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.invalid(f'"{name}" must be a whole number')
        return value

    def texts(self, name: str) -> list[str]:
        """Answer a list of texts, empty when it is left out; raises Invalid when it is anything else."""
        values = self._list(name)
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) < len(values):
            raise self.invalid(f'"{name}" must be a list of texts')
        return texts

    def objects(self, name: str) -> list[Fields]:
        """Answer a list of objects, empty when it is left out; raises Invalid when it is anything else."""
        values = self._list(name)
        objects = [value for value in values if isinstance(value, dict)]
        if len(objects) < len(values):
            raise self.invalid(f'"{name}" must be a list of objects')
        return [Fields(value, self.place, self.needed) for value in objects]

    def _list(self, name: str) -> list[object]:
        value = self.values.get(name)
        if value is not None and not isinstance(value, list):
            raise self.invalid(f'"{name}" must be a list')
        return value or []


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Answer the lines that are not blank, by number; raises Invalid for one that is not UTF-8."""
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
            except UnicodeDecodeError as error:
                raise Invalid(f"{path.name}, line {number}: it is not UTF-8; convert it") from error
            if text.strip():
                yield number, text


def _opened(path: Path) -> IO[bytes]:
    try:
        return open_file(path.resolve())
    except Invalid as error:
        raise Invalid(f"{path.name}: {error.message}") from error


def rows_of(path: Path, needed: str) -> Iterator[Fields]:
    """Answer the object on each line; raises Invalid for a line that holds none."""
    for number, line in lines_of(path):
        place = f"{path.name}, line {number}"
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise Invalid(f"{place}: it is no JSON ({error}); {needed}") from error
        if not isinstance(value, dict):
            raise Invalid(f"{place}: it is no object; {needed}")
        yield Fields(value, place, needed)
