-- name: insert_alias_candidate
-- Queue a likely alias for review, once.
INSERT INTO alias_candidate (
    tenant_id, id, project_id, surface_form, folded_form, entity, quote, quote_start, artifact, recorded_at
) VALUES (
    :tenant, :id, :project, :surface_form, :folded_form, :entity, :quote, :quote_start, :artifact, :recorded_at
)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: insert_fact_candidate
-- Queue a likely fact for review, once.
INSERT INTO fact_candidate (
    tenant_id, id, project_id, entity, property, value, quote, quote_start, artifact, recorded_at
) VALUES (
    :tenant, :id, :project, :entity, :property, :value, :quote, :quote_start, :artifact, :recorded_at
)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: alias_candidates_page
-- Which likely aliases of these projects and statuses are there, the oldest first, after a position?
SELECT found.*
FROM unnest($2::integer[]) AS project (number)
CROSS JOIN unnest($3::text[]) AS wanted (status)
CROSS JOIN LATERAL (
    SELECT id, project_id, surface_form, entity, quote, quote_start, artifact, recorded_at, status, reviewed_by,
        reviewed_at, review_reason
    FROM alias_candidate
    WHERE tenant_id = $1 AND project_id = project.number AND alias_candidate.status = wanted.status
        AND ($4::timestamptz IS NULL OR (recorded_at, id) > ($4, $5::uuid))
    ORDER BY recorded_at, id
    LIMIT $6
) AS found
ORDER BY recorded_at, id
LIMIT $6;

-- name: count_alias_candidates
-- How many likely aliases of these projects and statuses are there?
SELECT count(*)
FROM alias_candidate
WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND status = ANY ($3::text[]);

-- name: alias_candidates_by_id
-- Which likely aliases have these ids?
SELECT id, project_id, surface_form, entity, quote, quote_start, artifact, recorded_at, status, reviewed_by,
    reviewed_at, review_reason
FROM alias_candidate
WHERE tenant_id = $1 AND id = ANY ($2::uuid[]);

-- name: review_alias_candidate
-- Record what was decided about a likely alias.
UPDATE alias_candidate
SET status = :status, reviewed_by = :reviewed_by, reviewed_at = :reviewed_at, review_reason = :reason
WHERE tenant_id = :tenant AND id = :id;

-- name: fact_candidates_page
-- Which likely facts of these projects and statuses are there, the oldest first, after a position?
SELECT found.*
FROM unnest($2::integer[]) AS project (number)
CROSS JOIN unnest($3::text[]) AS wanted (status)
CROSS JOIN LATERAL (
    SELECT id, project_id, entity, property, value, quote, quote_start, artifact, recorded_at, status, reviewed_by,
        reviewed_at, review_reason
    FROM fact_candidate
    WHERE tenant_id = $1 AND project_id = project.number AND fact_candidate.status = wanted.status
        AND ($4::timestamptz IS NULL OR (recorded_at, id) > ($4, $5::uuid))
    ORDER BY recorded_at, id
    LIMIT $6
) AS found
ORDER BY recorded_at, id
LIMIT $6;

-- name: count_fact_candidates
-- How many likely facts of these projects and statuses are there?
SELECT count(*)
FROM fact_candidate
WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND status = ANY ($3::text[]);

-- name: fact_candidates_by_id
-- Which likely facts have these ids?
SELECT id, project_id, entity, property, value, quote, quote_start, artifact, recorded_at, status, reviewed_by,
    reviewed_at, review_reason
FROM fact_candidate
WHERE tenant_id = $1 AND id = ANY ($2::uuid[]);

-- name: review_fact_candidate
-- Record what was decided about a likely fact.
UPDATE fact_candidate
SET status = :status, reviewed_by = :reviewed_by, reviewed_at = :reviewed_at, review_reason = :reason
WHERE tenant_id = :tenant AND id = :id;
