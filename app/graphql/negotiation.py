"""Which media type answers a request, by its Accept header (RFC 9110, section 12.5.1)."""

from __future__ import annotations

GRAPHQL_RESPONSE = "application/graphql-response+json"
JSON = "application/json"
HTML = "text/html"


def answer_type(accept: str | None) -> str | None:
    """Answer the media type for a GraphQL response, or None when the client takes neither.

    A client that names neither type and takes anything is an old one: it gets application/json.
    """
    if not accept or not accept.strip():
        return JSON
    qualities = read_accept(accept)
    wanted = {media: _quality(qualities, media) for media in (GRAPHQL_RESPONSE, JSON)}
    if GRAPHQL_RESPONSE not in qualities and wanted[JSON] > 0:
        return JSON
    best = max(wanted, key=lambda media: wanted[media])
    return best if wanted[best] > 0 else None


def prefers_page(accept: str | None) -> bool:
    """Tell whether a client, as browsers do, asks for HTML rather than for a GraphQL response."""
    qualities = read_accept(accept or "")
    page = qualities.get(HTML, 0.0)
    return page > 0 and page >= max(qualities.get(GRAPHQL_RESPONSE, 0.0), qualities.get(JSON, 0.0))


def read_accept(accept: str) -> dict[str, float]:
    """Answer the quality of each media range; one that cannot be read counts as not acceptable."""
    qualities: dict[str, float] = {}
    for entry in accept.split(","):
        media, *parameters = (part.strip().lower() for part in entry.split(";"))
        weight = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        qualities[media] = _read_quality(weight)
    return qualities


def _read_quality(text: str) -> float:
    try:
        quality = float(text)
    except ValueError:
        return 0.0
    return quality if 0 <= quality <= 1 else 0.0


def _quality(qualities: dict[str, float], media: str) -> float:
    """Answer the quality of the most specific range that covers a media type."""
    ranges = (media, media.split("/")[0] + "/*", "*/*")
    return next((qualities[name] for name in ranges if name in qualities), 0.0)
