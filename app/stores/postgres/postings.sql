-- name: insert_postings
-- Record how often an artifact holds each of its terms.
INSERT INTO posting (tenant_id, term, project_id, artifact_number, frequency, term_count)
SELECT $1, posting.term, $2, $3, posting.frequency, $6
FROM unnest($4::text[], $5::integer[]) AS posting (term, frequency);

-- name: count_terms
-- Count one more document for each of these terms.
INSERT INTO term_statistics AS counted (tenant_id, term, project_id, documents)
SELECT $1, term, $2, 1 FROM unnest($3::text[]) AS term ORDER BY term
ON CONFLICT (tenant_id, term, project_id) DO UPDATE SET documents = counted.documents + 1;

-- name: count_document
-- Count one more document in a project.
INSERT INTO scope_statistics AS counted (
    tenant_id, project_id, documents, total_terms, latest_created_at, latest_recorded_at
) VALUES ($1, $2, 1, $3, $4, $5)
ON CONFLICT (tenant_id, project_id) DO UPDATE SET
    documents = counted.documents + 1,
    total_terms = counted.total_terms + excluded.total_terms,
    latest_created_at = greatest(counted.latest_created_at, excluded.latest_created_at),
    latest_recorded_at = greatest(counted.latest_recorded_at, excluded.latest_recorded_at);

-- name: artifacts_holding
-- Which artifacts of a project hold all of these terms?
SELECT artifact.id, artifact.entity, artifact.title, artifact.body
FROM (
    SELECT artifact_number
    FROM posting
    WHERE tenant_id = $1 AND project_id = $2 AND term = ANY ($3::text[])
    GROUP BY artifact_number
    HAVING count(*) = cardinality($3::text[])
    ORDER BY artifact_number DESC
    LIMIT $4
) AS holding
JOIN artifact ON artifact.tenant_id = $1 AND artifact.number = holding.artifact_number;
