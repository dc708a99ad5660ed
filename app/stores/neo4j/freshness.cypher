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

// name: answer_of_checkpoint
// What does the query find that replaces the empty list, and which copy was it read from, before and after?
// One trip answers all three: what is gathered in between is read after the first and before the last.
MATCH (projection:Projection {key: 'trigraph'})
WITH
    projection.generation AS generation, projection.position AS position, projection.mark AS mark,
    coalesce(projection.isCleared, true) AS isCleared
CALL (generation) {
RETURN [] AS found
}
WITH generation, position, mark, isCleared, collect(found) AS answers
MATCH (projection:Projection {key: 'trigraph'})
RETURN
    generation, position, mark, isCleared, answers[0] AS found, projection.generation AS generationAfter;
