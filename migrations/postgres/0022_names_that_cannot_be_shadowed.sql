-- A name in a function of the ledger means one thing, whatever the session that calls it has set or made. A temporary
-- relation comes before all others unless the path says otherwise: a temporary view in the place of a table ran with
-- the rights of the owner, and one in the place of the clock let its maker around the rules of time.

-- The one function that runs as the owner. Its body is read now, and so never looks a name up again.
CREATE OR REPLACE FUNCTION stands_in_ledger(at bigint, mark text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
    SELECT at = 0 OR EXISTS (
        SELECT FROM public.outbox AS change
        WHERE change.position = at AND change.transaction_id || '/' || change.row_id = mark
    );
END;
REVOKE ALL ON FUNCTION stands_in_ledger(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION stands_in_ledger(bigint, text) TO trigraph_service;

-- A path of its own would keep these from being planned as a part of the statement that calls them. Their parameters
-- have names because a dump of such a body cannot be read back without.
CREATE OR REPLACE FUNCTION current_tenant() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
RETURN NULLIF(pg_catalog.current_setting('trigraph.tenant', true), '')::integer;

CREATE OR REPLACE FUNCTION fresh_postings(of_tenant integer, of_term text, of_project integer, at_most bigint)
RETURNS TABLE (last_number bigint, packed bytea) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT
        max(artifact_number),
        string_agg(
            substring(int8send(artifact_number) FROM 5) || int4send(frequency) || int4send(term_count),
            '' ORDER BY artifact_number
        )
    FROM (
        SELECT artifact_number, frequency, term_count
        FROM public.posting
        WHERE tenant_id = of_tenant AND term = of_term AND project_id = of_project
            AND artifact_number > (
                SELECT coalesce(max(block.last_number), 0)
                FROM public.posting_block AS block
                WHERE block.tenant_id = of_tenant AND block.term = of_term AND block.project_id = of_project
            )
        ORDER BY artifact_number
        LIMIT at_most
    ) AS fresh
    HAVING count(*) > 0;
END;

CREATE OR REPLACE FUNCTION fresh_documents(of_tenant integer, of_project integer, at_most bigint)
RETURNS TABLE (
    last_number bigint, total_terms bigint, latest_created_at timestamptz, latest_recorded_at timestamptz,
    numbers bytea, created_at bytea, recorded_at bytea, term_counts bytea, types bytea, domains bytea,
    domain_names text[]
) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH document AS MATERIALIZED (
        SELECT number, created_at, recorded_at, term_count, type_id, domain
        FROM public.artifact
        WHERE tenant_id = of_tenant AND project_id = of_project
            AND number > (
                SELECT coalesce(max(block.last_number), 0)
                FROM public.document_block AS block
                WHERE block.tenant_id = of_tenant AND block.project_id = of_project
            )
        ORDER BY number
        LIMIT at_most
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
    GROUP BY names;
END;

-- All others, most of which are rules that triggers keep.
DO $$
DECLARE
    unpinned regprocedure;
BEGIN
    FOR unpinned IN
        SELECT pg_proc.oid
        FROM pg_proc
        JOIN pg_language ON pg_language.oid = prolang
        WHERE pronamespace = 'public'::regnamespace AND lanname = 'plpgsql' AND pg_has_role(proowner, 'USAGE')
            AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, public, pg_temp', unpinned);
    END LOOP;
END $$;
