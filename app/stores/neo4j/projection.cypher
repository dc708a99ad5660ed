// name: checkpoint
// Up to where is this graph a copy of which ledger?
MATCH (projection:Projection {key: 'trigraph'})
RETURN projection {.*} AS projection;

// name: begin
// Be a copy of a ledger from its start.
CREATE (:Projection {key: 'trigraph', ledger: $ledger, generation: $generation, position: 0, movedAt: $now});

// name: move
// Be a copy up to another position, unless somebody else moved it. What is set first holds the node meanwhile.
MATCH (projection:Projection {key: 'trigraph'})
SET projection.movedAt = $now
WITH projection
WHERE projection.ledger = $ledger AND projection.generation = $generation AND projection.position = $before
SET projection.position = $position, projection.mark = $mark, projection.lastError = null, projection.failedAt = null
RETURN true AS moved;

// name: begin_anew
// Be a copy from the start again, of whichever ledger; what is still there is to be cleared.
MATCH (projection:Projection {key: 'trigraph'})
SET projection = {
    key: 'trigraph', ledger: $ledger, generation: $generation, position: 0, movedAt: $now, isCleared: false
};

// name: note_cleared
// Nothing is left of what was there before.
MATCH (projection:Projection {key: 'trigraph', generation: $generation})
SET projection.isCleared = null;

// name: note_failure
// Say why the copy of this ledger does not move on, or that nothing keeps it.
MATCH (projection:Projection {key: 'trigraph', ledger: $ledger})
SET projection.lastError = $error, projection.failedAt = $now;

// name: is_used
// Is there anything of the kinds that a projection writes?
RETURN EXISTS { MATCH (:Type|Entity|EntityState|Artifact|Absence) } AS used;

// name: clear
// Take away what a projection wrote, and what hangs on it.
MATCH (node:Type|Entity|EntityState|Artifact|Absence)
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 2000 ROWS;

// name: write_types
// Write types.
UNWIND $rows AS row
MERGE (type:Type {key: row.node.key})
SET type = row.node
RETURN count(*) AS written;

// name: write_entities
// Write entities, each an instance of its type; a type that is still to come is there by its key meanwhile.
UNWIND $rows AS row
MERGE (type:Type {key: row.target})
ON CREATE SET type.tenant = row.node.tenant
MERGE (entity:Entity {tenant: row.node.tenant, id: row.node.id})
SET entity = row.node
MERGE (entity)-[instance:INSTANCE_OF]->(type)
SET instance = row.edge
RETURN count(*) AS written;

// name: write_states
// Write states, each with the entity whose it is.
UNWIND $rows AS row
MATCH (entity:Entity {tenant: row.node.tenant, id: row.source})
MERGE (state:EntityState {tenant: row.node.tenant, id: row.node.id})
SET state = row.node
MERGE (entity)-[held:HAS_STATE]->(state)
SET held = row.edge
RETURN count(*) AS written;

// name: write_artifacts
// Write artifacts, each with the entity of which it is a version.
UNWIND $rows AS row
MATCH (entity:Entity {tenant: row.node.tenant, id: row.source})
MERGE (artifact:Artifact {tenant: row.node.tenant, id: row.node.id})
SET artifact = row.node
MERGE (entity)-[held:HAS_VERSION]->(artifact)
SET held = row.edge
RETURN count(*) AS written;

// name: write_absences
// Write absences, each with the entity whose document is not there.
UNWIND $rows AS row
MATCH (entity:Entity {tenant: row.node.tenant, id: row.source})
MERGE (absence:Absence {tenant: row.node.tenant, id: row.node.id})
SET absence = row.node
MERGE (entity)-[held:HAS_ABSENCE]->(absence)
SET held = row.edge
RETURN count(*) AS written;

// name: join_type_rules
// Write which types may reference which; one that is still to come is there by its key meanwhile.
UNWIND $rows AS row
MATCH (source:Type {key: row.source})
MERGE (target:Type {key: row.target})
ON CREATE SET target.tenant = row.edge.tenant
MERGE (source)-[rule:CAN_REFERENCE {type: row.edge.type}]->(target)
SET rule = row.edge
RETURN count(*) AS written;

// name: join_successive_states
// Write which state replaced which.
UNWIND $rows AS row
MATCH (earlier:EntityState {tenant: row.edge.tenant, id: row.source})
MATCH (later:EntityState {tenant: row.edge.tenant, id: row.target})
MERGE (earlier)-[event:SUPERSEDED_BY {id: row.edge.id}]->(later)
SET event = row.edge
RETURN count(*) AS written;

// name: join_aliases
// Write which names lead where.
UNWIND $rows AS row
MATCH (source:Entity {tenant: row.edge.tenant, id: row.source})
MATCH (target:Entity {tenant: row.edge.tenant, id: row.target})
MERGE (source)-[alias:ALIAS_OF {id: row.edge.id}]->(target)
SET alias = row.edge
RETURN count(*) AS written;

// name: join_references
// Write references of one type, whose name is put for REFERENCES here.
UNWIND $rows AS row
MATCH (source:Entity {tenant: row.edge.tenant, id: row.source})
MATCH (target:Entity {tenant: row.edge.tenant, id: row.target})
MERGE (source)-[reference:REFERENCES {id: row.edge.id}]->(target)
SET reference = row.edge
RETURN count(*) AS written;

// name: join_mentions
// Write which artifacts mention which entities; one that is still to come is there by its id meanwhile.
UNWIND $rows AS row
MATCH (artifact:Artifact {tenant: row.edge.tenant, id: row.source})
MERGE (entity:Entity {tenant: row.edge.tenant, id: row.target})
MERGE (artifact)-[mention:MENTIONS]->(entity)
SET mention = row.edge
RETURN count(*) AS written;

// name: every_node
// Which nodes are there of the kinds that a projection writes?
MATCH (node:Type|Entity|EntityState|Artifact|Absence)
RETURN labels(node) AS labels, properties(node) AS properties;

// name: every_edge
// Which relationships begin at those nodes?
MATCH (source:Type|Entity|EntityState|Artifact|Absence)-[edge]->(target)
RETURN
    type(edge) AS type, coalesce(source.id, source.key) AS source, coalesce(target.id, target.key) AS target,
    properties(edge) AS properties;
