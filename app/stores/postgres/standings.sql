-- name: standings_as_of
-- How do these entities, and those above them step by step, stand at a moment: what superseded each, which is
-- its newest artifact, and which states hold? One row per entity and state.
WITH RECURSIVE above (superseded, superseder, valid_from) AS (
    SELECT target, source, valid_from
    FROM reference
    WHERE tenant_id = $1 AND target = ANY ($2::uuid[]) AND type = 'SUPERSEDES'
        AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
        AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
    UNION
    SELECT reference.target, reference.source, reference.valid_from
    FROM above
    JOIN reference ON reference.tenant_id = $1 AND reference.target = above.superseder
    WHERE type = 'SUPERSEDES'
        AND reference.valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
        AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
),
superseders AS (
    SELECT superseded, array_agg(superseder ORDER BY valid_from DESC, superseder) AS superseders
    FROM above
    GROUP BY superseded
)
SELECT
    looked_at.entity, superseders, newest.number, newest.created_at AS number_created_at,
    held.id, held.branch, held.valid_from, held.valid_until, held.recorded_at, held.retracted_at, held.props,
    held.source_artifact, held.actor, held.wip_source
FROM (SELECT unnest($2::uuid[]) AS entity UNION SELECT superseder FROM above) AS looked_at
LEFT JOIN superseders ON superseded = looked_at.entity
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
