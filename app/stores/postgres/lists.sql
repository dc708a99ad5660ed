-- name: entities_page
-- Which entities exist at a moment, the newest first, after a position?
SELECT entity.id, type.name AS type_name, entity.project_id, key, created_at, source_artifact
FROM entity JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND ($2::integer IS NULL OR entity.project_id = $2)
    AND ($3::text IS NULL OR type.folded_name = $3) AND created_at <= $4 AND entity.recorded_at <= $5
    AND NOT EXISTS (
        SELECT FROM absence AS moved
        WHERE moved.tenant_id = $1 AND moved.entity = entity.id AND moved.artifact IS NOT NULL AND moved.source = 'CALLER'
            AND moved.recorded_at > $5 AND moved.valid_from > $4
    )
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND absence.artifact IS NULL
            AND absence.recorded_at <= $5 AND (absence.retracted_at > $5 OR absence.retracted_at IS NULL)
            AND absence.valid_from <= $4 AND (absence.valid_until > $4 OR absence.valid_until IS NULL)
    )
    AND ($6::timestamptz IS NULL OR (created_at, entity.id) < ($6, $7::uuid))
    AND ($9::text[] IS NULL OR EXISTS (
        SELECT FROM entity_state AS held
        WHERE held.tenant_id = $1 AND held.entity = entity.id AND held.branch = 'COMMITTED'
            AND held.recorded_at <= $5 AND (held.retracted_at > $5 OR held.retracted_at IS NULL)
            AND held.valid_from <= $4 AND (held.valid_until > $4 OR held.valid_until IS NULL)
            AND (
                entity.project_id,
                CASE jsonb_typeof(held.props -> 'status') WHEN 'string' THEN held.props ->> 'status' ELSE '' END
            ) IN (SELECT * FROM unnest($10::integer[], $9::text[]))
    ))
    AND ($11::text IS NULL OR EXISTS (
        SELECT FROM entity_state AS held
        WHERE held.tenant_id = $1 AND held.entity = entity.id AND held.branch = 'COMMITTED'
            AND held.recorded_at <= $5 AND (held.retracted_at > $5 OR held.retracted_at IS NULL)
            AND held.valid_from <= $4 AND (held.valid_until > $4 OR held.valid_until IS NULL)
            AND strpos(lower(concat_ws(' ', held.props ->> 'name', held.props ->> 'title')), lower($11)) > 0
    ))
    AND ($12::timestamptz IS NULL OR created_at >= $12) AND ($13::timestamptz IS NULL OR created_at < $13)
ORDER BY created_at DESC, entity.id DESC
LIMIT $8;

-- name: count_entities
-- How many entities exist at a moment?
SELECT count(*)
FROM entity JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND ($2::integer IS NULL OR entity.project_id = $2)
    AND ($3::text IS NULL OR type.folded_name = $3) AND created_at <= $4 AND entity.recorded_at <= $5
    AND NOT EXISTS (
        SELECT FROM absence AS moved
        WHERE moved.tenant_id = $1 AND moved.entity = entity.id AND moved.artifact IS NOT NULL AND moved.source = 'CALLER'
            AND moved.recorded_at > $5 AND moved.valid_from > $4
    )
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND absence.artifact IS NULL
            AND absence.recorded_at <= $5 AND (absence.retracted_at > $5 OR absence.retracted_at IS NULL)
            AND absence.valid_from <= $4 AND (absence.valid_until > $4 OR absence.valid_until IS NULL)
    )
    AND ($6::text[] IS NULL OR EXISTS (
        SELECT FROM entity_state AS held
        WHERE held.tenant_id = $1 AND held.entity = entity.id AND held.branch = 'COMMITTED'
            AND held.recorded_at <= $5 AND (held.retracted_at > $5 OR held.retracted_at IS NULL)
            AND held.valid_from <= $4 AND (held.valid_until > $4 OR held.valid_until IS NULL)
            AND (
                entity.project_id,
                CASE jsonb_typeof(held.props -> 'status') WHEN 'string' THEN held.props ->> 'status' ELSE '' END
            ) IN (SELECT * FROM unnest($7::integer[], $6::text[]))
    ))
    AND ($8::text IS NULL OR EXISTS (
        SELECT FROM entity_state AS held
        WHERE held.tenant_id = $1 AND held.entity = entity.id AND held.branch = 'COMMITTED'
            AND held.recorded_at <= $5 AND (held.retracted_at > $5 OR held.retracted_at IS NULL)
            AND held.valid_from <= $4 AND (held.valid_until > $4 OR held.valid_until IS NULL)
            AND strpos(lower(concat_ws(' ', held.props ->> 'name', held.props ->> 'title')), lower($8)) > 0
    ))
    AND ($9::timestamptz IS NULL OR created_at >= $9) AND ($10::timestamptz IS NULL OR created_at < $10);

