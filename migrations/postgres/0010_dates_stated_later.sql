-- A document begins at the date that a later version of it states, if that is before the date that it counted from: its
-- first text is filed again as of that date, and its first filing is hidden. So one that begins at an unknown moment may
-- begin later than that. An identity begins when a version of its document does.

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
    ELSIF TG_OP = 'UPDATE' AND (NEW.created_at < OLD.created_at OR is_unknown(OLD.created_at)) AND EXISTS (
        SELECT FROM artifact
        WHERE tenant_id = OLD.tenant_id AND entity = OLD.id AND created_at = NEW.created_at
    ) THEN
        OLD.created_at := NEW.created_at;
        IF OLD IS NOT DISTINCT FROM NEW THEN
            RETURN NEW;
        END IF;
    END IF;
    PERFORM refuse('identity_never_changes', 'an entity is identity alone; change its state instead');
    RETURN NULL;
END $$;

-- Since when does a document state what it states since a moment? Since it begins, if it counted from that moment before
-- its beginning moved.
CREATE OR REPLACE FUNCTION stated_since(of_tenant integer, of_entity uuid, begins timestamptz, moment timestamptz)
RETURNS timestamptz LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
RETURN CASE
    WHEN EXISTS (
        SELECT FROM absence
        WHERE tenant_id = of_tenant AND entity = of_entity AND artifact IS NOT NULL AND source = 'CALLER'
            AND valid_from = moment AND retracted_at IS NULL
    ) THEN begins
    ELSE moment
END;
