"""`trigraph serve`."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import Annotated

import typer

from app.cli.log import write_log
from app.cli.runner import fail, finish, settings
from app.cli.server import opening, server_of
from app.errors import Forbidden, Invalid, TrigraphError, Unavailable


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; only this machine may reach it.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="How many processes answer; each keeps one processor busy.")
    ] = 1,
) -> None:
    """Serve GraphQL and GraphiQL at /graphql until it is interrupted."""
    # Somebody else's folder of measures is none of this service.
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
    try:
        with listening(host, port) as listener:
            if workers == 1:
                _serve(listener)
            else:
                _serve_by(workers, listener)
    except TrigraphError as error:
        fail(error)


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address of this machine alone.

    Raises Forbidden for one that others can reach, since nobody is asked who they are, and Unavailable
    when it is taken.
    """
    family, address = _loopback(host)
    try:
        return socket.create_server((address, port), family=family, backlog=2048)
    except OSError as error:
        raise Unavailable(
            f"nothing can listen on {address} port {port}: {error.strerror}; choose another with --port"
        ) from error


def _loopback(host: str) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Invalid(f"{host!r} is no address of this machine; leave --host out for 127.0.0.1") from error
    addresses = {(family, str(address[0])) for family, _, _, _, address in found}
    if not all(ipaddress.ip_address(address).is_loopback for _, address in addresses):
        raise Forbidden(
            f"{host} can be reached by others, and trigraph cannot tell yet who they are; serve on 127.0.0.1"
        )
    return min(addresses)


def _serve(listener: socket.socket) -> None:
    """Serve in this process."""
    from uvicorn import Server

    chosen = settings()
    failures: list[TrigraphError] = []
    app = opening(chosen, listener.getsockname()[:2], failures.append)
    try:
        Server(server_of(app, chosen)).run(sockets=[listener])
    except SystemExit:
        if not failures:
            raise
        raise failures[0] from None


def _serve_by(workers: int, listener: socket.socket) -> None:
    """Serve in processes that this one looks after."""
    from app.cli.workers import serve_by

    chosen = settings()
    write_log(chosen)
    finish(serve_by(workers, chosen, listener))
