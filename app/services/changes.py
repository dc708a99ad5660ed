"""Follow the changes of the ledger from a position on.

The outbox is what is followed; a notification only wakes those who wait, and one that is lost delays them
until the next look. The latest changes of a tenant are read once for all of its followers. A follower that is
behind reads the outbox at its own pace, so that a slow one holds nothing but its position.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import NoReturn, TypeAlias
from uuid import UUID

from app.domain.bounds import excerpt
from app.domain.entity import Caller
from app.domain.numbers import ProjectNumber, TenantNumber
from app.errors import Busy, Forbidden, Interrupted, Invalid, TrigraphError, Unavailable
from app.services.catalog.lookup import nothing_has, project_of
from app.services.maintenance.periodic import BROKEN
from app.settings import Settings
from app.stores.event_loop import background_task
from app.stores.postgres import entities, outbox
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import locate_ledger
from app.stores.postgres.outbox import CHANNEL, Change
from app.stores.postgres.pool import Database

POLL_INTERVAL = 5.0
"""The longest delay of a change for which no notification arrived."""

RECONNECT_SECONDS = 1.0
WAKE_SECONDS = 0.01
"""How long notifications are gathered before they wake everybody once."""

CHECK_INTERVAL = 0.5
"""Together with the time for which a token is believed, less than five seconds."""

MAX_FOLLOWERS = 4_000
MAX_RECENT = 2_000
CHANGES_AT_ONCE = 500
SECONDS_TO_TAKE = 30.0
"""A follower that takes longer than this over one change is ended."""

__all__ = ["Change", "ChangeFeed", "ChangeService", "FollowRequest", "Identify", "feed_in_background"]

_POSITION = re.compile(r"\d{1,18}", re.ASCII)

Identify: TypeAlias = Callable[[], Awaitable[object]]
"""Raises Forbidden when its caller may not follow any longer."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FollowRequest:
    """What to follow: a project, an entity and kinds of changes, or all; after a position, or from now on."""

    project: str | None = None
    entity: UUID | None = None
    kinds: frozenset[str] = frozenset()
    after: str | None = None


@dataclass(eq=False, slots=True)
class _Follower:
    """Someone who follows, and why they are to be ended, if they are."""

    identify: Identify
    end: TrigraphError | None = None

    def require_good(self) -> None:
        if self.end is not None:
            raise self.end


