"""Values that Neo4j answers, as Cypher writes them and as JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime, Time

from app.cli.escaping import one_line
from app.cli.printing import printable

_PLAIN_NAME = re.compile(r"[^\W\d]\w*\Z")


def cypher_text(value: Any) -> str:
    """Answer a value on one line, nearly as one would write it in a query."""
    match value:
        case Node():
            return f"({_labelled(value)})"
        case Relationship():
            return f"[:{_name(value.type)}{_properties(value)}]"
        case Path():
            return _path(value)
        case str():
            return one_line(json.dumps(" ".join(value.split()), ensure_ascii=False))
        case list():
            return f"[{', '.join(map(cypher_text, value))}]"
        case Mapping():
            return f"{{{_entries(value)}}}"
        case Date() | Time() | DateTime():
            return _moment(value)
        case None | bool():
            return json.dumps(value)
        case _:
            return printable(str(value))


def json_value(value: Any) -> Any:
    """Answer a value in the words of JSON; what JSON has no word for becomes text."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case None | bool() | int() | float() | str():
            return value
        case Node():
            return {"labels": sorted(value.labels), "properties": json_value(dict(value.items()))}
        case Relationship():
            return {"type": value.type, "properties": json_value(dict(value.items()))}
        case Path():
            return {
                "nodes": [json_value(node) for node in value.nodes],
                "relationships": [json_value(relationship) for relationship in value.relationships],
            }
        case Date() | Time() | DateTime():
            return _moment(value)
        case list():
            return [json_value(each) for each in value]
        case Mapping():
            return {key: json_value(each) for key, each in value.items()}
        case _:
            return str(value)


def _moment(value: Date | Time | DateTime) -> str:
    """Answer a moment in ISO 8601; nanoseconds only where there are some."""
    return value.iso_format().replace(".000000000", "")


def _path(path: Path) -> str:
    pieces = [cypher_text(path.start_node)]
    for node, relationship in zip(path.nodes, path.relationships, strict=False):
        is_forward = relationship.start_node == node
        other = relationship.end_node if is_forward else relationship.start_node
        text = cypher_text(relationship)
        pieces.append(f"-{text}->" if is_forward else f"<-{text}-")
        pieces.append(cypher_text(other))
    return "".join(pieces)


def _labelled(node: Node) -> str:
    labels = "".join(f":{_name(label)}" for label in sorted(node.labels))
    return (labels + _properties(node)).strip()


def _properties(entity: Node | Relationship) -> str:
    entries = _entries(dict(entity.items()))
    return f" {{{entries}}}" if entries else ""


def _entries(mapping: Mapping[str, Any]) -> str:
    return ", ".join(f"{_name(key)}: {cypher_text(mapping[key])}" for key in sorted(mapping))


def _name(name: str) -> str:
    return name if _PLAIN_NAME.match(name) else "`" + printable(name).replace("`", "``") + "`"
