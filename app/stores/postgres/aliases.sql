-- name: insert_alias
-- Record an alias.
INSERT INTO alias (
    tenant_id, id, project_id, surface_form, folded_form, first_word, target, source, authority_tier,
    source_artifact, valid_from, valid_until, recorded_at, actor
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);

-- name: believed_aliases
-- What do these forms mean in a project, at any time?
SELECT id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until
FROM alias
WHERE tenant_id = $1 AND project_id = $2 AND folded_form = ANY ($3::text[])
    AND retracted_at IS NULL;

-- name: stated_by
-- Which open aliases do the artifacts of an entity state?
SELECT alias.id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until,
    alias.project_id
FROM alias JOIN artifact ON artifact.tenant_id = alias.tenant_id AND artifact.id = alias.source_artifact
WHERE alias.tenant_id = $1 AND artifact.entity = $2 AND retracted_at IS NULL AND valid_until IS NULL;

-- name: retract_alias
-- Stop believing an alias.
UPDATE alias SET retracted_at = $3 WHERE tenant_id = $1 AND id = $2 AND retracted_at IS NULL;
