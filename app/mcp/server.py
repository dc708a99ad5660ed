"""The MCP server: tools, resources and prompts; what goes wrong inside is masked with an id."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import parse_qs, quote, unquote, urlsplit

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from app import __version__
from app.domain.bounds import excerpt
from app.domain.entity import Caller
from app.domain.page import PageRequest
from app.domain.text import beginning
from app.errors import Invalid, NotFound, TrigraphError, mask
from app.mcp import answers
from app.mcp.tool import MAX_BUDGET, Tool, ToolCall
from app.mcp.tools import DEFAULT_TOOLS, read, state
from app.mcp.verbs import VERBS
from app.services.catalog import RequestedMoment
from app.services.container import Memory

MAX_MESSAGE = 2_000
LISTED = 50

INSTRUCTIONS = (
    "Trigraph is the team's memory: what was decided, what replaced it, what was in force on any date."
    " Before you decide or answer, ask recall. Trust CURRENT; never act on HISTORICAL without following what"
    " replaced it; WIP is not agreed. When nothing here answers, say so. File decisions and findings."
)

Context: TypeAlias = ServerRequestContext[Any, Any]
Opened: TypeAlias = tuple[Memory, Caller]
FindMemory: TypeAlias = Callable[[Context], Awaitable[Opened]]
"""Returns the memory of a request and its caller; raises a TrigraphError if there is none now."""

PROFILES: Mapping[str, tuple[Tool, ...]] = {"default": DEFAULT_TOOLS, "full": (*DEFAULT_TOOLS, *VERBS)}


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt: what it is for, its arguments, and the text with their places."""

    description: str
    arguments: tuple[str, ...]
    text: str


PROMPTS: Mapping[str, PromptText] = {
    "before-deciding": PromptText(
        "What the team decided about a subject, before you decide about it",
        ("subject",),
        "Ask the tool recall about {subject}. List what is CURRENT with its identifier, what it replaced, and"
        " drafts (WIP). If answered is false, say that nothing is decided, and what you would ask.",
    ),
    "why": PromptText(
        "Why a decision is as it is, and what came before",
        ("name",),
        "Read {name} with the tool read, then its history with state (history: true). Say what it decides,"
        " why, what it replaced and what replaced it, with dates and identifiers.",
    ),
    "as-of": PromptText(
        "What was in force about a subject on a past date",
        ("subject", "date"),
        "Ask recall about {subject} with as_of {date}, then again without as_of. Say what was in force then,"
        " what is now, and what changed in between.",
    ),
    "after-deciding": PromptText(
        "File a decision, so that it is found",
        ("decision",),
        "Look with recall for what this decision replaces: {decision}. Then file it with kind ADR: a title,"
        " Status and Date lines, the context, the decision, and a line 'Supersedes: ...' for what it"
        " replaces. Report the id and the warnings.",
    ),
}


