-- name: commits_told
-- Which commits caused states of this entity, beside those that filing a document named?
SELECT DISTINCT cause_commit
FROM state_event
WHERE tenant_id = $1 AND entity = $2 AND cause_commit IS NOT NULL AND cause_artifact IS NULL;

-- name: statements_about
-- From when on did which events speak of which properties of this entity, what did they say, and who said it: a
-- document of its own as of its date, a commit, or anybody else? What was said first stands first.
SELECT entered.valid_from AS at, event_type, cause_commit, stated.id IS NOT NULL AS by_document, properties,
    entered.props
FROM state_event
JOIN entity_state AS entered ON entered.tenant_id = state_event.tenant_id AND entered.id = to_state
LEFT JOIN artifact AS stated ON stated.tenant_id = state_event.tenant_id AND stated.id = cause_artifact
    AND stated.entity = state_event.entity AND stated.created_at = entered.valid_from
WHERE state_event.tenant_id = $1 AND state_event.entity = $2 AND branch = 'COMMITTED'
ORDER BY state_event.recorded_at;

-- name: versions_of
-- Which versions does an entity have, in the order in which they take effect?
SELECT id, created_at, content_hash, source_uri, source_commit
FROM artifact
WHERE tenant_id = $1 AND entity = $2
ORDER BY created_at;

-- name: spans_of_edge
-- When is a reference of one type between two entities believed to hold, and which entity's document says so?
SELECT reference.id, valid_from, valid_until, occurrences, source_artifact, artifact.entity AS stated_by
FROM reference
LEFT JOIN artifact ON artifact.tenant_id = reference.tenant_id AND artifact.id = reference.source_artifact
WHERE reference.tenant_id = $1 AND source = $2 AND target = $3 AND reference.type = $4
    AND retracted_at IS NULL
ORDER BY valid_from;

-- name: retract_span
-- Stop believing a reference.
UPDATE reference SET retracted_at = $3 WHERE tenant_id = $1 AND id = $2 AND retracted_at IS NULL;
