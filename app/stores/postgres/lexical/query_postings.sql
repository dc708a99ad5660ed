-- name: postings_of_terms
-- Which documents hold these terms? A first row without a term tells what the projects hold altogether; then comes a
-- row for each full block, and one for what no block of a term in a project holds. Of some terms ($6) in some projects
-- ($7) the blocks up to a last number ($8) are at hand.
WITH held AS MATERIALIZED (
    SELECT held.term, held.project_id, coalesce(at_hand.last_number, 0) AS last_number
    FROM term_statistics AS held
    LEFT JOIN unnest($6::text[], $7::integer[], $8::bigint[]) AS at_hand (term, project_id, last_number)
        USING (term, project_id)
    WHERE tenant_id = $1 AND held.term = ANY ($3::text[]) AND held.project_id = ANY ($2::integer[])
)
SELECT
    NULL AS term, NULL::integer AS project_id, NULL::boolean AS is_full,
    NULL::bigint AS last_number, NULL::bytea AS packed,
    coalesce(sum(documents), 0)::bigint AS documents, coalesce(sum(total_terms), 0)::bigint AS total_terms,
    coalesce(bool_and(latest_created_at <= $4 AND latest_recorded_at <= $5), true) AS sees_everything
FROM scope_statistics
WHERE tenant_id = $1 AND project_id = ANY ($2::integer[])
UNION ALL
SELECT term, project_id, true, block.last_number, block.packed, NULL, NULL, NULL
FROM held CROSS JOIN LATERAL (
    SELECT posting_block.last_number, packed
    FROM posting_block
    WHERE tenant_id = $1 AND posting_block.term = held.term AND posting_block.project_id = held.project_id
        AND posting_block.last_number > held.last_number
    OFFSET 0
) AS block
UNION ALL
SELECT term, project_id, false, fresh.last_number, fresh.packed, NULL, NULL, NULL
FROM held CROSS JOIN LATERAL fresh_postings($1, held.term, held.project_id, NULL) AS fresh;

-- name: documents_of_projects
-- Which documents do these projects hold? A row for each block, and one for what no block of a project holds. Of a
-- block that a moment sees whole the totals are enough, unless some types or domains are wanted.
SELECT
    last_number,
    total_terms,
    octet_length(numbers) / 4 AS documents,
    CASE WHEN is_opened THEN numbers END AS numbers,
    CASE WHEN is_opened THEN term_counts END AS term_counts,
    CASE WHEN latest_created_at > $3 THEN created_at END AS created_at,
    CASE WHEN latest_recorded_at > $4 THEN recorded_at END AS recorded_at,
    CASE WHEN $5::boolean THEN types END AS types,
    CASE WHEN $5::boolean THEN domains END AS domains,
    CASE WHEN $5::boolean THEN domain_names END AS domain_names
FROM (
    SELECT
        last_number, total_terms, latest_created_at, latest_recorded_at, numbers, created_at, recorded_at,
        term_counts, types, domains, domain_names
    FROM document_block
    WHERE tenant_id = $1 AND project_id = ANY ($2::integer[])
    UNION ALL
    SELECT fresh.*
    FROM unnest($2::integer[]) AS project CROSS JOIN LATERAL fresh_documents($1, project, NULL) AS fresh
) AS block
CROSS JOIN LATERAL (
    SELECT latest_created_at > $3::timestamptz OR latest_recorded_at > $4::timestamptz OR $5::boolean AS is_opened
) AS looked_into;
