-- A document may supersede a part of another one, which stays in force. The reference relates the two and says so. It is
-- another one than a reference that only relates them: each lasts as long as a document states it.
ALTER TABLE reference ADD COLUMN in_part boolean NOT NULL DEFAULT false;
ALTER TABLE pending_reference ADD COLUMN in_part boolean NOT NULL DEFAULT false;
ALTER TABLE reference_claim ADD COLUMN in_part boolean NOT NULL DEFAULT false;

ALTER TABLE reference
    DROP CONSTRAINT one_reference_of_a_type_between_two,
    ADD CONSTRAINT one_reference_of_a_type_between_two EXCLUDE USING gist (
        uuid_range(source, source, '[]') WITH &&,
        uuid_range(target, target, '[]') WITH &&,
        text_range(type, type, '[]') WITH &&,
        tstzrange(valid_from, valid_until) WITH &&,
        tstzrange(recorded_at, retracted_at) WITH &&,
        int8range(tenant_id, tenant_id, '[]') WITH &&,
        int4range(in_part::integer, in_part::integer, '[]') WITH &&
    );
CREATE INDEX reference_in_part_by_target ON reference (tenant_id, target) WHERE in_part;

DROP INDEX one_pending_reference_of_a_type;
CREATE UNIQUE INDEX one_pending_reference_of_a_type ON pending_reference
    (tenant_id, source, target_key, type, inverted, in_part) WHERE closed_at IS NULL;

-- A view has the columns that its table had when the view was made.
CREATE OR REPLACE VIEW one_project.pending_reference WITH (security_invoker = true) AS
SELECT * FROM public.pending_reference AS shown
WHERE shown.project_id = current_project()
WITH CASCADED CHECK OPTION;
CREATE OR REPLACE VIEW one_project.reference_claim WITH (security_invoker = true) AS
SELECT * FROM public.reference_claim AS shown
WHERE shown.project_id = current_project()
WITH CASCADED CHECK OPTION;
CREATE OR REPLACE VIEW one_project.reference WITH (security_invoker = true) AS
SELECT * FROM public.reference AS shown
WHERE shown.project_id = current_project() AND EXISTS (
    SELECT FROM public.entity AS held
    WHERE held.tenant_id = shown.tenant_id AND held.id = shown.target AND held.project_id = current_project()
)
WITH CASCADED CHECK OPTION;
