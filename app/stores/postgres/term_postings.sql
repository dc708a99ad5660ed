-- name: postings_of_terms
-- Which documents hold these terms? A first row without a term tells what the projects hold altogether; then comes a
-- row for each block, and one for what no block of a term in a project holds.
WITH held AS MATERIALIZED (
    SELECT term, project_id
    FROM term_statistics
    WHERE tenant_id = $1 AND term = ANY ($3::text[]) AND project_id = ANY ($2::integer[])
)
SELECT
    NULL AS term, NULL::bigint AS last_number, NULL::bytea AS packed,
    coalesce(sum(documents), 0)::bigint AS documents, coalesce(sum(total_terms), 0)::bigint AS total_terms,
    coalesce(bool_and(latest_created_at <= $4 AND latest_recorded_at <= $5), true) AS sees_everything
FROM scope_statistics
WHERE tenant_id = $1 AND project_id = ANY ($2::integer[])
UNION ALL
SELECT term, block.last_number, block.packed, NULL, NULL, NULL
FROM held CROSS JOIN LATERAL (
    SELECT last_number, packed
    FROM posting_block
    WHERE tenant_id = $1 AND posting_block.term = held.term AND posting_block.project_id = held.project_id
    OFFSET 0
) AS block
UNION ALL
SELECT term, fresh.last_number, fresh.packed, NULL, NULL, NULL
FROM held CROSS JOIN LATERAL fresh_postings($1, held.term, held.project_id, NULL) AS fresh;
