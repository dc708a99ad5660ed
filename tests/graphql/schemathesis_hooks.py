"""The values of the scalar JSON, which schemathesis cannot read from the schema."""

from __future__ import annotations

from graphql import NameNode, ObjectFieldNode, ValueNode
from hypothesis import strategies
from hypothesis.strategies import SearchStrategy
from schemathesis.graphql import nodes, scalar

_NAMES = strategies.from_regex(r"[_a-zA-Z][_a-zA-Z0-9]{0,9}", fullmatch=True)
_LEAVES = strategies.one_of(
    strategies.none().map(lambda _: nodes.Null),
    strategies.booleans().map(nodes.Boolean),
    strategies.integers(-(2**63), 2**63 - 1).map(nodes.Int),
    strategies.floats(allow_nan=False, allow_infinity=False).map(nodes.Float),
    strategies.text(max_size=30).map(nodes.String),
)


def _objects(values: SearchStrategy[ValueNode]) -> SearchStrategy[ValueNode]:
    fields = strategies.dictionaries(_NAMES, values, max_size=3)
    return fields.map(
        lambda given: nodes.Object(
            [ObjectFieldNode(name=NameNode(value=name), value=value) for name, value in given.items()]
        )
    )


def _values_of(values: SearchStrategy[ValueNode]) -> SearchStrategy[ValueNode]:
    return strategies.lists(values, max_size=3).map(nodes.List) | _objects(values)


scalar("JSON", _objects(strategies.recursive(_LEAVES, _values_of, max_leaves=6)))
