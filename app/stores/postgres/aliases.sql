-- name: insert_alias
-- Record an alias.
INSERT INTO alias (
    tenant_id, id, project_id, surface_form, folded_form, first_word, target, source, authority_tier,
    source_artifact, valid_from, valid_until, recorded_at, actor
) VALUES (
    :tenant, :id, :project, :surface_form, :folded_form, :first_word, :target, :source, :authority_tier,
    :source_artifact, :valid_from, :valid_until, :recorded_at, :actor
);

-- name: current_aliases
-- What do these forms mean in a project, at any time?
SELECT id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until
FROM alias
WHERE tenant_id = $1 AND project_id = $2 AND folded_form = ANY ($3::text[])
    AND retracted_at IS NULL;

-- name: recorded_alias
-- Which alias has this id, in which project, and is it believed?
SELECT id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until,
    project_id, retracted_at IS NULL AS is_believed
FROM alias
WHERE tenant_id = $1 AND id = $2;

-- name: called_from
-- Which entities of a project have this key, or are called so, in what is in force, at some of a stretch of time?
SELECT id
FROM entity JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND entity.project_id = $2 AND (key = $4 OR bare_key = $4)
    AND 'identifier' = ANY (immutable_props)
UNION
SELECT state_name.entity
FROM state_name
JOIN entity_state AS state ON state.tenant_id = state_name.tenant_id AND state.id = state_name.state
JOIN entity ON entity.tenant_id = state_name.tenant_id AND entity.id = state_name.entity
WHERE state_name.tenant_id = $1 AND entity.project_id = $2 AND folded_form = $3
    AND state.branch = 'COMMITTED' AND state.retracted_at IS NULL
    AND (state.valid_until > $5 OR state.valid_until IS NULL)
    AND ($6::timestamptz IS NULL OR state.valid_from < $6);

-- name: goes_by
-- Has an entity this key, or does it, or did it ever, go by this form, as a name in force or as an alias?
SELECT
    EXISTS (
        SELECT FROM entity JOIN type USING (tenant_id, type_id)
        WHERE tenant_id = $1 AND id = $2 AND (key = $4 OR bare_key = $4) AND 'identifier' = ANY (immutable_props)
    )
    OR EXISTS (
        SELECT
        FROM state_name
        JOIN entity_state AS state ON state.tenant_id = state_name.tenant_id AND state.id = state_name.state
        WHERE state_name.tenant_id = $1 AND state_name.entity = $2 AND folded_form = $3
            AND state.branch = 'COMMITTED' AND state.retracted_at IS NULL
    )
    OR EXISTS (
        SELECT FROM alias WHERE tenant_id = $1 AND target = $2 AND folded_form = $3 AND retracted_at IS NULL
    );

-- name: preferred_targets
-- Which entities do an entity's aliases prefer to it at an instant or later?
SELECT target
FROM alias
WHERE tenant_id = $1 AND source = $2 AND retracted_at IS NULL AND (valid_until > $3 OR valid_until IS NULL);

-- name: candidate_of
-- Which candidate suggests a form for an entity?
SELECT id FROM alias_candidate
WHERE tenant_id = $1 AND project_id = $2 AND folded_form = $3 AND entity = $4;

-- name: stated_by
-- Which open aliases do the artifacts of an entity state?
SELECT alias.id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until,
    alias.project_id
FROM alias JOIN artifact ON artifact.tenant_id = alias.tenant_id AND artifact.id = alias.source_artifact
WHERE alias.tenant_id = $1 AND artifact.entity = $2 AND retracted_at IS NULL AND valid_until IS NULL;

-- name: aliases_since
-- Which aliases of an entity hold since a moment, or began before another one?
SELECT id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until
FROM alias
WHERE tenant_id = $1 AND target = $2 AND retracted_at IS NULL AND (valid_from = $3 OR valid_from < $4)
ORDER BY id;

-- name: retract_alias
-- Stop believing an alias.
UPDATE alias SET retracted_at = $3 WHERE tenant_id = $1 AND id = $2 AND retracted_at IS NULL;
