-- name: take_numbers
-- Take so many numbers for artifacts.
SELECT nextval('artifact_number_seq') AS number FROM generate_series(1, $1::integer);

-- name: insert_artifact
-- Record a document.
INSERT INTO artifact (
    tenant_id, id, number, project_id, entity, type_id, identifier, title, body, domain, created_at, recorded_at,
    source_uri, source_commit, author, content_hash, term_count, actor, meta, date_source, date_precision, stated_at
) OVERRIDING SYSTEM VALUE VALUES (
    :tenant, :id, :number, :project, :entity, :type, :identifier, :title, :body, :domain, :created_at, :recorded_at,
    :source_uri, :source_commit, :author, :content_hash, :term_count, :actor, :meta, :date_source, :date_precision, :stated_at
);

-- name: insert_passages
-- Record the passages of an artifact.
INSERT INTO passage (tenant_id, artifact_number, ordinal, heading, text, tokens)
SELECT :tenant, :artifact, passage.ordinal, passage.heading, passage.text, passage.tokens
FROM unnest(:ordinals::integer[], :headings::text[], :texts::text[], :tokens::integer[])
    AS passage (ordinal, heading, text, tokens);

-- name: latest_version
-- Which artifact of an entity was filed last, whenever it takes effect? One that is hidden counts only if all are. The one
-- that the entity begins with was filed first: it may have been recorded again since, as one of another moment.
SELECT
    artifact.id, number, artifact.project_id, type.name AS kind, identifier, title, body, domain,
    created_at, artifact.recorded_at, source_uri, source_commit, author, content_hash, entity,
    meta, date_source, date_precision, stated_at
FROM artifact JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND entity = $2
ORDER BY EXISTS (
    SELECT FROM absence
    WHERE absence.tenant_id = $1 AND absence.entity = $2 AND absence.artifact = artifact.id AND retracted_at IS NULL
), created_at = (SELECT entity.created_at FROM entity WHERE entity.tenant_id = $1 AND entity.id = $2), artifact.recorded_at DESC
LIMIT 1;

-- name: latest_hashes
-- What are the content hashes of the artifacts filed last under these keys of a project, of those that are there?
SELECT wanted.key, latest.content_hash
FROM project
CROSS JOIN unnest($3::text[]) AS wanted (key)
CROSS JOIN LATERAL (
    SELECT content_hash
    FROM entity JOIN artifact ON artifact.tenant_id = $1 AND artifact.entity = entity.id
    WHERE entity.tenant_id = $1 AND entity.project_id = project.project_id AND entity.key = wanted.key
        AND NOT EXISTS (
            SELECT FROM absence
            WHERE absence.tenant_id = $1 AND absence.entity = entity.id AND retracted_at IS NULL
                AND (absence.artifact IS NULL OR absence.artifact = artifact.id)
                AND tstzrange(absence.valid_from, absence.valid_until) @>
                    (SELECT greatest(clock_timestamp(), recorded_at) FROM ledger_clock WHERE tenant_id = $1)
        )
    ORDER BY artifact.created_at = entity.created_at, artifact.recorded_at DESC
    LIMIT 1
) AS latest
WHERE project.tenant_id = $1 AND folded_key = $2;

-- name: latest_version_date
-- When does the last of an entity's artifacts take effect, of those that are not hidden? One that begins at an unknown moment
-- was there when the entity was filed first.
SELECT max(CASE WHEN is_unknown(created_at) THEN first.recorded_at ELSE created_at END)
FROM artifact
CROSS JOIN (SELECT min(recorded_at) AS recorded_at FROM artifact WHERE tenant_id = $1 AND entity = $2) AS first
WHERE tenant_id = $1 AND entity = $2 AND NOT EXISTS (
    SELECT FROM absence
    WHERE absence.tenant_id = $1 AND absence.entity = $2 AND absence.artifact = artifact.id AND retracted_at IS NULL
);

-- name: artifacts_by_id
-- Which artifacts have these ids?
SELECT
    artifact.id, number, artifact.project_id, type.name AS kind, identifier, title, body, domain,
    created_at, artifact.recorded_at, source_uri, source_commit, author, content_hash, entity,
    meta, date_source, date_precision, stated_at
FROM artifact JOIN type USING (tenant_id, type_id)
WHERE tenant_id = $1 AND artifact.id = ANY ($2::uuid[]);

-- name: newest_versions_in_scope
-- Which of these entities' artifacts, the newest at a moment, are of the wanted types and domains?
SELECT entity, number
FROM (
    SELECT DISTINCT ON (entity) entity, number, project_id, type_id, domain
    FROM artifact
    WHERE tenant_id = $1 AND entity = ANY ($2::uuid[]) AND created_at <= $3 AND recorded_at <= $4
        AND number <> ALL ($8::bigint[])
    ORDER BY entity, created_at DESC
) AS newest
WHERE project_id = ANY ($5::integer[])
    AND ($6::integer[] IS NULL OR type_id = ANY ($6)) AND ($7::text[] IS NULL OR domain = ANY ($7));

