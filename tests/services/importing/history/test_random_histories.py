"""One import of a history gives what an import after every commit gives, also of random histories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import TypeAlias

import pytest

from tests.documents import ProjectFixture, identifiers
from tests.services.importing.history.conftest import Repository
from tests.services.importing.history.test_texts_of_git import digest

LONG = "The queue holds every message until one worker of the team has read it, and says so in the log."
WORDS = LONG.split()
NOTES = ("a.md", "notes/a.md", "notes/b.md", "old/b.md", "adr/c.md")
RECORDS = ("adr/0001-a.md", "adr/old/0001-z.md", "adr/0002-b.md")
PATHS = (*NOTES, *RECORDS)
TITLES = ("Poll", "Push", "Wait", "Retry")
STATUSES = ("Proposed", "Accepted", "Deprecated")


def may_move(path: str, target: str) -> bool:
    """Return whether a file keeps its number if it moves, or loses it; none gets another one."""
    return target in NOTES or ("0001" in path and "0001" in target)


@dataclass
class Team:
    """The writers of a random repository: each step is one commit."""

    random: Random
    repository: Repository
    files: dict[str, str | bytes] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def text(self) -> str:
        """Return a new text, which may refer to others by title, number and path."""
        choose = self.random.choice
        words = [choose(WORDS) + choose(("", "", str(self.random.randint(1, 99)))) for _ in range(60)]
        links = [choose(("", f"See [[{choose(TITLES)}]].", "See ADR-1.", "See [it](../notes/b.md)."))]
        return f"# {choose(TITLES)}\n\nStatus: {choose(STATUSES)}\n\n{' '.join(words)}\n\n{' '.join(links)}\n"

    def edited(self, text: str | bytes) -> str:
        """Return a text with a word, the title or the status changed."""
        if isinstance(text, bytes) or not text.strip():
            return self.text()
        title, _, rest = text.partition("\n")
        change = self.random.randrange(3)
        if change == 0:
            return f"# {self.random.choice(TITLES)}\n{rest}"
        if change == 1:
            return f"{title}\n{rest}\nAnd {self.random.choice(WORDS)} {next(self.numbers)}.\n"
        for status in STATUSES:
            rest = rest.replace(f"Status: {status}", f"Status: {self.random.choice(STATUSES)}")
        return f"{title}\n{rest}"

    def step(self) -> None:
        """Change some files, and note what was done."""
        free = [path for path in PATHS if path not in self.files]
        kinds = ["add"] * 3 if free else []
        if self.files:
            kinds += ["edit"] * 3 + ["move", "move", "rewrite", "remove", "spoil"]
        kind = self.random.choice(kinds)
        path = self.random.choice(sorted(self.files) if kind != "add" else free)
        self.log.append(f"{kind} {path}")
        if kind in ("add", "rewrite"):
            self.files[path] = self.text()
        elif kind == "edit":
            self.files[path] = self.edited(self.files[path])
        elif kind == "move" and (fit := [each for each in free if may_move(path, each)]):
            content, target = self.files.pop(path), self.random.choice(fit)
            self.files[target] = self.edited(content) if self.random.random() < 0.5 else content
            self.log[-1] += f" -> {target}"
        elif kind == "remove":
            del self.files[path]
        elif kind == "spoil":
            self.files[path] = self.random.choice(("", " \n\n", b"\x89PNG\x00\x01\xff"))

    def commit(self, number: int) -> None:
        """Commit some changes, on a side branch now and then, at a date that may be too early."""
        for _ in range(self.random.randint(1, 2)):
            self.step()
        day = number if self.random.random() < 0.8 else self.random.randint(1, number)
        branches = self.random.random() < 0.15 and number > 1
        if branches:
            self.repository.git("checkout", "--quiet", "-b", f"side-{number}")
        for tracked in self.repository.git("ls-files", "-z").split("\0")[:-1]:
            if tracked not in self.files:
                (self.repository.folder / tracked).unlink()
        self.repository.commit(f"2026-03-{day:02}", self.files)
        if branches:
            self.repository.git("checkout", "--quiet", "main")
            merge = ("merge", "--quiet", "--no-ff", "--message", "Merge", f"side-{number}")
            self.repository.git(*merge, at=f"2026-03-{day:02}T18:00:00Z")
        self.log.append(f"-- commit day {day}{' merged' if branches else ''}")


async def hidden(desk: ProjectFixture) -> set[str]:
    """Return the keys of documents that are not there at any time."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT entity.key FROM absence JOIN entity ON entity.tenant_id = absence.tenant_id"
            " AND entity.id = absence.entity JOIN project ON project.tenant_id = entity.tenant_id"
            " AND project.project_id = entity.project_id WHERE project.key = $1 AND artifact IS NULL"
            " AND retracted_at IS NULL AND valid_until IS NULL AND valid_from <= entity.created_at",
            desk.project,
        )
    return {row["key"] for row in rows}


