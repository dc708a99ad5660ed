-- A token may end by itself. The operator alone makes and revokes tokens: a connection of the service only reads them.
ALTER TABLE token
    ADD COLUMN expires_at timestamptz,
    ADD CONSTRAINT a_token_ends_after_it_begins CHECK (expires_at > created_at);

REVOKE INSERT, UPDATE, UPDATE (revoked_at) ON token FROM trigraph_service;

-- A token may be for one project. Its bearer's statements mean the views of a schema that comes first in their path, so
-- that whatever is of another project is not there, by no statement of theirs. Without a project a view shows nothing.
-- A view shows what its reader may read in the table, within the tenant, and takes no row that it does not show.
ALTER TABLE token
    ADD COLUMN project_id integer,
    ADD FOREIGN KEY (tenant_id, project_id) REFERENCES project;

CREATE FUNCTION current_project() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('trigraph.project', true), '')::integer;

CREATE SCHEMA one_project;

CREATE FUNCTION show_one_project(relation text, condition text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    EXECUTE format(
        'CREATE VIEW one_project.%1$I WITH (security_invoker = true) AS SELECT * FROM public.%1$I AS shown WHERE %2$s'
        ' WITH CASCADED CHECK OPTION', relation, condition);
END $$;
REVOKE ALL ON FUNCTION show_one_project(text, text) FROM PUBLIC;

SELECT show_one_project(relation, 'shown.project_id = current_project()')
FROM unnest(ARRAY[
    'project', 'entity', 'artifact', 'alias', 'alias_candidate', 'fact_candidate', 'pending_reference', 'absence',
    'document_name', 'reference_claim', 'status_word', 'import_root'
]) AS relation;

SELECT show_one_project('type', '(shown.project_id IS NULL OR shown.project_id = current_project())');

-- What is said of an entity is shown with it, and a reference with both of its ends.
SELECT show_one_project(relation, format(
    'EXISTS (SELECT FROM public.entity AS held WHERE held.tenant_id = shown.tenant_id AND held.id = shown.%I'
    ' AND held.project_id = current_project())', shown_with))
FROM (VALUES ('entity_state', 'entity'), ('state_event', 'entity'), ('mention', 'entity')) AS told (relation, shown_with);
SELECT show_one_project('reference',
    'shown.project_id = current_project() AND EXISTS (SELECT FROM public.entity AS held'
    ' WHERE held.tenant_id = shown.tenant_id AND held.id = shown.target AND held.project_id = current_project())');

GRANT USAGE ON SCHEMA one_project TO trigraph_service;
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA one_project TO trigraph_service;
