-- Whoever copies the graph hears of every change at once, and of every type: also those that all projects have,
-- and what the types may reference.

CREATE OR REPLACE FUNCTION note_change(tenant integer, kind text, row_id uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('trigraph outbox', 0));
    INSERT INTO outbox (tenant_id, kind, row_id) VALUES (tenant, kind, row_id) ON CONFLICT DO NOTHING;
    PERFORM pg_notify('trigraph_outbox', '');
END $$;

-- A rule is told with the type it begins at.
CREATE FUNCTION note_rule_in_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, 'type', lpad(to_hex(NEW.source_type), 32, '0')::uuid);
    RETURN NULL;
END $$;

DROP TRIGGER note_type ON type;
CREATE CONSTRAINT TRIGGER note_type AFTER INSERT OR UPDATE ON type DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_type_in_outbox();
CREATE CONSTRAINT TRIGGER note_rule AFTER INSERT ON reference_rule DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_rule_in_outbox();

SELECT note_change(tenant_id, 'type', lpad(to_hex(type_id), 32, '0')::uuid) FROM type ORDER BY tenant_id, type_id;
