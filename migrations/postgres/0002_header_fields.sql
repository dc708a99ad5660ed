-- What the header of a document says, as it was written, and where the document's date is from.
-- A document that was filed before has no fields and no source here: it took effect when it was filed, or was dated.

ALTER TABLE artifact
    ADD COLUMN meta jsonb NOT NULL DEFAULT '{}' CONSTRAINT header_fields_have_names CHECK (jsonb_typeof(meta) = 'object'),
    ADD COLUMN date_source text CONSTRAINT a_date_has_a_source
        CHECK (date_source IN ('HEADER', 'FILE_NAME', 'GIT', 'FILED')),
    ADD COLUMN date_precision text CONSTRAINT a_date_is_exact_to
        CHECK (date_precision IN ('INSTANT', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'));

-- Which documents say that another one superseded them, which is not filed? Recall asks it of every hit.
CREATE INDEX awaited_successor_by_document ON pending_reference (tenant_id, source)
    WHERE type = 'SUPERSEDES' AND inverted;
