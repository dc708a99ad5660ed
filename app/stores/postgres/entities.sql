-- name: insert_entity
-- Record an identity.
INSERT INTO entity (
    tenant_id, id, project_id, type_id, key, bare_key, created_at, recorded_at, source_artifact, actor
) VALUES (
    :tenant, :id, :project, :type, :key, :bare_key, :created_at, :recorded_at, :source_artifact, :actor
);

-- name: entity_by_key
-- Which entity of a project has this key?
SELECT entity.id, type.name AS type_name, entity.project_id, key, created_at, source_artifact
FROM entity JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND entity.project_id = $2 AND key = $3;

-- name: entities_of_keys
-- Which entities of a project have these keys, or else had one of them last, before they were renamed?
SELECT wanted.key AS wanted, entity.id, type.name AS type_name, entity.project_id, entity.key, created_at, source_artifact
FROM unnest($3::text[]) AS wanted (key)
CROSS JOIN LATERAL (
    SELECT id, 0 AS place, NULL::timestamptz AS until
    FROM entity WHERE tenant_id = $1 AND project_id = $2 AND key = wanted.key
    UNION ALL
    SELECT entity, 1, recorded_at
    FROM document_name
    WHERE tenant_id = $1 AND project_id = $2 AND key = wanted.key AND sort = 'FORMER' AND closed_at IS NULL
    ORDER BY place, until DESC
    LIMIT 1
) AS found
JOIN entity ON entity.tenant_id = $1 AND entity.id = found.id
JOIN type ON type.tenant_id = $1 AND type.type_id = entity.type_id;

-- name: rename_entity
-- Give an entity another key.
UPDATE entity SET key = $3, bare_key = $4 WHERE tenant_id = $1 AND id = $2;

-- name: begin_at
-- Let an entity begin when its first version now does.
UPDATE entity SET created_at = $3 WHERE tenant_id = $1 AND id = $2;

-- name: entities_by_id
-- Which entities have these ids?
SELECT entity.id, type.name AS type_name, entity.project_id, key, created_at, source_artifact
FROM entity JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND entity.id = ANY ($2::uuid[]);

-- name: entities_by_keys
-- Which entities of a project answer to these keys, whole or without their namespace?
SELECT entity.id, key, bare_key, type.is_document, greatest(entity.created_at, (
        SELECT max(valid_until) FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND artifact IS NULL AND retracted_at IS NULL
    )) AS created_at,
    source_artifact, type.name AS type_name,
    latest.source_uri
FROM (
    SELECT * FROM entity WHERE tenant_id = $1 AND project_id = $2 AND key = ANY ($3::text[])
    UNION
    SELECT * FROM entity WHERE tenant_id = $1 AND project_id = $2 AND bare_key = ANY ($3::text[])
) AS entity
JOIN type USING (tenant_id, type_id)
LEFT JOIN LATERAL (
    SELECT source_uri FROM artifact
    WHERE artifact.tenant_id = $1 AND artifact.entity = entity.id
    ORDER BY artifact.created_at DESC
    LIMIT 1
) AS latest ON true
WHERE NOT EXISTS (
    SELECT FROM absence
    WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND artifact IS NULL AND retracted_at IS NULL
        AND tstzrange(valid_from, valid_until) @>
            (SELECT greatest(clock_timestamp(), recorded_at) FROM ledger_clock WHERE tenant_id = $1)
)
ORDER BY key;

-- name: entities_by_source
-- Which entities of a project came from these sources, each the last that did? One that lies elsewhere now comes after one
-- that does not.
SELECT DISTINCT ON (source_uri) entity.id, key, bare_key, type.is_document, greatest(entity.created_at, (
        SELECT max(valid_until) FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND artifact IS NULL AND retracted_at IS NULL
    )) AS created_at,
    entity.source_artifact, type.name AS type_name, source_uri
FROM artifact
JOIN entity ON entity.tenant_id = artifact.tenant_id AND entity.id = artifact.entity
JOIN type ON type.tenant_id = entity.tenant_id AND type.type_id = entity.type_id
WHERE artifact.tenant_id = $1 AND artifact.project_id = $2
    AND md5(source_uri) = ANY (SELECT md5(source) FROM unnest($3::text[]) AS source)
    AND source_uri = ANY ($3::text[]) AND key IS NOT NULL
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND artifact IS NULL AND retracted_at IS NULL
            AND tstzrange(valid_from, valid_until) @>
                (SELECT greatest(clock_timestamp(), recorded_at) FROM ledger_clock WHERE tenant_id = $1)
    )
ORDER BY source_uri, EXISTS (
    SELECT FROM artifact AS later
    WHERE later.tenant_id = $1 AND later.entity = artifact.entity AND later.created_at > artifact.created_at
        AND later.source_uri IS DISTINCT FROM artifact.source_uri
), artifact.recorded_at DESC, artifact.created_at DESC;

