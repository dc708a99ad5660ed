-- name: states_of_entities
-- Which states of each of these entities were believed at a transaction time, the earliest first, after a position? Given an
-- instant, those that begin by then.
SELECT found.*
FROM unnest($2::uuid[]) AS wanted (entity)
CROSS JOIN LATERAL (
    SELECT id, entity, branch, valid_from, valid_until, recorded_at, retracted_at, props, source_artifact, actor,
        wip_source
    FROM entity_state
    WHERE tenant_id = $1 AND entity_state.entity = wanted.entity
        AND recorded_at <= $3 AND (retracted_at > $3 OR retracted_at IS NULL)
        AND ($4::timestamptz IS NULL OR valid_from <= $4)
        AND ($5::timestamptz IS NULL OR (valid_from, id) > ($5, $6::uuid))
    ORDER BY valid_from, id
    LIMIT $7
) AS found
ORDER BY valid_from, id;

-- name: count_states_of_entities
-- How many states of each of these entities were believed at a transaction time? Given an instant, of those that begin by
-- then.
SELECT entity, count(*) AS count
FROM entity_state
WHERE tenant_id = $1 AND entity = ANY ($2::uuid[])
    AND recorded_at <= $3 AND (retracted_at > $3 OR retracted_at IS NULL)
    AND ($4::timestamptz IS NULL OR valid_from <= $4)
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

-- name: commits_of_states
-- Which commits caused the states that are believed of this entity, from when on, and did filing a document name them?
SELECT DISTINCT cause_commit AS commit, at, cause_artifact IS NOT NULL AS by_filing
FROM state_event
WHERE tenant_id = $1 AND entity = $2 AND cause_commit IS NOT NULL AND EXISTS (
    SELECT FROM entity_state AS held
    WHERE held.tenant_id = $1 AND held.entity = $2 AND branch = 'COMMITTED' AND retracted_at IS NULL
        AND valid_from = at
);

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
-- Which versions does an entity have, in the order in which they take effect? Is one hidden by a rewritten history, or the
-- document gone from it?
SELECT id, created_at, recorded_at, content_hash, source_uri, source_commit, EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = $2 AND source = 'GIT' AND retracted_at IS NULL
            AND valid_until IS NULL
            AND (absence.artifact = artifact.id AND artifact.source_commit IS NOT NULL OR absence.artifact IS NULL)
    ) AS is_hidden
FROM artifact
WHERE tenant_id = $1 AND entity = $2
ORDER BY created_at;

-- name: spans_of_edge
-- When is a reference of one type between two entities believed to hold, and which entity's document says so?
SELECT reference.id, valid_from, valid_until, occurrences, source_artifact, artifact.entity AS stated_by
FROM reference
LEFT JOIN artifact ON artifact.tenant_id = reference.tenant_id AND artifact.id = reference.source_artifact
WHERE reference.tenant_id = $1 AND source = $2 AND target = $3 AND reference.type = $4 AND in_part = $5
    AND retracted_at IS NULL
ORDER BY valid_from;

-- name: retract_span
-- Stop believing a reference.
UPDATE reference SET retracted_at = $3 WHERE tenant_id = $1 AND id = $2 AND retracted_at IS NULL;
