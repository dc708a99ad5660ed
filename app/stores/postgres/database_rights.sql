-- name: open_rights
-- What may everybody, or the role $1, make in this database, and which statement takes that away?
WITH role AS (
    SELECT 0::oid AS oid, 'PUBLIC' AS name
    UNION ALL
    SELECT oid, quote_ident(rolname) FROM pg_roles WHERE rolname = $1
),
held AS (
    SELECT 'TEMPORARY' AS right_name, 'temporary objects' AS meaning, 'DATABASE ' || quote_ident(datname) AS thing,
        coalesce(datacl, acldefault('d', datdba)) AS rights
    FROM pg_database WHERE datname = current_database()
    UNION ALL
    SELECT 'CREATE', 'schemas', 'DATABASE ' || quote_ident(datname), coalesce(datacl, acldefault('d', datdba))
    FROM pg_database WHERE datname = current_database()
    UNION ALL
    SELECT 'CREATE', 'objects in the schema public', 'SCHEMA public', coalesce(nspacl, acldefault('n', nspowner))
    FROM pg_namespace WHERE nspname = 'public'
)
SELECT DISTINCT meaning, format('REVOKE %s ON %s FROM %s', right_name, thing, role.name) AS taken_by
FROM held CROSS JOIN aclexplode(rights) JOIN role ON role.oid = grantee
WHERE privilege_type = right_name
ORDER BY meaning;

-- name: is_superuser
-- Is this role a superuser?
SELECT rolsuper FROM pg_roles WHERE rolname = current_user;

-- name: rights_on_large_objects
-- Which functions that make or change large objects may everybody call, and which statement takes that away?
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', pg_proc.oid::regprocedure) AS taken_by
FROM pg_proc CROSS JOIN aclexplode(coalesce(proacl, acldefault('f', proowner)))
WHERE pronamespace = 'pg_catalog'::regnamespace AND grantee = 0
    AND proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_open', 'lo_put', 'lowrite', 'lo_import');

-- name: server
-- Which server holds the ledger, with which pgvector, and how large is it?
SELECT
    current_setting('server_version') AS server_version,
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector_version,
    pg_database_size(current_database()) AS bytes;

-- name: project_counts
-- How much does each project of a tenant hold, and how much waits in it?
SELECT
    project.key,
    (SELECT count(*) FROM artifact AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id) AS documents,
    (SELECT count(*) FROM entity AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id) AS entities,
    (SELECT count(*) FROM pending_reference AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id
            AND closed_at IS NULL) AS pending_references,
    (SELECT count(*) FROM alias_candidate AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id
            AND status = 'PENDING') AS alias_candidates,
    (SELECT count(*) FROM fact_candidate AS held
        WHERE held.tenant_id = project.tenant_id AND held.project_id = project.project_id
            AND status = 'PENDING') AS fact_candidates
FROM project
JOIN tenant USING (tenant_id)
WHERE tenant.key = $1
ORDER BY project.folded_key;

-- name: can_sign_in
-- May the role $1 log in? No row if there is no such role.
SELECT rolcanlogin FROM pg_roles WHERE rolname = $1;

-- name: one_at_a_time
-- Wait until no other process changes the service's role.
SELECT pg_advisory_xact_lock(hashtextextended('trigraph service role', 0));

-- name: lacks_service_role
-- Is this a ledger, and does the role $1 not exist or hold no rights on it?
SELECT to_regclass('public.ledger_clock') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_roles
    WHERE rolname = $1 AND has_table_privilege(oid, to_regclass('public.ledger_clock'), 'SELECT')
);

-- name: make_role
-- Make the service's role again, as the first migration did.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'trigraph_service') THEN
        CREATE ROLE trigraph_service NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT pg_has_role(current_user, 'trigraph_service', 'SET') THEN
        EXECUTE format('GRANT trigraph_service TO %I', current_user);
    END IF;
END $$;

-- name: give_rights
-- Give the service's role the rights of all migrations again.
DO $$
BEGIN
    GRANT USAGE ON SCHEMA public TO trigraph_service;
    GRANT SELECT ON ledger_clock, outbox_horizon, schema_migration, tenant, token TO trigraph_service;
    GRANT SELECT, INSERT ON absence, alias, alias_candidate, artifact, document_block, document_name, document_root, embedding,
        embedding_model, entity, entity_state, fact_candidate, idempotent_answer, import_root, mention, outbox, passage,
        pending_reference, posting, posting_block, project, reference, reference_claim, reference_rule, scope_statistics, state_event, state_name,
        status_word, term_statistics, type, withdrawal
        TO trigraph_service;
    GRANT UPDATE (retracted_at) ON absence, alias, entity_state, reference TO trigraph_service;
    GRANT UPDATE (root_id, source_uri, recorded_at, left_at) ON document_root TO trigraph_service;
    GRANT UPDATE (status, reviewed_by, reviewed_at, review_reason) ON alias_candidate, fact_candidate
        TO trigraph_service;
    GRANT UPDATE (recorded_at) ON ledger_clock TO trigraph_service;
    GRANT UPDATE (closed_at) ON document_name, pending_reference, reference_claim, status_word TO trigraph_service;
    GRANT UPDATE (documents, total_terms, latest_created_at, latest_recorded_at) ON scope_statistics
        TO trigraph_service;
    GRANT UPDATE (documents) ON term_statistics TO trigraph_service;
    GRANT UPDATE (mutable_props) ON type TO trigraph_service;
    GRANT UPDATE (key, bare_key, created_at) ON entity TO trigraph_service;
    GRANT USAGE ON SCHEMA one_project TO trigraph_service;
    GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA one_project TO trigraph_service;
    GRANT USAGE ON SEQUENCE artifact_number_seq TO trigraph_service;
    GRANT EXECUTE ON FUNCTION stands_in_ledger(bigint, text) TO trigraph_service;
    GRANT EXECUTE ON FUNCTION key_at(integer, uuid, text, timestamptz) TO trigraph_service;
    GRANT EXECUTE ON FUNCTION is_unknown(timestamptz), stated_since(integer, uuid, timestamptz, timestamptz)
        TO trigraph_service;
END $$;

-- name: stored_settings
-- Which settings are stored for the role $1, and which statement takes them away?
SELECT string_agg(split_part(setting, '=', 1), ', ' ORDER BY setting) AS names,
    format('ALTER ROLE %I', $1::text) || coalesce(' IN DATABASE ' || quote_ident(datname), '') || ' RESET ALL' AS taken_by
FROM pg_db_role_setting
JOIN pg_roles ON pg_roles.oid = setrole
LEFT JOIN pg_database ON pg_database.oid = setdatabase
CROSS JOIN unnest(setconfig) AS setting
WHERE rolname = $1
GROUP BY setdatabase, datname
ORDER BY datname NULLS FIRST;

-- name: open_databases
-- To which databases that nobody works in may everybody connect, and which statement takes that away?
SELECT DISTINCT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', datname) AS taken_by
FROM pg_database CROSS JOIN aclexplode(coalesce(datacl, acldefault('d', datdba)))
WHERE grantee = 0 AND datname IN ('postgres', 'template1');
