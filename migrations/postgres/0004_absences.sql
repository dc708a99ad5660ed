-- When was a document not there: removed, withdrawn, or known from a history that was rewritten? An absence is believed
-- like anything else, so that a question as of before finds the document. One that names an artifact hides that version
-- alone. A root is a folder or a repository that documents were filed from; a document belongs to the one it came from
-- last.

CREATE TABLE absence (
    tenant_id integer NOT NULL,
    id uuid NOT NULL,
    project_id integer NOT NULL,
    entity uuid NOT NULL,
    artifact uuid,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    source text NOT NULL CONSTRAINT an_absence_has_a_source CHECK (source IN ('CALLER', 'FOLDER', 'GIT')),
    source_commit text,
    reason text,
    recorded_at timestamptz NOT NULL,
    retracted_at timestamptz,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    FOREIGN KEY (tenant_id, entity) REFERENCES entity (tenant_id, id),
    FOREIGN KEY (tenant_id, artifact) REFERENCES artifact (tenant_id, id),
    CONSTRAINT an_absence_ends_after_it_starts CHECK (valid_until > valid_from),
    CONSTRAINT an_absence_belief_ends_after_it_starts CHECK (retracted_at > recorded_at),
    CONSTRAINT one_absence_at_any_instant EXCLUDE USING gist (
        uuid_range(entity, entity, '[]') WITH &&,
        uuid_range(coalesce(artifact, entity), coalesce(artifact, entity), '[]') WITH &&,
        tstzrange(valid_from, valid_until) WITH &&,
        tstzrange(recorded_at, retracted_at) WITH &&,
        int8range(tenant_id, tenant_id, '[]') WITH &&
    )
);
CREATE INDEX absence_by_entity ON absence (tenant_id, entity);
CREATE INDEX absence_by_project ON absence (tenant_id, project_id);

CREATE TRIGGER written_when_recorded BEFORE INSERT OR UPDATE ON absence
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_recorded_when_written();
CREATE TRIGGER beliefs_are_only_retracted BEFORE UPDATE OR DELETE ON absence
    FOR EACH ROW EXECUTE FUNCTION beliefs_are_only_retracted();
CREATE CONSTRAINT TRIGGER note_absence AFTER INSERT OR UPDATE ON absence DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_row_in_outbox('absence');

CREATE TABLE import_root (
    tenant_id integer NOT NULL,
    root_id integer GENERATED ALWAYS AS IDENTITY,
    project_id integer NOT NULL,
    place text NOT NULL,
    prefix text,
    first_commit text,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, root_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project,
    CONSTRAINT one_root_per_place UNIQUE NULLS NOT DISTINCT (tenant_id, project_id, place, prefix, first_commit)
);

CREATE TABLE document_root (
    tenant_id integer NOT NULL,
    entity uuid NOT NULL,
    root_id integer NOT NULL,
    source_uri text NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, entity),
    FOREIGN KEY (tenant_id, entity) REFERENCES entity (tenant_id, id),
    FOREIGN KEY (tenant_id, root_id) REFERENCES import_root
);
CREATE INDEX document_root_by_root ON document_root (tenant_id, root_id);

SELECT keep_tenants_apart(relation::regclass)
FROM unnest(ARRAY['absence', 'import_root', 'document_root']) AS relation;

GRANT SELECT, INSERT, UPDATE (retracted_at) ON absence TO trigraph_service;
GRANT SELECT, INSERT ON import_root TO trigraph_service;
GRANT SELECT, INSERT, UPDATE (root_id, source_uri, recorded_at) ON document_root TO trigraph_service;
