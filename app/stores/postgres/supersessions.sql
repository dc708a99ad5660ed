-- name: successions_above
-- Which supersessions are stated, step by step, above these entities and those of these artifacts at a moment: by what
-- date, by whose document, and what was the status of each successor when? One that begins with the superseded entity
-- was stated before.
WITH RECURSIVE above (superseded, superseder, valid_from, valid_until, source_artifact) AS (
    SELECT target, source, valid_from, valid_until, source_artifact
    FROM reference
    WHERE tenant_id = $1 AND type = 'SUPERSEDES' AND target = ANY (
        $2::uuid[] || ARRAY(SELECT entity FROM artifact WHERE tenant_id = $1 AND number = ANY ($5::bigint[]))
    )
        AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
        AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
    UNION
    SELECT reference.target, reference.source, reference.valid_from, reference.valid_until,
        reference.source_artifact
    FROM above
    JOIN reference ON reference.tenant_id = $1 AND reference.target = above.superseder
    WHERE type = 'SUPERSEDES'
        AND reference.valid_from <= $3 AND (reference.valid_until > $3 OR reference.valid_until IS NULL)
        AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
)
SELECT superseded, superseder, coalesce(successor.key, superseder::text) AS successor_key, valid_from, valid_until,
    CASE WHEN valid_from > predecessor.created_at THEN valid_from ELSE least(valid_from, stated.created_at) END
        AS stated_from,
    coalesce(stated.entity = superseded, false) AS by_predecessor,
    starts, ends, statuses, team_words
FROM above
JOIN entity AS predecessor ON predecessor.tenant_id = $1 AND predecessor.id = superseded
JOIN entity AS successor ON successor.tenant_id = $1 AND successor.id = superseder
LEFT JOIN artifact AS stated ON stated.tenant_id = $1 AND stated.id = above.source_artifact
CROSS JOIN LATERAL (
    SELECT array_agg(held.valid_from ORDER BY held.valid_from) AS starts,
        array_agg(held.valid_until ORDER BY held.valid_from) AS ends,
        array_agg(
            CASE jsonb_typeof(props -> 'status') WHEN 'string' THEN props ->> 'status' END
            ORDER BY held.valid_from
        ) AS statuses
    FROM entity_state AS held
    WHERE tenant_id = $1 AND held.entity = superseder AND branch = 'COMMITTED'
        AND held.recorded_at <= $4 AND (held.retracted_at > $4 OR held.retracted_at IS NULL)
) AS said
CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(phrase, flag) AS team_words
    FROM status_word
    WHERE tenant_id = $1 AND project_id = successor.project_id
        AND recorded_at <= $4 AND (closed_at > $4 OR closed_at IS NULL)
) AS meant;

-- name: successions_around
-- Which supersessions by or of an entity are believed, over all valid time: by what date, by whose document, and
-- what was the status of each successor when? One that begins with the superseded entity was stated before.
SELECT target AS superseded, source AS superseder, coalesce(successor.key, source::text) AS successor_key,
    valid_from, valid_until,
    CASE WHEN valid_from > predecessor.created_at THEN valid_from ELSE least(valid_from, stated.created_at) END
        AS stated_from,
    coalesce(stated.entity = target, false) AS by_predecessor,
    starts, ends, statuses, team_words
FROM reference
JOIN entity AS predecessor ON predecessor.tenant_id = $1 AND predecessor.id = target
JOIN entity AS successor ON successor.tenant_id = $1 AND successor.id = source
LEFT JOIN artifact AS stated ON stated.tenant_id = $1 AND stated.id = reference.source_artifact
CROSS JOIN LATERAL (
    SELECT array_agg(held.valid_from ORDER BY held.valid_from) AS starts,
        array_agg(held.valid_until ORDER BY held.valid_from) AS ends,
        array_agg(
            CASE jsonb_typeof(props -> 'status') WHEN 'string' THEN props ->> 'status' END
            ORDER BY held.valid_from
        ) AS statuses
    FROM entity_state AS held
    WHERE tenant_id = $1 AND held.entity = reference.source AND branch = 'COMMITTED'
        AND held.retracted_at IS NULL
) AS said
CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(phrase, flag) AS team_words
    FROM status_word
    WHERE tenant_id = $1 AND project_id = successor.project_id AND closed_at IS NULL
) AS meant
WHERE reference.tenant_id = $1 AND (source = $2 OR target = $2) AND reference.type = 'SUPERSEDES'
    AND reference.retracted_at IS NULL
ORDER BY valid_from, successor_key, predecessor.key, reference.id;

-- name: successors_in_part
-- What supersedes a part of an entity at a moment, the earliest first, what are its properties then, and what do the words of
-- its team mean?
SELECT reference.source, reference.valid_from, state.props, meant.team_words
FROM reference
JOIN entity AS successor ON successor.tenant_id = $1 AND successor.id = reference.source
JOIN entity_state AS state ON state.tenant_id = $1 AND state.entity = reference.source AND state.branch = 'COMMITTED'
    AND state.valid_from <= $3 AND (state.valid_until > $3 OR state.valid_until IS NULL)
    AND state.recorded_at <= $4 AND (state.retracted_at > $4 OR state.retracted_at IS NULL)
CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(phrase, flag) AS team_words
    FROM status_word
    WHERE tenant_id = $1 AND project_id = successor.project_id
        AND recorded_at <= $4 AND (closed_at > $4 OR closed_at IS NULL)
) AS meant
WHERE reference.tenant_id = $1 AND reference.target = $2 AND reference.in_part
    AND reference.valid_from <= $3 AND (reference.valid_until > $3 OR reference.valid_until IS NULL)
    AND reference.recorded_at <= $4 AND (reference.retracted_at > $4 OR reference.retracted_at IS NULL)
ORDER BY reference.valid_from, reference.id;
