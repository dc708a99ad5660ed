"""The page at /graphql for people, GraphiQL, and its files."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

FOLDER = Path(__file__).resolve().parent / "graphiql"

# GraphiQL's editor writes style elements as it runs, hence 'unsafe-inline' for styles alone.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


def graphiql_page() -> Response:
    """Return GraphiQL's page, which loads its files from `graphiql/` beside its own address."""
    return FileResponse(
        FOLDER / "index.html",
        media_type="text/html",
        headers={
            "content-security-policy": CONTENT_SECURITY_POLICY,
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "cache-control": "no-cache",
            "vary": "Accept",
        },
    )


def graphiql_routes() -> list[BaseRoute]:
    """Return the route of the page's files, and a redirect from `/` to the page."""
    files = Mount("/graphiql", app=StaticFiles(directory=FOLDER), name="graphiql")
    return [files, Route("/", _redirect_to_page)]


async def _redirect_to_page(_request: Request) -> Response:
    message = "GraphQL is available at /graphql, with GraphiQL in a browser\n"
    return PlainTextResponse(message, 307, {"location": "/graphql"})
