"""Limit the cost of an operation before it runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

import orjson
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    InlineFragmentNode,
    SelectionSetNode,
    Token,
    TokenKind,
)

from app.graphql.errors import ANSWER_LIMIT, VALIDATION_FAILED
from app.graphql.query_survey import CEILING, UNSIZED_LIST, QuerySurvey, Weight, operation_name, operations

MAX_REPEATS = 8
MAX_FIELDS = 5_000


class Crowd(NamedTuple):
    """The number of fields of a document, with fragments counted at each spread, and of its commonest field.

    Counting stops when either exceeds its limit.
    """

    fields: int
    repeats: int


class _Place(NamedTuple):
    """Selections that are merged in one response object, and the fragments that contain them."""

    selections: list[SelectionSetNode]
    within: frozenset[str]


def count_fields(document: DocumentNode) -> Crowd:
    """Return the field counts of a document; a recursive fragment counts once, and is refused elsewhere."""
    fragments = {
        node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
    }
    pending = [_Place([node.selection_set], frozenset()) for node in operations(document)]
    fields = repeats = 0
    while pending:
        place = pending.pop()
        within: dict[str, set[str]] = defaultdict(set)
        named: dict[str, list[FieldNode]] = defaultdict(list)
        for node, around in _fields(place, fragments):
            name = (node.alias or node.name).value
            named[name].append(node)
            within[name] |= around
            fields += 1
            repeats = max(repeats, len(named[name]))
            if fields > MAX_FIELDS or repeats > MAX_REPEATS:
                return Crowd(fields, repeats)
        for name, nodes in named.items():
            if nested := [node.selection_set for node in nodes if node.selection_set is not None]:
                pending.append(_Place(nested, frozenset(within[name])))
    return Crowd(fields, repeats)


def _fields(
    place: _Place, fragments: Mapping[str, FragmentDefinitionNode]
) -> Iterator[tuple[FieldNode, frozenset[str]]]:
    """Yield the fields of a place, with the fragments that contain each; each fragment is read once."""
    read: set[str] = set()
    pending = [(selections, place.within) for selections in place.selections]
    while pending:
        selections, within = pending.pop()
        for node in selections.selections:
            if isinstance(node, FieldNode):
                yield node, within
            elif isinstance(node, InlineFragmentNode):
                pending.append((node.selection_set, within))
            elif isinstance(node, FragmentSpreadNode):
                name = node.name.value
                if name in fragments and name not in read and name not in within:
                    read.add(name)
                    pending.append((fragments[name].selection_set, within | {name}))


MAX_TEXT = 65_536
"""Characters of a document: its literals are read one by one, a variable's text at once."""

MAX_LINES = 5_000
MAX_TOKENS = 2_000
MAX_GRAPHQL_NAME = 128  # characters of a field, an argument or a variable
MAX_OPERATIONS = 20
MAX_FRAGMENTS = 100
MAX_DEPTH = 15
MAX_ALIASES = 50
MAX_ROOT_FIELDS = 20
MAX_COST = 20_000
MAX_UNKNOWN_FIELDS = 50
"""More than these are not worth comparing with the names there are."""


class CostVerdict(NamedTuple):
    """The reasons to refuse a document, the variables they depend on, and the cost of each operation."""

    errors: list[GraphQLError]
    page_variables: frozenset[str] = frozenset()
    costs: Mapping[str | None, int] = MappingProxyType({})


def require_short(text: str) -> None:
    """Raise GraphQLError for a document that is too long."""
    lines = text.count("\n") + text.count("\r")
    for count, most, what in ((len(text), MAX_TEXT, "characters"), (lines, MAX_LINES, "lines")):
        if count > most:
            raise _refusal(
                "text",
                f"Its text has {count} {what}; at most {most} are allowed. Send long texts as variables.",
            )


