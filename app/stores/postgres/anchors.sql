-- name: named_entities
-- Which entities do these forms and keys name at a moment, and was the name theirs only before? A draft names one
-- only where drafts are asked for, and while it lasts; a key that was made of what never changes names none.
SELECT * FROM (
    SELECT entity.id, entity.key AS form, coalesce(matched.key, entity.bare_key) AS folded_form,
        'identifier' AS origin, false AS is_former
    FROM entity
    LEFT JOIN LATERAL (SELECT entity.key WHERE entity.key = ANY ($4::text[])) AS matched ON true
    WHERE tenant_id = $1 AND project_id = ANY ($2::integer[])
        AND (entity.key = ANY ($4::text[]) OR entity.bare_key = ANY ($4::text[]))
        AND recorded_at <= $6 AND coalesce((
            SELECT moved.valid_from
            FROM absence AS moved
            WHERE moved.tenant_id = $1 AND moved.entity = entity.id AND moved.artifact IS NOT NULL AND moved.source = 'CALLER'
                AND moved.recorded_at > $6
            ORDER BY moved.recorded_at
            LIMIT 1
        ), entity.created_at) <= $5
        AND entity.key = key_at($1, entity.id, entity.key, least($5, $6))
        AND EXISTS (
            SELECT FROM type
            WHERE type.tenant_id = $1 AND type.type_id = entity.type_id AND 'identifier' = ANY (immutable_props)
        )
    UNION ALL
    SELECT entity.id, name.key, name.key, 'identifier', false
    FROM document_name AS name
    JOIN entity ON entity.tenant_id = name.tenant_id AND entity.id = name.entity
    WHERE name.tenant_id = $1 AND name.project_id = ANY ($2::integer[]) AND name.key = ANY ($4::text[])
        AND name.sort = 'FORMER' AND entity.recorded_at <= $6
        AND coalesce((
            SELECT moved.valid_from
            FROM absence AS moved
            WHERE moved.tenant_id = $1 AND moved.entity = entity.id AND moved.artifact IS NOT NULL AND moved.source = 'CALLER'
                AND moved.recorded_at > $6
            ORDER BY moved.recorded_at
            LIMIT 1
        ), entity.created_at) <= $5
        AND CASE
            WHEN name.recorded_at > least($5, $6) THEN name.key = key_at($1, entity.id, entity.key, least($5, $6))
            ELSE (name.closed_at > least($5, $6) OR name.closed_at IS NULL)
                AND NOT EXISTS (
                    SELECT FROM entity AS other
                    WHERE other.tenant_id = $1 AND other.project_id = name.project_id AND other.key = name.key
                        AND other.created_at <= $5 AND other.recorded_at <= $6
                )
                AND NOT EXISTS (
                    SELECT FROM document_name AS later
                    WHERE later.tenant_id = $1 AND later.project_id = name.project_id AND later.key = name.key
                        AND later.sort = 'FORMER' AND later.recorded_at > name.recorded_at
                        AND later.recorded_at <= least($5, $6)
                )
        END
    UNION ALL
    SELECT entity.id, entity.key, name.key, 'identifier', false
    FROM document_name AS name
    JOIN entity ON entity.tenant_id = name.tenant_id AND entity.id = name.entity
    WHERE name.tenant_id = $1 AND name.project_id = ANY ($2::integer[]) AND name.key = ANY ($4::text[])
        AND name.sort = 'IDENTIFIER' AND coalesce((
            SELECT moved.valid_from
            FROM absence AS moved
            WHERE moved.tenant_id = $1 AND moved.entity = entity.id AND moved.artifact IS NOT NULL AND moved.source = 'CALLER'
                AND moved.recorded_at > $6
            ORDER BY moved.recorded_at
            LIMIT 1
        ), entity.created_at) <= $5
        AND name.recorded_at <= $6 AND (name.closed_at > $6 OR name.closed_at IS NULL OR EXISTS (
            SELECT FROM absence AS leaving
            WHERE leaving.tenant_id = $1 AND leaving.entity = name.entity AND leaving.artifact IS NULL
                AND leaving.recorded_at = name.closed_at AND leaving.valid_from > $5
        ))
    UNION ALL
    SELECT alias.target, alias.surface_form, alias.folded_form, 'alias', true
    FROM alias
    WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND folded_form = ANY ($3::text[])
        AND valid_from <= $5 AND (valid_until > $5 OR valid_until IS NULL)
        AND recorded_at <= $6 AND (retracted_at > $6 OR retracted_at IS NULL)
    UNION ALL
    SELECT state_name.entity, state_name.form, state_name.folded_form, 'name',
        bool_and(state.valid_until IS NOT NULL AND state.valid_until <= $5)
    FROM state_name
    JOIN entity_state AS state ON state.tenant_id = state_name.tenant_id AND state.id = state_name.state
    JOIN entity ON entity.tenant_id = state_name.tenant_id AND entity.id = state_name.entity
    WHERE state_name.tenant_id = $1 AND entity.project_id = ANY ($2::integer[])
        AND folded_form = ANY ($3::text[]) AND state.valid_from <= $5
        AND (state.branch = 'COMMITTED' OR $7::boolean AND (state.valid_until > $5 OR state.valid_until IS NULL))
        AND state.recorded_at <= $6 AND (state.retracted_at > $6 OR state.retracted_at IS NULL)
    GROUP BY state_name.entity, state_name.form, state_name.folded_form
) AS named
WHERE NOT EXISTS (
    SELECT FROM absence
    WHERE absence.tenant_id = $1 AND absence.entity = named.id AND artifact IS NULL
        AND valid_from <= $5 AND (valid_until > $5 OR valid_until IS NULL)
        AND recorded_at <= $6 AND (retracted_at > $6 OR retracted_at IS NULL)
);