class ChangeFeed:
    """Wakes the followers of a process when the ledger changes, and ends them when their token does."""

    def __init__(self, seconds_to_take: float = SECONDS_TO_TAKE) -> None:
        self.version = 0
        self.followers: set[_Follower] = set()
        self.tails: dict[tuple[TenantNumber, ProjectNumber | None], Tail] = {}
        self.seconds_to_take = seconds_to_take
        self._changed = asyncio.Event()
        self._is_waking = False

    def wake(self) -> None:
        """Let every follower look for changes."""
        self._is_waking = False
        self.version += 1
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def wait(self, version: int) -> None:
        """Wait until there was a reason to look since the feed had this version."""
        if version == self.version:
            await self._changed.wait()

    @asynccontextmanager
    async def following(self, identify: Identify) -> AsyncIterator[_Follower]:
        """Count a follower during the block; raise Busy when there are too many."""
        if len(self.followers) >= MAX_FOLLOWERS:
            raise Busy(f"{MAX_FOLLOWERS} others follow changes here already; retry later")
        follower = _Follower(identify)
        self.followers.add(follower)
        try:
            yield follower
        finally:
            self.followers.discard(follower)

    async def listen(self, url: str) -> NoReturn:
        """Wake the followers after each change of the ledger at a URL, until cancelled."""
        failure = ""
        while True:
            try:
                await self._listen_once(url)
                failure = ""
            except (Unavailable, *BROKEN, OSError) as error:
                if str(error) != failure:
                    log.warning("listening for changes failed: %s", error)
                failure = str(error)
            self.wake()
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen_once(self, url: str) -> None:
        async with owner_connection(url) as owner:
            is_gone = asyncio.Event()
            owner.add_termination_listener(lambda *_: is_gone.set())
            await owner.add_listener(CHANNEL, lambda *_: self._wake_soon())
            while not is_gone.is_set():
                self.wake()
                with suppress(TimeoutError):
                    await asyncio.wait_for(is_gone.wait(), POLL_INTERVAL)

    def _wake_soon(self) -> None:
        if not self._is_waking:
            self._is_waking = True
            asyncio.get_running_loop().call_later(WAKE_SECONDS, self.wake)

    async def check_callers(self) -> NoReturn:
        """End the followers whose token is no longer good, until cancelled."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL)
            for follower in list(self.followers):
                try:
                    await follower.identify()
                except Forbidden as error:
                    follower.end = error
                    self.wake()
                except Exception as error:  # whatever it is, the others are checked
                    log.warning("a token could not be checked: %s", error)


@dataclass(eq=False, slots=True)
class Tail:
    """The latest changes of a tenant as the callers of one project, or of all, see them.

    It has every change after `start` up to `end`, and knows of none later when the feed had its `version`.
    """

    database: Database
    tenant: TenantNumber
    start: int
    end: int
    version: int = -1
    users: int = 0
    changes: deque[Change] = field(default_factory=deque)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def after(self, position: int, version: int) -> Sequence[Change]:
        """Return some changes after a position; none if there was none when the feed had this version."""
        if position < self.start:
            return await self._read(position)
        async with self.lock:
            if position > self.end:  # whoever followed so far is behind, and this one is not
                self.start = self.end = position
                self.changes.clear()
            while self.end == position and self.version < version:
                await self._extend(version)
        if position < self.start:
            return await self._read(position)
        return [change for change in self.changes if change.position > position]

    async def _extend(self, version: int) -> None:
        changes = await self._read(self.end)
        self.changes.extend(changes)
        if changes:
            self.end = changes[-1].position
        if len(changes) < CHANGES_AT_ONCE:
            self.version = version
        while len(self.changes) > MAX_RECENT:
            self.start = self.changes.popleft().position

    async def _read(self, position: int) -> Sequence[Change]:
        async with self.database.reading(self.tenant) as connection:
            found = await outbox.changes_of_tenant(connection, self.tenant, position, CHANGES_AT_ONCE)
        if found.oldest:
            raise Interrupted(
                f"the changes after position {position} are no longer kept; read what you need again, and"
                f" follow the changes after position {found.oldest - 1}",
                resume_after=found.oldest - 1,
            )
        return found.changes


class ChangeService:
    """Follows changes for callers; each method raises Invalid, NotFound, Interrupted, Busy or Unavailable."""

    def __init__(self, database: Database, feed: ChangeFeed) -> None:
        self._database = database
        self._feed = feed

    async def follow(
        self, caller: Caller, request: FollowRequest, identify: Identify
    ) -> AsyncGenerator[Change, None]:
        """Yield the changes that a caller asks for in order, those there are and those to come, each once."""
        async with self._feed.following(identify) as follower:
            position, last, includes = await self._resolve(caller, request)
            async with self._tail(caller, last) as tail:
                while True:
                    version = self._feed.version
                    changes = await tail.after(position, version)
                    for change in changes:
                        follower.require_good()
                        position = change.position
                        if includes(change):
                            given = monotonic()
                            yield change
                            self._require_taken(monotonic() - given, position)
                    follower.require_good()
                    if not changes:
                        await self._feed.wait(version)

    async def _resolve(
        self, caller: Caller, request: FollowRequest
    ) -> tuple[int, int, Callable[[Change], bool]]:
        """Return the position to follow from, the last one, and a test for the changes to follow."""
        async with self._database.reading(caller.tenant) as connection:
            project = await project_of(connection, caller, request.project)
            wanted = request.entity
            if wanted is not None and not await entities.entities_by_id(connection, caller.tenant, [wanted]):
                raise nothing_has("entity", wanted, "entity")
            last = await outbox.last_change_of_tenant(connection, caller.tenant)

        def includes(change: Change) -> bool:
            return (
                change.is_there
                and (not request.kinds or change.kind in request.kinds)
                and (project is None or change.project in (None, project))
                and (wanted is None or change.entity == wanted)
            )

        return _start(request.after, last), last, includes

    @asynccontextmanager
    async def _tail(self, caller: Caller, last: int) -> AsyncIterator[Tail]:
        """Share the latest changes with the other followers that see the same."""
        key = (caller.tenant, caller.project)
        tails = self._feed.tails
        if key not in tails:
            tails[key] = Tail(self._database, caller.tenant, start=last, end=last)
        tail = tails[key]
        tail.users += 1
        try:
            yield tail
        finally:
            tail.users -= 1
            if not tail.users:
                del tails[key]

    def _require_taken(self, seconds: float, position: int) -> None:
        if seconds > self._feed.seconds_to_take:
            raise Interrupted(
                f"the changes were read too slowly; follow those after position {position}",
                resume_after=position,
            )


def _start(after: str | None, last: int) -> int:
    """Return the position to follow from, the last one if none is asked for."""
    if after is None:
        return last
    if not _POSITION.fullmatch(after):
        raise Invalid(f"{excerpt(after)} is not a position, such as {last}", field="after")
    if int(after) > last:
        raise Invalid(
            f"the ledger has not come to position {after}; its last change has position {last}. If it was"
            " restored from a backup, read what you need again, and follow the changes after that position",
            field="after",
        )
    return int(after)


@asynccontextmanager
async def feed_in_background(settings: Settings, feed: ChangeFeed) -> AsyncIterator[None]:
    """Listen for changes and check tokens during the block, with one connection."""
    location = await locate_ledger(settings)
    try:
        async with background_task(feed.listen(location.url)), background_task(feed.check_callers()):
            yield
    finally:
        await location.close()
