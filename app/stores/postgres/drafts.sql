-- name: drafts_page
-- Which open drafts are there of a project, or of all, the longest untouched first, after a position?
SELECT held.id, entity, branch, valid_from, valid_until, held.recorded_at, retracted_at, props,
    held.source_artifact, held.actor, wip_source
FROM entity_state AS held
JOIN entity ON entity.tenant_id = held.tenant_id AND entity.id = held.entity
WHERE held.tenant_id = $1 AND branch = 'WIP' AND valid_until IS NULL AND retracted_at IS NULL
    AND ($2::integer IS NULL OR project_id = $2)
    AND ($3::timestamptz IS NULL OR (held.recorded_at, held.id) > ($3, $4::uuid))
ORDER BY held.recorded_at, held.id
LIMIT $5;

-- name: count_drafts
-- How many open drafts are there of a project, or of all?
SELECT count(*)
FROM entity_state AS held
JOIN entity ON entity.tenant_id = held.tenant_id AND entity.id = held.entity
WHERE held.tenant_id = $1 AND branch = 'WIP' AND valid_until IS NULL AND retracted_at IS NULL
    AND ($2::integer IS NULL OR project_id = $2);
