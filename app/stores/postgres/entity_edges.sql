-- name: references_of_entities
-- Which references leave or reach each of these entities at a moment, the newest first, after a position?
SELECT wanted.entity AS asked, found.*
FROM unnest($2::uuid[]) AS wanted (entity)
CROSS JOIN LATERAL (
    SELECT reference.id, source, target, type, reference.source_artifact, valid_from, valid_until, in_part
    FROM reference
    JOIN entity AS other ON other.tenant_id = $1
        AND other.id = CASE WHEN source = wanted.entity THEN target ELSE source END
    WHERE reference.tenant_id = $1
        AND ($3::boolean AND source = wanted.entity OR $4::boolean AND target = wanted.entity)
        AND ($5::text IS NULL OR type = $5)
        AND valid_from <= $6 AND (valid_until > $6 OR valid_until IS NULL)
        AND reference.recorded_at <= $7 AND (retracted_at > $7 OR retracted_at IS NULL)
        AND other.created_at <= $6
        AND NOT EXISTS (
            SELECT FROM absence
            WHERE absence.tenant_id = $1 AND absence.entity = other.id AND absence.artifact IS NULL
                AND absence.recorded_at <= $7 AND (absence.retracted_at > $7 OR absence.retracted_at IS NULL)
                AND absence.valid_from <= $6 AND (absence.valid_until > $6 OR absence.valid_until IS NULL)
        )
        AND ($8::timestamptz IS NULL OR (valid_from, reference.id) < ($8, $9::uuid))
    ORDER BY valid_from DESC, reference.id DESC
    LIMIT $10
) AS found
ORDER BY valid_from DESC, id DESC;

-- name: count_references_of_entities
-- How many references leave or reach each of these entities at a moment?
SELECT wanted.entity, count(*) AS count
FROM unnest($2::uuid[]) AS wanted (entity)
JOIN reference ON reference.tenant_id = $1
    AND ($3::boolean AND source = wanted.entity OR $4::boolean AND target = wanted.entity)
JOIN entity AS other ON other.tenant_id = $1
    AND other.id = CASE WHEN source = wanted.entity THEN target ELSE source END
WHERE ($5::text IS NULL OR type = $5)
    AND valid_from <= $6 AND (valid_until > $6 OR valid_until IS NULL)
    AND reference.recorded_at <= $7 AND (retracted_at > $7 OR retracted_at IS NULL)
    AND other.created_at <= $6
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = other.id AND absence.artifact IS NULL
            AND absence.recorded_at <= $7 AND (absence.retracted_at > $7 OR absence.retracted_at IS NULL)
            AND absence.valid_from <= $6 AND (absence.valid_until > $6 OR absence.valid_until IS NULL)
    )
GROUP BY wanted.entity;

-- name: artifacts_of_entities
-- Which artifacts does each of these entities have by what is known, but for hidden ones, the newest first, after a position?
-- Given an instant, those that begin by then.
SELECT found.*
FROM unnest($2::uuid[]) AS wanted (entity)
CROSS JOIN LATERAL (
    SELECT
        artifact.id, number, artifact.project_id, type.name AS kind, identifier, title, body, domain,
        created_at, artifact.recorded_at, source_uri, source_commit, author, content_hash, artifact.entity,
        meta, date_source, date_precision, stated_at
    FROM artifact JOIN type USING (tenant_id, type_id)
    WHERE tenant_id = $1 AND artifact.entity = wanted.entity
        AND artifact.recorded_at <= $3 AND ($4::timestamptz IS NULL OR created_at <= $4)
        AND NOT EXISTS (
            SELECT FROM absence
            WHERE absence.tenant_id = $1 AND absence.entity = artifact.entity AND absence.artifact = artifact.id
                AND absence.recorded_at <= $3 AND (absence.retracted_at > $3 OR absence.retracted_at IS NULL)
        )
        AND ($5::timestamptz IS NULL OR (created_at, artifact.id) < ($5, $6::uuid))
    ORDER BY created_at DESC, artifact.id DESC
    LIMIT $7
) AS found
ORDER BY created_at DESC, id DESC;

-- name: count_artifacts_of_entities
-- How many artifacts does each of these entities have by what is known, but for hidden ones? Given an instant, of those that
-- begin by then.
SELECT entity, count(*) AS count
FROM artifact
WHERE tenant_id = $1 AND entity = ANY ($2::uuid[])
    AND recorded_at <= $3 AND ($4::timestamptz IS NULL OR created_at <= $4)
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = artifact.entity AND absence.artifact = artifact.id
            AND absence.recorded_at <= $3 AND (absence.retracted_at > $3 OR absence.retracted_at IS NULL)
    )
GROUP BY entity;

-- name: aliases_of_entities
-- By which aliases does each of these entities go at a moment?
SELECT id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until
FROM alias
WHERE tenant_id = $1 AND target = ANY ($2::uuid[])
    AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
    AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
ORDER BY folded_form, id;

-- name: similar_to_entities
-- Which other entities of its project are nearest in meaning to each of these, by their newest documents at a moment?
WITH newest AS (
    SELECT DISTINCT ON (entity) entity, number, project_id
    FROM artifact
    WHERE tenant_id = $1 AND created_at <= $3 AND recorded_at <= $5
        AND project_id IN (SELECT project_id FROM entity WHERE tenant_id = $1 AND id = ANY ($2::uuid[]))
        AND NOT EXISTS (
            SELECT FROM absence
            WHERE absence.tenant_id = $1 AND absence.entity = artifact.entity
                AND absence.recorded_at <= $5 AND (absence.retracted_at > $5 OR absence.retracted_at IS NULL)
                AND (absence.artifact IS NULL OR absence.artifact = artifact.id)
                AND absence.valid_from <= $3 AND (absence.valid_until > $3 OR absence.valid_until IS NULL)
        )
    ORDER BY entity, created_at DESC
),
wanted AS (
    SELECT newest.entity, newest.project_id, avg(vector::vector)::halfvec AS centre
    FROM newest
    JOIN embedding ON embedding.tenant_id = $1 AND embedding.project_id = newest.project_id
        AND artifact_number = number
    WHERE newest.entity = ANY ($2::uuid[])
    GROUP BY newest.entity, newest.project_id
)
SELECT wanted.entity AS asked, near.entity, near.score
FROM wanted
CROSS JOIN LATERAL (
    SELECT newest.entity, 1 - min(vector <=> wanted.centre) AS score
    FROM newest
    JOIN embedding ON embedding.tenant_id = $1 AND embedding.project_id = newest.project_id
        AND artifact_number = number
    WHERE newest.project_id = wanted.project_id AND newest.entity <> wanted.entity
    GROUP BY newest.entity
    ORDER BY score DESC, newest.entity
    LIMIT $4
) AS near
ORDER BY near.score DESC, near.entity;
