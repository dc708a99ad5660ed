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
-- Which event led last into each of these lines at these instants, while a belief still held?
SELECT wanted.ordinal, event.id, from_state, to_state, event_type, at, recorded_at, cause_artifact,
    cause_commit, description, props_drift, actor, properties, draft
FROM unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) WITH ORDINALITY
    AS wanted (entity, branch, start, held_until, ordinal)
CROSS JOIN LATERAL (
    SELECT state_event.*
    FROM entity_state AS entered
    JOIN state_event ON state_event.tenant_id = $1 AND state_event.to_state = entered.id
    WHERE entered.tenant_id = $1 AND entered.entity = wanted.entity AND entered.branch = wanted.branch
        AND entered.valid_from = wanted.start
        AND (wanted.held_until IS NULL OR state_event.recorded_at < wanted.held_until)
    ORDER BY state_event.recorded_at DESC, state_event.id
    LIMIT 1
) AS event;
