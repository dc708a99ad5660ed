"""The projection: the graph in Neo4j, kept an exact copy of the ledger."""
