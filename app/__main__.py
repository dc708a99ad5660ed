"""The `trigraph` command."""

from __future__ import annotations

INTERRUPTED = 130


def main() -> None:
    """Run the command that the arguments name; one that is interrupted while it loads ends quietly."""
    try:
        from app.cli.application import application

        application(prog_name="trigraph")
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
