"""Statements whose parameters have names, so that a value cannot land in the place of another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_NAME = re.compile(r"(?<!:):([a-z][a-z_]*)")  # two colons are a cast
_NUMBER = re.compile(r"\$\d")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as the driver takes it, and the names of its parameters in their order."""

    text: str
    names: tuple[str, ...]

    @classmethod
    def read(cls, block: str) -> Statement:
        """Return the statement of a block that names each parameter, such as `:valid_from`.

        Raises ValueError when the block numbers a parameter, or has none.
        """
        names = tuple(dict.fromkeys(_NAME.findall(block)))
        if not names or _NUMBER.search(block):
            raise ValueError(f"name every parameter, such as :tenant, in {block.splitlines()[0]}")
        numbers = {name: f"${number}" for number, name in enumerate(names, start=1)}
        return cls(_NAME.sub(lambda match: numbers[match[1]], block), names)

    def arguments(self, **values: Any) -> tuple[Any, ...]:
        """Return these values in the order of the parameters.

        Raises TypeError unless there is exactly one value for each parameter.
        """
        return in_order(self.names, values)


def in_order(names: tuple[str, ...], values: dict[str, Any]) -> tuple[Any, ...]:
    """Return the values of these names, in their order.

    Raises TypeError unless there is exactly one value for each name.
    """
    if values.keys() != set(names):
        wrong = ", ".join(sorted(values.keys() ^ set(names)))
        raise TypeError(f"the statement takes {', '.join(names)}; missing or unknown: {wrong}")
    return tuple(map(values.__getitem__, names))
