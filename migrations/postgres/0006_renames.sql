-- A document may get another identifier. Its key changes, and a name of the sort FORMER says until when it had the
-- former one, so that the past is asked by the name of then. Nothing else of an identity ever changes.

CREATE FUNCTION key_at(of_tenant integer, of_entity uuid, present_key text, instant timestamptz) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
RETURN coalesce(
    (
        SELECT key FROM document_name
        WHERE tenant_id = of_tenant AND entity = of_entity AND sort = 'FORMER' AND recorded_at > instant
        ORDER BY recorded_at
        LIMIT 1
    ),
    present_key
);

CREATE INDEX former_key_by_entity ON document_name (tenant_id, entity) WHERE sort = 'FORMER';

CREATE OR REPLACE FUNCTION identity_never_changes() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND EXISTS (
        SELECT FROM document_name
        WHERE tenant_id = OLD.tenant_id AND entity = OLD.id AND sort = 'FORMER' AND key = OLD.key AND closed_at IS NULL
    ) THEN
        OLD.key := NEW.key;
        OLD.bare_key := NEW.bare_key;
        IF OLD IS NOT DISTINCT FROM NEW THEN
            RETURN NEW;
        END IF;
    END IF;
    PERFORM refuse('identity_never_changes', 'an entity is identity alone; change its state instead');
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION immutable_properties_never_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    changed text := (
        SELECT min(property)
        FROM entity
        JOIN type USING (tenant_id, type_id)
        CROSS JOIN unnest(immutable_props) AS property
        JOIN entity_state AS earlier ON earlier.tenant_id = entity.tenant_id AND earlier.entity = entity.id
        WHERE entity.tenant_id = NEW.tenant_id AND entity.id = NEW.entity
            AND earlier.props -> property IS DISTINCT FROM NEW.props -> property
            AND NOT (property = 'identifier' AND EXISTS (
                SELECT FROM document_name
                WHERE tenant_id = NEW.tenant_id AND document_name.entity = NEW.entity AND sort = 'FORMER'
            ))
    );
BEGIN
    IF changed IS NOT NULL THEN
        PERFORM refuse('immutable_properties_never_change', format('property %s never changes', changed));
    END IF;
    RETURN NEW;
END $$;

GRANT UPDATE (key, bare_key) ON entity TO trigraph_service;
GRANT EXECUTE ON FUNCTION key_at(integer, uuid, text, timestamptz) TO trigraph_service;
