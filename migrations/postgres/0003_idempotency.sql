-- What was answered to a request that carried a key, so that sending it again writes nothing twice.

CREATE TABLE idempotent_answer (
    tenant_id integer NOT NULL REFERENCES tenant,
    actor text NOT NULL,
    operation text NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    answer jsonb NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, actor, operation, key)
);

SELECT keep_tenants_apart('idempotent_answer');

GRANT SELECT, INSERT ON idempotent_answer TO trigraph_service;
