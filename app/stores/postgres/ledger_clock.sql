-- name: hold_clock
-- Hold the ledger of a tenant until the transaction ends.
SELECT recorded_at FROM ledger_clock WHERE tenant_id = $1 FOR NO KEY UPDATE;

-- name: advance_clock
-- Take the next $2 transaction times of a tenant whose ledger is held; answers the last, a microsecond after the one before.
-- $3 is what the writer's own clock reads: the ledger asks for it where its clock leaps.
WITH writer AS MATERIALIZED (
    SELECT set_config('trigraph.writer_clock', $3::timestamptz::text, true) AS clock
)
UPDATE ledger_clock
SET recorded_at = greatest(clock_timestamp(), recorded_at + interval '1 microsecond')
    + ($2::integer - 1) * interval '1 microsecond'
FROM writer
WHERE tenant_id = $1 AND writer.clock <> ''
RETURNING recorded_at;

-- name: read_clock
-- Up to which transaction time is everything of this tenant visible here?
SELECT recorded_at FROM ledger_clock WHERE tenant_id = $1;

-- name: read_extent
-- Up to which transaction time is everything visible here, which projects are there, and how late is their last? Was any
-- document ever absent? One row per project, and one without when there is none.
SELECT ledger_clock.recorded_at AS clock, project.project_id, latest_created_at, latest_recorded_at,
    EXISTS (SELECT FROM absence WHERE absence.tenant_id = $1) AS has_absences
FROM ledger_clock
LEFT JOIN project
    ON project.tenant_id = ledger_clock.tenant_id AND ($2::text IS NULL OR project.folded_key = $2)
LEFT JOIN scope_statistics
    ON scope_statistics.tenant_id = ledger_clock.tenant_id AND scope_statistics.project_id = project.project_id
WHERE ledger_clock.tenant_id = $1;

-- name: read_settled_clock
-- Up to which transaction time is everything of this tenant visible here, once the write at hand has ended?
SELECT recorded_at FROM ledger_clock WHERE tenant_id = $1 FOR SHARE;

-- name: check_rules_now
-- Check every deferred rule and write the outbox now, so that a failure has a place.
SET CONSTRAINTS ALL IMMEDIATE;

-- name: position_of_this_transaction
-- At which ledger position does this transaction stand?
SELECT max(position) FROM outbox WHERE transaction_id = pg_current_xact_id();

-- name: clocks
-- What does the clock of the database read, and when was the last write of a tenant recorded?
SELECT clock_timestamp() AS database, recorded_at AS ledger FROM ledger_clock WHERE tenant_id = $1;
