-- Postings in blocks of 240: a question of common words then reads 100,000 documents in a few hundred rows. The
-- ledger itself writes a block when a term's count in a project reaches 240, 480 and so on, so no caller can forget
-- it, and never touches it again. What no block holds yet is read as rows: those after the last block's last number,
-- since a write holds its tenant's clock and numbers therefore commit in their order.
-- A posting is packed as the lower 32 bits of its artifact's number, its frequency and its document's count of terms,
-- each big-endian.

LOCK TABLE artifact, posting, term_statistics, scope_statistics IN SHARE ROW EXCLUSIVE MODE;

CREATE TABLE posting_block (
    tenant_id integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    project_id integer NOT NULL,
    last_number bigint NOT NULL,
    packed bytea STORAGE PLAIN NOT NULL,
    PRIMARY KEY (tenant_id, term, project_id, last_number)
);

-- The same of documents, for a question that does not see, or does not want, all of them: one column after the other,
-- so that it reads what it needs. Times are in microseconds; a domain is its place among the block's names, from 1, or
-- 0.
CREATE TABLE document_block (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    last_number bigint NOT NULL,
    total_terms bigint NOT NULL,
    latest_created_at timestamptz NOT NULL,
    latest_recorded_at timestamptz NOT NULL,
    numbers bytea STORAGE PLAIN NOT NULL,
    created_at bytea STORAGE PLAIN NOT NULL,
    recorded_at bytea STORAGE PLAIN NOT NULL,
    term_counts bytea STORAGE PLAIN NOT NULL,
    types bytea STORAGE PLAIN NOT NULL,
    domains bytea STORAGE PLAIN NOT NULL,
    domain_names text[] NOT NULL,
    PRIMARY KEY (tenant_id, project_id, last_number)
);

CREATE INDEX artifact_by_project ON artifact (tenant_id, project_id, number);

-- The first $4 postings of a term in a project that no block holds, packed; all of them when $4 is null.
CREATE FUNCTION fresh_postings(integer, text, integer, bigint)
RETURNS TABLE (last_number bigint, packed bytea) LANGUAGE sql STABLE AS $$
    SELECT
        max(artifact_number),
        string_agg(
            substring(int8send(artifact_number) FROM 5) || int4send(frequency) || int4send(term_count),
            '' ORDER BY artifact_number
        )
    FROM (
        SELECT artifact_number, frequency, term_count
        FROM posting
        WHERE tenant_id = $1 AND term = $2 AND project_id = $3
            AND artifact_number > (
                SELECT coalesce(max(block.last_number), 0)
                FROM posting_block AS block
                WHERE block.tenant_id = $1 AND block.term = $2 AND block.project_id = $3
            )
        ORDER BY artifact_number
        LIMIT $4
    ) AS fresh
    HAVING count(*) > 0
$$;

-- The first $3 documents of a project that no block holds, packed; all of them when $3 is null.
CREATE FUNCTION fresh_documents(integer, integer, bigint)
RETURNS TABLE (
    last_number bigint, total_terms bigint, latest_created_at timestamptz, latest_recorded_at timestamptz,
    numbers bytea, created_at bytea, recorded_at bytea, term_counts bytea, types bytea, domains bytea,
    domain_names text[]
) LANGUAGE sql STABLE AS $$
    WITH document AS MATERIALIZED (
        SELECT number, created_at, recorded_at, term_count, type_id, domain
        FROM artifact
        WHERE tenant_id = $1 AND project_id = $2
            AND number > (
                SELECT coalesce(max(block.last_number), 0)
                FROM document_block AS block
                WHERE block.tenant_id = $1 AND block.project_id = $2
            )
        ORDER BY number
        LIMIT $3
    ),
    named AS MATERIALIZED (
        SELECT coalesce(array_agg(DISTINCT domain) FILTER (WHERE domain IS NOT NULL), '{}') AS names FROM document
    )
    SELECT
        max(number),
        sum(term_count),
        max(created_at),
        max(recorded_at),
        string_agg(substring(int8send(number) FROM 5), '' ORDER BY number),
        string_agg(timestamptz_send(created_at), '' ORDER BY number),
        string_agg(timestamptz_send(recorded_at), '' ORDER BY number),
        string_agg(int4send(term_count), '' ORDER BY number),
        string_agg(int4send(type_id), '' ORDER BY number),
        string_agg(substring(int4send(coalesce(array_position(names, domain), 0)) FROM 4), '' ORDER BY number),
        names
    FROM document CROSS JOIN named
    GROUP BY names
$$;

CREATE FUNCTION pack_postings(integer, text, integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO posting_block
    SELECT $1, $2, $3, full_block.*
    FROM fresh_postings($1, $2, $3, 240) AS full_block
    WHERE octet_length(packed) = 240 * 12;
END $$;

CREATE FUNCTION pack_documents(integer, integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO document_block
    SELECT $1, $2, full_block.*
    FROM fresh_documents($1, $2, 240) AS full_block
    WHERE octet_length(numbers) = 240 * 4;
END $$;

CREATE FUNCTION pack_postings_of_term() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pack_postings(NEW.tenant_id, NEW.term, NEW.project_id);
    RETURN NULL;
END $$;
CREATE TRIGGER pack_postings AFTER UPDATE OF documents ON term_statistics
    FOR EACH ROW WHEN (NEW.documents % 240 = 0) EXECUTE FUNCTION pack_postings_of_term();

CREATE FUNCTION pack_documents_of_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pack_documents(NEW.tenant_id, NEW.project_id);
    RETURN NULL;
END $$;
CREATE TRIGGER pack_documents AFTER UPDATE OF documents ON scope_statistics
    FOR EACH ROW WHEN (NEW.documents % 240 = 0) EXECUTE FUNCTION pack_documents_of_project();

-- What is filed already.
DO $$
DECLARE
    held record;
BEGIN
    FOR held IN SELECT tenant_id, term, project_id, documents / 240 AS blocks
        FROM term_statistics WHERE documents >= 240
    LOOP
        FOR block IN 1 .. held.blocks LOOP
            PERFORM pack_postings(held.tenant_id, held.term, held.project_id);
        END LOOP;
    END LOOP;
    FOR held IN SELECT tenant_id, project_id, documents / 240 AS blocks FROM scope_statistics LOOP
        FOR block IN 1 .. held.blocks LOOP
            PERFORM pack_documents(held.tenant_id, held.project_id);
        END LOOP;
    END LOOP;
END $$;

SELECT keep_tenants_apart(relation::regclass) FROM unnest(ARRAY['posting_block', 'document_block']) AS relation;

GRANT SELECT, INSERT ON posting_block, document_block TO trigraph_service;
