"""`trigraph serve`: serve the API on an address of this machine."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path
from typing import Annotated

import typer

from app.cli.escaping import configure_logging
from app.cli.runner import fail, run_async, settings
from app.cli.server import create_served_app, server_config
from app.errors import Forbidden, Invalid, TrigraphError, Unavailable
from app.settings import Settings


def serve(
    host: Annotated[
        str,
        typer.Option(help="The address to listen on. Others than loopback addresses need TRIGRAPH_AUTH."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 uses any free port.")] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="The number of worker processes; each can use one processor.")
    ] = 1,
    proxy_headers: Annotated[
        bool,
        typer.Option("--proxy-headers", help="Believe X-Forwarded-For and X-Forwarded-Proto of a proxy."),
    ] = False,
    forwarded_allow_ips: Annotated[
        str,
        typer.Option(
            metavar="ADDRESSES",
            help="The proxies that --proxy-headers believes: addresses or networks, with commas between.",
        ),
    ] = "127.0.0.1",
    trusted_documents: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A JSON file of documents by id, or Apollo's manifest. Nothing else is answered then.",
        ),
    ] = None,
) -> None:
    """Serve GraphQL and GraphiQL at /graphql, and MCP at /mcp."""
    # A metrics folder that the environment names belongs to another service.
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
    try:
        proxies = parse_proxies(forwarded_allow_ips) if proxy_headers else None
        chosen = with_trusted_documents(settings(), trusted_documents)
        with listen(host, port, chosen) as listener:
            if workers == 1:
                _serve(chosen, listener, proxies)
            else:
                _serve_with_workers(workers, chosen, listener, proxies)
    except TrigraphError as error:
        fail(error)


def with_trusted_documents(settings: Settings, path: Path | None) -> Settings:
    """Return the settings with a file of trusted documents, if one is given; raise Invalid for a bad file."""
    if path is not None:
        settings = settings.model_copy(update={"trusted_documents": path})
    if settings.trusted_documents is not None:
        from app.main import documents_of

        documents_of(settings)
    return settings


def parse_proxies(text: str) -> str:
    """Return the addresses and networks of a text; raise Invalid for anything else."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    try:
        for part in parts:
            ipaddress.ip_network(part)
    except ValueError:
        parts = []
    if not parts:
        raise Invalid(f"{text!r} names no proxies; write --forwarded-allow-ips like 10.0.0.5,10.1.0.0/16")
    return ",".join(parts)


def listen(host: str, port: int, settings: Settings) -> socket.socket:
    """Return a socket that listens on an address of this machine.

    Raises Forbidden for an address that others can reach if everybody would be let in, Invalid for one of no
    particular name if no names are allowed, and Unavailable when the port is taken.
    """
    family, address = _address(host)
    _require_guard(host, address, settings)
    try:
        return socket.create_server((address, port), family=family, backlog=2048)
    except OSError as error:
        raise Unavailable(
            f"cannot listen on {address} port {port}: {error.strerror}; choose another port with --port"
        ) from error


def _address(host: str) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Invalid(
            f"{host!r} is not an address of this machine; leave out --host to use 127.0.0.1"
        ) from error
    # Of a name that is some of this machine and some of others, the first in order is the same each time.
    return min((family, str(address[0])) for family, _, _, _, address in found)


def _require_guard(host: str, address: str, settings: Settings) -> None:
    """Refuse an address that others can reach, unless they need a token and know the service by a name."""
    where = ipaddress.ip_address(address)
    if where.is_loopback:
        return
    if settings.auth == "none":
        raise Forbidden(
            f"{host} can be reached from other machines, and nobody would need a token; set"
            " TRIGRAPH_AUTH=tokens and make tokens with `trigraph token create`, or serve on 127.0.0.1"
        )
    if where.is_unspecified and not settings.allowed_hosts:
        raise Invalid(
            f"{host} stands for every address of this machine; set TRIGRAPH_ALLOWED_HOSTS to the names by"
            " which clients reach it, such as trigraph.example.com"
        )


def _serve(chosen: Settings, listener: socket.socket, proxies: str | None) -> None:
    """Serve in this process."""
    from app.cli.connections import OrderlyServer

    failures: list[TrigraphError] = []
    app = create_served_app(chosen, listener.getsockname()[:2], failures.append)
    try:
        OrderlyServer(server_config(app, chosen, proxies)).run(sockets=[listener])
    except SystemExit:
        if not failures:
            raise
        raise failures[0] from None


def _serve_with_workers(workers: int, chosen: Settings, listener: socket.socket, proxies: str | None) -> None:
    """Serve in worker processes that this one supervises."""
    from app.cli.workers import serve_with_workers

    configure_logging(chosen)
    run_async(serve_with_workers(workers, chosen, listener, proxies))
