-- name: insert_reference
-- Record a reference.
INSERT INTO reference (
    tenant_id, id, project_id, source, target, type, occurrences, source_artifact, valid_from, valid_until,
    in_part, recorded_at, actor
) VALUES (
    :tenant, :id, :project, :source, :target, :type, :occurrences, :source_artifact, :valid_from, :valid_until,
    :in_part, :recorded_at, :actor
);

-- name: current_pieces
-- Which references of a type join two entities at an instant or later?
SELECT id, source, target, type, source_artifact, valid_from, valid_until, in_part
FROM reference
WHERE tenant_id = $1 AND source = $2 AND target = $3 AND type = $4 AND in_part = $5
    AND retracted_at IS NULL AND (valid_until > $6 OR valid_until IS NULL)
ORDER BY valid_from;

-- name: current_among
-- Which references are believed of these edges, at any time?
SELECT reference.id, source, target, type, source_artifact, valid_from, valid_until, in_part
FROM (
    SELECT DISTINCT * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::boolean[]) AS edge (source, target, type, in_part)
) AS asked
JOIN reference USING (source, target, type, in_part)
WHERE tenant_id = $1 AND retracted_at IS NULL
ORDER BY valid_from;

-- name: edges_allowed
-- Which of these edges does a rule allow?
SELECT DISTINCT edge.source, edge.target, edge.type, edge.in_part
FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::boolean[]) AS edge (source, target, type, in_part)
JOIN entity AS source ON source.tenant_id = $1 AND source.id = edge.source
JOIN entity AS target ON target.tenant_id = $1 AND target.id = edge.target
JOIN reference_rule AS rule ON rule.tenant_id = $1 AND rule.source_type = source.type_id
    AND rule.target_type = target.type_id AND rule.reference_type = edge.type;

-- name: stated_by
-- Which open references do the artifacts of an entity state?
SELECT reference.id, reference.source, reference.target, reference.type, reference.source_artifact,
    reference.valid_from, reference.valid_until, reference.project_id, reference.occurrences, reference.in_part
FROM reference
JOIN artifact ON artifact.tenant_id = reference.tenant_id AND artifact.id = reference.source_artifact
WHERE reference.tenant_id = $1 AND artifact.entity = $2
    AND reference.retracted_at IS NULL AND reference.valid_until IS NULL;

-- name: recorded_reference
-- Which reference has this id, in which project, named how often, and is it believed?
SELECT id, source, target, type, source_artifact, valid_from, valid_until, in_part, project_id, occurrences,
    retracted_at IS NULL AS is_believed
FROM reference
WHERE tenant_id = $1 AND id = $2;

-- name: current_edge
-- Which reference of a type joins two entities at an instant?
SELECT id, source, target, type, source_artifact, valid_from, valid_until, in_part
FROM reference
WHERE tenant_id = $1 AND source = $2 AND target = $3 AND type = $4 AND in_part = $5
    AND retracted_at IS NULL AND valid_from <= $6 AND (valid_until > $6 OR valid_until IS NULL);

-- name: retract_reference
-- Stop believing a reference.
UPDATE reference SET retracted_at = $3 WHERE tenant_id = $1 AND id = $2 AND retracted_at IS NULL;

-- name: retract_references
-- Stop believing references.
UPDATE reference SET retracted_at = $3 WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) AND retracted_at IS NULL;

-- name: close_pending_of
-- Let the references that an entity states wait no longer.
UPDATE pending_reference SET closed_at = $3 WHERE tenant_id = $1 AND source = $2 AND closed_at IS NULL;

-- name: leads_to
-- Does a chain of supersessions lead from one entity to another, at an instant or later?
WITH RECURSIVE superseded (entity) AS (
    SELECT $2::uuid
    UNION
    SELECT reference.target
    FROM superseded
    JOIN reference ON reference.tenant_id = $1 AND reference.source = superseded.entity
    WHERE reference.type = 'SUPERSEDES' AND reference.retracted_at IS NULL
        AND (reference.valid_until > $4 OR reference.valid_until IS NULL)
)
SELECT EXISTS (SELECT FROM superseded WHERE entity = $3::uuid);

-- name: types_that_may_join
-- By which types of reference may one entity refer to another?
SELECT reference_type
FROM entity AS source
JOIN entity AS target ON target.tenant_id = source.tenant_id AND target.id = $3
JOIN reference_rule AS rule ON rule.tenant_id = source.tenant_id AND rule.source_type = source.type_id
    AND rule.target_type = target.type_id
WHERE source.tenant_id = $1 AND source.id = $2
ORDER BY reference_type;

