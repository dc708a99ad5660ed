-- name: current_states
-- What is believed of one branch of an entity, over all valid time?
SELECT id, entity, branch, valid_from, valid_until, recorded_at, retracted_at, props, source_artifact, actor,
    wip_source
FROM entity_state
WHERE tenant_id = $1 AND entity = $2 AND branch = $3 AND retracted_at IS NULL
ORDER BY valid_from;

-- name: drafts_untouched_since
-- Which open drafts of a project, or of all, were last written by an instant, the oldest first?
SELECT held.id, entity, branch, valid_from, valid_until, held.recorded_at, retracted_at, props,
    held.source_artifact, held.actor, wip_source
FROM entity_state AS held
JOIN entity ON entity.tenant_id = held.tenant_id AND entity.id = held.entity
WHERE held.tenant_id = $1 AND branch = 'WIP' AND valid_until IS NULL AND retracted_at IS NULL
    AND held.recorded_at <= $2 AND ($3::integer IS NULL OR project_id = $3)
ORDER BY held.recorded_at, held.id
LIMIT $4;

-- name: insert_state
-- Record a belief.
INSERT INTO entity_state (
    tenant_id, id, entity, branch, valid_from, valid_until, recorded_at, props, source_artifact, actor,
    wip_source
) VALUES (
    :tenant, :id, :entity, :branch, :valid_from, :valid_until, :recorded_at, :props, :source_artifact, :actor,
    :wip_source
);

-- name: insert_state_names
-- Record by which names a state calls its entity; texts are searched for those of things, not of documents.
INSERT INTO state_name (tenant_id, state, entity, property, form, folded_form, first_word)
SELECT :tenant, :state, :entity, name.property, name.form, name.folded_form,
    CASE WHEN NOT type.is_document THEN name.first_word END
FROM entity
JOIN type USING (tenant_id, type_id)
CROSS JOIN unnest(:properties::text[], :forms::text[], :folded_forms::text[], :first_words::text[])
    AS name (property, form, folded_form, first_word)
WHERE entity.tenant_id = :tenant AND entity.id = :entity;

-- name: retract_state
-- Stop believing a state.
UPDATE entity_state SET retracted_at = $3 WHERE tenant_id = $1 AND id = $2 AND retracted_at IS NULL;

-- name: asserted_by_documents
-- Of which properties do the versions of a document speak, by the start of the state that each gave?
SELECT state_event.at AS start, array_agg(DISTINCT name) AS properties
FROM artifact
JOIN entity_state AS entered ON entered.tenant_id = $1 AND entered.entity = artifact.entity
    AND entered.branch = 'COMMITTED' AND entered.valid_from = artifact.created_at
JOIN state_event ON state_event.tenant_id = $1 AND state_event.to_state = entered.id
    AND state_event.cause_artifact = artifact.id AND state_event.event_type NOT IN ('fact', 'correction')
CROSS JOIN LATERAL unnest(state_event.properties) AS name
WHERE artifact.tenant_id = $1 AND artifact.entity = $2
GROUP BY state_event.at;

-- name: insert_event
-- Record the step from one state to the one that replaced it.
INSERT INTO state_event (
    tenant_id, id, entity, from_state, to_state, event_type, at, recorded_at,
    cause_artifact, cause_commit, description, props_drift, actor, properties, draft
) VALUES (
    :tenant, :id, :entity, :from_state, :to_state, :event_type, :at, :recorded_at, :cause_artifact, :cause_commit,
    :description, :props_drift, :actor, :properties, :draft
);

-- name: asserted_properties
-- Of which properties do the events speak that led to each start on a branch of an entity?
SELECT entered.valid_from AS start, array_agg(DISTINCT name) AS properties
FROM entity_state AS entered
JOIN state_event ON state_event.tenant_id = $1 AND state_event.to_state = entered.id
    AND state_event.at = entered.valid_from
CROSS JOIN LATERAL unnest(state_event.properties) AS name
WHERE entered.tenant_id = $1 AND entered.entity = $2 AND entered.branch = $3
GROUP BY entered.valid_from;

-- name: states_as_of
-- Which states of these entities hold at an instant, as known at another?
SELECT id, entity, branch, valid_from, valid_until, recorded_at, retracted_at, props, source_artifact, actor,
    wip_source
FROM entity_state
WHERE tenant_id = $1 AND entity = ANY ($2::uuid[])
    AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
    AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL);

-- name: states_by_id
-- Which states have these ids, believed or not?
SELECT id, entity, branch, valid_from, valid_until, recorded_at, retracted_at, props, source_artifact, actor,
    wip_source
FROM entity_state
WHERE tenant_id = $1 AND id = ANY ($2::uuid[]);

-- name: drafts_page
-- Which open drafts are there of a project, or of all, the longest untouched first, after a position?
SELECT held.id, entity, branch, valid_from, valid_until, held.recorded_at, retracted_at, props,
    held.source_artifact, held.actor, wip_source
FROM entity_state AS held
JOIN entity ON entity.tenant_id = held.tenant_id AND entity.id = held.entity
WHERE held.tenant_id = $1 AND branch = 'WIP' AND valid_until IS NULL AND retracted_at IS NULL
    AND ($2::integer IS NULL OR project_id = $2)
    AND ($3::timestamptz IS NULL OR (held.recorded_at, held.id) > ($3, $4::uuid))
ORDER BY held.recorded_at, held.id
LIMIT $5;

-- name: count_drafts
-- How many open drafts are there of a project, or of all?
SELECT count(*)
FROM entity_state AS held
JOIN entity ON entity.tenant_id = held.tenant_id AND entity.id = held.entity
WHERE held.tenant_id = $1 AND branch = 'WIP' AND valid_until IS NULL AND retracted_at IS NULL
    AND ($2::integer IS NULL OR project_id = $2);
