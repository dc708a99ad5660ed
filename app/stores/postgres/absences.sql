-- name: insert_absence
-- Record that a document, or one version of it, is not there.
INSERT INTO absence (
    tenant_id, id, project_id, entity, artifact, valid_from, valid_until, source, source_commit, reason, recorded_at, actor
) VALUES (
    :tenant, :id, :project, :entity, :artifact, :valid_from, :valid_until, :source, :source_commit, :reason,
    :recorded_at, :actor
);

-- name: retract_absence
-- Stop believing an absence.
UPDATE absence SET retracted_at = $3 WHERE tenant_id = $1 AND id = $2 AND retracted_at IS NULL;

-- name: absences_of
-- When are these documents, or versions of them, believed not to be there?
SELECT id, entity, artifact, valid_from, valid_until, source, source_commit, reason, recorded_at, actor
FROM absence
WHERE tenant_id = $1 AND entity = ANY ($2::uuid[]) AND retracted_at IS NULL
ORDER BY entity, valid_from;

-- name: absence_by_id
-- Which absence has this id, believed or not?
SELECT id, entity, artifact, valid_from, valid_until, source, source_commit, reason, recorded_at, actor
FROM absence
WHERE tenant_id = $1 AND id = $2;

-- name: absent_artifacts
-- Which artifacts of these projects are not there at a moment?
SELECT artifact.number
FROM absence
JOIN artifact ON artifact.tenant_id = $1 AND artifact.entity = absence.entity
    AND (absence.artifact IS NULL OR absence.artifact = artifact.id)
WHERE absence.tenant_id = $1 AND absence.project_id = ANY ($2::integer[])
    AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
    AND absence.recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
ORDER BY number;

-- name: absent_entities
-- Which documents of a tenant are not there at a moment?
SELECT entity
FROM absence
WHERE tenant_id = $1 AND artifact IS NULL
    AND recorded_at <= $3 AND (retracted_at > $3 OR retracted_at IS NULL)
    AND valid_from <= $2 AND (valid_until > $2 OR valid_until IS NULL)
ORDER BY entity;

-- name: former_beginnings
-- When did documents begin, as was known at a moment, whose beginnings have moved since?
SELECT DISTINCT ON (entity) entity, valid_from
FROM absence
WHERE tenant_id = $1 AND artifact IS NOT NULL AND source = 'CALLER' AND recorded_at > $2
ORDER BY entity, recorded_at;

-- name: references_touching
-- Which references are believed to hold between an instant and another, from or to a document, and whose documents state
-- them?
SELECT reference.id, source, target, type, reference.source_artifact, valid_from, valid_until, in_part, reference.project_id,
    occurrences, stated.entity AS stated_by
FROM reference
LEFT JOIN artifact AS stated ON stated.tenant_id = $1 AND stated.id = reference.source_artifact
WHERE reference.tenant_id = $1 AND (source = $2 OR target = $2 OR stated.entity = $2)
    AND retracted_at IS NULL AND (valid_until > $3 OR valid_until IS NULL)
    AND ($4::timestamptz IS NULL OR valid_from < $4)
ORDER BY reference.id;

-- name: find_root
-- Which root of a project is this: the same folder, or a clone of the same repository?
SELECT root_id
FROM import_root
WHERE tenant_id = $1 AND project_id = $2 AND prefix IS NOT DISTINCT FROM $5
    AND (place = $3 OR $4::text IS NOT NULL AND first_commit = $4)
ORDER BY place <> $3, root_id
LIMIT 1;

-- name: insert_root
-- Remember a folder or a repository that documents are filed from.
INSERT INTO import_root (tenant_id, project_id, place, prefix, first_commit, recorded_at)
VALUES (:tenant, :project, :place, :prefix, :first_commit, :recorded_at)
RETURNING root_id;

-- name: put_documents
-- Remember that these documents, by their keys, came from a root, and each from which file.
INSERT INTO document_root (tenant_id, entity, root_id, source_uri, recorded_at)
SELECT :tenant, entity.id, :root, filed.source_uri, :recorded_at
FROM unnest(:keys::text[], :sources::text[]) AS filed (key, source_uri)
JOIN entity ON entity.tenant_id = :tenant AND entity.project_id = :project AND entity.key = filed.key
ON CONFLICT (tenant_id, entity, root_id) DO UPDATE SET
    source_uri = excluded.source_uri, recorded_at = excluded.recorded_at, left_at = NULL
WHERE document_root.source_uri <> excluded.source_uri OR document_root.left_at IS NOT NULL;

-- name: leave_root
-- Note that a document is in a root no more.
UPDATE document_root SET left_at = $4 WHERE tenant_id = $1 AND entity = $2 AND root_id = $3;

-- name: documents_of_roots
-- Which documents of a project came from which roots and files, what were their last texts, are they there, and which numbers
-- that they do not go by do they state? Those that are there come first, and of these the last that came.
SELECT entity.id, entity.key, place, document_root.root_id AS root, document_root.source_uri, latest.identifier, latest.kind,
    md5(latest.body) AS digest, EXISTS (
        SELECT FROM absence
        WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND absence.artifact IS NULL
            AND retracted_at IS NULL AND tstzrange(valid_from, valid_until) @>
                (SELECT greatest(clock_timestamp(), recorded_at) FROM ledger_clock WHERE tenant_id = $1)
    ) AS is_absent, ARRAY(
        SELECT name.key FROM document_name AS name
        WHERE name.tenant_id = $1 AND name.entity = entity.id AND sort = 'IDENTIFIER' AND closed_at IS NULL
    ) AS stated
FROM project
JOIN import_root ON import_root.tenant_id = $1 AND import_root.project_id = project.project_id
JOIN document_root ON document_root.tenant_id = $1 AND document_root.root_id = import_root.root_id AND left_at IS NULL
JOIN entity ON entity.tenant_id = $1 AND entity.id = document_root.entity
CROSS JOIN LATERAL (
    SELECT identifier, body, type.name AS kind
    FROM artifact JOIN type USING (tenant_id, type_id)
    WHERE tenant_id = $1 AND artifact.entity = entity.id
    ORDER BY artifact.created_at = entity.created_at, artifact.recorded_at DESC
    LIMIT 1
) AS latest
WHERE project.tenant_id = $1 AND folded_key = $2
ORDER BY is_absent, document_root.recorded_at DESC, entity.key;