-- name: entities_by_name
-- Which entities of a project have one of these names now?
-- Names come first in any plan: one made before the tables are analysed would start with every state there is.
WITH named AS MATERIALIZED (
    SELECT DISTINCT state_name.folded_form, state_name.entity
    FROM (
        SELECT state, entity, folded_form
        FROM state_name
        WHERE tenant_id = $1 AND folded_form = ANY ($3::text[])
        OFFSET 0
    ) AS state_name
    CROSS JOIN LATERAL (
        SELECT
        FROM entity_state
        WHERE tenant_id = $1 AND id = state_name.state
            AND branch = 'COMMITTED' AND retracted_at IS NULL AND valid_until IS NULL
        OFFSET 0
    ) AS state
)
SELECT folded_form, found.id, coalesce(key, found.id::text) AS key, coalesce(bare_key, found.id::text) AS bare_key,
    type.is_document, greatest(found.created_at, (
        SELECT max(valid_until) FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = found.id AND artifact IS NULL AND retracted_at IS NULL
    )) AS created_at, found.source_artifact, type.name AS type_name, latest.source_uri
FROM named
CROSS JOIN LATERAL (
    SELECT * FROM entity WHERE tenant_id = $1 AND id = named.entity AND project_id = $2 OFFSET 0
) AS found
JOIN type ON type.tenant_id = $1 AND type.type_id = found.type_id
LEFT JOIN LATERAL (
    SELECT source_uri FROM artifact
    WHERE artifact.tenant_id = $1 AND artifact.entity = found.id
    ORDER BY artifact.created_at DESC
    LIMIT 1
) AS latest ON true
WHERE NOT EXISTS (
    SELECT FROM absence
    WHERE absence.tenant_id = $1 AND absence.entity = found.id AND artifact IS NULL AND retracted_at IS NULL
        AND tstzrange(valid_from, valid_until) @>
            (SELECT greatest(clock_timestamp(), recorded_at) FROM ledger_clock WHERE tenant_id = $1)
);

-- name: entities_by_name_in_time
-- Which entities of a project have, or had, one of these names, and when?
SELECT state_name.folded_form, found.id, coalesce(key, found.id::text) AS key,
    coalesce(bare_key, found.id::text) AS bare_key, type.is_document, found.created_at, found.source_artifact,
    type.name AS type_name, NULL AS source_uri, state.valid_from, state.valid_until
FROM (
    SELECT state, entity, folded_form
    FROM state_name
    WHERE tenant_id = $1 AND folded_form = ANY ($3::text[])
    OFFSET 0
) AS state_name
CROSS JOIN LATERAL (
    SELECT valid_from, valid_until
    FROM entity_state
    WHERE tenant_id = $1 AND id = state_name.state AND branch = 'COMMITTED' AND retracted_at IS NULL
    OFFSET 0
) AS state
CROSS JOIN LATERAL (
    SELECT * FROM entity WHERE tenant_id = $1 AND id = state_name.entity AND project_id = $2 OFFSET 0
) AS found
JOIN type ON type.tenant_id = $1 AND type.type_id = found.type_id
ORDER BY state.valid_from, found.id;

-- name: entities_by_alias
-- Which entity of a project does each of these names mean now, as an alias, at the end of its chain?
WITH RECURSIVE step (form, entity, depth) AS (
    SELECT folded_form, target, 0
    FROM alias
    WHERE tenant_id = $1 AND project_id = $2 AND folded_form = ANY ($3::text[])
        AND retracted_at IS NULL AND valid_until IS NULL
    UNION
    SELECT step.form, alias.target, step.depth + 1
    FROM step JOIN alias ON alias.tenant_id = $1 AND alias.source = step.entity
    WHERE retracted_at IS NULL AND valid_until IS NULL
) CYCLE form, entity SET is_circle USING trail,
preferred AS (
    SELECT DISTINCT ON (form) form, entity FROM step WHERE NOT is_circle ORDER BY form, depth DESC, entity
)
SELECT preferred.form AS folded_form, entity.id, coalesce(key, entity.id::text) AS key,
    coalesce(bare_key, entity.id::text) AS bare_key, type.is_document, greatest(entity.created_at, (
        SELECT max(valid_until) FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND artifact IS NULL AND retracted_at IS NULL
    )) AS created_at,
    entity.source_artifact,
    type.name AS type_name, latest.source_uri
FROM preferred
JOIN entity ON entity.tenant_id = $1 AND entity.id = preferred.entity
JOIN type ON type.tenant_id = entity.tenant_id AND type.type_id = entity.type_id
LEFT JOIN LATERAL (
    SELECT source_uri FROM artifact
    WHERE artifact.tenant_id = $1 AND artifact.entity = entity.id
    ORDER BY artifact.created_at DESC
    LIMIT 1
) AS latest ON true
WHERE NOT EXISTS (
    SELECT FROM absence
    WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND artifact IS NULL AND retracted_at IS NULL
        AND tstzrange(valid_from, valid_until) @>
            (SELECT greatest(clock_timestamp(), recorded_at) FROM ledger_clock WHERE tenant_id = $1)
);
