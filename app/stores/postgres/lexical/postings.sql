-- name: insert_postings
-- Record how often artifacts hold each of their terms: a line for each, and a word of the counts.
INSERT INTO posting (tenant_id, term, project_id, artifact_number, frequency, term_count)
SELECT :tenant, term, :project, number, frequency, term_count
FROM unnest(:numbers::bigint[], :term_counts::integer[], :terms::text[], :counts::text[])
    AS document (number, term_count, terms, counts)
CROSS JOIN LATERAL unnest(string_to_array(terms, E'\n'), string_to_array(counts, ' ')::integer[])
    AS posting (term, frequency)
ORDER BY term COLLATE "C", number;

-- name: count_terms
-- Count documents for each of the terms that these have, a line for each.
INSERT INTO term_statistics AS counted (tenant_id, term, project_id, documents)
SELECT $1, term, $2, count(*)
FROM (
    SELECT term COLLATE "C"
    FROM unnest($3::text[]) AS document (terms) CROSS JOIN LATERAL string_to_table(terms, E'\n') AS term
) AS held
GROUP BY term
ORDER BY term
ON CONFLICT (tenant_id, term, project_id) DO UPDATE SET documents = counted.documents + excluded.documents;

-- name: count_documents
-- Count so many documents, with so many terms together, in a project.
INSERT INTO scope_statistics AS counted (
    tenant_id, project_id, documents, total_terms, latest_created_at, latest_recorded_at
) VALUES (:tenant, :project, :documents, :total_terms, :latest_created_at, :latest_recorded_at)
ON CONFLICT (tenant_id, project_id) DO UPDATE SET
    documents = counted.documents + excluded.documents,
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
