-- name: insert_claim
-- Keep what a version of a document refers to, under one of the keys that its target may have.
INSERT INTO reference_claim (
    tenant_id, project_id, source, place, key, type, inverted, target_text, path, occurrences, source_artifact, valid_from,
    in_part
) VALUES (
    :tenant, :project, :source, :place, :key, :type, :inverted, :target_text, :path, :occurrences, :source_artifact,
    :valid_from, :in_part
);

-- name: close_claims
-- Let the claims of a document's earlier version count no more.
UPDATE reference_claim SET closed_at = $3 WHERE tenant_id = $1 AND source = $2 AND closed_at IS NULL;

-- name: claims_under
-- Which claims of other documents have one of these keys?
SELECT claim.key, claim.source, entity.key AS source_key, artifact.source_uri, claim.type, claim.inverted,
    claim.target_text, claim.path, claim.occurrences, claim.source_artifact, claim.valid_from, claim.in_part,
    stated_since($1, entity.id, entity.created_at, claim.valid_from) AS begins
FROM reference_claim AS claim
JOIN entity ON entity.tenant_id = claim.tenant_id AND entity.id = claim.source
JOIN artifact ON artifact.tenant_id = claim.tenant_id AND artifact.id = claim.source_artifact
WHERE claim.tenant_id = $1 AND claim.project_id = $2 AND claim.key = ANY ($3::text[]) AND closed_at IS NULL
ORDER BY entity.key, claim.source_artifact, claim.place;

-- name: claims_of
-- What do these documents refer to?
SELECT DISTINCT ON (claim.source, claim.place)
    claim.source, entity.key AS source_key, artifact.source_uri, claim.type, claim.inverted,
    claim.target_text, claim.path, claim.occurrences, claim.source_artifact, claim.valid_from, claim.in_part,
    stated_since($1, entity.id, entity.created_at, claim.valid_from) AS begins
FROM reference_claim AS claim
JOIN entity ON entity.tenant_id = claim.tenant_id AND entity.id = claim.source
JOIN artifact ON artifact.tenant_id = claim.tenant_id AND artifact.id = claim.source_artifact
WHERE claim.tenant_id = $1 AND claim.source = ANY ($2::uuid[]) AND closed_at IS NULL
ORDER BY claim.source, claim.place, claim.key;

-- name: insert_name
-- Note by which name other documents may link to a document.
INSERT INTO document_name (tenant_id, project_id, key, entity, sort, recorded_at)
VALUES (:tenant, :project, :key, :entity, :sort, :recorded_at);

-- name: names_of
-- By which names may other documents link to a document?
SELECT key, sort FROM document_name
WHERE tenant_id = $1 AND entity = $2 AND closed_at IS NULL;

-- name: close_names
-- Let a document go by these names no more.
UPDATE document_name SET closed_at = :closed_at
WHERE tenant_id = :tenant AND entity = :entity AND closed_at IS NULL
    AND (key, sort) IN (SELECT * FROM unnest(:keys::text[], :sorts::text[]));

-- name: documents_by_names
-- Which documents of a project go by these names?
SELECT name.key AS name, name.sort, name.recorded_at AS since, entity.id, entity.key, entity.bare_key, type.is_document,
    greatest(entity.created_at, (
        SELECT max(valid_until) FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND artifact IS NULL AND retracted_at IS NULL
    )) AS created_at,
    entity.source_artifact, type.name AS type_name, latest.source_uri
FROM document_name AS name
JOIN entity ON entity.tenant_id = name.tenant_id AND entity.id = name.entity
JOIN type ON type.tenant_id = entity.tenant_id AND type.type_id = entity.type_id
LEFT JOIN LATERAL (
    SELECT source_uri FROM artifact
    WHERE artifact.tenant_id = $1 AND artifact.entity = name.entity
    ORDER BY artifact.created_at DESC
    LIMIT 1
) AS latest ON true
WHERE name.tenant_id = $1 AND name.project_id = $2 AND name.key = ANY ($3::text[]) AND name.closed_at IS NULL
    AND NOT EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = name.entity AND artifact IS NULL AND retracted_at IS NULL
            AND tstzrange(valid_from, valid_until) @>
                (SELECT greatest(clock_timestamp(), recorded_at) FROM ledger_clock WHERE tenant_id = $1)
    )
ORDER BY name.key, name.sort, entity.key;

-- name: documents_by_key
-- From which file came the newest version of each document that is there in a project, and what is its title?
SELECT DISTINCT ON (artifact.entity) entity.key, source_uri, title
FROM project
JOIN artifact ON artifact.tenant_id = $1 AND artifact.project_id = project.project_id
JOIN entity ON entity.tenant_id = $1 AND entity.id = artifact.entity
WHERE project.tenant_id = $1 AND folded_key = $2 AND entity.key IS NOT NULL AND NOT EXISTS (
    SELECT FROM absence
    WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND absence.artifact IS NULL AND retracted_at IS NULL
        AND tstzrange(valid_from, valid_until) @>
            (SELECT greatest(clock_timestamp(), recorded_at) FROM ledger_clock WHERE tenant_id = $1)
)
ORDER BY artifact.entity, artifact.created_at DESC;
