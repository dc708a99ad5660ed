-- name: pending_page
-- Which references of a project, or of all, waited for their other end at a transaction time, the longest first, after a
-- position?
SELECT id, source, type, target_text AS waits_for, inverted AS is_inverted, is_ambiguous, source_artifact,
    valid_from, in_part, recorded_at
FROM pending_reference
WHERE tenant_id = $1 AND ($2::integer IS NULL OR project_id = $2)
    AND recorded_at <= $3 AND (closed_at > $3 OR closed_at IS NULL)
    AND ($4::timestamptz IS NULL OR (recorded_at, id) > ($4, $5::uuid))
ORDER BY recorded_at, id
LIMIT $6;

-- name: count_pending
-- How many references of a project, or of all, waited for their other end at a transaction time?
SELECT count(*)
FROM pending_reference
WHERE tenant_id = $1 AND ($2::integer IS NULL OR project_id = $2)
    AND recorded_at <= $3 AND (closed_at > $3 OR closed_at IS NULL);

-- name: pending_of
-- Which references of an entity waited for their other end at a transaction time, those of a kind together?
SELECT id, source, type, target_text AS waits_for, inverted AS is_inverted, is_ambiguous, source_artifact,
    valid_from, in_part, recorded_at
FROM pending_reference
WHERE tenant_id = $1 AND source = $2 AND recorded_at <= $3 AND (closed_at > $3 OR closed_at IS NULL)
ORDER BY type = 'REFERENCES', type, target_key;

-- name: resting_on
-- Which open references did documents get to an entity by these names, or from it, and name it by nothing else that it
-- goes by? They were recorded with the document, or when what waited for the name was joined.
SELECT DISTINCT ON (reference.id) reference.id AS reference, artifact.entity AS source, source_entity.key AS source_key,
    artifact.source_uri, coalesce(pending.target_text, mention.surface_form) AS target_text,
    coalesce(pending.type, reference.type) AS type, reference.source = $2 AS inverted, reference.occurrences,
    coalesce(pending.in_part, reference.in_part) AS in_part,
    reference.source_artifact, coalesce(pending.valid_from, artifact.created_at) AS valid_from
FROM mention
JOIN reference ON reference.tenant_id = $1 AND reference.source_artifact = mention.artifact
    AND $2 IN (reference.source, reference.target)
    AND reference.retracted_at IS NULL AND reference.valid_until IS NULL
JOIN artifact ON artifact.tenant_id = $1 AND artifact.id = mention.artifact
    AND artifact.entity IN (reference.source, reference.target)
JOIN entity AS source_entity ON source_entity.tenant_id = $1 AND source_entity.id = artifact.entity
LEFT JOIN pending_reference AS pending ON pending.tenant_id = $1 AND pending.source = artifact.entity
    AND pending.source_artifact = mention.artifact AND pending.target_key = ANY ($4::text[])
    AND pending.closed_at = reference.recorded_at
WHERE mention.tenant_id = $1 AND mention.entity = $2 AND mention.folded_form = ANY ($3::text[])
    AND (pending.id IS NOT NULL OR reference.recorded_at = artifact.recorded_at)
    AND NOT EXISTS (
        SELECT FROM mention AS other
        WHERE other.tenant_id = $1 AND other.artifact = mention.artifact AND other.entity = $2 AND (
            EXISTS (
                SELECT FROM state_name
                JOIN entity_state AS state ON state.tenant_id = $1 AND state.id = state_name.state
                WHERE state_name.tenant_id = $1 AND state_name.entity = $2
                    AND state_name.folded_form = other.folded_form
                    AND state.branch = 'COMMITTED' AND state.retracted_at IS NULL
            )
            OR EXISTS (
                SELECT FROM alias
                WHERE alias.tenant_id = $1 AND alias.target = $2 AND alias.folded_form = other.folded_form
                    AND alias.retracted_at IS NULL
            )
        )
    )
ORDER BY reference.id, pending.type NULLS LAST;
