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
