"""The entry point of the `trigraph` command."""

from __future__ import annotations

import sys

FAILED = 1
INTERRUPTED = 130


def main() -> None:
    """Run the command of the arguments; an interrupt or a full disk ends it without a traceback."""
    try:
        from app.cli.guarded_streams import guard_output

        guard_output()
        from app.cli.app import application

        application(prog_name="trigraph")
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except OSError as error:
        sys.stderr.write(f"the output could not be written or the input could not be read: {error}\n")
        raise SystemExit(FAILED) from None


if __name__ == "__main__":
    main()