SEEDS = (5, 17, 24, 37, 214)
"""Seeds of histories that went wrong once."""


async def compare(repository: Repository, once: Repository) -> None:
    """Compare what two projects say, without documents that are not there at any time."""
    often, whole = await digest(repository.desk), await digest(once.desk)
    gone = await hidden(repository.desk) | await hidden(once.desk)
    for of in often:
        found, expected = (
            {repr(row) for row in each[of] if not gone.intersection(row[:4])} for each in (often, whole)
        )
        assert found == expected, of


def beside(repository: Repository) -> Repository:
    """Return the same repository, imported into a project beside."""
    desk = repository.desk
    return replace(repository, desk=replace(desk, project=f"{desk.project}-once"))


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_random_history_gives_one_ledger(repository: Repository, seed: int) -> None:
    team = Team(Random(seed), repository)
    for number in range(1, team.random.randint(3, 7)):
        team.commit(number)
        await repository.run()
    once = beside(repository)
    await once.run()
    await compare(repository, once)


NOTE = f"# Kick-off\n\nStatus: Accepted\n\n{LONG}\n\n{LONG} Twice.\n"
RECORD = f"# Use a queue\n\nStatus: Accepted\n\n{LONG}\n"
OTHER = "# Cats\n\nCats are kept in the office from now on, two at most, and they are fed at noon.\n"
Files: TypeAlias = Mapping[str, str | bytes | None]
HISTORIES: Mapping[str, Sequence[tuple[str, Files]]] = {
    "a note that moves": [
        ("2026-02-01", {"notes/a.md": NOTE, "b.md": "# B\n\nSee [it](notes/a.md).\n"}),
        ("2026-03-01", {"notes/a.md": None, "old/z.md": NOTE}),
    ],
    "a note that moves and changes, twice": [
        ("2026-02-01", {"notes/a.md": NOTE}),
        ("2026-03-01", {"notes/a.md": None, "old/z.md": f"{NOTE}\nMore.\n"}),
        ("2026-04-01", {"old/z.md": None, "adr/z.md": f"{NOTE}\nMore.\n\nAgain.\n"}),
    ],
    "a note whose path another takes": [
        ("2026-02-01", {"a.md": NOTE}),
        ("2026-03-01", {"a.md": None, "z.md": NOTE}),
        ("2026-04-01", {"a.md": OTHER}),
        ("2026-05-01", {"a.md": None, "y.md": OTHER}),
        ("2026-06-01", {"a.md": "# Third\n\nNothing of what was said before, and of no other thing.\n"}),
    ],
    "a record that loses its number as it moves": [
        ("2026-02-01", {"adr/0001-queue.md": RECORD}),
        ("2026-03-01", {"adr/0001-queue.md": None, "notes/queue.md": f"{RECORD}\nMore.\n"}),
    ],
    "a file that is emptied": [
        ("2026-02-01", {"adr/0001-queue.md": RECORD, "a.md": NOTE}),
        ("2026-03-01", {"adr/0001-queue.md": "", "a.md": " \n\n"}),
        ("2026-04-01", {"b.md": "# B\n\nSee ADR-1.\n"}),
    ],
    "a file that is no text, then moves, then is one": [
        ("2026-02-01", {"adr/0001-queue.md": RECORD}),
        ("2026-03-01", {"adr/0001-queue.md": b"\x89PNG\x00\x01\xff"}),
        ("2026-04-01", {"b.md": OTHER}),
        ("2026-05-01", {"adr/0001-queue.md": f"{RECORD}\nMore.\n"}),
    ],
    "a file that is emptied and then removed": [
        ("2026-02-01", {"a.md": NOTE}),
        ("2026-03-01", {"a.md": ""}),
        ("2026-04-01", {"a.md": None, "b.md": OTHER}),
    ],
    "two files that take one number": [
        ("2026-02-01", {"adr/0001-queue.md": RECORD}),
        ("2026-03-01", {"adr/0001-cats.md": OTHER}),
        ("2026-04-01", {"records/adr-1-review.md": f"# Review\n\n{LONG}\n", "b.md": "# B\n\nSee ADR-1.\n"}),
    ],
    "two files of one number, of which the first goes": [
        ("2026-02-01", {"adr/0001-queue.md": RECORD}),
        ("2026-03-01", {"adr/more/0001-cats.md": OTHER}),
        ("2026-04-01", {"adr/0001-queue.md": None}),
    ],
    "a title that is lost after it was referred to": [
        ("2026-02-01", {"a.md": f"# Old title\n\n{LONG}\n"}),
        ("2026-03-01", {"b.md": "# B\n\nSee [[Old title]].\n"}),
        ("2026-04-01", {"a.md": f"# New title\n\n{LONG}\n"}),
    ],
    "a title that is lost before it is referred to": [
        ("2026-02-01", {"z.md": f"# Old title\n\n{LONG}\n"}),
        ("2026-03-01", {"z.md": f"# New title\n\n{LONG}\n"}),
        ("2026-04-01", {"b.md": "# B\n\nSee [[Old title]].\n"}),
    ],
    "a title that is lost, and a reference by it that stays and then goes": [
        ("2026-02-01", {"z.md": f"# Old title\n\n{LONG}\n"}),
        ("2026-03-01", {"b.md": "# B\n\nSee [[Old title]].\n"}),
        ("2026-04-01", {"z.md": f"# New title\n\n{LONG}\n"}),
        ("2026-05-01", {"b.md": "# B\n\nSee [[Old title]] again.\n"}),
        ("2026-06-01", {"b.md": "# B\n\nSee nothing.\n"}),
    ],
    "a title that is lost, and a reference by it that stays": [
        ("2026-02-01", {"a.md": f"# Old title\n\n{LONG}\n", "z.md": f"# Old title\n\n{LONG} Z.\n"}),
        ("2026-02-15", {"z.md": None}),
        ("2026-03-01", {"b.md": "# B\n\nSee [[Old title]].\n\n## Supersedes\n\n- [[Old title]]\n"}),
        ("2026-04-01", {"a.md": f"# New title\n\n{LONG}\n"}),
        ("2026-05-01", {"b.md": "# B\n\nSee [[Old title]] again.\n"}),
    ],
    "a title that another document takes": [
        ("2026-02-01", {"a.md": f"# Old title\n\n{LONG}\n"}),
        ("2026-03-01", {"b.md": "# B\n\nSee [[Old title]].\n"}),
        ("2026-04-01", {"a.md": f"# New title\n\n{LONG}\n"}),
        ("2026-05-01", {"c.md": OTHER.replace("# Cats", "# Old title")}),
    ],
    "a clock that runs backward while files move": [
        ("2026-04-01", {"notes/a.md": NOTE, "adr/0001-queue.md": RECORD}),
        ("2026-03-01", {"notes/a.md": None, "z.md": f"{NOTE}\nMore.\n"}),
        ("2026-02-01", {"adr/0001-queue.md": None, "adr/0001-z.md": RECORD.replace("Accepted", "Final")}),
        ("2026-01-01", {"z.md": None, "y.md": f"{NOTE}\nMore.\n\nAgain.\n"}),
    ],
}


@pytest.mark.parametrize("name", HISTORIES)
async def test_a_history_gives_one_ledger(repository: Repository, name: str) -> None:
    for at, files in HISTORIES[name]:
        for path in [path for path, content in files.items() if content is None]:
            repository.git("rm", "--quiet", path)
        repository.commit(at, {path: content for path, content in files.items() if content is not None})
        await repository.run()
    once = beside(repository)
    await once.run()
    await compare(repository, once)
    settled = await digest(repository.desk)
    assert (await repository.run()).filed == 0
    assert await digest(repository.desk) == settled


async def test_a_number_that_several_files_took_finds_all_of_them(repository: Repository) -> None:
    for at, files in HISTORIES["two files that take one number"]:
        repository.commit(at, {path: content for path, content in files.items() if content is not None})
        summary = await repository.run()
    named = ["0001-cats", "ADR-0001", "adr-1-review"]
    assert [file.identifier for file in summary.collisions[0].files] == named
    assert identifiers(await repository.desk.ask("ADR-1"))[:3] == ["ADR-0001", "0001-cats", "adr-1-review"]
