-- What changed is noted for whoever copies the graph, and need not be kept for good: a copy that is further behind
-- than what is noted is filled anew from the rows themselves.

-- What was noted before now is taken for as old as this.
ALTER TABLE outbox ADD COLUMN noted_at timestamptz NOT NULL DEFAULT now();

-- Up to this position of all tenants changes may be gone.
CREATE TABLE outbox_horizon (
    is_the_horizon boolean PRIMARY KEY DEFAULT true,
    position bigint NOT NULL,
    CONSTRAINT one_horizon_per_ledger CHECK (is_the_horizon)
);
INSERT INTO outbox_horizon (position) VALUES (0);