-- name: insert_pending
-- Keep a reference whose target is not there yet, unless it is kept already.
INSERT INTO pending_reference (
    tenant_id, id, project_id, source, target_key, target_text, type, inverted, occurrences, is_ambiguous,
    source_artifact, valid_from, in_part, recorded_at, actor
) VALUES (
    :tenant, :id, :project, :source, :target_key, :target_text, :type, :inverted, :occurrences, :is_ambiguous,
    :source_artifact, :valid_from, :in_part, :recorded_at, :actor
)
ON CONFLICT DO NOTHING;

-- name: pending_on
-- Which references wait for an entity with one of these keys?
SELECT pending.id, source, entity.key AS source_key, source_uri, target_key, target_text, type, inverted, occurrences,
    is_ambiguous, in_part, pending.source_artifact, pending.recorded_at,
    stated_since($1, entity.id, entity.created_at, valid_from) AS valid_from
FROM pending_reference AS pending
JOIN entity ON entity.tenant_id = pending.tenant_id AND entity.id = pending.source
JOIN artifact ON artifact.tenant_id = pending.tenant_id AND artifact.id = pending.source_artifact
WHERE pending.tenant_id = $1 AND pending.project_id = $2 AND target_key = ANY ($3::text[])
    AND closed_at IS NULL
ORDER BY pending.recorded_at, pending.id;

-- name: close_pending
-- Let these references wait no longer.
UPDATE pending_reference SET closed_at = :closed_at WHERE tenant_id = :tenant AND id = ANY (:ids::uuid[]);

-- name: references_since
-- Which references from or to an entity hold because a document says so, and since when would they if the entity had been
-- there always, or by the date that the document gives? Given a moment, those that hold since then.
SELECT reference.id, source, target, reference.type, reference.source_artifact, reference.valid_from, valid_until,
    reference.in_part, reference.project_id, occurrences, greatest(
        other.created_at,
        CASE WHEN teller.id = own.id THEN nullif(told.since, own.created_at) ELSE told.since END,
        (
            SELECT max(absence.valid_until) FROM absence
            WHERE absence.tenant_id = $1 AND absence.entity = other.id AND artifact IS NULL
                AND absence.retracted_at IS NULL AND absence.valid_until <= reference.valid_from
        )
    ) AS since, CASE WHEN told.since = claim.valid_from THEN nullif(claim.valid_from, stated.created_at) END AS written
FROM reference
JOIN entity AS own ON own.tenant_id = $1 AND own.id = $2
JOIN entity AS other ON other.tenant_id = $1 AND other.id = CASE WHEN source = $2 THEN target ELSE source END
JOIN artifact AS stated ON stated.tenant_id = $1 AND stated.id = reference.source_artifact
JOIN entity AS teller ON teller.tenant_id = $1 AND teller.id = stated.entity
CROSS JOIN LATERAL (
    SELECT max(claim.valid_from) AS valid_from FROM reference_claim AS claim
    WHERE claim.tenant_id = $1 AND claim.source = teller.id AND claim.closed_at IS NULL
        AND claim.type = reference.type AND claim.inverted = (target = teller.id) AND claim.in_part = reference.in_part
        AND claim.key = CASE WHEN teller.id = other.id THEN own.bare_key ELSE other.bare_key END
) AS claim
CROSS JOIN LATERAL (
    SELECT stated_since($1, teller.id, teller.created_at, coalesce(claim.valid_from, stated.created_at)) AS since
) AS told
WHERE reference.tenant_id = $1 AND (source = $2 OR target = $2) AND reference.retracted_at IS NULL
    AND ($3::timestamptz IS NULL OR reference.valid_from = $3)
ORDER BY reference.id;

-- name: late_successors
-- Which documents supersede one of these, as a document says, from an earlier date than they do by the reference?
SELECT DISTINCT reference.source
FROM reference
JOIN artifact AS stated ON stated.tenant_id = $1 AND stated.id = reference.source_artifact
JOIN reference_claim AS claim ON claim.tenant_id = $1 AND claim.source = stated.entity AND claim.closed_at IS NULL
    AND claim.type = 'SUPERSEDES' AND claim.valid_from < reference.valid_from
WHERE reference.tenant_id = $1 AND reference.target = ANY ($2::uuid[]) AND reference.type = 'SUPERSEDES'
    AND reference.retracted_at IS NULL
ORDER BY reference.source;

-- name: references_by_id
-- Which references have these ids?
SELECT id, source, target, type, source_artifact, valid_from, valid_until, in_part
FROM reference
WHERE tenant_id = $1 AND id = ANY ($2::uuid[]);
