-- Who said what of an entity is asked whenever something supersedes it or speaks of it again: without an index each
-- such question reads the events of every entity there is.

CREATE INDEX state_event_by_entity ON state_event (tenant_id, entity);
