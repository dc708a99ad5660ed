"""The console that commands write to: it takes text as it is, with no markup in it, and shows what steers."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderHook
from rich.segment import Segment
from rich.text import Text

from app.cli.escaping import escaped
from app.cli.guarding import guard_redirected, unguarded


class Screen(Console):
    """Rich's console, for text that somebody else wrote.

    Rich drops some controls unseen and passes others on. Here all are escaped, before Rich sees a text and
    once more when it is laid out; what remains are the colours and cursor moves of the program's own.
    """

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(
            file=unguarded(sys.stderr if stderr else sys.stdout),
            stderr=stderr,
            width=width,
            markup=False,
            highlight=False,
            emoji=False,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the pieces of what is to be shown, escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text))

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text, escaped and with no style in it."""
        return super().render_str(escaped(text), **options)

    def push_render_hook(self, hook: RenderHook) -> None:
        """Take in a progress bar; what others write meanwhile is guarded as before."""
        super().push_render_hook(hook)
        guard_redirected()


def styled(text: str, style: str = "") -> Text:
    """Return a text for a screen, escaped, in a style of the program's own."""
    return Text(escaped(text), style=style)
