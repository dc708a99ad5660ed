-- name: insert_alias_candidate
-- Queue a likely alias for review, once.
INSERT INTO alias_candidate (
    tenant_id, id, project_id, surface_form, folded_form, entity, quote, quote_start, artifact, recorded_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: insert_fact_candidate
-- Queue a likely fact for review, once.
INSERT INTO fact_candidate (
    tenant_id, id, project_id, entity, property, value, quote, quote_start, artifact, recorded_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT DO NOTHING
RETURNING id;
