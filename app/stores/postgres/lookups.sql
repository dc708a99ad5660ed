-- name: kinds_of_nodes
-- What kinds of things have these ids?
SELECT id, 'Entity' AS kind FROM entity WHERE tenant_id = $1 AND id = ANY ($2::uuid[])
UNION ALL
SELECT id, 'EntityState' FROM entity_state WHERE tenant_id = $1 AND id = ANY ($2::uuid[])
UNION ALL
SELECT id, 'Alias' FROM alias WHERE tenant_id = $1 AND id = ANY ($2::uuid[])
UNION ALL
SELECT id, 'Reference' FROM reference WHERE tenant_id = $1 AND id = ANY ($2::uuid[])
UNION ALL
SELECT id, 'Artifact' FROM artifact WHERE tenant_id = $1 AND id = ANY ($2::uuid[])
UNION ALL
SELECT id, 'AliasCandidate' FROM alias_candidate WHERE tenant_id = $1 AND id = ANY ($2::uuid[])
UNION ALL
SELECT id, 'FactCandidate' FROM fact_candidate WHERE tenant_id = $1 AND id = ANY ($2::uuid[]);

-- name: types_of_entities
-- Of which type is each of these entities?
SELECT entity.id AS entity, name, zone, ptype, is_document, immutable_props, mutable_props
FROM entity JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND entity.id = ANY ($2::uuid[]);

-- name: projects_by_number
-- Which projects have these numbers?
SELECT project_id, key, name FROM project WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]);

-- name: project_sizes
-- How many entities and artifacts do these projects hold?
SELECT
    project_id,
    (SELECT count(*) FROM entity WHERE entity.tenant_id = $1 AND entity.project_id = wanted.project_id) AS entities,
    (SELECT count(*) FROM artifact WHERE artifact.tenant_id = $1 AND artifact.project_id = wanted.project_id)
        AS artifacts
FROM unnest($2::integer[]) AS wanted (project_id);

-- name: aliases_by_id
-- Which aliases have these ids?
SELECT id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until
FROM alias
WHERE tenant_id = $1 AND id = ANY ($2::uuid[]);

-- name: aliases_of_form
-- Which aliases have this form at an instant?
SELECT id, surface_form, target, source, authority_tier, source_artifact, valid_from, valid_until
FROM alias
WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND folded_form = $3
    AND valid_from <= $4 AND (valid_until > $4 OR valid_until IS NULL) AND retracted_at IS NULL
ORDER BY project_id, id;

-- name: alias_chain
-- Which aliases lead from an entity to its preferred one at an instant, step by step?
WITH RECURSIVE step (entity, path) AS (
    SELECT $2::uuid, ARRAY[]::uuid[]
    UNION ALL
    SELECT next.target, step.path || next.id
    FROM step
    CROSS JOIN LATERAL (
        SELECT target, id
        FROM alias
        WHERE tenant_id = $1 AND source = step.entity
            AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL) AND retracted_at IS NULL
        ORDER BY valid_from, id
        LIMIT 1
    ) AS next
    WHERE next.id <> ALL (step.path)
)
SELECT path FROM step ORDER BY cardinality(path) DESC LIMIT 1;

-- name: speaking_states
-- By which state is each of these entities called at an instant, as known at another: the one in force, or else the
-- first one that is to come; and what of it never changes?
SELECT DISTINCT ON (state.entity) state.entity, state.props, type.immutable_props
FROM entity_state AS state
JOIN entity ON entity.tenant_id = state.tenant_id AND entity.id = state.entity
JOIN type ON type.tenant_id = entity.tenant_id AND type.type_id = entity.type_id
WHERE state.tenant_id = $1 AND state.entity = ANY ($2::uuid[]) AND state.branch = 'COMMITTED'
    AND (state.valid_until > $3 OR state.valid_until IS NULL)
    AND state.recorded_at <= $4 AND (state.retracted_at > $4 OR state.retracted_at IS NULL)
ORDER BY state.entity, state.valid_from;
