"""Execute operations: parse and check each text once, then execute; the view reports failures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import strawberry
from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLLeafType,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    get_nullable_type,
    is_leaf_type,
    parse,
    specified_rules,
    validate,
)
from strawberry.extensions import SchemaExtension
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule
from strawberry.types import ExecutionContext
from strawberry.types.field import StrawberryField

from app.graphql.errors import BAD_USER_INPUT, PARSE_FAILED, PROBLEMS, VALIDATION_FAILED, AmbiguousProblem
from app.graphql.query_cost import (
    MAX_COST,
    MAX_TOKENS,
    AnswerBudget,
    CostVerdict,
    judge,
    judge_crowd,
    require_short,
)
from app.graphql.query_survey import operation_name, operations, root_fields
from app.graphql.scalars import SCALARS
from app.services.served_operation import Demand

LONG_TYPES = ("String", "JSON")
SHORT = 256  # characters


class PlainField(NamedTuple):
    """A field's attribute, the function that serialises it, its type, and whether it may be null or long."""

    attribute: str
    coerce: Callable[[Any], Any]
    type: GraphQLOutputType
    is_nullable: bool
    may_be_long: bool


class PlainFieldExecution(StrawberryGraphQLCoreExecutionContext):
    """Strawberry's execution with a budget for texts, and a shortcut for scalar and enum attributes.

    The attributes are most of a response and have neither arguments nor resolvers, so no resolver needs to
    hear of the field. A null where none may be takes the normal way. graphql-core calls the three
    methods used here private: a test fails when it changes them.
    """

    @cached_property
    def budget(self) -> AnswerBudget:
        """Return the bytes that the operation may still answer."""
        return AnswerBudget()

    def execute_field(  # type: ignore[no-untyped-def]
        self, parent_type, source, field_details_list, path, position_context
    ) -> Any:
        """Return the value of a field for the response."""
        plain = plain_field(self.schema, parent_type, field_details_list[0].node.name.value)
        if plain is not None:
            try:
                value = getattr(source, plain.attribute)
                if value is not None:
                    coerced = plain.coerce(value)
                    # The cost of an operation bounds how many short texts there are.
                    if plain.may_be_long and (type(coerced) is not str or len(coerced) > SHORT):
                        self.budget.spend(coerced)
                    return coerced
            except Exception as error:
                return self.handle_field_error(error, plain.type, field_details_list, path)
            if plain.is_nullable:
                return None
        return super().execute_field(parent_type, source, field_details_list, path, position_context)

    def complete_leaf_value(self, return_type: GraphQLLeafType, result: Any) -> Any:  # type: ignore[override]
        """Return the value of a resolver for the response."""
        coerced = super().complete_leaf_value(return_type, result)
        if return_type.name in LONG_TYPES and (type(coerced) is not str or len(coerced) > SHORT):
            self.budget.spend(coerced)
        return coerced


@lru_cache(maxsize=4096)
def plain_field(schema: GraphQLSchema, parent: GraphQLObjectType, name: str) -> PlainField | None:
    """Return a field's PlainField if it only reads an attribute, else None."""
    field = schema.get_field(parent, name)
    if field is None or field.args:
        return None
    declared = field.extensions.get("strawberry-definition")
    returned = get_nullable_type(field.type)
    if not isinstance(declared, StrawberryField) or not declared.is_basic_field or not is_leaf_type(returned):
        return None
    return PlainField(
        declared.python_name,
        returned.coerce_output_value,
        field.type,
        is_nullable=returned is field.type,
        may_be_long=returned.name in LONG_TYPES,
    )


CHECKED = "checked"
"""The name under which whoever executes an operation gives its document, if it is checked already."""

CACHED_DOCUMENTS = 1024
MAX_CACHED_DOCUMENT_LENGTH = 16_384  # characters
MAX_ERRORS = 3
"""More mistakes than these are not looked for: each costs a search for names that are alike."""


class CheckedDocument(NamedTuple):
    """A parsed document, the verdict on it, and what each of its operations asks of the service, by name."""

    document: DocumentNode
    verdict: CostVerdict
    demands: Mapping[str | None, Demand]

    def name(self, given: str | None) -> str | None:
        """Return the name of the operation to run: the given one if it is there, or that of the only one."""
        if given is None and len(self.demands) == 1:
            (given,) = self.demands
        return given if given in self.demands else None

    def demand(self, given: str | None) -> Demand:
        """Return what the operation to run asks."""
        return self.demands.get(self.name(given), Demand())


