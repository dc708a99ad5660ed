-- name: insert_token
-- Record a token by its hash; it ends after a lifetime, or never.
INSERT INTO token (tenant_id, id, hash, role, principal, project_id, expires_at)
VALUES (:tenant, :id, :hash, :role, :principal, :project, clock_timestamp() + :lifetime::interval);

-- name: all_tokens
-- Which tokens were made, for whom, and until when are they good?
SELECT token.id, tenant.key AS tenant, project.key AS project, role, principal, token.created_at, expires_at, revoked_at
FROM token
JOIN tenant USING (tenant_id)
LEFT JOIN project USING (tenant_id, project_id)
WHERE $1::uuid IS NULL OR token.id = $1
ORDER BY token.created_at, token.id;

-- name: revoke_token
-- End a token now, unless it is revoked already.
UPDATE token SET revoked_at = clock_timestamp() WHERE id = $1 AND revoked_at IS NULL;

-- name: grant_of_hash
-- What may the bearer of the token with this hash do, if it is still good?
SELECT role, principal, project_id, expires_at
FROM token
WHERE tenant_id = $1 AND hash = $2 AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > clock_timestamp());

-- name: all_tenants
-- Which tenants are there, and how many projects and tokens do they have?
SELECT tenant.key, tenant.created_at,
    (SELECT count(*) FROM project WHERE project.tenant_id = tenant.tenant_id) AS projects,
    (SELECT count(*) FROM token WHERE token.tenant_id = tenant.tenant_id AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > clock_timestamp())) AS tokens
FROM tenant
ORDER BY tenant.key;

-- name: key_of_tenant
-- What is the key of this tenant?
SELECT key FROM tenant WHERE tenant_id = $1;
