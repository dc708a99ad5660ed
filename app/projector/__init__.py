"""The projection: keep the graph in Neo4j an exact copy of the ledger."""