-- name: documents_listing
-- Which documents list a name as their alias, and which of them are there at a moment and still go by it? The names
-- of a document that left were closed then, and hold as of before.
SELECT name.entity, bool_or(
    coalesce((
        SELECT moved.valid_from
        FROM absence AS moved
        WHERE moved.tenant_id = $1 AND moved.entity = entity.id AND moved.artifact IS NOT NULL AND moved.source = 'CALLER'
            AND moved.recorded_at > $6
        ORDER BY moved.recorded_at
        LIMIT 1
    ), entity.created_at) <= $5 AND (name.closed_at > $6 OR name.closed_at IS NULL OR EXISTS (
        SELECT FROM absence AS leaving
        WHERE leaving.tenant_id = $1 AND leaving.entity = name.entity AND leaving.artifact IS NULL
            AND leaving.recorded_at = name.closed_at AND leaving.valid_from > $5
    )) AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = name.entity AND artifact IS NULL
            AND valid_from <= $5 AND (valid_until > $5 OR valid_until IS NULL)
            AND recorded_at <= $6 AND (retracted_at > $6 OR retracted_at IS NULL)
    ) AND NOT EXISTS (
        SELECT FROM alias
        WHERE alias.tenant_id = $1 AND alias.target = name.entity AND alias.folded_form = $4
            AND valid_until <= $5 AND recorded_at <= $6 AND (retracted_at > $6 OR retracted_at IS NULL)
    )
) AS is_there
FROM document_name AS name
JOIN entity ON entity.tenant_id = name.tenant_id AND entity.id = name.entity
WHERE name.tenant_id = $1 AND name.project_id = ANY ($2::integer[]) AND name.key = $3 AND name.sort = 'ALIAS'
    AND name.recorded_at <= $6
GROUP BY name.entity;

-- name: entities_ever_named
-- Which entities have had one of these keys or forms at any time, there or not?
SELECT entity.id
FROM entity
WHERE tenant_id = $1 AND project_id = ANY ($2::integer[])
    AND (entity.key = ANY ($4::text[]) OR entity.bare_key = ANY ($4::text[]))
UNION
SELECT entity
FROM document_name
WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND key = ANY ($4::text[]) AND sort <> 'FILE'
UNION
SELECT state_name.entity
FROM state_name
JOIN entity_state AS state ON state.tenant_id = state_name.tenant_id AND state.id = state_name.state
JOIN entity ON entity.tenant_id = state_name.tenant_id AND entity.id = state_name.entity
WHERE state_name.tenant_id = $1 AND entity.project_id = ANY ($2::integer[]) AND folded_form = ANY ($3::text[])
    AND state.branch = 'COMMITTED' AND state.retracted_at IS NULL;

-- name: preferred_entities
-- Where do the alias chains that start at these entities end?
WITH RECURSIVE step (start, entity, depth) AS (
    SELECT start, start, 0 FROM unnest($2::uuid[]) AS start
    UNION
    SELECT step.start, alias.target, step.depth + 1
    FROM step JOIN alias ON alias.tenant_id = $1 AND alias.source = step.entity
    WHERE valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
        AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
) CYCLE start, entity SET is_circle USING trail
SELECT DISTINCT ON (start) start, entity FROM step WHERE NOT is_circle ORDER BY start, depth DESC, entity;

-- name: other_forms_of
-- By which aliases do these entities go at a moment, and which names did things have before? Documents go by their
-- identifiers in texts, whatever their titles were: where identifiers are asked for, by the former ones too, as long as
-- nothing else has them, and by that of the moment.
SELECT target AS entity, surface_form AS form, folded_form
FROM alias
WHERE tenant_id = $1 AND target = ANY ($2::uuid[])
    AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
    AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
UNION
SELECT state_name.entity, state_name.form, state_name.folded_form
FROM entity_state AS state
JOIN state_name ON state_name.tenant_id = state.tenant_id AND state_name.state = state.id
WHERE state.tenant_id = $1 AND state.entity = ANY ($2::uuid[]) AND state.branch = 'COMMITTED'
    AND state_name.first_word IS NOT NULL AND state.valid_from <= $3
    AND state.recorded_at <= $4 AND (state.retracted_at > $4 OR state.retracted_at IS NULL)
GROUP BY state_name.entity, state_name.form, state_name.folded_form
HAVING bool_and(state.valid_until <= $3 AND state.valid_until IS NOT NULL)
UNION
SELECT name.entity, form.key, form.key
FROM document_name AS name
JOIN entity ON entity.tenant_id = name.tenant_id AND entity.id = name.entity
CROSS JOIN LATERAL (VALUES (name.key), (key_at($1, entity.id, entity.key, least($3, $4)))) AS form (key)
WHERE $5::boolean AND name.tenant_id = $1 AND name.entity = ANY ($2::uuid[]) AND name.sort = 'FORMER'
    AND name.recorded_at <= least($3, $4) AND (name.closed_at > least($3, $4) OR name.closed_at IS NULL)
    AND NOT EXISTS (
        SELECT FROM entity AS other
        WHERE other.tenant_id = $1 AND other.project_id = name.project_id AND other.key = form.key
            AND other.id <> name.entity AND other.created_at <= $3 AND other.recorded_at <= $4
    )
ORDER BY folded_form, form;
