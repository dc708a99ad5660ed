-- A token may end by itself. The operator alone makes and revokes tokens: a connection of the service only reads them.
ALTER TABLE token
    ADD COLUMN expires_at timestamptz,
    ADD CONSTRAINT a_token_ends_after_it_begins CHECK (expires_at > created_at);

REVOKE INSERT, UPDATE, UPDATE (revoked_at) ON token FROM trigraph_service;
