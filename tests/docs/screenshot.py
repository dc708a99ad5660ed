"""The picture in the README, drawn from what the demo prints; `make pictures` draws it again."""

from __future__ import annotations

import asyncio
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from app.cli.demo import IN_2010, NOW, demo_import, print_examples
from app.services.container import Memory, open_memory
from app.settings import Settings

PICTURE = Path(__file__).parents[2] / "docs/pictures/demo.svg"
COLUMNS = 110
# Unlike the template that comes with rich, this one loads no font from another host.
TEMPLATE = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
    }}
    .{unique_id}-title {{
        font-size: 18px;
        font-weight: bold;
        font-family: sans-serif;
    }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""


def terminal(file: StringIO, *, record: bool = False) -> Console:
    """Return a console of a fixed width with colours, whatever the process runs in."""
    return Console(
        file=file,
        record=record,
        width=COLUMNS,
        force_terminal=True,
        color_system="truecolor",
        no_color=False,
        markup=False,
        highlight=False,
        emoji=False,
    )


async def draw_demo(memory: Memory) -> str:
    """Return the picture, an SVG, of the two questions about version schemes; imports what they ask about."""
    await memory.imports.run(memory.caller, demo_import())
    printed = StringIO()
    await print_examples(terminal(printed), memory, (IN_2010, NOW))
    picture = terminal(StringIO(), record=True)
    picture.print(Text.from_ansi(printed.getvalue().strip("\n")))
    drawn = picture.export_svg(title="make demo", code_format=TEMPLATE, unique_id="demo")
    return "".join(f"{line.rstrip()}\n" for line in drawn.splitlines())


async def _draw() -> None:
    with tempfile.TemporaryDirectory(prefix="trigraph-pictures-") as home:
        async with open_memory(Settings(home=Path(home))) as memory:
            PICTURE.write_text(await draw_demo(memory), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_draw())
