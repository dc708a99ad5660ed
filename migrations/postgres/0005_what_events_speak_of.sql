-- Of which properties does a change speak, and which draft did it end? A change dated back holds on until a
-- state that something was said of; and the ledger itself lets a draft be sealed or discarded once.

ALTER TABLE state_event ADD COLUMN properties text[] NOT NULL DEFAULT '{}';
ALTER TABLE state_event ADD COLUMN draft uuid;
ALTER TABLE state_event ADD FOREIGN KEY (tenant_id, draft) REFERENCES entity_state (tenant_id, id);
ALTER TABLE state_event ADD CONSTRAINT a_draft_ends_once UNIQUE (tenant_id, draft);
