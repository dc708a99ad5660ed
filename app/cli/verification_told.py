"""What a comparison of ledger and graph tells."""

from __future__ import annotations

from typing import Any

from app.cli.printing import print_json, printable, say
from app.projector.verification import Kind, Verification

_NAMED = 20


def print_verification(verification: Verification, *, as_json: bool) -> None:
    """Write what was compared and what differs, some of each by name; as JSON, all of it."""
    if as_json:
        print_json(_object(verification))
        return
    for kind in verification.kinds:
        mark = "equal " if kind.is_equal else "DIFFER"
        say(f"{mark} {kind.name}: {kind.in_ledger.count} in the ledger, {kind.in_graph.count} in the graph")
        for told, names in _differences(kind).items():
            for name in names[:_NAMED]:
                say(f"       {told}: {printable(name)}")
            if len(names) > _NAMED:
                say(f"       {told}: and {len(names) - _NAMED} more")
    found = "equals" if verification.is_equal else "differs from"
    say(f"the graph {found} the ledger at position {verification.position}")
    say(f"digest {verification.digest}")


def _object(verification: Verification) -> dict[str, Any]:
    return {
        "isEqual": verification.is_equal,
        "position": verification.position,
        "digest": verification.digest,
        "kinds": [
            {
                "kind": kind.name,
                "isEqual": kind.is_equal,
                "inLedger": kind.in_ledger.count,
                "inGraph": kind.in_graph.count,
                **_differences(kind),
            }
            for kind in verification.kinds
        ],
    }


def _differences(kind: Kind) -> dict[str, tuple[str, ...]]:
    return {"missing": kind.missing, "unexpected": kind.unexpected, "different": kind.different}
