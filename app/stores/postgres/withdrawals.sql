-- name: insert_withdrawal
-- Record that an alias or a reference was withdrawn, and what is believed instead.
INSERT INTO withdrawal (tenant_id, withdrawn, ended, reason, recorded_at, actor)
VALUES (:tenant, :withdrawn, :ended, :reason, :recorded_at, :actor);

-- name: withdrawals_of
-- Which of these aliases and references were withdrawn, or are what is left of one that was?
SELECT asked.id, reason, recorded_at, actor
FROM unnest($2::uuid[]) AS asked (id)
JOIN withdrawal ON tenant_id = $1 AND (withdrawn = asked.id OR ended = asked.id);
