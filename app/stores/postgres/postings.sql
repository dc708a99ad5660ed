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

-- name: best_by_bm25
-- Which artifacts hold these terms best, by BM25 over exactly the documents visible at a moment?
-- A question that can see everything reads the kept counts; one in the past counts what there was then.
-- Shares are added as whole numbers, which give one sum in every order: both ways score alike.
WITH scope AS (
    SELECT
        coalesce(sum(documents), 0)::float8 AS documents,
        coalesce(sum(total_terms), 0)::float8 AS total_terms,
        coalesce(bool_and(latest_created_at <= $4 AND latest_recorded_at <= $5), true) AS sees_everything
    FROM scope_statistics
    WHERE tenant_id = $1 AND project_id = ANY ($2::integer[])
),
corpus AS (
    SELECT documents, total_terms FROM scope WHERE sees_everything
    UNION ALL
    SELECT count(*)::float8, coalesce(sum(term_count), 0)::float8
    FROM artifact
    WHERE NOT (SELECT sees_everything FROM scope)
        AND tenant_id = $1 AND project_id = ANY ($2::integer[]) AND created_at <= $4 AND recorded_at <= $5
    HAVING NOT (SELECT sees_everything FROM scope)
),
matched AS (
    SELECT term, artifact_number, frequency, term_count
    FROM posting
    WHERE (SELECT sees_everything FROM scope)
        AND tenant_id = $1 AND term = ANY ($3::text[]) AND project_id = ANY ($2::integer[])
    UNION ALL
    SELECT term, artifact_number, frequency, posting.term_count
    FROM posting JOIN artifact ON artifact.tenant_id = $1 AND artifact.number = artifact_number
    WHERE NOT (SELECT sees_everything FROM scope)
        AND posting.tenant_id = $1 AND term = ANY ($3::text[]) AND posting.project_id = ANY ($2::integer[])
        AND created_at <= $4 AND recorded_at <= $5
),
document_frequency AS (
    SELECT term, sum(documents)::float8 AS documents
    FROM term_statistics
    WHERE (SELECT sees_everything FROM scope)
        AND tenant_id = $1 AND term = ANY ($3::text[]) AND project_id = ANY ($2::integer[])
    GROUP BY term
    UNION ALL
    SELECT term, count(*)::float8
    FROM matched
    WHERE NOT (SELECT sees_everything FROM scope)
    GROUP BY term
),
weight AS (
    SELECT
        term,
        ln(1 + (corpus.documents - document_frequency.documents + 0.5) / (document_frequency.documents + 0.5))
            AS inverse_frequency,
        corpus.total_terms / greatest(corpus.documents, 1) AS mean_terms
    FROM document_frequency CROSS JOIN corpus
),
scored AS (
    SELECT
        artifact_number,
        sum((
            inverse_frequency * frequency * ($6::float8 + 1)
            / (frequency + $6::float8 * (1 - $7::float8 + $7::float8 * term_count / greatest(mean_terms, 1)))
            * 1e12
        )::bigint)::float8 / 1e12 AS score
    FROM matched JOIN weight USING (term)
    GROUP BY artifact_number
)
SELECT artifact_number, score
FROM scored
WHERE $9::integer[] IS NULL AND $10::text[] IS NULL OR EXISTS (
    SELECT FROM artifact
    WHERE artifact.tenant_id = $1 AND artifact.number = artifact_number
        AND ($9::integer[] IS NULL OR type_id = ANY ($9)) AND ($10::text[] IS NULL OR domain = ANY ($10))
)
ORDER BY score DESC, artifact_number
LIMIT $8;
