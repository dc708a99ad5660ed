-- name: best_by_kept_counts
-- Which artifacts hold these terms best, by BM25 over everything there is?
-- Tells with each whether that is what the asked moment sees; a moment that misses something must count anew.
-- Shares are added as whole numbers, which give one sum in every order.
WITH corpus AS MATERIALIZED (
    SELECT
        sum(documents)::float8 AS documents,
        sum(total_terms)::float8 / greatest(sum(documents), 1)::float8 AS mean_terms,
        bool_and(latest_created_at <= $4 AND latest_recorded_at <= $5) AS sees_everything
    FROM scope_statistics
    WHERE tenant_id = $1 AND project_id = ANY ($2::integer[])
),
document_frequency AS (
    SELECT term, sum(documents)::float8 AS documents
    FROM term_statistics
    WHERE tenant_id = $1 AND term = ANY ($3::text[]) AND project_id = ANY ($2::integer[])
    GROUP BY term
),
weight AS MATERIALIZED (
    SELECT
        term,
        ln(1 + (corpus.documents - document_frequency.documents + 0.5) / (document_frequency.documents + 0.5))
            * ($6::float8 + 1) * $11::float8 AS most,
        $6::float8 * (1 - $7::float8) AS saturation,
        $6::float8 * $7::float8 / greatest(mean_terms, 1) AS saturation_per_term
    FROM document_frequency CROSS JOIN corpus
),
scored AS (
    SELECT
        artifact_number,
        sum((most * frequency / (frequency + saturation + saturation_per_term * term_count))::integer) AS score
    FROM weight
    JOIN posting ON posting.tenant_id = $1 AND posting.term = weight.term
        AND posting.project_id = ANY ($2::integer[])
    GROUP BY artifact_number
)
SELECT artifact_number, score::float8 / $11::float8 AS score, (SELECT sees_everything FROM corpus) AS sees_everything
FROM scored
WHERE $9::integer[] IS NULL AND $10::text[] IS NULL OR EXISTS (
    SELECT FROM artifact
    WHERE artifact.tenant_id = $1 AND artifact.number = artifact_number
        AND ($9::integer[] IS NULL OR type_id = ANY ($9)) AND ($10::text[] IS NULL OR domain = ANY ($10))
)
ORDER BY score DESC, artifact_number
LIMIT $8;

-- name: best_by_counting
-- Which artifacts hold these terms best, by BM25 over exactly the documents visible at a moment?
-- The shares are those of best_by_kept_counts: both score alike where they see the same.
WITH corpus AS MATERIALIZED (
    SELECT count(*)::float8 AS documents, sum(term_count)::float8 / greatest(count(*), 1)::float8 AS mean_terms
    FROM artifact
    WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND created_at <= $4 AND recorded_at <= $5
),
matched AS MATERIALIZED (
    SELECT term, artifact_number, frequency, posting.term_count
    FROM posting JOIN artifact ON artifact.tenant_id = $1 AND artifact.number = artifact_number
    WHERE posting.tenant_id = $1 AND term = ANY ($3::text[]) AND posting.project_id = ANY ($2::integer[])
        AND created_at <= $4 AND recorded_at <= $5
),
document_frequency AS (
    SELECT term, count(*)::float8 AS documents FROM matched GROUP BY term
),
weight AS MATERIALIZED (
    SELECT
        term,
        ln(1 + (corpus.documents - document_frequency.documents + 0.5) / (document_frequency.documents + 0.5))
            * ($6::float8 + 1) * $11::float8 AS most,
        $6::float8 * (1 - $7::float8) AS saturation,
        $6::float8 * $7::float8 / greatest(mean_terms, 1) AS saturation_per_term
    FROM document_frequency CROSS JOIN corpus
),
scored AS (
    SELECT
        artifact_number,
        sum((most * frequency / (frequency + saturation + saturation_per_term * term_count))::integer) AS score
    FROM weight JOIN matched USING (term)
    GROUP BY artifact_number
)
SELECT artifact_number, score::float8 / $11::float8 AS score
FROM scored
WHERE $9::integer[] IS NULL AND $10::text[] IS NULL OR EXISTS (
    SELECT FROM artifact
    WHERE artifact.tenant_id = $1 AND artifact.number = artifact_number
        AND ($9::integer[] IS NULL OR type_id = ANY ($9)) AND ($10::text[] IS NULL OR domain = ANY ($10))
)
ORDER BY score DESC, artifact_number
LIMIT $8;
