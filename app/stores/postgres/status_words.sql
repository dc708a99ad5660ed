-- name: words_of_projects
-- What do the teams of these projects say that their status words mean, and since when?
SELECT project_id, phrase, flag, recorded_at, actor
FROM status_word
WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND closed_at IS NULL
ORDER BY project_id, phrase;

-- name: words_of_entity
-- What does the team of an entity's project say that its status words mean?
SELECT jsonb_object_agg(phrase, flag) AS team_words
FROM entity JOIN status_word USING (tenant_id, project_id)
WHERE tenant_id = $1 AND entity.id = $2 AND closed_at IS NULL;

-- name: insert_word
-- Let a status word of a project mean a flag from now on.
INSERT INTO status_word (tenant_id, project_id, phrase, flag, recorded_at, actor)
VALUES (:tenant, :project, :phrase, :flag, :recorded_at, :actor);

-- name: close_word
-- Let a status word of a project mean no more what it meant.
UPDATE status_word SET closed_at = $4
WHERE tenant_id = $1 AND project_id = $2 AND phrase = $3 AND closed_at IS NULL;

-- name: statuses_met
-- Which statuses do the entities of these projects have now, and how many of them each? The commonest ones.
SELECT entity.project_id, held.props ->> 'status' AS status, count(*) AS entities
FROM entity
JOIN entity_state AS held ON held.tenant_id = $1 AND held.entity = entity.id
WHERE entity.tenant_id = $1 AND entity.project_id = ANY ($2::integer[])
    AND held.branch = 'COMMITTED' AND held.retracted_at IS NULL
    AND held.valid_from <= $3 AND (held.valid_until > $3 OR held.valid_until IS NULL)
    AND jsonb_typeof(held.props -> 'status') = 'string'
GROUP BY entity.project_id, status
ORDER BY entities DESC, entity.project_id, status
LIMIT $4;

-- name: superseding_statuses
-- Which statuses did the entities of a project have that supersede another or are superseded, at any time?
SELECT DISTINCT held.entity, held.props ->> 'status' AS status
FROM entity
JOIN entity_state AS held ON held.tenant_id = $1 AND held.entity = entity.id
WHERE entity.tenant_id = $1 AND entity.project_id = $2
    AND held.branch = 'COMMITTED' AND held.retracted_at IS NULL
    AND jsonb_typeof(held.props -> 'status') = 'string'
    AND EXISTS (
        SELECT FROM reference
        WHERE reference.tenant_id = $1 AND reference.type = 'SUPERSEDES' AND reference.retracted_at IS NULL
            AND (reference.source = entity.id OR reference.target = entity.id)
    )
ORDER BY held.entity, status;