-- name: statuses
-- Which statuses have the entities that exist at a moment, "" for those without one, and what do the words of their
-- projects mean?
SELECT found.project_id, status, (
    SELECT jsonb_object_agg(phrase, flag)
    FROM status_word
    WHERE tenant_id = $1 AND status_word.project_id = found.project_id
        AND recorded_at <= $5 AND (closed_at > $5 OR closed_at IS NULL)
) AS team_words
FROM (
    SELECT DISTINCT entity.project_id,
        CASE jsonb_typeof(held.props -> 'status') WHEN 'string' THEN held.props ->> 'status' ELSE '' END AS status
    FROM entity
    JOIN type USING (tenant_id, type_id)
    JOIN entity_state AS held ON held.tenant_id = $1 AND held.entity = entity.id
    WHERE entity.tenant_id = $1 AND ($2::integer IS NULL OR entity.project_id = $2)
        AND ($3::text IS NULL OR type.folded_name = $3) AND created_at <= $4 AND entity.recorded_at <= $5
        AND NOT EXISTS (
            SELECT FROM absence AS moved
            WHERE moved.tenant_id = $1 AND moved.entity = entity.id AND moved.artifact IS NOT NULL AND moved.source = 'CALLER'
                AND moved.recorded_at > $5 AND moved.valid_from > $4
        )
        AND held.branch = 'COMMITTED'
        AND held.recorded_at <= $5 AND (held.retracted_at > $5 OR held.retracted_at IS NULL)
        AND held.valid_from <= $4 AND (held.valid_until > $4 OR held.valid_until IS NULL)
        AND NOT EXISTS (
            SELECT FROM absence
            WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND absence.artifact IS NULL
                AND absence.recorded_at <= $5 AND (absence.retracted_at > $5 OR absence.retracted_at IS NULL)
                AND absence.valid_from <= $4 AND (absence.valid_until > $4 OR absence.valid_until IS NULL)
        )
) AS found
ORDER BY project_id, status;

-- name: artifacts_page
-- Which artifacts are there, the newest first, after a position?
SELECT
    artifact.id, number, artifact.project_id, type.name AS kind, identifier, title, body, domain,
    artifact.created_at, artifact.recorded_at, source_uri, source_commit, author, content_hash, entity,
    meta, date_source, date_precision, stated_at
FROM artifact
JOIN type USING (tenant_id, type_id)
JOIN entity ON entity.tenant_id = artifact.tenant_id AND entity.id = artifact.entity
WHERE artifact.tenant_id = $1 AND ($2::integer IS NULL OR artifact.project_id = $2)
    AND ($3::text IS NULL OR type.folded_name = $3)
    AND ($4::text IS NULL OR entity.key = $4 OR entity.bare_key = $4 OR EXISTS (
        SELECT FROM document_name AS name
        WHERE name.tenant_id = $1 AND name.entity = entity.id AND name.key = $4 AND name.sort = 'FORMER'
    ))
    AND ($5::text IS NULL OR domain = $5) AND artifact.recorded_at <= $7
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id
            AND absence.recorded_at <= $7 AND (absence.retracted_at > $7 OR absence.retracted_at IS NULL)
            AND (absence.artifact IS NULL OR absence.artifact = artifact.id)
            AND absence.valid_from <= $6 AND (absence.valid_until > $6 OR absence.valid_until IS NULL)
    )
    AND ($8::timestamptz IS NULL OR (artifact.created_at, artifact.id) < ($8, $9::uuid))
    AND ($11::text IS NULL OR strpos(lower(title), lower($11)) > 0)
    AND ($12::timestamptz IS NULL OR artifact.created_at >= $12)
    AND ($13::timestamptz IS NULL OR artifact.created_at < $13)
    AND ($14::text IS NULL OR starts_with(source_uri, $14))
