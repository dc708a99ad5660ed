"""What an operation may ask for at most, judged before it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from graphql import DocumentNode, GraphQLError, GraphQLSchema

from app.graphql.errors import VALIDATION_FAILED
from app.graphql.survey import CEILING, UNSIZED_LIST, Survey, Weight, operations

MAX_TOKENS = 2_000
MAX_FRAGMENTS = 100
MAX_DEPTH = 15
MAX_ALIASES = 50
MAX_ROOT_FIELDS = 20
MAX_COST = 20_000


class Verdict(NamedTuple):
    """Why an operation is refused (empty: it is not), and the variables that this depends on."""

    errors: list[GraphQLError]
    page_variables: frozenset[str]


def judge(schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, object]) -> Verdict:
    """Weigh every operation of a document; a page size in a variable has its value there, or its default."""
    survey = Survey(schema, document, variables)
    if len(survey.definitions) > MAX_FRAGMENTS:
        message = f"It defines {len(survey.definitions)} fragments; at most {MAX_FRAGMENTS} are served."
        return Verdict([_refusal("fragments", message)], frozenset())
    try:
        weights = [survey.operation(node) for node in operations(document)]
    except RecursionError:
        return Verdict([_refusal("depth", "It nests too deeply to be read.")], frozenset())
    errors = [error for weight in weights for error in _refusals(weight)]
    return Verdict(errors, frozenset(survey.page_variables))


def _refusals(weight: Weight) -> Iterator[GraphQLError]:
    """Say each limit that a weight is over."""
    cost = min(weight.fixed + UNSIZED_LIST * weight.per_item, CEILING)
    if weight.depth > MAX_DEPTH:
        yield _refusal("depth", f"It nests {weight.depth} fields deep; at most {MAX_DEPTH} are served.")
    if weight.aliases > MAX_ALIASES:
        yield _refusal("aliases", f"It uses {weight.aliases} aliases; at most {MAX_ALIASES} are served.")
    if weight.fields > MAX_ROOT_FIELDS:
        yield _refusal("root", f"It asks {weight.fields} root fields; at most {MAX_ROOT_FIELDS} are served.")
    if cost > MAX_COST:
        yield _refusal("cost", f"It may cost {cost}; at most {MAX_COST} is served: ask for smaller pages.")


def _refusal(limit: str, reason: str) -> GraphQLError:
    message = f"This operation asks for too much. {reason}"
    return GraphQLError(message, extensions={"code": VALIDATION_FAILED, "limit": limit})
