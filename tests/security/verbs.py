"""Every verb of the API, asked for something that it writes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from graphql import GraphQLInterfaceType, GraphQLObjectType, get_named_type, is_leaf_type

from app.graphql.schema import SCHEMA
from tests.graphql.api import Api
from tests.graphql.verbs import done

BODY = """---
date: 2024-03-01
---
# {title}

{title} was formerly known as Lighthouse {title}. Its status changed to Final. Relates to ADR-1.
"""

Asked = dict[str, Any]
Prepare = Callable[[Api], Awaitable[Asked]]

_MUTATION = SCHEMA._schema.mutation_type
assert _MUTATION is not None
VERBS = sorted(_MUTATION.fields)


async def _file_artifact(api: Api) -> Asked:
    await _entity(api)
    body = BODY.format(title="Gate") + "\nSupersedes ADR-1. Depends on ADR-99.\n"
    return {"kind": "ADR", "identifier": "ADR-2", "body": body}


async def _define_status(_api: Api) -> Asked:
    return {"word": "Blessed", "flag": "CURRENT"}


async def _define_type(_api: Api) -> Asked:
    return {"name": "Gadget", "immutableProps": ["name"]}


async def _create_entity(_api: Api) -> Asked:
    return {"type": "Component", "props": {"name": "Beacon"}}


async def _create_alias(api: Api) -> Asked:
    return {"target": await _entity(api), "surfaceForm": "Beacon Post", "authorityTier": 3}


async def _withdraw_alias(api: Api) -> Asked:
    said = {"target": await _entity(api), "surfaceForm": "Beacon Post"}
    made = await _made(api, "createAlias", said, "alias { id }")
    return {"alias": made["alias"]["id"]}


async def _create_reference(api: Api) -> Asked:
    source = (await api.file(BODY.format(title="Gate"), identifier="ADR-2"))["entity"]["id"]
    return {"source": source, "target": await _entity(api), "type": "SUPERSEDES"}


async def _withdraw_reference(api: Api) -> Asked:
    made = await _made(api, "createReference", await _create_reference(api), "reference { id }")
    return {"reference": made["reference"]["id"]}


async def _withdraw_artifact(api: Api) -> Asked:
    return {"entity": await _entity(api)}


async def _move_artifact(api: Api) -> Asked:
    return {"entity": await _entity(api), "identifier": "ADR-77"}


async def _record_fact(api: Api) -> Asked:
    return {"entity": await _entity(api), "property": "status", "value": "Rejected"}


async def _transition(api: Api) -> Asked:
    return {"entity": await _entity(api), "props": {"status": "Rejected"}, "eventType": "turned_down"}


async def _save_wip(api: Api) -> Asked:
    return {"entity": await _entity(api), "props": {"status": "Rejected"}}


async def _draft(api: Api) -> Asked:
    saved = await done(api, "saveWip", **await _save_wip(api))
    return {"state": saved["state"]["id"]}


async def _candidate(api: Api, queue: str) -> Asked:
    await _entity(api)
    (found, *_) = (await api.ask(f"{{ {queue} {{ nodes {{ id }} }} }}"))[queue]["nodes"]
    return {"candidate": found["id"], "status": "PROMOTED"}


async def _review_alias_candidate(api: Api) -> Asked:
    return await _candidate(api, "aliasCandidates")


async def _review_fact_candidate(api: Api) -> Asked:
    return await _candidate(api, "factCandidates")


PREPARED: dict[str, Prepare] = {
    "createAlias": _create_alias,
    "createEntity": _create_entity,
    "createReference": _create_reference,
    "defineStatus": _define_status,
    "defineType": _define_type,
    "discardWip": _draft,
    "fileArtifact": _file_artifact,
    "moveArtifact": _move_artifact,
    "recordFact": _record_fact,
    "reviewAliasCandidate": _review_alias_candidate,
    "reviewFactCandidate": _review_fact_candidate,
    "saveWip": _save_wip,
    "sealWip": _draft,
    "transition": _transition,
    "withdrawAlias": _withdraw_alias,
    "withdrawArtifact": _withdraw_artifact,
    "withdrawReference": _withdraw_reference,
}
"""What each verb is asked for, when all that it needs is there."""


def operation(verb: str, depth: int = 1, *, is_plain: bool = False) -> str:
    """Return a verb that asks everything of its payload, `depth` objects deep.

    What is plain is with an object already, and is not read for the answer.
    """
    assert _MUTATION is not None
    field = _MUTATION.fields[verb]
    selected = _selection(field.type, depth, is_plain=is_plain)
    return f"mutation ($input: {field.args['input'].type}) {{ {verb}(input: $input) {selected} }}"


def _selection(kind: object, depth: int, *, is_plain: bool) -> str:
    named: Any = get_named_type(kind)  # type: ignore[call-overload]
    if isinstance(named, GraphQLInterfaceType):
        return "{ code message }"
    assert isinstance(named, GraphQLObjectType)
    told = ["__typename"]
    for name, field in named.fields.items():
        if is_plain and not field.extensions["strawberry-definition"].is_basic_field:
            continue
        if is_leaf_type(get_named_type(field.type)):
            told.append(name)
        elif depth > 0 or name == "problems":
            told.append(f"{name} {_selection(field.type, depth - 1, is_plain=is_plain)}")
    return "{ " + " ".join(told) + " }"


async def _entity(api: Api) -> str:
    """File a record and return the id of its entity."""
    filed = await api.file(BODY.format(title="Beacon"), identifier="ADR-1")
    return str(filed["entity"]["id"])


async def _made(api: Api, verb: str, said: Asked, asked: str) -> dict[str, Any]:
    name = verb[0].upper() + verb[1:]
    selected = f"{{ {asked} problems {{ message }} }}"
    asking = f"mutation ($input: {name}Input!) {{ {verb}(input: $input) {selected} }}"
    payload: dict[str, Any] = (await api.ask(asking, input=said))[verb]
    assert payload["problems"] == []
    return payload
