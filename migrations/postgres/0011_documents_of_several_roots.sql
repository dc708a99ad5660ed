-- A document may have been filed from several folders: the copy of a folder is another root of the same documents. Each is
-- remembered, so that a file that is gone from one of them ends no document of another.
ALTER TABLE document_root
    DROP CONSTRAINT document_root_pkey,
    ADD PRIMARY KEY (tenant_id, entity, root_id),
    ADD COLUMN left_at timestamptz;

GRANT UPDATE (left_at) ON document_root TO trigraph_service;
