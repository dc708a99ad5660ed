"""What is shown in place of characters that steer a terminal, and who alone may write to one."""

from __future__ import annotations

import ast
import io
import json
import logging
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.progress import Progress

import app
from app.cli.escaping import OneLineFormatter, escape, escape_json, one_line
from app.cli.guarded_streams import GuardedStream
from app.cli.output import Screen, print_json, printable, styled_text

FORMATS_THAT_ARE_WRITING = (
    "\u00ad"  # where a word may be divided
    "\u200c\u200d"  # joiners
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"  # they are seen
)
EGYPTIAN = range(0x13430, 0x13440)  # how hieroglyphs stand together
ORDINARY = "Grüße, नमस्ते, क्‌ष, می‌خواهم, 日本語, 👩‍🔧 ❤️ …\tC:\\x1b [red]not a colour[/red] :smile: https://example.org/\n"


def test_every_character_that_steers_is_shown() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        steers = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        steers &= (
            character not in FORMATS_THAT_ARE_WRITING and code not in EGYPTIAN and character not in "\n\t"
        )
        if steers or 0xE0000 <= code <= 0xE007F:
            assert escape(character).isascii(), f"U+{code:04X}"
            assert escape(character).isprintable(), f"U+{code:04X}"
        elif unicodedata.category(character) not in ("Cn", "Cf"):
            assert escape(character) == character, f"U+{code:04X}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", r"\x1b[31m"),
        ("\x9b31m\x85", r"\x9b31m\x85"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("\U000e0041", r"\U000e0041"),
        ("name-\udcff\udc9b", r"name-\xff\x9b"),
        ("\ud83d", r"\ud83d"),
        ("a\rb", r"a\x0db"),
        ("a\r\nb", "a\nb"),
    ],
)
def test_it_is_shown_as_python_writes_it(text: str, shown: str) -> None:
    assert escape(text) == shown
    assert escape(shown) == shown
    assert one_line(text) == shown.replace("\n", " ")


def test_ordinary_text_stays_as_it_is() -> None:
    assert escape(ORDINARY) == ORDINARY
    assert escape_json(json.dumps(ORDINARY, ensure_ascii=False)) == json.dumps(ORDINARY, ensure_ascii=False)
    assert printable("a  b\n\tc ") == "a b c"


