-- name: waiting_page
-- Which references of a project, or of all, wait for their other end, the longest first, after a position?
SELECT id, source, type, target_text AS waits_for, inverted AS is_inverted, is_ambiguous, source_artifact,
    valid_from, recorded_at
FROM pending_reference
WHERE tenant_id = $1 AND closed_at IS NULL AND ($2::integer IS NULL OR project_id = $2)
    AND ($3::timestamptz IS NULL OR (recorded_at, id) > ($3, $4::uuid))
ORDER BY recorded_at, id
LIMIT $5;

-- name: count_waiting
-- How many references of a project, or of all, wait for their other end?
SELECT count(*)
FROM pending_reference
WHERE tenant_id = $1 AND closed_at IS NULL AND ($2::integer IS NULL OR project_id = $2);

-- name: waiting_of
-- Which references of an entity waited for their other end at a transaction time, those of a kind together?
SELECT id, source, type, target_text AS waits_for, inverted AS is_inverted, is_ambiguous, source_artifact,
    valid_from, recorded_at
FROM pending_reference
WHERE tenant_id = $1 AND source = $2 AND recorded_at <= $3 AND (closed_at > $3 OR closed_at IS NULL)
ORDER BY type = 'REFERENCES', type, target_key;
