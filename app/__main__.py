"""The `trigraph` command."""

from __future__ import annotations

from app.cli.application import application


def main() -> None:
    """Run the command that the arguments name."""
    application(prog_name="trigraph")


if __name__ == "__main__":
    main()
