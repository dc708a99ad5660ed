"""What a tool is: its name, its description for the model, its schemas, and its work."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any, TypeAlias, get_type_hints
from uuid import UUID

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
)

from app.domain.bounds import MAX_NAME, excerpt
from app.domain.entity import Caller, Entity
from app.domain.temporal import written_moment
from app.errors import Invalid, NotFound
from app.services.catalog import Elsewhen, RequestedMoment
from app.services.container import Memory

MAX_BUDGET = 20_000


def _moment(given: object) -> datetime:
    """Return a text as an instant; a plain date is the start of that day in UTC."""
    try:
        moment = written_moment(given) if isinstance(given, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValueError("write a date like 2026-06-01, or an instant like 2026-06-01T09:00:00Z")
    return moment


Moment: TypeAlias = Annotated[datetime, BeforeValidator(_moment), WithJsonSchema({"type": "string"})]
Properties: TypeAlias = Annotated[dict[str, Any], WithJsonSchema({"type": "object"})]
Project: TypeAlias = Annotated[str, Field(max_length=MAX_NAME), WithJsonSchema({"type": "string"})]
TokenBudget: TypeAlias = Annotated[
    int, Field(ge=200, le=MAX_BUDGET), WithJsonSchema({"type": "integer", "default": 2000})
]
"""The most word pieces of the encoder that the answer has, as a text and as JSON alike."""

Progress: TypeAlias = Callable[[float, float | None, str], Awaitable[None]]
"""Receives how much is done, of how much, and a line that says what."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Who calls a tool, on what memory, and where to report progress; `is_here` means over a pipe."""

    memory: Memory
    caller: Caller
    progress: Progress
    is_here: bool = False

    def tokens(self, text: str) -> int:
        """Return the number of word pieces of a text."""
        return len(self.memory.embedder.piece_offsets(text))


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answers: data for programs, and the same as a short text for the model."""

    data: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool; `reads` means that it changes nothing."""

    name: str
    description: str
    arguments: type[BaseModel]
    work: Callable[..., Awaitable[ToolAnswer]]
    reads: bool = False
    output: Mapping[str, str] = field(default_factory=dict)

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments, without what a model does not need."""
        schema: dict[str, Any] = _compact(self.arguments.model_json_schema())
        schema.pop("additionalProperties", None)
        return schema

    def output_schema(self) -> dict[str, Any]:
        """Return the JSON schema of the data."""
        properties = {name: {"type": type} for name, type in self.output.items()}
        return {"type": "object", "properties": properties, "required": list(properties)}

    async def run(self, call: ToolCall, given: Mapping[str, Any]) -> ToolAnswer:
        """Do the work; raise Invalid, naming each argument, for unfit ones."""
        try:
            read = self.arguments.model_validate(dict(given))
        except ValidationError as error:
            raise Invalid(_problems(self, error)) from None
        return await self.work(call, **{name: getattr(read, name) for name in type(read).model_fields})


def _compact(schema: Any, *, names: bool = False) -> Any:
    """Return a schema without titles and null; with `names`, one of each property by its name."""
    if isinstance(schema, list):
        return [_compact(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if names:
        return {name: _compact(each) for name, each in schema.items()}
    kept = {
        word: _compact(each, names=word == "properties")
        for word, each in schema.items()
        if word != "title" and not (word == "default" and each is None)
    }
    choices = [each for each in kept.get("anyOf", ()) if each != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        kept = {**choices[0], **kept}
    return kept


def _problems(tool: Tool, error: ValidationError) -> str:
    """Return a line that names each unfit argument, and what the tool takes."""
    known = ", ".join(tool.arguments.model_fields)
    found = []
    for each in error.errors(include_url=False)[:5]:
        where = excerpt(".".join(map(str, each["loc"])))
        if each["type"] == "extra_forbidden":
            found.append(f"{tool.name} has no argument {where}; it takes {known}")
        elif each["type"] == "missing":
            found.append(f"the argument {where} is missing; {tool.name} takes {known}")
        else:
            found.append(f"{where}: {excerpt(each['msg'].removeprefix('Value error, '))}")
    return "; ".join(found)


def tool(
    description: str, *, reads: bool = False, output: Mapping[str, str] = MappingProxyType({})
) -> Callable[[Callable[..., Awaitable[ToolAnswer]]], Tool]:
    """Return a decorator that makes a tool of a function, whose first parameter is the call."""

    def define(work: Callable[..., Awaitable[ToolAnswer]]) -> Tool:
        hints = get_type_hints(work, include_extras=True)
        _, *parameters = inspect.signature(work).parameters.values()
        fields: dict[str, Any] = {
            each.name: (hints[each.name], ... if each.default is each.empty else each.default)
            for each in parameters
        }
        name = work.__name__
        arguments = create_model(f"{name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
        return Tool(name, description, arguments, work, reads, output)

    return define


async def find_entity(
    call: ToolCall, name: str, project: str | None = None, as_of: datetime | None = None
) -> Entity:
    """Return the entity that an id, an identifier, a name or an alias means at a moment.

    The id of an artifact means the entity of its document. Raises NotFound, which says what to do, and
    Invalid, with the entities and their ids, for a name of several.
    """
    catalog, caller = call.memory.catalog, call.caller
    try:
        id = UUID(name)
    except ValueError:
        named = await catalog.resolve_alias(caller, name, project, RequestedMoment(as_of))
        if named is None:
            raise await _missing(call, name, project, as_of) from None
        return named.entity
    found = await catalog.entity(caller, id)
    if found is None and (artifact := (await catalog.artifacts_by_id(caller, [id])).get(id)) is not None:
        found = await catalog.entity(caller, artifact.entity)
    if found is None:
        raise NotFound(f"nothing has the id {id}; take ids from recall or state, or give a name")
    return found


async def _missing(call: ToolCall, name: str, project: str | None, as_of: datetime | None) -> NotFound:
    """Return the error for a name that nothing has at a moment; it says when something has."""
    elsewhen = await call.memory.catalog.elsewhen(call.caller, name, project, as_of)
    if not elsewhen:
        return NotFound(f"no document or entity is called {excerpt(name)}; ask recall for its subject")
    return NotFound(f"{excerpt(name)} {_when(elsewhen[0])}; give as_of with a date at which it was there")


def _when(found: Elsewhen) -> str:
    if found.absence is None:
        return f"begins on {found.entity.created_at.date()}"
    return f"ended on {found.absence.valid.start.date()}"
