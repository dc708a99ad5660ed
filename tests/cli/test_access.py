"""`trigraph token` and `trigraph tenant`, and a service that needs tokens."""

from __future__ import annotations

import json
import re
import signal
import time
import urllib.error
import urllib.request
from datetime import timedelta

import pytest
import typer

from app.cli.access import parse_lifetime
from app.cli.serve import listen, parse_proxies
from app.errors import Forbidden, Invalid
from app.settings import Settings
from tests.cli.processes import Shell

VIEWER = b'{"query": "{ viewer { principal role tenant } }"}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30d", timedelta(days=30)),
        (" 12h ", timedelta(hours=12)),
        ("45m", timedelta(minutes=45)),
        ("2w", timedelta(weeks=2)),
    ],
)
def test_a_lifetime_is_a_number_and_a_unit(text: str, expected: timedelta) -> None:
    assert parse_lifetime(text) == expected


@pytest.mark.parametrize(
    "text", ["", "30", "d", "0d", "-1d", "1.5d", "30 days", "9" * 9 + "d", "१d", "30d\n30d"]
)
def test_what_is_no_lifetime_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        parse_lifetime(text)


def test_a_token_is_printed_alone_for_scripts_and_in_full_as_json(served_home: Shell) -> None:
    plain = served_home.run("token", "create", "--role", "agent", "--name", "crawler", "--expires", "30d")
    assert plain.code == 0
    assert re.fullmatch(r"trigraph_\d+_[\w-]{43}\n", plain.out, re.ASCII)
    assert "of agent crawler of tenant local, good until 2" in plain.err
    made = served_home.run("token", "create", "--role", "reader", "--json").object
    assert set(made) == {
        *("id", "token", "role", "principal", "tenant", "project"),
        *("createdAt", "expiresAt"),
    }
    assert (made["role"], made["tenant"], made["expiresAt"]) == ("reader", "local", None)
    listed = served_home.run("token", "list", "--json")
    assert made["token"] not in listed.out
    fields = next(each for each in listed.object["tokens"] if each["id"] == made["id"])
    assert fields == {name: value for name, value in made.items() if name != "token"} | {"revokedAt": None}
    revoked = served_home.run("token", "revoke", made["id"])
    assert revoked.out == f"revoked the token of reader {made['principal']}\n"
    lines = served_home.run("token", "list", COLUMNS="200").out.splitlines()
    assert any(re.match(rf"{made['id']}  revoked \d{{4}}-\d\d-\d\d +reader  local", line) for line in lines)
    assert any(re.search(r"  until \d{4}-\d\d-\d\d +agent   local  crawler$", line) for line in lines)


def test_a_tenant_is_created_and_listed(served_home: Shell) -> None:
    assert served_home.run("tenant", "create", "harbour").out == "created the tenant harbour\n"
    again = served_home.run("tenant", "create", "harbour")
    assert (again.code, again.out, again.err) == (1, "", "the tenant harbour exists already\n")
    made = served_home.run("token", "create", "--role", "human", "--tenant", "harbour", "--json").object
    assert made["tenant"] == "harbour"
    listed = served_home.run("tenant", "list", "--json").object["tenants"]
    assert [(each["projects"], each["tokens"]) for each in listed if each["tenant"] == "harbour"] == [(0, 1)]
    assert "harbour  0 projects, 1 token\n" in served_home.run("tenant", "list").out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("create",), 2, "Missing option '--role'"),
        (("create", "--role", "owner"), 2, "'owner' is not one of"),
        (("create", "--role", "reader", "--tenant", "nobody"), 1, "`trigraph tenant create`"),
        (("create", "--role", "reader", "--expires", "soon"), 2, "write it like 30d, 12h or 45m"),
        (("create", "--role", "reader", "--expires", "9999d"), 2, "at most 3650 days"),
        (("create", "--role", "reader", "--name", "local"), 2, "choose another"),
        (("revoke", "x"), 2, "should be a valid UUID"),
        (("revoke", "00000000-0000-0000-0000-000000000000"), 1, "see `trigraph token list`"),
    ],
)
def test_a_mistake_says_what_to_do(served_home: Shell, words: tuple[str, ...], code: int, said: str) -> None:
    ran = served_home.run("token", *words, COLUMNS="200")
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_no_other_machine_is_served_without_tokens(host: str) -> None:
    with pytest.raises(Forbidden, match="TRIGRAPH_AUTH=tokens"):
        listen(host, 0, Settings())
    with pytest.raises(Invalid, match="TRIGRAPH_ALLOWED_HOSTS"):
        listen(host, 0, Settings(auth="tokens"))
    with listen(host, 0, Settings(auth="tokens", allowed_hosts=("trigraph.example.com",))) as listener:
        assert listener.getsockname()[0] == host


@pytest.mark.parametrize(
    ("text", "expected"),
    [("127.0.0.1", "127.0.0.1"), (" 10.0.0.5 , fd00::/8,", "10.0.0.5,fd00::/8")],
)
def test_proxies_are_addresses_and_networks(text: str, expected: str) -> None:
    assert parse_proxies(text) == expected


@pytest.mark.parametrize("text", ["", ",", "*", "proxy.example.com", "10.0.0.1/8", "10.0.0"])
def test_what_names_no_proxy_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="forwarded-allow-ips"):
        parse_proxies(text)


def asked(url: str, secret: str, host: str = "trigraph.example.com") -> tuple[int, str]:
    """Return the status and the body of a question with a token."""
    headers = {"authorization": f"Bearer {secret}", "host": host, "content-type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, VIEWER, headers), timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_team_is_served_by_several_workers_until_its_token_is_revoked(served_home: Shell) -> None:
    made = served_home.run("token", "create", "--role", "human", "--name", "ada", "--json").object
    shell = Shell(
        served_home.home,
        {
            "TRIGRAPH_AUTH": "tokens",
            "TRIGRAPH_ALLOWED_HOSTS": "trigraph.example.com",
            "TRIGRAPH_POOL_SIZE": "4",
            "TRIGRAPH_LOG_LEVEL": "DEBUG",
        },
    )
    words = ("--host", "0.0.0.0", "--port", "0", "--workers", "2", "--proxy-headers")
    with shell.running("serve", *words) as serving:
        assert serving.stderr is not None
        lines = []
        url = None
        for line in iter(serving.stderr.readline, ""):
            lines.append(line)
            found = re.search(r"http://\S+/graphql", line)
            if found is not None and url is not None:
                break
            url = url or (found and found[0].replace("0.0.0.0", "127.0.0.1"))
        assert url is not None
        expected = {"viewer": {"principal": "ada", "role": "HUMAN", "tenant": "local"}}
        for _ in range(20):
            status, body = asked(url, made["token"])
            assert (status, json.loads(body)["data"]) == (200, expected)
        assert asked(url, made["token"], "attacker.example")[0] == 400
        assert asked(url, "nothing")[0] == 401
        assert served_home.run("token", "revoke", made["id"]).code == 0
        time.sleep(5)
        assert {asked(url, made["token"])[0] for _ in range(20)} == {401}
        serving.send_signal(signal.SIGTERM)
        out, err = serving.communicate(timeout=60)
        assert made["token"][-30:] not in out + err + "".join(lines)
