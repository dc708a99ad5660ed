-- What a document refers to does not depend on what was filed first. So the claims of its latest version stay, and
-- whatever arrives later is compared with them; and so do the names by which other documents may link to it.

CREATE TABLE reference_claim (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    source uuid NOT NULL,
    place integer NOT NULL,
    key text COLLATE "C" NOT NULL,
    type text NOT NULL,
    inverted boolean NOT NULL,
    target_text text NOT NULL,
    path text,
    occurrences integer NOT NULL,
    source_artifact uuid NOT NULL,
    valid_from timestamptz NOT NULL,
    closed_at timestamptz,
    PRIMARY KEY (tenant_id, source_artifact, place, key),
    FOREIGN KEY (tenant_id, source) REFERENCES entity (tenant_id, id)
);
CREATE INDEX reference_claim_by_key ON reference_claim (tenant_id, project_id, key) WHERE closed_at IS NULL;
CREATE INDEX reference_claim_by_source ON reference_claim (tenant_id, source) WHERE closed_at IS NULL;

CREATE TABLE document_name (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    key text COLLATE "C" NOT NULL,
    entity uuid NOT NULL,
    sort text NOT NULL,
    recorded_at timestamptz NOT NULL,
    closed_at timestamptz,
    PRIMARY KEY (tenant_id, project_id, key, entity, sort, recorded_at),
    FOREIGN KEY (tenant_id, entity) REFERENCES entity (tenant_id, id)
);
CREATE INDEX document_name_by_entity ON document_name (tenant_id, entity) WHERE closed_at IS NULL;

SELECT keep_tenants_apart(relation::regclass)
FROM unnest(ARRAY['reference_claim', 'document_name']) AS relation;

GRANT SELECT, INSERT, UPDATE (closed_at) ON reference_claim, document_name TO trigraph_service;

-- Of documents filed before, the file names are known.
INSERT INTO document_name (tenant_id, project_id, key, entity, sort, recorded_at)
SELECT DISTINCT ON (tenant_id, project_id, file.key, entity) tenant_id, project_id, file.key, entity, 'FILE', recorded_at
FROM artifact
CROSS JOIN LATERAL (
    SELECT lower(regexp_replace(regexp_replace(source_uri, '^.*/', ''), '\.[^.]*$', '')) AS key
) AS file
WHERE source_uri IS NOT NULL AND octet_length(file.key) BETWEEN 1 AND 2048
ORDER BY tenant_id, project_id, file.key, entity, recorded_at;
