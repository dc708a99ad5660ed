-- name: insert_mentions
-- Record which entities an artifact mentions; one kept already stays.
INSERT INTO mention (tenant_id, artifact, entity, folded_form, surface_form, occurrences, recorded_at)
SELECT :tenant, mention.artifact, mention.entity, mention.folded_form, mention.surface_form, mention.occurrences,
    :recorded_at
FROM unnest(
    :artifacts::uuid[], :entities::uuid[], :folded_forms::text[], :surface_forms::text[], :occurrences::integer[]
) AS mention (artifact, entity, folded_form, surface_form, occurrences)
ON CONFLICT DO NOTHING;

-- name: mentions_of
-- With which forms do these artifacts mention these entities, as known at an instant?
SELECT artifact.number, mention.entity, mention.folded_form, mention.surface_form
FROM mention JOIN artifact ON artifact.tenant_id = mention.tenant_id AND artifact.id = mention.artifact
WHERE mention.tenant_id = $1 AND artifact.number = ANY ($2::bigint[]) AND mention.entity = ANY ($3::uuid[])
    AND mention.recorded_at <= $4;

-- name: forms_to_look_for
-- Which aliases and names of things, now or earlier, can a text with these words use? Of two meanings of a form the one
-- that began later comes last.
SELECT entity, form, folded_form
FROM (
    SELECT target AS entity, surface_form AS form, folded_form, valid_from, recorded_at
    FROM alias
    WHERE tenant_id = $1 AND project_id = $2 AND first_word = ANY (string_to_array($3, E'\n')) AND retracted_at IS NULL
    UNION ALL
    SELECT state_name.entity, state_name.form, state_name.folded_form, state.valid_from, state.recorded_at
    FROM state_name
    JOIN entity ON entity.tenant_id = $1 AND entity.id = state_name.entity
    JOIN entity_state AS state ON state.tenant_id = $1 AND state.id = state_name.state
    WHERE state_name.tenant_id = $1 AND entity.project_id = $2 AND first_word = ANY (string_to_array($3, E'\n'))
        AND state.branch = 'COMMITTED'
) AS named
GROUP BY entity, form, folded_form
ORDER BY max(valid_from), max(recorded_at), form, entity;
