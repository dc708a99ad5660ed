-- name: hold_projection
-- Be the one that projects, until released or gone.
SELECT pg_advisory_lock(hashtextextended('trigraph projection', 0));

-- name: release_projection
-- Let another project.
SELECT pg_advisory_unlock(hashtextextended('trigraph projection', 0));

-- name: ledger
-- Which ledger is this: which database of which server?
SELECT system_identifier || '/' || (SELECT oid FROM pg_database WHERE datname = current_database())
FROM pg_control_system();

-- name: outbox_position
-- Which change stands last, if any does?
SELECT position, transaction_id || '/' || row_id AS mark FROM outbox ORDER BY position DESC LIMIT 1;

-- name: mark_at
-- Which change stands at a position?
SELECT transaction_id || '/' || row_id FROM outbox WHERE position = $1;

-- name: changes_after
-- What changed after a position, so many changes and the rest of the last one's transaction?
WITH taken AS (
    SELECT position, transaction_id FROM outbox WHERE position > $1 ORDER BY position LIMIT $2
),
last AS (
    SELECT transaction_id, position FROM taken ORDER BY position DESC LIMIT 1
)
SELECT outbox.position, kind, tenant_id, row_id, outbox.transaction_id || '/' || row_id AS mark
FROM outbox, last
WHERE outbox.position > $1
    AND (outbox.position <= last.position OR outbox.transaction_id = last.transaction_id)
ORDER BY outbox.position;

-- name: count_after
-- How many changes stand after a position?
SELECT count(*) FROM outbox WHERE position > $1;

-- name: horizon
-- Up to which position may changes be gone?
SELECT position FROM outbox_horizon;

-- name: forget
-- Which changes that were noted so long ago, the oldest so many, are gone now?
-- The last of each tenant stays: it says how far that tenant has come.
WITH old AS (
    SELECT position FROM outbox
    WHERE noted_at < now() - $1::interval
        AND position < (SELECT max(later.position) FROM outbox AS later WHERE later.tenant_id = outbox.tenant_id)
    ORDER BY position
    LIMIT $2
),
gone AS (
    DELETE FROM outbox USING old WHERE outbox.position = old.position RETURNING outbox.position
),
moved AS (
    UPDATE outbox_horizon SET position = greatest(outbox_horizon.position, last.position)
    FROM (SELECT max(position) AS position FROM gone) AS last
    WHERE last.position IS NOT NULL
)
SELECT count(*) FROM gone;

-- name: tenant_position
-- How far has the ledger of a tenant come, and does this change stand in it at this position?
SELECT
    coalesce((SELECT max(position) FROM outbox WHERE tenant_id = $1), 0) AS position,
    stands_in_ledger($2, $3) AS has_change
FROM ledger_clock
WHERE tenant_id = $1;

-- name: changes_of_tenant
-- What did a tenant write after a position, in which project, and which entity and which object is each change about?
-- What is not there for this caller has no project.
WITH change AS (
    SELECT position, kind, row_id FROM outbox WHERE tenant_id = $1 AND position > $2 ORDER BY position LIMIT $3
)
SELECT change.position, change.kind, change.row_id, found.project_id, found.entity, found.node, found.is_there,
    (SELECT position FROM outbox_horizon) AS horizon,
    (SELECT min(position) FROM outbox WHERE tenant_id = $1) AS oldest
FROM change
LEFT JOIN LATERAL (
    SELECT held.project_id, held.id AS entity, held.id AS node, true AS is_there
    FROM entity AS held
    WHERE change.kind = 'entity' AND held.tenant_id = $1 AND held.id = change.row_id
    UNION ALL
    SELECT held.project_id, held.id, state.id, true
    FROM entity_state AS state
    JOIN entity AS held ON held.tenant_id = $1 AND held.id = state.entity
    WHERE change.kind = 'entity_state' AND state.tenant_id = $1 AND state.id = change.row_id
    UNION ALL
    SELECT held.project_id, held.id, held.id, true
    FROM state_event AS event
    JOIN entity AS held ON held.tenant_id = $1 AND held.id = event.entity
    WHERE change.kind = 'state_event' AND event.tenant_id = $1 AND event.id = change.row_id
    UNION ALL
    SELECT held.project_id, held.target, held.id, true
    FROM alias AS held
    WHERE change.kind = 'alias' AND held.tenant_id = $1 AND held.id = change.row_id
    UNION ALL
    SELECT held.project_id, held.source, held.id, true
    FROM reference AS held
    WHERE change.kind = 'reference' AND held.tenant_id = $1 AND held.id = change.row_id
    UNION ALL
    SELECT held.project_id, held.entity, held.id, true
    FROM artifact AS held
    WHERE change.kind IN ('artifact', 'mentions') AND held.tenant_id = $1 AND held.id = change.row_id
    UNION ALL
    SELECT held.project_id, held.entity, coalesce(held.artifact, held.entity), true
    FROM absence AS held
    WHERE change.kind = 'absence' AND held.tenant_id = $1 AND held.id = change.row_id
    UNION ALL
    SELECT held.project_id, NULL, NULL, true
    FROM type AS held
    WHERE change.kind = 'type' AND held.tenant_id = $1
        AND held.type_id = ('x' || right(change.row_id::text, 8))::bit(32)::integer
) AS found ON true
ORDER BY change.position;

-- name: last_change_of_tenant
-- Which change of a tenant is the last?
SELECT coalesce(max(position), 0) FROM outbox WHERE tenant_id = $1;
