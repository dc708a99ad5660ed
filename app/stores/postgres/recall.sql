-- name: hits_by_vector
-- What are these artifacts, and which passage of each says most about a vector?
-- A passage of a few words is little more than its title, so it must be nearer by $4 to be chosen.
SELECT
    artifact.id, artifact.number, artifact.project_id, type.name AS kind, identifier, title, body, domain,
    created_at, artifact.recorded_at, source_uri, source_commit, author, content_hash, entity,
    meta, date_source, date_precision, stated_at, best.ordinal, best.heading, best.text, best.tokens
FROM artifact
JOIN type USING (tenant_id, type_id)
CROSS JOIN LATERAL (
    SELECT passage.ordinal, heading, text, tokens
    FROM passage
    LEFT JOIN embedding ON embedding.tenant_id = $1 AND embedding.project_id = artifact.project_id
        AND embedding.artifact_number = artifact.number AND embedding.ordinal = passage.ordinal
    WHERE passage.tenant_id = $1 AND passage.artifact_number = artifact.number
    ORDER BY (vector <=> $3) + CASE WHEN tokens < $5 THEN $4::float8 ELSE 0 END, passage.ordinal
    LIMIT 1
) AS best
WHERE artifact.tenant_id = $1 AND artifact.number = ANY ($2::bigint[]);

-- name: hits_from_the_start
-- What are these artifacts, and how do they begin?
SELECT
    artifact.id, artifact.number, artifact.project_id, type.name AS kind, identifier, title, body, domain,
    created_at, artifact.recorded_at, source_uri, source_commit, author, content_hash, entity,
    meta, date_source, date_precision, stated_at, passage.ordinal, passage.heading, passage.text, passage.tokens
FROM artifact
JOIN type USING (tenant_id, type_id)
JOIN passage ON passage.tenant_id = $1 AND passage.artifact_number = artifact.number AND passage.ordinal = 0
WHERE artifact.tenant_id = $1 AND artifact.number = ANY ($2::bigint[]);

-- name: standings_as_of
-- How do the entities of these artifacts, these entities, and those said to supersede them step by step, stand at a moment:
-- which of the artifacts that are there then are of each, which is its newest, which states hold, for which successor does it
-- wait, what supersedes a part of it, the latest first, and what do the words of its team mean? One row per entity and state.
WITH RECURSIVE asked AS (
    SELECT entity, array_agg(number) AS numbers
    FROM artifact
    WHERE tenant_id = $1 AND number = ANY ($2::bigint[]) AND created_at <= $3 AND recorded_at <= $4
    GROUP BY entity
),
looked_at (entity) AS (
    SELECT entity FROM (SELECT entity FROM asked UNION SELECT unnest($6::uuid[])) AS start
    UNION
    SELECT reference.source
    FROM looked_at JOIN reference ON reference.tenant_id = $1 AND reference.target = looked_at.entity
    WHERE type = 'SUPERSEDES'
        AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
        AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
)
SELECT
    looked_at.entity, asked.numbers, newest.number AS newest,
    held.id, held.branch, held.valid_from, held.valid_until, held.recorded_at, held.retracted_at, held.props,
    held.source_artifact, held.actor, held.wip_source, awaited.target_text AS awaited_successor, said.team_words,
    in_part.successors
FROM looked_at
LEFT JOIN asked USING (entity)
LEFT JOIN LATERAL (
    SELECT number
    FROM artifact
    WHERE tenant_id = $1 AND artifact.entity = looked_at.entity AND created_at <= $3 AND recorded_at <= $4
        AND number <> ALL ($5::bigint[])
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
) AS held ON true
LEFT JOIN LATERAL (
    SELECT target_text
    FROM pending_reference
    WHERE tenant_id = $1 AND source = looked_at.entity AND type = 'SUPERSEDES' AND inverted
        AND valid_from <= $3 AND recorded_at <= $4 AND (closed_at > $4 OR closed_at IS NULL)
    ORDER BY recorded_at, target_key
    LIMIT 1
) AS awaited ON true
CROSS JOIN LATERAL (
    SELECT jsonb_agg(successor.props ORDER BY reference.valid_from DESC, reference.id) AS successors
    FROM reference
    JOIN entity_state AS successor ON successor.tenant_id = $1 AND successor.entity = reference.source
        AND successor.branch = 'COMMITTED'
        AND successor.valid_from <= $3 AND (successor.valid_until > $3 OR successor.valid_until IS NULL)
        AND successor.recorded_at <= $4 AND (successor.retracted_at > $4 OR successor.retracted_at IS NULL)
    WHERE reference.tenant_id = $1 AND reference.target = looked_at.entity AND reference.in_part
        AND reference.valid_from <= $3 AND (reference.valid_until > $3 OR reference.valid_until IS NULL)
        AND reference.recorded_at <= $4 AND (reference.retracted_at > $4 OR reference.retracted_at IS NULL)
) AS in_part
CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(phrase, flag) AS team_words
    FROM entity JOIN status_word USING (tenant_id, project_id)
    WHERE tenant_id = $1 AND entity.id = looked_at.entity
        AND status_word.recorded_at <= $4 AND (closed_at > $4 OR closed_at IS NULL)
) AS said;
