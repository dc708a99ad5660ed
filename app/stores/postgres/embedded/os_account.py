"""The operating system account of the embedded server, because PostgreSQL never runs as root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import Unavailable

NAME = "pgserver"
# Root's folders are often closed to everyone else. The account is then lent the weakest power that reaches
# the data, rather than opening root's folders for good.
_POWERS = ("dac_read_search", "dac_override")


@dataclass(frozen=True, slots=True)
class ServerAccount:
    """The account the server runs as: the caller, or, if the caller is root, the owner of the data.

    `owner` is None for an ordinary caller; `prefix` is the command prefix that switches to the account.
    """

    owner: pwd.struct_passwd | None = None
    prefix: tuple[str, ...] = ()

    @classmethod
    def serving(cls, data: Path, program: Path) -> ServerAccount:
        """Return the account for a data folder, existing or not, and for the server's program.

        Raises Unavailable when root finds no account that reaches both.
        """
        if os.geteuid() != 0:
            return cls()
        owner = _owner(data)
        for account in (cls(owner), *_privileged_accounts(owner)):
            if account._reaches(data.parent, program):
                return account
        raise Unavailable(
            f"the account {owner.pw_name} cannot access {data.parent} or {program}; run"
            " trigraph as an ordinary user, or set TRIGRAPH_HOME to a folder that others"
            " may enter"
        )

    def take(self, folder: Path) -> None:
        """Make the account the owner of a folder."""
        if self.owner is not None:
            os.chown(folder, self.owner.pw_uid, self.owner.pw_gid)

    def run(self, command: Sequence[str], folder: Path, answer: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program in a folder to its end and return its exit status and its output."""
        switch: dict[str, Any] = {}
        if self.owner is not None and not self.prefix:
            switch = {"user": self.owner.pw_uid, "group": self.owner.pw_gid, "extra_groups": []}
        return subprocess.run(
            (*self.prefix, *command),
            input=answer,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=folder,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            check=False,
            **switch,
        )

    def _reaches(self, folder: Path, program: Path) -> bool:
        try:
            probe = self.run(
                ("sh", "-c", 'test -x "$0" && "$1" --version', str(folder), str(program)), folder
            )
        except PermissionError:
            return False
        return probe.returncode == 0


def _owner(data: Path) -> pwd.struct_passwd:
    """Return the owner of the data, or the account for new data."""
    if data.exists() and (uid := data.stat().st_uid) != 0:
        try:
            return pwd.getpwuid(uid)
        except KeyError as error:
            raise Unavailable(
                f"{data} belongs to the unknown user {uid}; change its owner to an existing user"
            ) from error
    try:
        return pwd.getpwnam(NAME)
    except KeyError:
        return _create_account()


def _create_account() -> pwd.struct_passwd:
    command = ("useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", NAME)
    try:
        subprocess.run(command, check=False, capture_output=True)
        return pwd.getpwnam(NAME)  # another process may have made it meanwhile
    except (OSError, KeyError) as error:
        raise Unavailable(
            f"PostgreSQL does not run as root, and the account {NAME} could not be created;"
            " run trigraph as an ordinary user"
        ) from error


def _privileged_accounts(owner: pwd.struct_passwd) -> list[ServerAccount]:
    if shutil.which("setpriv") is None:
        return []
    identity = ("setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups")
    return [
        ServerAccount(owner, (*identity, f"--inh-caps=-all,+{power}", f"--ambient-caps=-all,+{power}", "--"))
        for power in _POWERS
    ]
