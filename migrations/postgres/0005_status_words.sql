-- What the status words of a project mean, where its team said so. A meaning counts for all valid time, from the moment
-- on at which it was recorded; a later one closes it, so that an answer as it was known then stays the same.

CREATE TABLE status_word (
    tenant_id integer NOT NULL,
    project_id integer NOT NULL,
    phrase text COLLATE "C" NOT NULL,
    flag text NOT NULL
        CONSTRAINT a_status_word_means_a_flag CHECK (flag IN ('CURRENT', 'HISTORICAL', 'WIP')),
    recorded_at timestamptz NOT NULL,
    closed_at timestamptz CONSTRAINT a_meaning_ends_after_it_starts CHECK (closed_at > recorded_at),
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, project_id, phrase, recorded_at),
    FOREIGN KEY (tenant_id, project_id) REFERENCES project (tenant_id, project_id)
);
CREATE UNIQUE INDEX one_meaning_per_status_word ON status_word (tenant_id, project_id, phrase) WHERE closed_at IS NULL;

CREATE TRIGGER written_when_recorded AFTER INSERT ON status_word
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION rows_are_recorded_when_written();

SELECT keep_tenants_apart('status_word');

GRANT SELECT, INSERT, UPDATE (closed_at) ON status_word TO trigraph_service;
