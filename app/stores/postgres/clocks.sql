-- name: clocks
-- What does the clock of the database read, and when was the last write of a tenant recorded?
SELECT clock_timestamp() AS database, recorded_at AS ledger FROM ledger_clock WHERE tenant_id = $1;
