-- Plain SQL says nothing either that the program would not: states speak of what their type has, what is withdrawn
-- has ended, and nobody but the ledger tells the graph what changed.

-- Types only widen, so that what was fit once stays so.
CREATE FUNCTION a_state_speaks_of_what_its_type_has() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    other text;
    missing text;
BEGIN
    SELECT min(unknown.property), min(needed.property) INTO other, missing
    FROM written
    JOIN entity ON entity.tenant_id = written.tenant_id AND entity.id = written.entity
    JOIN type ON type.tenant_id = entity.tenant_id AND type.type_id = entity.type_id
    LEFT JOIN LATERAL (
        SELECT property FROM jsonb_object_keys(props) AS property
        WHERE property <> ALL (immutable_props || mutable_props)
        LIMIT 1
    ) AS unknown ON true
    LEFT JOIN LATERAL (
        SELECT property FROM unnest(immutable_props) AS property
        WHERE NOT is_document AND NOT props ? property
        LIMIT 1
    ) AS needed ON true;
    IF other IS NOT NULL THEN
        PERFORM refuse('a_state_speaks_of_what_its_type_has', format('its type has no property %s', other));
    ELSIF missing IS NOT NULL THEN
        PERFORM refuse(
            'what_never_changes_is_there_from_the_start', format('property %s never changes, so it is needed', missing));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER a_state_speaks_of_what_its_type_has AFTER INSERT ON entity_state
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION a_state_speaks_of_what_its_type_has();

-- What waits and what was withdrawn is told as of a moment too.
CREATE TRIGGER written_when_recorded AFTER INSERT ON pending_reference
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON alias_candidate
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON fact_candidate
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();
CREATE TRIGGER written_when_recorded AFTER INSERT ON withdrawal
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();

CREATE FUNCTION a_withdrawal_names_what_ends_with_it() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM alias
        WHERE tenant_id = NEW.tenant_id AND id = NEW.withdrawn AND retracted_at = NEW.recorded_at
        UNION ALL
        SELECT FROM reference
        WHERE tenant_id = NEW.tenant_id AND id = NEW.withdrawn AND retracted_at = NEW.recorded_at
    ) THEN
        PERFORM refuse('a_withdrawal_names_what_ends_with_it', 'a withdrawal is of an alias or a reference that ends');
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER a_withdrawal_names_what_ends_with_it AFTER INSERT ON withdrawal
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION a_withdrawal_names_what_ends_with_it();

-- What the ledger writes itself, it writes inside the trigger of what changed.
CREATE FUNCTION the_ledger_alone_writes_its_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refuse('the_ledger_alone_writes_its_outbox', 'what changes tells the outbox itself; write nothing there');
    RETURN NULL;
END $$;
CREATE TRIGGER the_ledger_alone_writes_its_outbox AFTER INSERT ON outbox
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION the_ledger_alone_writes_its_outbox();