def judge_crowd(document: DocumentNode) -> list[GraphQLError]:
    """Return the refusals of a document with too long names or too many fields to compare."""
    if any(len(token.value or "") > MAX_GRAPHQL_NAME for token in _names(document)):
        return [_refusal("name", f"It has a name of more than {MAX_GRAPHQL_NAME} characters.")]
    crowd = count_fields(document)
    if crowd.repeats > MAX_REPEATS:
        reason = f"It selects one field more than {MAX_REPEATS} times in one place. Select it once."
        return [_refusal("repeats", reason)]
    if crowd.fields > MAX_FIELDS:
        return [
            _refusal(
                "fields",
                f"It selects more than {MAX_FIELDS} fields; the fields of a fragment count each time"
                " it is used.",
            )
        ]
    return []


def judge(schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, object]) -> CostVerdict:
    """Weigh every operation of a document, with page sizes from the variables or their defaults."""
    survey = QuerySurvey(schema, document, variables)
    count = sum(1 for _ in operations(document))
    if count > MAX_OPERATIONS:
        message = f"It has {count} operations; at most {MAX_OPERATIONS} are allowed."
        return CostVerdict([_refusal("operations", message)])
    if len(survey.definitions) > MAX_FRAGMENTS:
        message = f"It defines {len(survey.definitions)} fragments; at most {MAX_FRAGMENTS} are allowed."
        return CostVerdict([_refusal("fragments", message)])
    try:
        weights = [(operation_name(node), survey.operation(node)) for node in operations(document)]
    except RecursionError:
        return CostVerdict([_refusal("depth", "It is nested too deeply.")])
    errors = [error for _, weight in weights for error in _refusals(weight)]
    if survey.unknown_fields > MAX_UNKNOWN_FIELDS:
        message = f"It selects {survey.unknown_fields} fields that do not exist."
        errors.append(_refusal("unknown", message))
    costs = {name: _cost(weight) for name, weight in weights}
    return CostVerdict(errors, frozenset(survey.page_variables), costs)


def _names(document: DocumentNode) -> Iterator[Token]:
    """Yield the tokens of a document that are names."""
    token = document.loc.start_token if document.loc else None
    while token is not None:
        if token.kind is TokenKind.NAME:
            yield token
        token = token.next


def _cost(weight: Weight) -> int:
    return min(weight.fixed + UNSIZED_LIST * weight.per_item, CEILING)


def _refusals(weight: Weight) -> Iterator[GraphQLError]:
    """Yield a refusal for each limit that a weight exceeds."""
    cost = _cost(weight)
    if weight.depth > MAX_DEPTH:
        yield _refusal(
            "depth", f"It nests {weight.depth} fields deep; at most {MAX_DEPTH} levels are allowed."
        )
    if weight.aliases > MAX_ALIASES:
        yield _refusal("aliases", f"It uses {weight.aliases} aliases; at most {MAX_ALIASES} are allowed.")
    if weight.fields > MAX_ROOT_FIELDS:
        yield _refusal(
            "root", f"It selects {weight.fields} root fields; at most {MAX_ROOT_FIELDS} are allowed."
        )
    if cost > MAX_COST:
        yield _refusal("cost", f"It may cost {cost}; at most {MAX_COST} is allowed. {_ADVICE}")


_ADVICE = "Ask for smaller pages (first), or for fewer long texts, such as body and text."

MAX_ANSWER = 16 * 1024 * 1024
"""Bytes of all texts and JSON values of an answer together."""


class AnswerBudget:
    """The bytes of texts that an operation may still put into its answer."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_ANSWER

    def spend(self, value: object) -> None:
        """Count a text or a JSON value; raise GraphQLError for each from the first that does not fit."""
        self._left -= _size(value)
        if self._left < 0:
            raise _refusal(ANSWER_LIMIT, f"Its answer has more than {MAX_ANSWER} bytes. {_ADVICE}")


def _size(value: object) -> int:
    """Return the bytes of a value in the answer, but for the escapes that JSON adds."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode(errors="replace"))
    # Of one that JSON cannot carry the view reports a failure.
    with suppress(TypeError):
        return len(orjson.dumps(value))
    return 0


def _refusal(limit: str, reason: str) -> GraphQLError:
    message = f"This operation asks for too much. {reason}"
    return GraphQLError(message, extensions={"code": VALIDATION_FAILED, "limit": limit})
