-- Why does a form or a reference no longer hold? Who withdraws one may say; the row that ended cannot, since what
-- was believed never changes. A withdrawal is found by what was withdrawn and by what is believed instead.

CREATE TABLE withdrawal (
    tenant_id integer NOT NULL REFERENCES tenant,
    withdrawn uuid NOT NULL,
    ended uuid,
    reason text,
    recorded_at timestamptz NOT NULL,
    actor text NOT NULL,
    PRIMARY KEY (tenant_id, withdrawn)
);
CREATE INDEX withdrawal_by_end ON withdrawal (tenant_id, ended);

SELECT keep_tenants_apart('withdrawal');

GRANT SELECT, INSERT ON withdrawal TO trigraph_service;
