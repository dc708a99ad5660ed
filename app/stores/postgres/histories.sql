-- name: states_of_entities
-- Which states of each of these entities were believed at an instant, the earliest first, after a position?
SELECT found.*
FROM unnest($2::uuid[]) AS wanted (entity)
CROSS JOIN LATERAL (
    SELECT id, entity, branch, valid_from, valid_until, recorded_at, retracted_at, props, source_artifact, actor,
        wip_source
    FROM entity_state
    WHERE tenant_id = $1 AND entity_state.entity = wanted.entity
        AND recorded_at <= $3 AND (retracted_at > $3 OR retracted_at IS NULL)
        AND ($4::timestamptz IS NULL OR (valid_from, id) > ($4, $5::uuid))
    ORDER BY valid_from, id
    LIMIT $6
) AS found
ORDER BY valid_from, id;

-- name: count_states_of_entities
-- How many states of each of these entities were believed at an instant?
SELECT entity, count(*) AS count
FROM entity_state
WHERE tenant_id = $1 AND entity = ANY ($2::uuid[])
    AND recorded_at <= $3 AND (retracted_at > $3 OR retracted_at IS NULL)
GROUP BY entity;

-- name: events_into
-- Which event led last into each of these lines at these instants, or ended its draft, while a belief still held?
SELECT wanted.ordinal, event.id, from_state, to_state, event_type, at, recorded_at, cause_artifact,
    cause_commit, description, props_drift, actor, properties, draft
FROM unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) WITH ORDINALITY
    AS wanted (entity, branch, start, held_until, ordinal)
CROSS JOIN LATERAL (
    SELECT state_event.*
    FROM entity_state AS known
    JOIN state_event ON state_event.tenant_id = $1 AND state_event.at = wanted.start
        AND (state_event.to_state = known.id AND known.valid_from = wanted.start OR state_event.draft = known.id)
    WHERE known.tenant_id = $1 AND known.entity = wanted.entity AND known.branch = wanted.branch
        AND (wanted.held_until IS NULL OR state_event.recorded_at < wanted.held_until)
    ORDER BY state_event.recorded_at DESC, state_event.id
    LIMIT 1
) AS event;

-- name: events_by_id
-- Which events have these ids?
SELECT id, from_state, to_state, event_type, at, recorded_at, cause_artifact, cause_commit, description,
    props_drift, actor, properties, draft
FROM state_event
WHERE tenant_id = $1 AND id = ANY ($2::uuid[]);

-- name: last_touches
-- When was what each of these states says last written? A state that was merely cut says what it said before.
SELECT state.id, min(same.recorded_at) AS touched_at
FROM entity_state AS state
JOIN entity_state AS same ON same.tenant_id = $1 AND same.entity = state.entity AND same.branch = state.branch
    AND same.valid_from = state.valid_from AND same.recorded_at <= state.recorded_at
WHERE state.tenant_id = $1 AND state.id = ANY ($2::uuid[]) AND NOT EXISTS (
    SELECT FROM entity_state AS other
    WHERE other.tenant_id = $1 AND other.entity = state.entity AND other.branch = state.branch
        AND other.valid_from = state.valid_from AND other.props <> state.props
        AND other.recorded_at BETWEEN same.recorded_at AND state.recorded_at
)
GROUP BY state.id;
