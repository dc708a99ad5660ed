-- name: types_in_project
-- Which types does a project have: its own and those of every project?
SELECT type_id, project_id, name, zone, ptype, is_document, immutable_props, mutable_props
FROM type
WHERE tenant_id = $1 AND (project_id IS NULL OR project_id = ANY ($2::integer[]))
ORDER BY name, type_id;

-- name: insert_type
-- Record a type, in one project or, without one, in all.
INSERT INTO type (
    tenant_id, project_id, name, folded_name, zone, ptype, is_document, immutable_props, mutable_props, recorded_at
) VALUES (
    :tenant, :project, :name, :folded_name, :zone, :ptype, :is_document, :immutable_props, :mutable_props,
    :recorded_at
);

-- name: widen_type
-- Let a type carry these mutable properties as well.
UPDATE type SET mutable_props = mutable_props || $3::text[] WHERE tenant_id = $1 AND type_id = $2;

-- name: insert_rules
-- Record CAN_REFERENCE rules between types of a project that are called so; those there already stay.
INSERT INTO reference_rule (tenant_id, source_type, reference_type, target_type)
SELECT :tenant, source.type_id, rule.reference_type, target.type_id
FROM unnest(:sources::text[], :reference_types::text[], :targets::text[]) AS rule (source, reference_type, target)
JOIN type AS source ON source.tenant_id = :tenant AND source.folded_name = rule.source
    AND (source.project_id IS NULL OR source.project_id = :project::integer)
JOIN type AS target ON target.tenant_id = :tenant AND target.folded_name = rule.target
    AND (target.project_id IS NULL OR target.project_id = :project::integer)
ON CONFLICT DO NOTHING;

-- name: rules_by_source
-- What may the types of these names reference?
SELECT DISTINCT source.name AS source, rule.reference_type, target.name AS target
FROM reference_rule AS rule
JOIN type AS source ON source.tenant_id = rule.tenant_id AND source.type_id = rule.source_type
JOIN type AS target ON target.tenant_id = rule.tenant_id AND target.type_id = rule.target_type
WHERE rule.tenant_id = $1 AND source.folded_name = ANY ($2::text[])
ORDER BY source.name, rule.reference_type, target.name;
