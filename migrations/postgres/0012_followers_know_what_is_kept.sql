-- Who follows the changes has to know up to which position they may be gone. It is one position for the whole ledger.
GRANT SELECT ON outbox_horizon TO trigraph_service;
