-- name: types
-- What are these types? Columns are named as the graph names them, here and below.
SELECT
    type.tenant_id || '/' || type_id AS key, type.tenant_id AS tenant, project_id AS project,
    project.key AS "projectKey", type.name, zone, ptype, is_document AS "isDocument",
    immutable_props AS "immutableProps", mutable_props AS "mutableProps"
FROM unnest($1::integer[], $2::integer[]) AS asked (tenant_id, type_id)
JOIN type USING (tenant_id, type_id)
LEFT JOIN project USING (tenant_id, project_id);

-- name: rules
-- What may these types reference?
SELECT
    tenant_id || '/' || source_type AS source, tenant_id || '/' || target_type AS target,
    tenant_id AS tenant, reference_type AS type
FROM unnest($1::integer[], $2::integer[]) AS asked (tenant_id, source_type)
JOIN reference_rule USING (tenant_id, source_type);

-- name: entities
-- What are these entities, and instances of which types?
SELECT
    entity.tenant_id || '/' || type_id AS type,
    id, entity.tenant_id AS tenant, project_id AS project, project.key AS "projectKey",
    created_at AS "createdAt", entity.recorded_at AS "recordedAt", source_artifact AS "sourceArtifact"
FROM unnest($1::integer[], $2::uuid[]) AS asked (tenant_id, id)
JOIN entity USING (tenant_id, id)
JOIN project USING (tenant_id, project_id);

-- name: states
-- What are these states? The names in them stand beside them, for people who look.
SELECT
    state.id, state.tenant_id AS tenant, entity.project_id AS project, project.key AS "projectKey", state.entity, branch,
    valid_from AS "validFrom", valid_until AS "validUntil", state.recorded_at AS "recordedAt",
    retracted_at AS "retractedAt", props::text AS props, state.source_artifact AS "sourceArtifact",
    props ->> 'title' AS title, props ->> 'name' AS name, props ->> 'identifier' AS identifier,
    props ->> 'status' AS status
FROM unnest($1::integer[], $2::uuid[]) AS asked (tenant_id, id)
JOIN entity_state AS state USING (tenant_id, id)
JOIN entity ON entity.tenant_id = state.tenant_id AND entity.id = state.entity
JOIN project ON project.tenant_id = state.tenant_id AND project.project_id = entity.project_id;

-- name: artifacts
-- What are these artifacts, without their text?
SELECT
    id, artifact.tenant_id AS tenant, artifact.project_id AS project, project.key AS "projectKey", number, entity,
    type.name AS kind, type_id AS "typeId", identifier, title, domain, created_at AS "createdAt",
    artifact.recorded_at AS "recordedAt"
FROM unnest($1::integer[], $2::uuid[]) AS asked (tenant_id, id)
JOIN artifact USING (tenant_id, id)
JOIN type USING (tenant_id, type_id)
JOIN project ON project.tenant_id = artifact.tenant_id AND project.project_id = artifact.project_id;

-- name: absences
-- What are these absences of documents, or of one version of them?
SELECT
    absence.id, tenant_id AS tenant, absence.project_id AS project, project.key AS "projectKey", entity, artifact,
    valid_from AS "validFrom", valid_until AS "validUntil", source, source_commit AS "sourceCommit", reason,
    absence.recorded_at AS "recordedAt", retracted_at AS "retractedAt"
FROM unnest($1::integer[], $2::uuid[]) AS asked (tenant_id, id)
JOIN absence USING (tenant_id, id)
JOIN project USING (tenant_id, project_id);

-- name: events
-- Which of these events replaced one state by another? The first state of a thing replaces none.
SELECT
    from_state AS source, to_state AS target, tenant_id AS tenant, id, event_type AS "eventType", at,
    cause_artifact AS "causeArtifact", cause_commit AS "causeCommit", description, props_drift AS "propsDrift"
FROM unnest($1::integer[], $2::uuid[]) AS asked (tenant_id, id)
JOIN state_event USING (tenant_id, id)
WHERE from_state IS NOT NULL;

-- name: aliases
-- What do these aliases mean? One that no other name of a thing stands behind leads from its target to itself.
SELECT
    coalesce(source, target) AS source, target, tenant_id AS tenant, id, surface_form AS "surfaceForm",
    folded_form AS "foldedForm", authority_tier AS "authorityTier", valid_from AS "validFrom",
    valid_until AS "validUntil", recorded_at AS "recordedAt", retracted_at AS "retractedAt",
    source_artifact AS "sourceArtifact"
FROM unnest($1::integer[], $2::uuid[]) AS asked (tenant_id, id)
JOIN alias USING (tenant_id, id);

-- name: references
-- What do these references join?
SELECT
    type, source, target, tenant_id AS tenant, id, occurrences, valid_from AS "validFrom",
    valid_until AS "validUntil", recorded_at AS "recordedAt", retracted_at AS "retractedAt",
    source_artifact AS "sourceArtifact", nullif(in_part, false) AS "inPart"
FROM unnest($1::integer[], $2::uuid[]) AS asked (tenant_id, id)
JOIN reference USING (tenant_id, id);

-- name: mentions
-- Which entities do these artifacts mention, and by which forms?
SELECT
    artifact AS source, mention.entity AS target, tenant_id AS tenant, mention.entity,
    array_agg(surface_form ORDER BY surface_form COLLATE "C") AS "surfaceForms", min(recorded_at) AS "recordedAt"
FROM unnest($1::integer[], $2::uuid[]) AS asked (tenant_id, artifact)
JOIN mention USING (tenant_id, artifact)
GROUP BY tenant_id, artifact, mention.entity;

-- name: every_row
-- Which rows does the graph consist of, whatever was ever noted of them?
SELECT 'type' AS kind, tenant_id, lpad(to_hex(type_id), 32, '0')::uuid AS row_id FROM type
UNION ALL SELECT 'entity', tenant_id, id FROM entity
UNION ALL SELECT 'entity_state', tenant_id, id FROM entity_state
UNION ALL SELECT 'artifact', tenant_id, id FROM artifact
UNION ALL SELECT 'absence', tenant_id, id FROM absence
UNION ALL SELECT 'state_event', tenant_id, id FROM state_event
UNION ALL SELECT 'alias', tenant_id, id FROM alias
UNION ALL SELECT 'reference', tenant_id, id FROM reference
UNION ALL (SELECT DISTINCT 'mentions', tenant_id, artifact FROM mention);
