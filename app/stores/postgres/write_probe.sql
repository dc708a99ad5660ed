-- name: hold_clock_unless_busy
-- Hold the ledger of a tenant until the transaction ends; answers nothing while another write holds it.
SELECT recorded_at FROM ledger_clock WHERE tenant_id = $1 FOR NO KEY UPDATE SKIP LOCKED;

-- name: take_room
-- Write a row of a quarter of a mebibyte, which is to be rolled back.
INSERT INTO idempotent_answer (tenant_id, actor, operation, key, fingerprint, answer, recorded_at)
SELECT $1, 'trigraph', 'probe', gen_random_uuid()::text, '', to_jsonb(string_agg(md5(random()::text), '')), now()
FROM generate_series(1, 8192);
