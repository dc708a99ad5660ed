-- name: standings_as_of
-- How do these entities stand at a moment: which is the newest artifact of each, and which states hold? One row per
-- entity and state.
SELECT
    looked_at.entity, newest.number, newest.created_at AS number_created_at,
    held.id, held.branch, held.valid_from, held.valid_until, held.recorded_at, held.retracted_at, held.props,
    held.source_artifact, held.actor, held.wip_source
FROM unnest($2::uuid[]) AS looked_at (entity)
LEFT JOIN LATERAL (
    SELECT number, created_at
    FROM artifact
    WHERE tenant_id = $1 AND artifact.entity = looked_at.entity AND created_at <= $3 AND recorded_at <= $4
    ORDER BY created_at DESC
    LIMIT 1
) AS newest ON true
LEFT JOIN LATERAL (
    SELECT *
    FROM entity_state
    WHERE tenant_id = $1 AND entity_state.entity = looked_at.entity
        AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
        AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
    LIMIT 2
) AS held ON true;
