"""`trigraph token` and `trigraph tenant`: who may use the service, and whose memory it keeps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from app.cli.layout import print_text
from app.cli.output import console, day_text, moment_text, print_json, printable, say
from app.cli.runner import run_async, settings
from app.domain.entity import Role, TenantCounts, Token
from app.domain.text import pluralize

if TYPE_CHECKING:
    from app.services.access import IssuedToken, TokenRequest

token = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
tenant = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
TokenId = Annotated[UUID, typer.Argument(metavar="ID", help="The id of the token, as the list shows it.")]

_LIFETIME = re.compile(r"(?P<number>[1-9]\d{0,6})(?P<unit>[mhdw])", re.ASCII)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@token.callback()
def _about_tokens() -> None:
    """Create, list and revoke the tokens with which a team uses the service."""


@tenant.callback()
def _about_tenants() -> None:
    """Create and list tenants, whose memories never see each other."""


def parse_lifetime(text: str) -> timedelta:
    """Return the duration of a text such as 30d; raise BadParameter for any other."""
    match = _LIFETIME.fullmatch(text.strip())
    if match is None:
        raise typer.BadParameter(f"{text!r} is not a duration; write it like 30d, 12h or 45m")
    return timedelta(**{_UNITS[match["unit"]]: int(match["number"])})


@token.command("create")
def create_token(
    role: Annotated[Role, typer.Option(help="What its bearer may do.")],
    tenant_key: Annotated[
        str | None, typer.Option("--tenant", help="Its tenant; without it, that of the settings.")
    ] = None,
    project: Annotated[
        str | None, typer.Option(help="The only project that is there for its bearer; without it, all are.")
    ] = None,
    expires: Annotated[
        timedelta | None,
        typer.Option(
            parser=parse_lifetime,
            metavar="DURATION",
            help="How long it is good, such as 30d or 12h; without it, until it is revoked.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The name that is recorded with every write of its bearer.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create a token and print it, once: only a hash of it is stored.

    A reader writes nothing; an agent writes with a lower authority; a human also reviews; an admin also
    creates projects and types.
    """
    from app.services.access import TokenRequest

    issued = run_async(_create(TokenRequest(role, tenant_key, project, name, expires)))
    if as_json:
        print_json(issued_json(issued))
        return
    made = issued.token
    until = "it is revoked" if made.expires_at is None else moment_text(made.expires_at)
    place = made.tenant if made.project is None else f"{made.tenant}, project {made.project}"
    who = f"{made.role} {printable(made.principal)} of tenant {printable(place)}"
    say(issued.secret)
    say(f"token {made.id} of {who}, good until {until}", is_result=False)
    say("keep it now: it is never shown again", is_result=False)


@token.command("list")
def list_tokens(as_json: JsonOption = False) -> None:
    """List the tokens of all tenants, without their secrets."""
    found = run_async(_tokens())
    if as_json:
        print_json({"tokens": [token_json(each) for each in found]})
        return
    for each in found:
        place = each.tenant if each.project is None else f"{each.tenant}/{each.project}"
        who = f"{each.role:<6}  {printable(place)}  {printable(each.principal)}"
        print_text(console(), f"{each.id}  {standing(each):<18}  {who}", hang=4)
    if not found:
        console().print("no tokens")


@token.command("revoke")
def revoke_token(id: TokenId, as_json: JsonOption = False) -> None:
    """Revoke a token: within five seconds the service no longer accepts it."""
    revoked = run_async(_revoke(id))
    if as_json:
        print_json(token_json(revoked))
        return
    print_text(console(), f"revoked the token of {revoked.role} {printable(revoked.principal)}", hang=4)


@tenant.command("create")
def create_tenant(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key of the new tenant.")],
    as_json: JsonOption = False,
) -> None:
    """Create a tenant: a memory of its own, which no other tenant sees."""
    created = run_async(_create_tenant(key))
    if as_json:
        print_json({"tenant": created})
        return
    print_text(console(), f"created the tenant {printable(created)}", hang=4)


@tenant.command("list")
def list_tenants(as_json: JsonOption = False) -> None:
    """List the tenants with the numbers of their projects and of their tokens that are good now."""
    found = run_async(_tenants())
    if as_json:
        print_json({"tenants": [tenant_json(each) for each in found]})
        return
    for each in found:
        counts = f"{pluralize(each.projects, 'project')}, {pluralize(each.tokens, 'token')}"
        print_text(console(), f"{printable(each.key)}  {counts}", hang=4)
    if not found:
        console().print("no tenants")


def standing(each: Token) -> str:
    """Return whether a token is good, and until when."""
    if each.revoked_at is not None:
        return f"revoked {day_text(each.revoked_at)}"
    if each.expires_at is None:
        return "good"
    word = "expired" if each.expires_at <= datetime.now(UTC) else "until"
    return f"{word} {day_text(each.expires_at)}"


def token_json(each: Token) -> dict[str, Any]:
    """Return a token as a JSON object, without its secret."""
    return {
        "id": each.id,
        "role": each.role,
        "principal": each.principal,
        "tenant": each.tenant,
        "project": each.project,
        "createdAt": each.created_at,
        "expiresAt": each.expires_at,
        "revokedAt": each.revoked_at,
    }


def issued_json(issued: IssuedToken) -> dict[str, Any]:
    """Return a new token as a JSON object, with its secret."""
    fields = token_json(issued.token)
    del fields["revokedAt"]
    return {"id": fields.pop("id"), "token": issued.secret, **fields}


def tenant_json(each: TenantCounts) -> dict[str, Any]:
    """Return a tenant as a JSON object."""
    return {
        "tenant": each.key,
        "createdAt": each.created_at,
        "projects": each.projects,
        "tokens": each.tokens,
    }


async def _create(request: TokenRequest) -> IssuedToken:
    from app.services.access import open_access

    async with open_access(settings()) as access:
        return await access.create_token(request)


async def _tokens() -> Sequence[Token]:
    from app.services.access import open_access

    async with open_access(settings()) as access:
        return await access.tokens()


async def _revoke(id: UUID) -> Token:
    from app.services.access import open_access

    async with open_access(settings()) as access:
        return await access.revoke_token(id)


async def _create_tenant(key: str) -> str:
    from app.services.access import open_access

    async with open_access(settings()) as access:
        return await access.create_tenant(key)


async def _tenants() -> Sequence[TenantCounts]:
    from app.services.access import open_access

    async with open_access(settings()) as access:
        return await access.tenants()
