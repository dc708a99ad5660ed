// name: checkpoint
// Up to where is this graph a copy of which ledger?
MATCH (projection:Projection {key: 'trigraph'})
RETURN projection {.*} AS projection;

// name: begin
// Be a copy of a ledger from its start.
CREATE (:Projection {key: 'trigraph', ledger: $ledger, generation: $generation, position: 0, movedAt: $now});

// name: move
// Be a copy up to another position, unless somebody else moved it. What is set first holds the node for this transaction.
MATCH (projection:Projection {key: 'trigraph'})
SET projection.movedAt = $now
WITH projection
WHERE projection.ledger = $ledger AND projection.generation = $generation AND projection.position = $before
SET projection.position = $position, projection.mark = $mark, projection.lastError = null, projection.failedAt = null
RETURN true AS moved;

// name: begin_anew
// Be a copy from the start again, of whichever ledger it was one before; what is still there is to be cleared.
MATCH (projection:Projection {key: 'trigraph'})
SET projection = {
    key: 'trigraph', ledger: $ledger, generation: $generation, position: 0, movedAt: $now, isCleared: false
};

// name: note_cleared
// Nothing is left of what was there before.
MATCH (projection:Projection {key: 'trigraph', generation: $generation})
SET projection.isCleared = null;

// name: note_failure
// Say why the copy does not move on.
MATCH (projection:Projection {key: 'trigraph'})
SET projection.lastError = $error, projection.failedAt = $now;

// name: is_used
// Is there anything of the kinds that a projection writes?
RETURN EXISTS { MATCH (:Type|Entity|EntityState|Artifact) } AS used;

// name: clear
// Take away what a projection wrote, and what hangs on it.
MATCH (node:Type|Entity|EntityState|Artifact)
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 2000 ROWS;

// name: write_types
// Write types.
UNWIND $rows AS row
MERGE (type:Type {key: row.key})
SET type = row;

// name: write_entities
// Write entities.
UNWIND $rows AS row
MERGE (entity:Entity {tenant: row.tenant, id: row.id})
SET entity = row;

// name: write_states
// Write states.
UNWIND $rows AS row
MERGE (state:EntityState {tenant: row.tenant, id: row.id})
SET state = row;

// name: write_artifacts
// Write artifacts.
UNWIND $rows AS row
MERGE (artifact:Artifact {tenant: row.tenant, id: row.id})
SET artifact = row;

// name: join_type_rules
// Write which types may reference which.
UNWIND $rows AS row
MATCH (source:Type {key: row.source})
MATCH (target:Type {key: row.target})
MERGE (source)-[rule:CAN_REFERENCE {type: row.properties.type}]->(target)
SET rule = row.properties
RETURN count(*) AS joined;

// name: join_instances
// Write of which type each entity is.
UNWIND $rows AS row
MATCH (entity:Entity {tenant: row.properties.tenant, id: row.source})
MATCH (type:Type {key: row.target})
MERGE (entity)-[instance:INSTANCE_OF]->(type)
SET instance = row.properties
RETURN count(*) AS joined;

// name: join_states
// Write whose states they are.
UNWIND $rows AS row
MATCH (entity:Entity {tenant: row.properties.tenant, id: row.source})
MATCH (state:EntityState {tenant: row.properties.tenant, id: row.target})
MERGE (entity)-[held:HAS_STATE]->(state)
SET held = row.properties
RETURN count(*) AS joined;

// name: join_artifacts
// Write whose versions they are.
UNWIND $rows AS row
MATCH (entity:Entity {tenant: row.properties.tenant, id: row.source})
MATCH (artifact:Artifact {tenant: row.properties.tenant, id: row.target})
MERGE (entity)-[held:HAS_VERSION]->(artifact)
SET held = row.properties
RETURN count(*) AS joined;

// name: join_successive_states
// Write which state replaced which.
UNWIND $rows AS row
MATCH (earlier:EntityState {tenant: row.properties.tenant, id: row.source})
MATCH (later:EntityState {tenant: row.properties.tenant, id: row.target})
MERGE (earlier)-[event:SUPERSEDED_BY {id: row.properties.id}]->(later)
SET event = row.properties
RETURN count(*) AS joined;

// name: join_aliases
// Write which names lead where.
UNWIND $rows AS row
MATCH (source:Entity {tenant: row.properties.tenant, id: row.source})
MATCH (target:Entity {tenant: row.properties.tenant, id: row.target})
MERGE (source)-[alias:ALIAS_OF {id: row.properties.id}]->(target)
SET alias = row.properties
RETURN count(*) AS joined;

// name: join_references
// Write references of the type that is put for REFERENCES here: Cypher takes none as a parameter where it merges fast.
UNWIND $rows AS row
MATCH (source:Entity {tenant: row.properties.tenant, id: row.source})
MATCH (target:Entity {tenant: row.properties.tenant, id: row.target})
MERGE (source)-[reference:REFERENCES {id: row.properties.id}]->(target)
SET reference = row.properties
RETURN count(*) AS joined;

// name: join_mentions
// Write which artifacts mention which entities.
UNWIND $rows AS row
MATCH (artifact:Artifact {tenant: row.properties.tenant, id: row.source})
MATCH (entity:Entity {tenant: row.properties.tenant, id: row.target})
MERGE (artifact)-[mention:MENTIONS]->(entity)
SET mention = row.properties
RETURN count(*) AS joined;

// name: every_node
// Which nodes are there of the kinds that a projection writes?
MATCH (node:Type|Entity|EntityState|Artifact)
RETURN labels(node) AS labels, properties(node) AS properties;

// name: every_edge
// Which relationships begin at those nodes?
MATCH (source:Type|Entity|EntityState|Artifact)-[edge]->(target)
RETURN
    type(edge) AS type, coalesce(source.id, source.key) AS source, coalesce(target.id, target.key) AS target,
    properties(edge) AS properties;