def check_document(schema: GraphQLSchema, text: str) -> CheckedDocument:
    """Parse, check and validate a text; results for short texts are cached.

    Raises GraphQLError when the text is not GraphQL, or too long.
    """
    if len(text) > MAX_CACHED_DOCUMENT_LENGTH:
        return checked_documents.__wrapped__(schema, text)
    return checked_documents(schema, text)


@lru_cache(maxsize=CACHED_DOCUMENTS)
def checked_documents(schema: GraphQLSchema, text: str) -> CheckedDocument:
    """Parse, check and validate a text; raise GraphQLError if it is not GraphQL."""
    require_short(text)
    document = _parse(text)
    verdict = judge(schema, document, {})
    # The standard rules take quadratic time on what the guard refuses, so they see only what it lets through.
    errors = verdict.errors or judge_crowd(document) or _validate(schema, document)
    demands = {operation_name(node): _demand(document, node) for node in operations(document)}
    return CheckedDocument(document, verdict._replace(errors=errors), {} if errors else demands)


def _demand(document: DocumentNode, operation: OperationDefinitionNode) -> Demand:
    names = [node.name.value for node in root_fields(document, operation)]
    recalls = names.count("recall")
    return Demand(
        recalls=recalls,
        is_read=operation.operation is OperationType.QUERY,
        is_recall=recalls == len(names) == 1,
    )


def _parse(text: str) -> DocumentNode:
    try:
        return parse(text, max_lexical_tokens=MAX_TOKENS, max_comments=MAX_TOKENS)
    except GraphQLError as error:
        error.extensions = {"code": PARSE_FAILED}
        raise


def _validate(schema: GraphQLSchema, document: DocumentNode) -> list[GraphQLError]:
    rules = (*specified_rules, MaybeNullValidationRule, OneOfInputValidationRule)
    errors = validate(schema, document, rules, max_errors=MAX_ERRORS)
    for error in errors:
        error.extensions = {"code": VALIDATION_FAILED}
    return errors


class CheckedOperation(SchemaExtension):
    """Provides each operation's checked document and refuses operations before they run."""

    costs: Mapping[str | None, int] = MappingProxyType({})

    def on_parse(self) -> Iterator[None]:
        """Provide the document, from the cache if possible."""
        context = self.execution_context
        checked = (context.operation_extensions or {}).get(CHECKED)
        self.checked = checked or check_document(context.schema._schema, context.query or "")
        context.graphql_document = self.checked.document
        self.costs = self.checked.verdict.costs
        yield

    def on_validate(self) -> Iterator[None]:
        """Report the document's refusals, then check this request's variables."""
        context = self.execution_context
        context.pre_execution_errors = self.checked.verdict.errors or self._refusals(context)
        yield

    def _refusals(self, context: ExecutionContext) -> list[GraphQLError]:
        if len(list(operations(self.checked.document))) > 1 and context._provided_operation_name is None:
            message = "The document has several operations. Name the one to run in operationName."
            return [GraphQLError(message, extensions={"code": BAD_USER_INPUT})]
        if not self.checked.verdict.page_variables:
            return []
        verdict = judge(context.schema._schema, self.checked.document, context.variables or {})
        self.costs = verdict.costs
        return verdict.errors

    def get_results(self) -> dict[str, Any]:
        """Return the cost of the operation, once it is known."""
        name = self.execution_context._provided_operation_name
        if name is None and len(self.costs) == 1:
            (name,) = self.costs
        return {"cost": {"requested": self.costs[name], "limit": MAX_COST}} if name in self.costs else {}


class GuardedSchema(strawberry.Schema):
    """A schema with this project's scalars and problems, whose operations are checked first."""

    def __init__(
        self,
        query: type,
        mutation: type | None = None,
        subscription: type | None = None,
        types: Iterable[type] = (),
    ) -> None:
        super().__init__(
            query=query,
            mutation=mutation,
            subscription=subscription,
            types=(*PROBLEMS.values(), AmbiguousProblem, *types),
            extensions=(CheckedOperation,),
            execution_context_class=PlainFieldExecution,
            config=StrawberryConfig(scalar_map=SCALARS),
        )

    def _get_custom_context_kwargs(
        self, operation_extensions: dict[str, Any] | None = None, *, sync: bool = False
    ) -> dict[str, Any]:
        """Return additional execution arguments: the maximum number of reported coercion errors."""
        given = super()._get_custom_context_kwargs(operation_extensions, sync=sync)
        return given | {"max_coercion_errors": MAX_ERRORS}

    def check(self, text: str) -> CheckedDocument:
        """Return the checked document of a text; raise GraphQLError for one that is no GraphQL."""
        return check_document(self._schema, text)

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Log nothing: the view reports each error once and without its query."""
