-- name: find_response
-- What was answered to the request that carried this key, and what did it ask?
SELECT fingerprint, answer
FROM idempotent_answer
WHERE tenant_id = $1 AND actor = $2 AND operation = $3 AND key = $4;

-- name: insert_response
-- Keep what was answered to a request that carried a key.
INSERT INTO idempotent_answer (tenant_id, actor, operation, key, fingerprint, answer, recorded_at)
VALUES (:tenant, :actor, :operation, :key, :fingerprint, :answer, :recorded_at);
