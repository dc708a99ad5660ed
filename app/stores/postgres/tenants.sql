-- name: tenant_by_key
-- Which tenant has this key?
SELECT tenant_id FROM tenant WHERE key = $1;

-- name: create_tenant
-- Record a tenant unless its key is taken.
INSERT INTO tenant (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING tenant_id;

-- name: create_clock
-- Start a tenant's ledger clock.
INSERT INTO ledger_clock (tenant_id) VALUES ($1);
