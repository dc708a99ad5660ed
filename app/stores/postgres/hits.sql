-- name: hits_by_vector
-- What are these artifacts, and which passage of each says most about a vector?
-- A passage of a few words is little more than its title, so it must be nearer by $4 to be chosen.
SELECT
    artifact.id, artifact.number, artifact.project_id, type.name AS kind, identifier, title, body, domain,
    created_at, artifact.recorded_at, source_uri, source_commit, author, content_hash, entity,
    best.ordinal, best.heading, best.text, best.tokens
FROM artifact
JOIN type USING (tenant_id, type_id)
CROSS JOIN LATERAL (
    SELECT passage.ordinal, heading, text, tokens
    FROM passage
    LEFT JOIN embedding ON embedding.tenant_id = $1 AND embedding.project_id = artifact.project_id
        AND embedding.artifact_number = artifact.number AND embedding.ordinal = passage.ordinal
    WHERE passage.tenant_id = $1 AND passage.artifact_number = artifact.number
    ORDER BY (vector <=> $3) + CASE WHEN tokens < $5 THEN $4::float8 ELSE 0 END, passage.ordinal
    LIMIT 1
) AS best
WHERE artifact.tenant_id = $1 AND artifact.number = ANY ($2::bigint[]);

-- name: hits_from_the_start
-- What are these artifacts, and how do they begin?
SELECT
    artifact.id, artifact.number, artifact.project_id, type.name AS kind, identifier, title, body, domain,
    created_at, artifact.recorded_at, source_uri, source_commit, author, content_hash, entity,
    passage.ordinal, passage.heading, passage.text, passage.tokens
FROM artifact
JOIN type USING (tenant_id, type_id)
JOIN passage ON passage.tenant_id = $1 AND passage.artifact_number = artifact.number AND passage.ordinal = 0
WHERE artifact.tenant_id = $1 AND artifact.number = ANY ($2::bigint[]);
