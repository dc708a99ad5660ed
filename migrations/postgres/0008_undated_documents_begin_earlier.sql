-- A document without a date counts from its filing, unless something superseded it before: then it was there before
-- that, and nobody knows since when. Such a document begins on the first day of the calendar, which stands for an unknown
-- beginning. Nothing but that and the key of an identity ever changes.

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
    ELSIF TG_OP = 'UPDATE' AND NEW.created_at < OLD.created_at AND EXISTS (
        SELECT FROM artifact
        WHERE tenant_id = OLD.tenant_id AND entity = OLD.id AND created_at = NEW.created_at AND date_source = 'FILED'
    ) THEN
        OLD.created_at := NEW.created_at;
        IF OLD IS NOT DISTINCT FROM NEW THEN
            RETURN NEW;
        END IF;
    END IF;
    PERFORM refuse('identity_never_changes', 'an entity is identity alone; change its state instead');
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER note_beginning AFTER UPDATE OF created_at ON entity DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_row_in_outbox('entity');

CREATE FUNCTION is_unknown(moment timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN moment < '0001-01-02T00:00:00Z';

-- Since when does a document state what it states since a moment? All the time, if that was its first filing and it
-- begins at an unknown moment.
CREATE FUNCTION stated_since(of_tenant integer, of_entity uuid, begins timestamptz, moment timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
RETURN CASE
    WHEN is_unknown(begins) AND moment = (
        SELECT min(created_at) FROM artifact
        WHERE tenant_id = of_tenant AND entity = of_entity AND NOT is_unknown(created_at)
    ) THEN begins
    ELSE moment
END;

GRANT UPDATE (created_at) ON entity TO trigraph_service;
GRANT EXECUTE ON FUNCTION is_unknown(timestamptz), stated_since(integer, uuid, timestamptz, timestamptz) TO trigraph_service;
