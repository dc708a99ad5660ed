-- Queues are read from their oldest candidate on, and a review says why.

ALTER TABLE alias_candidate ADD COLUMN review_reason text;
ALTER TABLE fact_candidate ADD COLUMN review_reason text;

GRANT UPDATE (review_reason) ON alias_candidate, fact_candidate TO trigraph_service;

CREATE INDEX alias_candidate_by_status ON alias_candidate (tenant_id, project_id, status, recorded_at, id);
CREATE INDEX fact_candidate_by_status ON fact_candidate (tenant_id, project_id, status, recorded_at, id);

-- A type that a project defined is part of the graph, so whoever copies the graph must hear of it. The outbox
-- tells rows by an id, and a type has a number: its id there is zeros and that number in hexadecimal.
CREATE FUNCTION note_type_in_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_change(NEW.tenant_id, 'type', lpad(to_hex(NEW.type_id), 32, '0')::uuid);
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER note_type AFTER INSERT OR UPDATE ON type DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.project_id IS NOT NULL) EXECUTE FUNCTION note_type_in_outbox();
