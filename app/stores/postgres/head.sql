-- name: head_of_tenant
-- How far has the ledger of a tenant come, and does this change stand in it at this position?
SELECT
    recorded_at AS clock,
    coalesce((SELECT max(position) FROM outbox WHERE tenant_id = $1), 0) AS position,
    stands_in_ledger($2, $3) AS has_change
FROM ledger_clock
WHERE tenant_id = $1;
