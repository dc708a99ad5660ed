-- name: server
-- Which server holds the ledger, with which pgvector, and how large is it?
SELECT
    current_setting('server_version') AS server_version,
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector_version,
    pg_database_size(current_database()) AS bytes;

-- name: project_counts
-- How much does each project of a tenant hold, and how much waits in it?
SELECT
    project.key,
    (SELECT count(*) FROM artifact AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id) AS documents,
    (SELECT count(*) FROM entity AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id) AS entities,
    (SELECT count(*) FROM pending_reference AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id
            AND closed_at IS NULL) AS pending_references,
    (SELECT count(*) FROM alias_candidate AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id
            AND status = 'PENDING') AS alias_candidates,
    (SELECT count(*) FROM fact_candidate AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id
            AND status = 'PENDING') AS fact_candidates
FROM project
JOIN tenant USING (tenant_id)
WHERE tenant.key = $1
ORDER BY project.folded_key;
