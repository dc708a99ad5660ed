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