def test_json_means_the_same_with_nothing_in_it_that_steers(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    value = {"k\x9b\x7f": ["\x1b]0;t\x07", "\u202e\u2028\ufeff", "\U000e0041", ORDINARY, 1, None, True]}
    print_json(value)
    written = capfdbinary.readouterr().out.decode()
    assert json.loads(written) == value
    assert escape(written) == written
    print_json({"name-\udcff": ("\ud83d",)})
    assert json.loads(capfdbinary.readouterr().out) == {r"name-\xff": [r"\ud83d"]}


def test_a_screen_shows_what_rich_would_drop_carry_out_or_pass_on() -> None:
    screen = Screen(width=200)
    screen.file = written = io.StringIO()
    hostile = "\x07\x08\x0b\r\x1b[31m\x9b1m\u202e[red]x[/red] :smile: [link=file:///]y[/link]"
    screen.print(hostile, soft_wrap=True)
    screen.print(styled_text(hostile, "bold"), soft_wrap=True)
    (first, second) = written.getvalue().splitlines()
    assert first == second == escape(hostile)


def test_what_is_written_beside_a_progress_bar_is_not_carried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich takes the streams over meanwhile, and reads the colours and links in what is written."""
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "stderr", GuardedStream(terminal))
    screen = Screen(stderr=True)
    screen._force_terminal = True
    with Progress(console=screen, transient=True):
        print("\x1b[31mred\x1b]8;;file:///etc\x07link", file=sys.stderr)  # noqa: T201
    assert r"\x1b[31mred\x1b]8;;file:///etc\x07link" in terminal.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_a_guarded_process_cannot_write_what_steers(encoding: str) -> None:
    """By any way: prints, a library's own, a warning, a log that nobody set up, a trace, half a character."""
    text = "a\x1b[31m\x9b\u202e\udcffé\u2026"
    program = f"""
import logging, sys, typer, warnings
from app.cli.guarded_streams import guard_output
guard_output()
text = {text!r}
print(text); typer.echo(text, color=True); sys.stderr.write(text)
warnings.warn(text)
logging.getLogger("x").warning("%s\\nforged", text)
raise ValueError(text)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        env={"PYTHONIOENCODING": encoding, "PATH": ""},
        timeout=60,
    )
    out, err = ran.stdout.decode(encoding), ran.stderr.decode(encoding)
    assert r"a\x1b[31m\x9b\u202e\xff" in out
    assert "forged" in err
    assert "\nforged" not in err
    assert r"ValueError: a\x1b[31m\x9b\u202e\xff" in err
    assert escape(out + err) == out + err


def test_a_record_is_a_line_and_a_trace_is_plainly_none() -> None:
    written = io.StringIO()
    log = logging.Logger("hostile")
    handler = logging.StreamHandler(written)
    handler.setFormatter(OneLineFormatter("%(levelname)s %(name)s: %(message)s"))
    log.addHandler(handler)
    try:
        raise ValueError("x\x1b[2J\nINFO trigraph: forged")
    except ValueError as error:
        log.exception("at %s: %s", "a\nINFO trigraph: forged\x9b", error)
    first, *rest = written.getvalue().splitlines()
    assert first == (r"ERROR hostile: at a INFO trigraph: forged\x9b: x\x1b[2J INFO trigraph: forged")
    assert rest
    assert all(line.startswith("  | ") for line in rest)
    assert escape(written.getvalue()) == written.getvalue()


WRITERS = ("output.py", "guarded_streams.py", "__main__.py")
LOGGERS = ("escaping.py", "guarded_streams.py")
STREAMS = ("sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__")
CALLS = ("print", "typer.echo", "typer.secho", "os.write", "traceback.print_exc")
FROM_RICH = (
    "Console",
    "Text",
    "Panel",
    "Markdown",
    "Pretty",
    "print",
)  # they read markup, or drop characters
LOGGING = ("logging.basicConfig", "logging.StreamHandler", "logging.Formatter", "logging.config.dictConfig")
STARTS = ("subprocess.run", "subprocess.Popen", "subprocess.check_output", "asyncio.create_subprocess_exec")


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _ways_out(path: Path) -> Iterator[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    rich = {each.name for node in imports if (node.module or "").startswith("rich") for each in node.names}
    for node in nodes:
        if isinstance(node, ast.Attribute) and _dotted(node) in STREAMS and path.name not in WRITERS:
            yield f"{path.name}:{node.lineno} {_dotted(node)}"
        if not isinstance(node, ast.Call):
            continue
        name = _dotted(node.func)
        is_rich = name.partition(".")[0] in rich.intersection(FROM_RICH)
        if (name in CALLS or is_rich) and path.name not in WRITERS:
            yield f"{path.name}:{node.lineno} {name}"
        if name in LOGGING and path.name not in LOGGERS:
            yield f"{path.name}:{node.lineno} {name}"
        given = {keyword.arg for keyword in node.keywords}
        if name in STARTS and "capture_output" not in given and not {"stdout", "stderr"} <= given:
            yield f"{path.name}:{node.lineno} {name} lets a program write to the terminal"


def test_nothing_else_in_the_program_writes_to_a_terminal_or_sets_up_a_log() -> None:
    """A command prints by `say`, `print_json`, `print_error` and a `Screen`; anything else goes there too."""
    assert [way for path in Path(app.__file__).parent.rglob("*.py") for way in _ways_out(path)] == []


def test_the_rule_finds_what_it_forbids(tmp_path: Path) -> None:
    path = tmp_path / "command.py"
    path.write_text(
        "from rich.console import Console\nfrom rich.text import Text\n"
        "typer.echo(x); Console().print(Text.from_markup(x)); sys.stdout.write(x); subprocess.run(['git'])\n"
    )
    assert len(list(_ways_out(path))) == 5
