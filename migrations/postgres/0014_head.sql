-- Whoever reads a copy of the graph has to know how far the ledger of its tenant has come, and whether the copy
-- is of this ledger at all: its last change may be another tenant's, which nobody else sees.

CREATE INDEX outbox_by_tenant ON outbox (tenant_id, position);

CREATE FUNCTION stands_in_ledger(at bigint, mark text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
    SELECT at = 0 OR EXISTS (SELECT FROM outbox WHERE position = at AND transaction_id || '/' || row_id = mark)
$$;
