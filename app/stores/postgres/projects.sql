-- name: all_projects
-- Which projects does this tenant have?
SELECT project_id, key, name FROM project WHERE tenant_id = $1 ORDER BY folded_key;

-- name: project_by_key
-- Which project has this key?
SELECT project_id, key, name FROM project WHERE tenant_id = $1 AND folded_key = $2;

-- name: insert_project
-- Record a project.
INSERT INTO project (tenant_id, key, folded_key, name, recorded_at)
VALUES ($1, $2, $3, $2, $4)
RETURNING project_id, key, name;

-- name: tenant_by_key
-- Which tenant has this key?
SELECT tenant_id FROM tenant WHERE key = $1;

-- name: create_tenant
-- Record a tenant unless its key is taken.
INSERT INTO tenant (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING tenant_id;

-- name: create_clock
-- Start a tenant's ledger clock.
INSERT INTO ledger_clock (tenant_id) VALUES ($1);