def create_server(profile: str, find_memory: FindMemory, *, is_here: bool = False) -> Server[Any]:
    """Return a server with the tools of a profile; it asks for the memory at each request."""
    handlers = _Handlers({each.name: each for each in PROFILES[profile]}, find_memory, is_here=is_here)
    return Server(
        "trigraph",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


class _Handlers:
    """What the server does with each request of the protocol."""

    def __init__(self, tools: Mapping[str, Tool], find_memory: FindMemory, *, is_here: bool) -> None:
        self._tools = tools
        self._find_memory = find_memory
        self._is_here = is_here

    async def list_tools(self, _context: Context, _page: object) -> types.ListToolsResult:
        """List the tools of the profile."""
        return types.ListToolsResult(tools=[_listed(each) for each in self._tools.values()])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Call a tool; what went wrong is its result, so that the model reads what to do."""
        found = self._tools.get(params.name)
        if found is None:
            known = ", ".join(self._tools)
            raise MCPError(
                types.INVALID_PARAMS, f"there is no tool {excerpt(params.name)}; the tools are {known}"
            )
        try:
            answer = await found.run(await self._call(context), params.arguments or {})
        except TrigraphError as error:
            return _failure(error.code, error.message, error.field)
        except Exception as error:
            return _failure("INTERNAL", mask(error, found.name)[1])
        content: list[Any] = [types.TextContent(type="text", text=answer.text)]
        return types.CallToolResult(content=content, structured_content=answer.data)

    async def _call(self, context: Context) -> ToolCall:
        memory, caller = await self._find_memory(context)

        async def report(done: float, total: float | None, line: str) -> None:
            await context.session.report_progress(done, total, line)

        return ToolCall(memory, caller, report, self._is_here)

    async def list_resources(self, context: Context, _page: object) -> types.ListResourcesResult:
        """List the documents that were filed last."""
        call = await self._opened(context)
        found = await call.memory.catalog.artifacts(
            call.caller, None, None, None, None, RequestedMoment(), PageRequest(LISTED)
        )
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=f"trigraph://artifact/{each.id}",
                    name=each.identifier or each.title,
                    title=each.title,
                    mime_type="text/markdown",
                )
                for each in found.page.items
            ]
        )

    async def list_templates(self, _context: Context, _page: object) -> types.ListResourceTemplatesResult:
        """List the two kinds of resources."""
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template="trigraph://artifact/{name}{?as_of}",
                    name="artifact",
                    description="A document with its flag, by id, identifier or name, as of a date.",
                    mime_type="text/markdown",
                ),
                types.ResourceTemplate(
                    uri_template="trigraph://entity/{name}{?as_of}",
                    name="entity",
                    description="What is known of a document or thing, as of a date.",
                    mime_type="application/json",
                ),
            ]
        )

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read a document or an entity, as of a date if the address has one."""
        uri = str(params.uri)
        parts = urlsplit(uri)
        given: dict[str, Any] = {name: values[0] for name, values in parse_qs(parts.query).items()}
        name = unquote(parts.path.strip("/"))
        call = await self._opened(context)
        try:
            if parts.scheme != "trigraph" or parts.netloc not in ("artifact", "entity") or not name:
                raise NotFound("resources are trigraph://artifact/NAME and trigraph://entity/NAME")
            if parts.netloc == "artifact":
                budget = {"token_budget": MAX_BUDGET}
                text, kind = (await read.run(call, {"id": name, **budget, **given})).text, "text/markdown"
            else:
                found = await state.run(call, {"name": name, **given})
                text, kind = answers.json_text(found.data), "application/json"
        except TrigraphError as error:
            raise _protocol_error(error, uri) from None
        except Exception as error:
            raise MCPError(types.INTERNAL_ERROR, mask(error, "resource")[1]) from None
        contents: list[Any] = [types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)]
        return types.ReadResourceResult(contents=contents)

    async def _opened(self, context: Context) -> ToolCall:
        try:
            return await self._call(context)
        except TrigraphError as error:
            raise _protocol_error(error, "") from None

    async def list_prompts(self, _context: Context, _page: object) -> types.ListPromptsResult:
        """List the prompts."""
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=name,
                    description=each.description,
                    arguments=[types.PromptArgument(name=word, required=True) for word in each.arguments],
                )
                for name, each in PROMPTS.items()
            ]
        )

    async def get_prompt(
        self, _context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Return a prompt with its arguments in their places."""
        found = PROMPTS.get(params.name)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no such prompt; they are {', '.join(PROMPTS)}")
        given = params.arguments or {}
        missing = [word for word in found.arguments if not given.get(word)]
        if missing:
            raise MCPError(types.INVALID_PARAMS, f"the prompt needs {', '.join(missing)}")
        text = found.text.format(**{word: given[word] for word in found.arguments})
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


def _listed(each: Tool) -> types.Tool:
    return types.Tool(
        name=each.name,
        description=each.description,
        input_schema=each.input_schema(),
        output_schema=each.output_schema() if each.output else None,
        annotations=types.ToolAnnotations(read_only_hint=each.reads, open_world_hint=False),
    )


def _failure(code: str, message: str, where: str | None = None) -> types.CallToolResult:
    """Return the result of a call that failed: the code, then what is wrong and what to do."""
    text = beginning(message, MAX_MESSAGE)
    content: list[Any] = [types.TextContent(type="text", text=f"{code}: {text}")]
    meta = {"code": code} | ({} if where is None else {"field": where})
    return types.CallToolResult(content=content, is_error=True, _meta=meta)


def _protocol_error(error: TrigraphError, uri: str) -> MCPError:
    is_wrong = isinstance(error, Invalid | NotFound)
    code = types.INVALID_PARAMS if is_wrong else types.INTERNAL_ERROR
    data = {"code": error.code} | ({"uri": quote(uri, safe=":/?=&%")} if uri else {})
    return MCPError(code, f"{error.code}: {beginning(error.message, MAX_MESSAGE)}", data)
