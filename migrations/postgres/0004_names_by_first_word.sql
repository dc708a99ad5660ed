-- Which names may a text use? Those whose first word it holds: a filed text then looks at a few names, however
-- many its project has. Names kept so far have the empty word, which every text is taken to hold. The names of
-- documents have none, since a text points at a document by reference.

ALTER TABLE alias ADD COLUMN first_word text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE state_name ADD COLUMN first_word text COLLATE "C";

UPDATE state_name SET first_word = ''
FROM entity JOIN type USING (tenant_id, type_id)
WHERE entity.tenant_id = state_name.tenant_id AND entity.id = state_name.entity AND NOT type.is_document;

CREATE INDEX alias_by_first_word ON alias (tenant_id, project_id, first_word) WHERE retracted_at IS NULL;
CREATE INDEX state_name_by_first_word ON state_name (tenant_id, first_word) WHERE first_word IS NOT NULL;
