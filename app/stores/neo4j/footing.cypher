// name: checkpoint
// Up to which change is this graph a copy of the ledger?
MATCH (projection:Projection {key: 'trigraph'})
RETURN
    projection.generation AS generation, projection.position AS position, projection.mark AS mark,
    coalesce(projection.isCleared, true) AS isCleared;

// name: settled_checkpoint
// Up to which change is it, once what is being written is in place? What is set holds the node for a moment.
MATCH (projection:Projection {key: 'trigraph'})
SET projection.movedAt = projection.movedAt
RETURN
    projection.generation AS generation, projection.position AS position, projection.mark AS mark,
    coalesce(projection.isCleared, true) AS isCleared;
