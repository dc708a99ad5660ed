-- Of a thing that half a large ledger speaks of a question takes a hundred references a way and a hundred mentions. An
-- index that has them in the order in which they are taken reads no more than those.

DROP INDEX reference_by_source, reference_by_target, mention_by_entity;
CREATE INDEX reference_by_source ON reference (tenant_id, source, type, occurrences DESC, target);
CREATE INDEX reference_by_target ON reference (tenant_id, target, type, occurrences DESC, source);
CREATE INDEX mention_by_entity ON mention (tenant_id, entity, artifact);
