-- name: vector_only
-- Which passages of which artifacts lie nearest to a vector, one of each artifact?
-- OFFSET 0 keeps distances from being taken later than sorting, which would then move whole vectors.
WITH nearest AS (
    SELECT artifact_number, min(distance) AS distance
    FROM (
        SELECT artifact_number, vector <=> $5 AS distance
        FROM embedding
        WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND created_at <= $3 AND recorded_at <= $4
        OFFSET 0
    ) AS visible
    GROUP BY artifact_number
    ORDER BY distance, artifact_number
    LIMIT $6
)
SELECT nearest.artifact_number, 1 - distance AS score, identifier, title, said.text
FROM nearest
JOIN artifact ON artifact.tenant_id = $1 AND artifact.number = nearest.artifact_number
CROSS JOIN LATERAL (
    SELECT passage.text
    FROM embedding JOIN passage USING (tenant_id, artifact_number, ordinal)
    WHERE embedding.tenant_id = $1 AND embedding.project_id = artifact.project_id
        AND embedding.artifact_number = nearest.artifact_number
    ORDER BY vector <=> $5, ordinal
    LIMIT 1
) AS said
ORDER BY distance, nearest.artifact_number;

-- name: hybrid
-- What does one statement answer to a question of now: four legs, fused, each hit with its best passage and standing?
WITH dense AS (
    SELECT artifact_number, row_number() OVER (ORDER BY distance, artifact_number) AS rank
    FROM (
        SELECT artifact_number, min(distance) AS distance
        FROM (
            SELECT artifact_number, vector <=> $5 AS distance
            FROM embedding
            WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND created_at <= $3 AND recorded_at <= $4
            OFFSET 0
        ) AS visible
        GROUP BY artifact_number
        ORDER BY distance, artifact_number
        LIMIT $12
    ) AS nearest
),
corpus AS (
    SELECT sum(documents)::float8 AS documents, sum(total_terms)::float8 / sum(documents)::float8 AS mean_terms
    FROM scope_statistics
    WHERE tenant_id = $1 AND project_id = ANY ($2::integer[])
),
weight AS (
    SELECT term, ln(1 + (corpus.documents - held.documents + 0.5::float8) / (held.documents + 0.5::float8)) AS weight,
        mean_terms
    FROM (
        SELECT term, sum(documents)::float8 AS documents
        FROM term_statistics
        WHERE tenant_id = $1 AND term = ANY ($6::text[]) AND project_id = ANY ($2::integer[])
        GROUP BY term
    ) AS held
    CROSS JOIN corpus
),
lexical AS (
    SELECT artifact_number, row_number() OVER (ORDER BY score DESC, artifact_number) AS rank
    FROM (
        SELECT
            artifact_number,
            sum(
                weight * frequency * ($10::float8 + 1)
                / (frequency + $10::float8 * (1 - $11::float8 + $11::float8 * term_count / mean_terms))
            ) AS score
        FROM weight
        JOIN posting ON posting.tenant_id = $1 AND posting.term = weight.term
            AND posting.project_id = ANY ($2::integer[])
        GROUP BY artifact_number
        ORDER BY score DESC, artifact_number
        LIMIT $12
    ) AS best
),
anchor AS (
    SELECT id
    FROM entity
    WHERE tenant_id = $1 AND project_id = ANY ($2::integer[]) AND key = ANY ($7::text[])
        AND created_at <= $3 AND recorded_at <= $4
),
strength AS (
    SELECT type, strength FROM unnest($8::text[], $9::float8[]) AS strength (type, strength)
),
edge AS (
    SELECT beside.*
    FROM anchor
    CROSS JOIN LATERAL (
        SELECT reference.target AS entity, strength * ln(1 + occurrences)::float8 AS score
        FROM reference JOIN strength USING (type)
        WHERE tenant_id = $1 AND source = anchor.id
            AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
            AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
        ORDER BY score DESC, target
        LIMIT $12
    ) AS beside
    UNION ALL
    SELECT beside.*
    FROM anchor
    CROSS JOIN LATERAL (
        SELECT reference.source AS entity, strength * ln(1 + occurrences)::float8 AS score
        FROM reference JOIN strength USING (type)
        WHERE tenant_id = $1 AND target = anchor.id
            AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
            AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
        ORDER BY score DESC, source
        LIMIT $12
    ) AS beside
),
graph AS (
    SELECT artifact_number, row_number() OVER (ORDER BY score DESC, artifact_number) AS rank
    FROM (
        SELECT newest.artifact_number, neighbour.score
        FROM (SELECT entity, sum(score) AS score FROM edge GROUP BY entity) AS neighbour
        CROSS JOIN LATERAL (
            SELECT number AS artifact_number, project_id
            FROM artifact
            WHERE tenant_id = $1 AND artifact.entity = neighbour.entity
                AND created_at <= $3 AND recorded_at <= $4
            ORDER BY created_at DESC
            LIMIT 1
        ) AS newest
        WHERE project_id = ANY ($2::integer[])
        ORDER BY score DESC, artifact_number
        LIMIT $12
    ) AS near
),
fused AS (
    SELECT artifact_number, sum(1::float8 / (60 + rank)) AS score,
        max(rank) FILTER (WHERE leg = 'dense') AS dense_rank,
        max(rank) FILTER (WHERE leg = 'lexical') AS lexical_rank,
        max(rank) FILTER (WHERE leg = 'graph') AS graph_rank
    FROM (
        SELECT 'dense' AS leg, artifact_number, rank FROM dense
        UNION ALL
        SELECT 'lexical', artifact_number, rank FROM lexical
        UNION ALL
        SELECT 'graph', artifact_number, rank FROM graph
    ) AS proposed
    GROUP BY artifact_number
),
hit AS (
    SELECT artifact_number, entity, artifact.project_id, identifier, title, created_at,
        dense_rank, lexical_rank, graph_rank,
        fused.score * (1 + 0.02::float8 * (
            2 * exp(-greatest(extract(epoch FROM $3 - created_at)::float8, 0) / (86400 * 180)::float8) - 1
        )) AS score
    FROM fused JOIN artifact ON artifact.tenant_id = $1 AND artifact.number = artifact_number
    ORDER BY score DESC, artifact_number
    LIMIT $13
)
SELECT hit.artifact_number, hit.score, identifier, title, said.text, dense_rank, lexical_rank, graph_rank,
    EXISTS (
        SELECT FROM reference
        WHERE tenant_id = $1 AND target = hit.entity AND type = 'SUPERSEDES'
            AND valid_from <= $3 AND (valid_until > $3 OR valid_until IS NULL)
            AND recorded_at <= $4 AND (retracted_at > $4 OR retracted_at IS NULL)
    ) OR EXISTS (
        SELECT FROM artifact AS newer
        WHERE newer.tenant_id = $1 AND newer.entity = hit.entity
            AND newer.created_at > hit.created_at AND newer.created_at <= $3 AND newer.recorded_at <= $4
    ) AS is_replaced
FROM hit
CROSS JOIN LATERAL (
    SELECT passage.text
    FROM embedding JOIN passage USING (tenant_id, artifact_number, ordinal)
    WHERE embedding.tenant_id = $1 AND embedding.project_id = hit.project_id
        AND embedding.artifact_number = hit.artifact_number
    ORDER BY vector <=> $5, ordinal
    LIMIT 1
) AS said
ORDER BY hit.score DESC, hit.artifact_number;
