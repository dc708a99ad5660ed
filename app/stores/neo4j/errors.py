"""What Neo4j or the way to it refuses, said as an error of Trigraph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from neo4j.exceptions import AuthError, DriverError, Neo4jError

from app.errors import Unavailable

_SIGN_IN = "set TRIGRAPH_NEO4J_USER and TRIGRAPH_NEO4J_PASSWORD"
_RESOLVED = re.compile(r" \(resolved to \(.*\)\)")  # the driver prints a Python tuple


@contextmanager
def translated(uri: str) -> Iterator[None]:
    """Raise Unavailable, which names the server, for what the driver raises inside the block."""
    try:
        yield
    except AuthError as error:
        raise Unavailable(f"Neo4j at {uri} does not let this user in; {_SIGN_IN}") from error
    except Neo4jError as error:
        # It points into a query, line by line.
        message = f"Neo4j at {uri} refuses: {error.message or error.code}"
        raise Unavailable(message, has_lines=True) from error
    except DriverError as error:
        raise _silent(uri, error) from error


@contextmanager
def reached(uri: str) -> Iterator[None]:
    """Do as `translated` where only the driver runs, which says some failures in Python's own words."""
    try:
        with translated(uri):
            yield
    except (OSError, ValueError) as error:
        raise _silent(uri, error) from error


def refuses_the_query(error: Unavailable) -> bool:
    """Tell whether Neo4j answers, and it is the query that is wrong: no waiting mends that."""
    cause = error.__cause__
    return isinstance(cause, Neo4jError) and str(cause.code).startswith("Neo.ClientError.Statement.")


def _silent(uri: str, error: Exception) -> Unavailable:
    told = _RESOLVED.sub("", str(error).partition("\n")[0]).rstrip(":") or type(error).__name__
    return Unavailable(f"Neo4j at {uri} does not answer: {told}")
