-- name: insert_embeddings
-- Record the vectors of an artifact's passages.
INSERT INTO embedding (tenant_id, project_id, artifact_number, ordinal, created_at, recorded_at, vector)
VALUES (:tenant, :project, :artifact, :ordinal, :created_at, :recorded_at, :vector);

-- name: vectors_of_latest
-- Which passages had the version of a document, by its key, that was filed last, with their vectors of model $4?
SELECT latest.title, heading, text, vector
FROM project
JOIN entity ON entity.tenant_id = $1 AND entity.project_id = project.project_id AND entity.key = $3
CROSS JOIN LATERAL (
    SELECT number, title
    FROM artifact
    WHERE artifact.tenant_id = $1 AND artifact.entity = entity.id
    ORDER BY artifact.created_at = entity.created_at, artifact.recorded_at DESC
    LIMIT 1
) AS latest
JOIN passage ON passage.tenant_id = $1 AND passage.artifact_number = latest.number
JOIN embedding ON embedding.tenant_id = $1 AND embedding.project_id = project.project_id
    AND embedding.artifact_number = latest.number AND embedding.ordinal = passage.ordinal
WHERE project.tenant_id = $1 AND folded_key = $2
    AND EXISTS (SELECT FROM embedding_model WHERE fingerprint = $4);

-- name: nearest_artifacts
-- Which artifacts have the $9 passages nearest to a vector, among those visible at a moment?
-- Distances are taken before anything is sorted, so that no plan ever sorts vectors. Vectors of another model
-- than $10 are no answer, and neither are the artifacts $11.
WITH near AS MATERIALIZED (
    SELECT artifact_number, CASE WHEN NOT is_unknown(created_at) THEN nullif(created_at, recorded_at) END AS created_at, vector <=> $5 AS distance
    FROM embedding
    WHERE EXISTS (SELECT FROM embedding_model WHERE fingerprint = $10)
        AND tenant_id = $1 AND project_id = ANY ($2::integer[]) AND created_at <= $3 AND recorded_at <= $4
        AND artifact_number <> ALL ($11::bigint[])
        AND ($7::integer[] IS NULL AND $8::text[] IS NULL OR EXISTS (
            SELECT FROM artifact
            WHERE artifact.tenant_id = $1 AND artifact.number = artifact_number
                AND ($7::integer[] IS NULL OR type_id = ANY ($7)) AND ($8::text[] IS NULL OR domain = ANY ($8))
        ))
    ORDER BY distance, artifact_number
    LIMIT $9
)
SELECT artifact_number, 1 - min(distance) AS score, min(created_at) AS created_at,
    (SELECT count(*) FROM near) AS passages
FROM near
WHERE distance < 'NaN'  -- a vector of zeros is at no distance from anything
GROUP BY artifact_number
ORDER BY score DESC, artifact_number
LIMIT $6;

-- name: embedding_model
-- With which model were the vectors of this ledger made?
SELECT name, fingerprint, dimensions FROM embedding_model;

-- name: insert_embedding_model
-- Note the model of this ledger's vectors, unless one is noted.
INSERT INTO embedding_model (name, fingerprint, dimensions) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: try_lock
-- Does this session alone re-embed the ledger from now on?
SELECT pg_try_advisory_lock($1);

-- name: hold_model
-- Wait for every write that relies on the model, and let none begin until this transaction ends.
LOCK TABLE embedding_model IN ACCESS EXCLUSIVE MODE;

-- name: forget_vectors
-- Drop the vectors of every tenant.
TRUNCATE embedding;

-- name: replace_model
-- Note what the vectors of this ledger are made with from now on.
UPDATE embedding_model SET name = $1, fingerprint = $2, dimensions = $3;

-- name: count_without_vectors
-- How many artifacts of all tenants have no vectors?
SELECT count(*) FROM artifact
WHERE NOT EXISTS (
    SELECT FROM embedding
    WHERE embedding.tenant_id = artifact.tenant_id AND embedding.project_id = artifact.project_id
        AND embedding.artifact_number = artifact.number
);

-- name: artifacts_after
-- Which artifacts without vectors come next in the order of tenant and number?
SELECT tenant_id, number, project_id, title, body, created_at, recorded_at
FROM artifact
WHERE (tenant_id, number) > ($1, $2) AND NOT EXISTS (
    SELECT FROM embedding
    WHERE embedding.tenant_id = artifact.tenant_id AND embedding.project_id = artifact.project_id
        AND embedding.artifact_number = artifact.number
)
ORDER BY tenant_id, number
LIMIT $3;

-- name: forget_passages
-- Drop the passages of an artifact, whose vectors are gone already.
DELETE FROM passage WHERE tenant_id = $1 AND artifact_number = $2;