ORDER BY artifact.created_at DESC, artifact.id DESC
LIMIT $10;

-- name: count_artifacts
-- How many artifacts are there?
SELECT count(*)
FROM artifact
JOIN type USING (tenant_id, type_id)
JOIN entity ON entity.tenant_id = artifact.tenant_id AND entity.id = artifact.entity
WHERE artifact.tenant_id = $1 AND ($2::integer IS NULL OR artifact.project_id = $2)
    AND ($3::text IS NULL OR type.folded_name = $3)
    AND ($4::text IS NULL OR entity.key = $4 OR entity.bare_key = $4 OR EXISTS (
        SELECT FROM document_name AS name
        WHERE name.tenant_id = $1 AND name.entity = entity.id AND name.key = $4 AND name.sort = 'FORMER'
    ))
    AND ($5::text IS NULL OR domain = $5) AND artifact.recorded_at <= $7
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id
            AND absence.recorded_at <= $7 AND (absence.retracted_at > $7 OR absence.retracted_at IS NULL)
            AND (absence.artifact IS NULL OR absence.artifact = artifact.id)
            AND absence.valid_from <= $6 AND (absence.valid_until > $6 OR absence.valid_until IS NULL)
    )
    AND ($8::text IS NULL OR strpos(lower(title), lower($8)) > 0)
    AND ($9::timestamptz IS NULL OR artifact.created_at >= $9)
    AND ($10::timestamptz IS NULL OR artifact.created_at < $10)
    AND ($11::text IS NULL OR starts_with(source_uri, $11));

-- name: references_page
-- Which references hold at a moment between things that exist then, the newest first, after a position?
SELECT reference.id, source, target, type, reference.source_artifact, valid_from, valid_until, in_part
FROM reference
JOIN entity AS origin ON origin.tenant_id = reference.tenant_id AND origin.id = source
JOIN entity AS aim ON aim.tenant_id = reference.tenant_id AND aim.id = target
WHERE reference.tenant_id = $1 AND ($2::integer IS NULL OR reference.project_id = $2)
    AND ($3::uuid IS NULL OR source = $3) AND ($4::uuid IS NULL OR target = $4)
    AND ($5::text IS NULL OR type = $5)
    AND valid_from <= $6 AND (valid_until > $6 OR valid_until IS NULL)
    AND reference.recorded_at <= $7 AND (retracted_at > $7 OR retracted_at IS NULL)
    AND origin.created_at <= $6 AND aim.created_at <= $6
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity IN (reference.source, reference.target) AND absence.artifact IS NULL
            AND absence.recorded_at <= $7 AND (absence.retracted_at > $7 OR absence.retracted_at IS NULL)
            AND absence.valid_from <= $6 AND (absence.valid_until > $6 OR absence.valid_until IS NULL)
    )
    AND ($8::timestamptz IS NULL OR (valid_from, reference.id) < ($8, $9::uuid))
ORDER BY valid_from DESC, reference.id DESC
LIMIT $10;

-- name: count_references
-- How many references hold at a moment between things that exist then?
SELECT count(*)
FROM reference
JOIN entity AS origin ON origin.tenant_id = reference.tenant_id AND origin.id = source
JOIN entity AS aim ON aim.tenant_id = reference.tenant_id AND aim.id = target
WHERE reference.tenant_id = $1 AND ($2::integer IS NULL OR reference.project_id = $2)
    AND ($3::uuid IS NULL OR source = $3) AND ($4::uuid IS NULL OR target = $4)
    AND ($5::text IS NULL OR type = $5)
    AND valid_from <= $6 AND (valid_until > $6 OR valid_until IS NULL)
    AND reference.recorded_at <= $7 AND (retracted_at > $7 OR retracted_at IS NULL)
    AND origin.created_at <= $6 AND aim.created_at <= $6
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity IN (reference.source, reference.target) AND absence.artifact IS NULL
            AND absence.recorded_at <= $7 AND (absence.retracted_at > $7 OR absence.retracted_at IS NULL)
            AND absence.valid_from <= $6 AND (absence.valid_until > $6 OR absence.valid_until IS NULL)
    );
