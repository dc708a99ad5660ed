-- name: valid_indexes
-- Which projects have an index of their own over their vectors, and how many vectors are in it?
SELECT substr(relname, length('embedding_of_project_') + 1)::integer AS project, greatest(reltuples, 0)::bigint AS vectors
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = 'embedding'::regclass AND indisvalid AND starts_with(relname, 'embedding_of_project_');

-- name: nearest_in_project
-- Which artifacts of a project have the passages nearest to a vector, among $6 passages that its index finds?
-- Written for project 0 and 384 dimensions: only literals match a partial index. The index may answer a little
-- out of order, so that what it found is sorted once more.
WITH near AS MATERIALIZED (
    SELECT artifact_number, CASE WHEN NOT is_unknown(created_at) THEN nullif(created_at, recorded_at) END AS created_at, vector::halfvec(384) <=> $4 AS distance
    FROM embedding
    WHERE EXISTS (SELECT FROM embedding_model WHERE fingerprint = $5)
        AND tenant_id = $1 AND project_id = 0 AND created_at <= $2 AND recorded_at <= $3
        AND artifact_number <> ALL ($10::bigint[])
        AND ($8::integer[] IS NULL AND $9::text[] IS NULL OR EXISTS (
            SELECT FROM artifact
            WHERE artifact.tenant_id = $1 AND artifact.number = artifact_number
                AND ($8::integer[] IS NULL OR type_id = ANY ($8)) AND ($9::text[] IS NULL OR domain = ANY ($9))
        ))
    ORDER BY vector::halfvec(384) <=> $4
    LIMIT $6
)
SELECT artifact_number, 1 - min(distance) AS score, min(created_at) AS created_at,
    (SELECT count(*) FROM near) AS passages
FROM near
WHERE distance < 'NaN'  -- a vector of zeros is at no distance from anything
GROUP BY artifact_number
ORDER BY score DESC, artifact_number
LIMIT $7;

-- name: may_index
-- May this session make indexes over vectors?
SELECT pg_has_role(relowner, 'USAGE') AND has_schema_privilege(relnamespace, 'CREATE')
FROM pg_class WHERE oid = 'embedding'::regclass;

-- name: try_lock
-- Does this session alone make indexes from now on?
SELECT pg_try_advisory_lock($1);

-- name: large_projects
-- Which projects of all tenants, or of one, have at least $1 vectors, how many, and what is there of an index?
SELECT project.project_id AS project, project.key, vectors, coalesce(is_valid, false) AS has_index,
    EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = made.oid) AS is_building
FROM project
JOIN tenant USING (tenant_id)
CROSS JOIN LATERAL (
    SELECT count(*) AS vectors
    FROM embedding
    WHERE embedding.tenant_id = project.tenant_id AND embedding.project_id = project.project_id
) AS held
LEFT JOIN LATERAL (
    SELECT indexrelid AS oid, indisvalid AS is_valid
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = 'embedding'::regclass AND relname = 'embedding_of_project_' || project.project_id
) AS made ON true
WHERE vectors >= $1 AND ($2::text IS NULL OR tenant.key = $2)
ORDER BY project.folded_key, project.project_id;

-- name: unindexed_projects
-- Which projects of all tenants have at least $1 vectors and no index that answers? Nothing is counted further.
SELECT project.project_id AS project, project.key
FROM project
CROSS JOIN LATERAL (
    SELECT count(*) AS counted
    FROM (
        SELECT FROM embedding
        WHERE embedding.tenant_id = project.tenant_id AND embedding.project_id = project.project_id
        LIMIT $1
    ) AS first_ones
) AS held
WHERE counted >= $1 AND NOT EXISTS (
    SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = 'embedding'::regclass AND indisvalid
        AND relname = 'embedding_of_project_' || project.project_id
)
ORDER BY project.project_id;

-- name: count_vectors
-- How many vectors has a project?
SELECT count(*)
FROM embedding JOIN project USING (tenant_id, project_id)
WHERE project_id = $1;

-- name: allow_memory
-- Let this session make indexes in so much memory, by itself: others want the processors too.
SELECT set_config('maintenance_work_mem', $1, false), set_config('max_parallel_maintenance_workers', '0', false);

-- name: create_index
-- Index the vectors of project 0, of 384 dimensions, while others read and write.
CREATE INDEX CONCURRENTLY embedding_of_project_0 ON embedding
USING hnsw ((vector::halfvec(384)) halfvec_cosine_ops) WHERE project_id = 0;

-- name: drop_index
-- Drop what there is of the index of project 0, while others read and write.
DROP INDEX CONCURRENTLY IF EXISTS embedding_of_project_0;

-- name: drop_index_at_once
-- Drop what there is of the index of project 0, in the caller's transaction.
DROP INDEX IF EXISTS embedding_of_project_0;

-- name: indexed_projects
-- Which projects have an index, finished or not?
SELECT substr(relname, length('embedding_of_project_') + 1)::integer AS project
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = 'embedding'::regclass AND starts_with(relname, 'embedding_of_project_');
