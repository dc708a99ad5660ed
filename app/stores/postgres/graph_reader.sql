-- name: artifacts_beside
-- Which artifacts belong to the entities one reference away from these, at a moment?
-- Shares are added as whole numbers, which give one sum in every order.
-- Each anchor gives at most $7 references a way, the strongest first. They are sought type by type, in the order that
-- an index has, so that of a hub no more are read.
WITH strength AS (
    SELECT type, weight FROM unnest($5::text[], $6::float8[]) AS strength (type, weight)
),
edge AS (
    SELECT anchor, neighbour, score
    FROM unnest($2::uuid[]) AS anchor
    CROSS JOIN LATERAL (
        SELECT strongest.target AS neighbour, weight * ln(1 + occurrences)::float8 AS score
        FROM strength CROSS JOIN LATERAL (
            SELECT target, occurrences
            FROM reference
            WHERE tenant_id = $1 AND source = anchor AND reference.type = strength.type
                AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
                AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
            ORDER BY occurrences DESC, target
            LIMIT $7
        ) AS strongest
        ORDER BY score DESC, target
        LIMIT $7
    ) AS outward
    UNION ALL
    SELECT anchor, neighbour, score
    FROM unnest($2::uuid[]) AS anchor
    CROSS JOIN LATERAL (
        SELECT strongest.source AS neighbour, weight * ln(1 + occurrences)::float8 AS score
        FROM strength CROSS JOIN LATERAL (
            SELECT source, occurrences
            FROM reference
            WHERE tenant_id = $1 AND target = anchor AND reference.type = strength.type
                AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
                AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
            ORDER BY occurrences DESC, source
            LIMIT $7
        ) AS strongest
        ORDER BY score DESC, source
        LIMIT $7
    ) AS inward
),
neighbour AS (
    SELECT neighbour AS entity, sum((score * 1e12)::bigint)::float8 / 1e12 AS score
    FROM edge
    WHERE neighbour <> ALL ($2::uuid[])
    GROUP BY neighbour
)
SELECT newest.number, neighbour.score, newest.created_at
FROM neighbour
CROSS JOIN LATERAL (
    SELECT number, CASE WHEN NOT is_unknown(created_at) THEN nullif(created_at, recorded_at) END AS created_at, project_id, type_id, domain
    FROM artifact
    WHERE tenant_id = $1 AND artifact.entity = neighbour.entity AND created_at <= $3 AND recorded_at <= $4
        AND number <> ALL ($12::bigint[])
    ORDER BY artifact.created_at DESC
    LIMIT 1
) AS newest
WHERE project_id = ANY ($9::integer[])
    AND ($10::integer[] IS NULL OR type_id = ANY ($10)) AND ($11::text[] IS NULL OR domain = ANY ($11))
ORDER BY neighbour.score DESC, newest.number
LIMIT $8;

-- name: artifacts_sharing_mentions
-- Which artifacts mention, or are, what these artifacts mention, the rarer the better, at a moment?
-- One of these artifacts counts by what it shares with the others, so that being asked about costs it nothing.
WITH seed AS (
    SELECT id FROM artifact WHERE tenant_id = $1 AND number = ANY ($2::bigint[])
),
mentioned AS (
    SELECT entity, count(DISTINCT artifact)::float8 AS seeds
    FROM mention JOIN entity ON entity.tenant_id = $1 AND entity.id = mention.entity
    WHERE mention.tenant_id = $1 AND artifact IN (SELECT id FROM seed) AND mention.recorded_at <= $4
        AND entity.recorded_at <= $4
        AND (entity.created_at <= $3 OR entity.id = ANY ($12::uuid[])) AND entity.id <> ALL ($13::uuid[])
    GROUP BY entity
    ORDER BY seeds DESC, entity
    LIMIT $5
),
holder AS (
    SELECT mentioned.entity, seeds, capped.artifact, count(*) OVER (PARTITION BY mentioned.entity)::float8 AS mentions
    FROM mentioned
    CROSS JOIN LATERAL (
        SELECT DISTINCT mention.artifact
        FROM mention JOIN artifact ON artifact.tenant_id = $1 AND artifact.id = mention.artifact
        WHERE mention.tenant_id = $1 AND mention.entity = mentioned.entity AND mention.recorded_at <= $4
            AND created_at <= $3 AND artifact.recorded_at <= $4 AND number <> ALL ($11::bigint[])
        ORDER BY mention.artifact
        LIMIT $6
    ) AS capped
),
shared AS (
    SELECT artifact, (seeds - (artifact IN (SELECT id FROM seed))::integer) / ln(1 + mentions) AS score
    FROM holder
    UNION ALL
    SELECT own.id, seeds / ln(1 + mentions)
    FROM (SELECT DISTINCT entity, seeds, mentions FROM holder) AS mentioned
    CROSS JOIN LATERAL (
        SELECT id
        FROM artifact
        WHERE tenant_id = $1 AND artifact.entity = mentioned.entity
            AND created_at <= $3 AND recorded_at <= $4 AND number <> ALL ($11::bigint[])
        ORDER BY created_at DESC
        LIMIT 1
    ) AS own
)
SELECT artifact.number, sum((score * 1e12)::bigint)::float8 / 1e12 AS score,
    CASE WHEN NOT is_unknown(artifact.created_at) THEN nullif(artifact.created_at, artifact.recorded_at) END AS created_at
FROM shared JOIN artifact ON artifact.tenant_id = $1 AND artifact.id = shared.artifact
WHERE score > 0 AND project_id = ANY ($8::integer[])
    AND ($9::integer[] IS NULL OR type_id = ANY ($9)) AND ($10::text[] IS NULL OR domain = ANY ($10))
GROUP BY artifact.number, artifact.created_at, artifact.recorded_at
ORDER BY score DESC, artifact.number
LIMIT $7;
