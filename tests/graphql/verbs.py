"""The verbs of time, spoken to the API in few words."""

from __future__ import annotations

from typing import Any

from tests.graphql.api import Api

_PAYLOAD = """
fragment Payload on StatePayload {
  entity { id label }
  state { id branch validFrom validUntil recordedAt touchedAt props wipSource }
  event {
    eventType at properties propsDrift description causeCommit actor
    from { id props } to { id } draft { id } causeArtifact { identifier }
  }
  warnings
  position
  problems { code field message }
}
"""
_HISTORY = """
query ($id: ID!, $knownAt: DateTime) {
  entity(id: $id) {
    states(knownAt: $knownAt, first: 100) {
      nodes {
        id branch validFrom validUntil props touchedAt recordedAt
        previous { eventType } next { eventType }
      }
    }
  }
}
"""


async def say(api: Api, verb: str, **said: Any) -> dict[str, Any]:
    """Return the payload of a verb of time."""
    name = verb[0].upper() + verb[1:]
    operation = f"mutation ($input: {name}Input!) {{ {verb}(input: $input) {{ ...Payload }} }}"
    payload: dict[str, Any] = (await api.ask(operation + _PAYLOAD, input=said))[verb]
    return payload


async def done(api: Api, verb: str, **said: Any) -> dict[str, Any]:
    """Return the payload of a verb that succeeds."""
    payload = await say(api, verb, **said)
    assert payload["problems"] == []
    assert payload["position"] is not None
    return payload


async def refused(api: Api, verb: str, **said: Any) -> tuple[str, str | None, str]:
    """Return code, field and message of the one problem of a verb that writes nothing."""
    payload = await say(api, verb, **said)
    assert {payload[name] for name in ("entity", "state", "event", "position")} == {None}
    (problem,) = payload["problems"]
    return problem["code"], problem["field"], problem["message"]


async def history(api: Api, entity: str, known_at: str | None = None) -> list[dict[str, Any]]:
    """Return the states of an entity, drafts too, the earliest first."""
    found = (await api.ask(_HISTORY, id=entity, knownAt=known_at))["entity"]
    return list(found["states"]["nodes"])
