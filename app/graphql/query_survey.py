"""Weigh a GraphQL document: its depth, width and cost, in time linear in its text.

The cost of a field is one, or what TEXT_COSTS has for its name, plus the cost of its selections times the
possible number of its items: the value of `first` or `last` for a paged list, the number of `ids`,
UNSIZED_LIST for a list without a size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, cast

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLCompositeType,
    GraphQLField,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    NamedTypeNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_composite_type,
    is_leaf_type,
    is_list_type,
)

TEXT_COSTS: Mapping[str, int] = MappingProxyType(
    {
        "body": 50,
        "content": 5,
        "description": 2,
        "meta": 5,
        "props": 5,
        "quote": 2,
        "reason": 2,
        "reviewReason": 2,
        "text": 5,
        "value": 5,
    }
)
"""The cost of a text or a JSON value by the name of its field: about one for every 200 usual characters."""

UNSIZED_LIST = 5
PAGE_ARGUMENTS = ("first", "last", "ids")
# Sizes and costs stop growing here, so that no document makes the arithmetic itself slow.
CEILING = 2**31


class Weight(NamedTuple):
    """The weight of selections, with fragments counted at each spread."""

    depth: int = 0
    aliases: int = 0
    fields: int = 0
    fixed: int = 0
    per_item: int = 0


class QuerySurvey:
    """One walk over a document in which every fragment is weighed once."""

    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, object]
    ) -> None:
        self.schema = schema
        self.sizes = {**_declared_sizes(document), **variables}
        self.page_variables: set[str] = set()
        self.unknown_fields = 0
        self.definitions = {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }
        self.weighed: dict[str, Weight] = {}

    def operation(self, node: OperationDefinitionNode) -> Weight:
        """Weigh one operation."""
        return self.selections(node.selection_set, self.schema.get_root_type(node.operation))

    def selections(self, selections: SelectionSetNode | None, parent: GraphQLCompositeType | None) -> Weight:
        """Weigh selections on a type; the weight is zero if either is None."""
        if selections is None or parent is None:
            return Weight()
        return _together([self.selection(node, parent) for node in selections.selections])

    def selection(self, node: SelectionNode, parent: GraphQLCompositeType) -> Weight:
        """Weigh one field or fragment."""
        if isinstance(node, FieldNode):
            return self.field(node, self.schema.get_field(parent, node.name.value))
        if isinstance(node, InlineFragmentNode):
            return self.selections(node.selection_set, self.composite_type(node.type_condition) or parent)
        return self.fragment(cast(FragmentSpreadNode, node).name.value)

    def fragment(self, name: str) -> Weight:
        """Weigh a fragment once; a recursive or unknown one weighs nothing and is refused elsewhere."""
        if name not in self.weighed:
            self.weighed[name] = Weight()
            if node := self.definitions.get(name):
                self.weighed[name] = self.selections(
                    node.selection_set, self.composite_type(node.type_condition)
                )
        return self.weighed[name]

    def field(self, node: FieldNode, definition: GraphQLField | None) -> Weight:
        """Weigh a field with its selections; an unknown one is counted, and refused elsewhere."""
        if definition is None:
            self.unknown_fields += 1
            return Weight()
        named = get_named_type(definition.type)
        within = self.selections(node.selection_set, named if is_composite_type(named) else None)
        size = self.page_size(node, definition)
        items = UNSIZED_LIST if size is None else size
        own = TEXT_COSTS.get(node.name.value, 1) if is_leaf_type(named) else 1
        fixed, per_item = own + within.fixed + items * within.per_item, 0
        if is_list_type(get_nullable_type(definition.type)):
            each = 1 + within.fixed + UNSIZED_LIST * within.per_item
            fixed, per_item = (0, each) if size is None else (items * each, 0)
        return Weight(
            depth=1 + within.depth,
            aliases=min(within.aliases + (node.alias is not None), CEILING),
            fields=1,
            fixed=min(fixed, CEILING),
            per_item=min(per_item, CEILING),
        )

    def page_size(self, node: FieldNode, definition: GraphQLField) -> int | None:
        """Return a field's page size: the given one, else the declared default, else None."""
        taken = [name for name in PAGE_ARGUMENTS if name in definition.args]
        given = [
            self.size(argument.value) for argument in node.arguments or () if argument.name.value in taken
        ]
        declared = [_as_size(definition.args[name].default_value) for name in taken]
        return _largest(given) or _largest(declared)

    def size(self, node: object) -> int | None:
        """Return the size in a literal or a variable."""
        if isinstance(node, VariableNode):
            self.page_variables.add(node.name.value)
            return _as_size(self.sizes.get(node.name.value))
        return _as_literal_size(node)

    def composite_type(self, condition: NamedTypeNode | None) -> GraphQLCompositeType | None:
        """Return the composite type of a condition, or None."""
        found = self.schema.get_type(condition.name.value) if condition else None
        return found if is_composite_type(found) else None


def operations(document: DocumentNode) -> Iterator[OperationDefinitionNode]:
    """Return the operations among a document's definitions."""
    return (node for node in document.definitions if isinstance(node, OperationDefinitionNode))


def operation_name(node: OperationDefinitionNode) -> str | None:
    """Return the name of an operation, if it has one."""
    return node.name.value if node.name else None


def root_fields(document: DocumentNode, operation: OperationDefinitionNode) -> Iterator[FieldNode]:
    """Yield the root fields of an operation, those of each fragment once."""
    fragments = {
        node.name.value: node.selection_set
        for node in document.definitions
        if isinstance(node, FragmentDefinitionNode)
    }
    pending = [operation.selection_set]
    while pending:
        for node in pending.pop().selections:
            if isinstance(node, FieldNode):
                yield node
            elif isinstance(node, InlineFragmentNode):
                pending.append(node.selection_set)
            elif isinstance(node, FragmentSpreadNode) and node.name.value in fragments:
                pending.append(fragments.pop(node.name.value))


def _together(weights: Iterable[Weight]) -> Weight:
    """Add weights side by side; depth alone is that of the deepest."""
    depth = aliases = fields = fixed = per_item = 0
    for weight in weights:
        depth = max(depth, weight.depth)
        aliases += weight.aliases
        fields += weight.fields
        fixed += weight.fixed
        per_item += weight.per_item
    return Weight(depth, *(min(total, CEILING) for total in (aliases, fields, fixed, per_item)))


def _declared_sizes(document: DocumentNode) -> dict[str, object]:
    """Return the literal defaults of variables, the largest where operations declare one name twice."""
    sizes: dict[str, object] = {}
    for operation in operations(document):
        for declared in operation.variable_definitions or ():
            name = declared.variable.name.value
            sizes[name] = _largest([_as_size(sizes.get(name)), _as_literal_size(declared.default_value)])
    return sizes


def _as_literal_size(node: object) -> int | None:
    if isinstance(node, ListValueNode):
        return len(node.values)
    if not isinstance(node, IntValueNode):
        return None
    if node.value.startswith("-"):
        return 0
    return _as_size(int(node.value)) if len(node.value) < len(str(CEILING)) else CEILING


def _as_size(value: object) -> int | None:
    """Return a size as GraphQL's Int parses it, 0 if negative, or that of a list; None for anything else."""
    if isinstance(value, list):
        return min(len(value), CEILING)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(min(max(value, 0), CEILING))


def _largest(sizes: Iterable[int | None]) -> int | None:
    return max((size for size in sizes if size is not None), default=None)
