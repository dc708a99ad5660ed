"""Which tests one of several processes runs together, since they share what starts slowly."""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

NEO4J = (
    "tests/cli/test_neo4j.py",
    "tests/cli/test_projection.py",
    "tests/conformance/",
    "tests/docs/test_neo4j_queries.py",
    "tests/projector/",
    "tests/services/maintenance/test_periodic.py",
    "tests/stores/neo4j/",
)
COMMANDS = "tests/cli/"


class Sharing(LoadScopeScheduling):  # type: ignore[misc]  # it comes without types
    """Hands out whole modules, the tests of Neo4j at once, and the commands, which share a home, at once."""

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        if module.startswith(NEO4J):
            return "neo4j"
        return "commands" if module.startswith(COMMANDS) else module
