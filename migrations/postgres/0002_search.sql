-- What recall searches: term postings with their statistics, and passage embeddings.

-- One row per term and artifact. Derived from the artifact in the transaction that files it, never edited
-- apart from it; a foreign key would cost more than the row.
CREATE TABLE posting (
    tenant_id integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    project_id integer NOT NULL,
    artifact_number bigint NOT NULL,
    frequency integer NOT NULL,
    term_count integer NOT NULL,
    PRIMARY KEY (tenant_id, term, project_id, artifact_number) INCLUDE (frequency, term_count)
);

CREATE TABLE term_statistics (
    tenant_id integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    project_id integer NOT NULL,
    documents bigint NOT NULL,
    PRIMARY KEY (tenant_id, term, project_id)
);

-- Counts of one project; the two latest moments tell whether a question can see all of it.
CREATE TABLE scope_statistics (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    documents bigint NOT NULL,
    total_terms bigint NOT NULL,
    latest_created_at timestamptz NOT NULL,
    latest_recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, project_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project
);

-- The model every vector of this ledger was made with; vectors of two models never meet.
CREATE TABLE embedding_model (
    is_the_model boolean PRIMARY KEY DEFAULT true,
    name text NOT NULL,
    fingerprint text NOT NULL,
    dimensions integer NOT NULL,
    CONSTRAINT one_embedding_model_per_ledger CHECK (is_the_model)
);

-- Times are repeated here so that a search in the past filters before its limit without a join.
CREATE TABLE embedding (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    artifact_number bigint NOT NULL,
    ordinal integer NOT NULL,
    created_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    vector halfvec NOT NULL,
    PRIMARY KEY (tenant_id, project_id, artifact_number, ordinal),
    FOREIGN KEY (tenant_id, artifact_number, ordinal) REFERENCES passage
);
ALTER TABLE embedding ALTER COLUMN vector SET STORAGE PLAIN;

SELECT keep_tenants_apart(relation::regclass)
FROM unnest(ARRAY['posting', 'term_statistics', 'scope_statistics', 'embedding']) AS relation;

GRANT SELECT ON ALL TABLES IN SCHEMA public TO trigraph_service;
GRANT INSERT ON posting, term_statistics, scope_statistics, embedding, embedding_model TO trigraph_service;
GRANT UPDATE (documents) ON term_statistics TO trigraph_service;
GRANT UPDATE (documents, total_terms, latest_created_at, latest_recorded_at) ON scope_statistics
    TO trigraph_service;
