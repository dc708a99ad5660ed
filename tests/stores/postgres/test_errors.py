from __future__ import annotations

import re

import asyncpg
import pytest

from app.errors import Busy, Conflict, Invalid, TrigraphError, Unavailable, Unwritable
from app.stores.postgres.errors import CONSTRAINTS, translate_error
from app.stores.postgres.migrate import shipped_migrations

NAMED_CONSTRAINTS = r"""
SELECT conname FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'u', 'x')
    AND conname !~ ('^' || conrelid::regclass || '_.*_(key|check)\d*$')
UNION
SELECT indexrelid::regclass::text FROM pg_index
WHERE indisunique AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    AND indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
"""
REFUSAL = re.compile(r"refuse\(\s*'(\w+)'")


async def test_every_rule_of_the_ledger_has_its_error_and_no_other_has(owner: asyncpg.Connection) -> None:
    declared = {row["conname"] for row in await owner.fetch(NAMED_CONSTRAINTS)}
    raised = {rule for migration in shipped_migrations() for rule in REFUSAL.findall(migration.sql)}
    assert set(CONSTRAINTS) == declared | raised
    assert {rule for rule, (_, words) in CONSTRAINTS.items() if words is None} == raised


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (asyncpg.SerializationError, Conflict),
        (asyncpg.DeadlockDetectedError, Conflict),
        (asyncpg.LockNotAvailableError, Busy),
        (asyncpg.QueryCanceledError, Unavailable),
        (asyncpg.TooManyConnectionsError, Unavailable),
        (asyncpg.AdminShutdownError, Unavailable),
        (asyncpg.CannotConnectNowError, Unavailable),
        (asyncpg.ConnectionDoesNotExistError, Unavailable),
        (asyncpg.DiskFullError, Unwritable),
        (asyncpg.OutOfMemoryError, Unavailable),
        (asyncpg.ReadOnlySQLTransactionError, Unwritable),
        (asyncpg.ProgramLimitExceededError, Invalid),
        (asyncpg.StringDataRightTruncationError, Invalid),
        (asyncpg.CharacterNotInRepertoireError, Invalid),
        (asyncpg.UntranslatableCharacterError, Invalid),
    ],
)
def test_a_family_of_errors_has_one_meaning(
    error: type[asyncpg.PostgresError], meaning: type[TrigraphError]
) -> None:
    answer = translate_error(error("the server's own words"))
    assert type(answer) is meaning
    assert "server's own words" not in str(answer)


def test_an_error_nobody_foresaw_stays_itself() -> None:
    error = asyncpg.UndefinedColumnError("no such column")
    assert translate_error(error) is error


async def test_a_text_beyond_an_index_is_invalid(owner: asyncpg.Connection) -> None:
    with pytest.raises(asyncpg.ProgramLimitExceededError) as refused:
        await owner.execute(
            "INSERT INTO tenant (key) SELECT string_agg(md5(n::text), '') FROM generate_series(1, 1000) AS n"
        )
    assert isinstance(translate_error(refused.value), Invalid)


def test_what_is_too_large_for_the_index_of_a_rule_breaks_no_rule() -> None:
    """BYT-07: nobody is told that something exists already."""
    error = asyncpg.ProgramLimitExceededError.new(
        {"C": "54000", "M": "index row size 4056 exceeds the maximum", "n": "one_entity_per_key"}
    )
    assert error.constraint_name == "one_entity_per_key"
    answer = translate_error(error)
    assert isinstance(answer, Invalid)
    assert str(answer) == "a value is larger than the database can hold; shorten it"
