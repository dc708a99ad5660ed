-- name: standings_as_of
-- How do these entities and those of these artifacts stand at a moment: which artifacts of each were asked about,
-- which is its newest, is another said to supersede it, and which states hold? One row per entity and state.
SELECT
    looked_at.entity, looked_at.numbers, newest.number AS newest,
    EXISTS (
        SELECT FROM reference
        WHERE tenant_id = $1 AND target = looked_at.entity AND type = 'SUPERSEDES'
            AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
            AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
    ) AS may_be_superseded,
    held.id, held.branch, held.valid_from, held.valid_until, held.recorded_at, held.retracted_at, held.props,
    held.source_artifact, held.actor, held.wip_source
FROM (
    SELECT entity, NULL::bigint[] AS numbers FROM unnest($2::uuid[]) AS entity
    UNION ALL
    SELECT entity, array_agg(number)
    FROM artifact
    WHERE tenant_id = $1 AND number = ANY ($5::bigint[])
    GROUP BY entity
) AS looked_at
LEFT JOIN LATERAL (
    SELECT number
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
