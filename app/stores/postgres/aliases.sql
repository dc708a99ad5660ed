-- name: insert_alias
-- Record an alias.
INSERT INTO alias (
    tenant_id, id, project_id, surface_form, folded_form, target, source, authority_tier, source_artifact,
    valid_from, recorded_at, actor
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- name: believed_aliases
-- What do these forms mean in a project, at any time?
SELECT id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until
FROM alias
WHERE tenant_id = $1 AND project_id = $2 AND folded_form = ANY ($3::text[])
    AND retracted_at IS NULL;