-- name: newest_sources
-- From which files came the newest versions of these entities at a moment?
SELECT DISTINCT ON (entity) entity, source_uri
FROM artifact
WHERE tenant_id = $1 AND entity = ANY ($2::uuid[]) AND created_at <= $3 AND recorded_at <= $4
ORDER BY entity, created_at DESC;

-- name: first_version
-- Which artifact does a document begin with, and by which date that a later one states should it? One without a date by one
-- before its first filing, another by one before its own.
SELECT
    artifact.id, artifact.number, artifact.project_id, type.name AS kind, identifier, title, body, domain,
    artifact.created_at, artifact.recorded_at, source_uri, source_commit, author, content_hash, artifact.entity,
    meta, artifact.date_source, artifact.date_precision, artifact.stated_at,
    later.stated_at AS begins, later.date_source AS begins_by, later.date_precision AS begins_precisely
FROM entity
JOIN artifact ON artifact.tenant_id = $1 AND artifact.entity = entity.id AND artifact.created_at = entity.created_at
JOIN type ON type.tenant_id = $1 AND type.type_id = artifact.type_id
LEFT JOIN LATERAL (
    SELECT stated.stated_at, stated.date_source, stated.date_precision
    FROM artifact AS stated
    WHERE stated.tenant_id = $1 AND stated.entity = entity.id AND stated.stated_at < CASE
            WHEN coalesce(artifact.date_source = 'FILED', artifact.created_at = artifact.recorded_at) THEN (
                SELECT min(recorded_at) FROM artifact AS filed WHERE filed.tenant_id = $1 AND filed.entity = entity.id
            )
            ELSE entity.created_at
        END
        AND NOT EXISTS (
            SELECT FROM artifact AS held
            WHERE held.tenant_id = $1 AND held.entity = entity.id AND held.created_at = stated.stated_at
        )
    ORDER BY stated.stated_at
    LIMIT 1
) AS later ON true
WHERE entity.tenant_id = $1 AND entity.id = $2;

-- name: is_undated_at
-- Does a document count from a moment only because a version without a date was filed then?
SELECT EXISTS (
    SELECT FROM artifact
    WHERE tenant_id = $1 AND entity = $2 AND created_at = $3 AND created_at = recorded_at
        AND coalesce(date_source = 'FILED', true)
);

-- name: copy_artifact
-- Record an artifact again, as one that takes effect at another moment.
INSERT INTO artifact (
    tenant_id, id, number, project_id, entity, type_id, identifier, title, body, domain, created_at, recorded_at,
    source_uri, source_commit, author, content_hash, term_count, actor, meta, date_source, date_precision
) OVERRIDING SYSTEM VALUE
SELECT tenant_id, :id, :number, project_id, entity, type_id, identifier, title, body, domain, :created_at, :recorded_at,
    source_uri, source_commit, author, content_hash, term_count, :actor, meta, :date_source, :date_precision
FROM artifact
WHERE tenant_id = :tenant AND number = :copied
RETURNING term_count;

-- name: copy_passages
-- Record the passages of an artifact for another one.
INSERT INTO passage (tenant_id, artifact_number, ordinal, heading, text, tokens)
SELECT tenant_id, $3, ordinal, heading, text, tokens FROM passage WHERE tenant_id = $1 AND artifact_number = $2;

-- name: copy_vectors
-- Record the vectors of an artifact for another one, which takes effect at another moment.
INSERT INTO embedding (tenant_id, project_id, artifact_number, ordinal, created_at, recorded_at, vector)
SELECT tenant_id, project_id, :number, ordinal, :created_at, :recorded_at, vector
FROM embedding
WHERE tenant_id = :tenant AND project_id = :project AND artifact_number = :copied;

-- name: copy_mentions
-- Record what an artifact mentions for another one.
INSERT INTO mention (tenant_id, artifact, entity, folded_form, surface_form, occurrences, recorded_at)
SELECT tenant_id, $3, entity, folded_form, surface_form, occurrences, $4
FROM mention
WHERE tenant_id = $1 AND artifact = $2;

-- name: passages_by_artifact
-- Which passages do these artifacts have?
SELECT artifact_number, ordinal, heading, text, tokens
FROM passage
WHERE tenant_id = $1 AND artifact_number = ANY ($2::bigint[])
ORDER BY artifact_number, ordinal;

-- name: creation_times
-- Since when are these artifacts there? One that counts from its filing has no age.
SELECT number,
    coalesce(stated_at, CASE WHEN NOT is_unknown(created_at) THEN nullif(created_at, recorded_at) END) AS created_at
FROM artifact
WHERE tenant_id = $1 AND number = ANY ($2::bigint[]);

-- name: identifiers_of
-- By which identifiers do these artifacts go?
SELECT number, identifier FROM artifact WHERE tenant_id = $1 AND number = ANY ($2::bigint[]);

-- name: identifiers_known
-- Which of these identifiers does some artifact go by?
SELECT DISTINCT identifier FROM artifact WHERE tenant_id = $1 AND identifier = ANY ($2::text[]);
