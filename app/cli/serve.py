"""`trigraph serve`: serve the API on an address of this machine."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import Annotated

import typer

from app.cli.log import configure_logging
from app.cli.runner import fail, run_async, settings
from app.cli.server import create_served_app, server_config
from app.errors import Forbidden, Invalid, TrigraphError, Unavailable


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on. It must be a loopback address.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 uses any free port.")] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="The number of worker processes; each can use one processor.")
    ] = 1,
) -> None:
    """Serve GraphQL and GraphiQL at /graphql."""
    # A metrics folder that the environment names belongs to another service.
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
    try:
        with listen(host, port) as listener:
            if workers == 1:
                _serve(listener)
            else:
                _serve_with_workers(workers, listener)
    except TrigraphError as error:
        fail(error)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a loopback address.

    Raises Forbidden for an address that others can reach, since there is no authentication, and Unavailable
    when the port is taken.
    """
    family, address = _loopback(host)
    try:
        return socket.create_server((address, port), family=family, backlog=2048)
    except OSError as error:
        raise Unavailable(
            f"cannot listen on {address} port {port}: {error.strerror}; choose another port with --port"
        ) from error


def _loopback(host: str) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Invalid(
            f"{host!r} is not an address of this machine; leave out --host to use 127.0.0.1"
        ) from error
    addresses = {(family, str(address[0])) for family, _, _, _, address in found}
    if not all(ipaddress.ip_address(address).is_loopback for _, address in addresses):
        raise Forbidden(
            f"{host} can be reached from other machines, and Trigraph has no authentication"
            " yet; serve on 127.0.0.1"
        )
    return min(addresses)


def _serve(listener: socket.socket) -> None:
    """Serve in this process."""
    from uvicorn import Server

    chosen = settings()
    failures: list[TrigraphError] = []
    app = create_served_app(chosen, listener.getsockname()[:2], failures.append)
    try:
        Server(server_config(app, chosen)).run(sockets=[listener])
    except SystemExit:
        if not failures:
            raise
        raise failures[0] from None


def _serve_with_workers(workers: int, listener: socket.socket) -> None:
    """Serve in worker processes that this one supervises."""
    from app.cli.workers import serve_with_workers

    chosen = settings()
    configure_logging(chosen)
    run_async(serve_with_workers(workers, chosen, listener))
