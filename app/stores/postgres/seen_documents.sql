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
