-- name: insert_entity
-- Record an identity.
INSERT INTO entity (
    tenant_id, id, project_id, type_id, key, bare_key, created_at, recorded_at, source_artifact, actor
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: entity_by_key
-- Which entity of a project has this key?
SELECT entity.id, type.name AS type_name, entity.project_id, key, created_at, source_artifact
FROM entity JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND entity.project_id = $2 AND key = $3;

-- name: entities_by_id
-- Which entities have these ids?
SELECT entity.id, type.name AS type_name, entity.project_id, key, created_at, source_artifact
FROM entity JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND entity.id = ANY ($2::uuid[]);

-- name: entities_by_keys
-- Which entities of a project answer to these keys, whole or without their namespace?
SELECT id, key, bare_key
FROM entity
WHERE tenant_id = $1 AND project_id = $2 AND (key = ANY ($3::text[]) OR bare_key = ANY ($3::text[]));
