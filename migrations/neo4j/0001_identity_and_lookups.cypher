// What makes a MERGE find what is there, and what readers look up. The ledger tells its rows by tenant and id, so two
// tenants may hold the same id. Every statement may be run again.

CREATE CONSTRAINT one_type_per_key IF NOT EXISTS
FOR (type:Type) REQUIRE type.key IS UNIQUE;

CREATE CONSTRAINT one_entity_per_id IF NOT EXISTS
FOR (entity:Entity) REQUIRE (entity.tenant, entity.id) IS UNIQUE;

CREATE CONSTRAINT one_state_per_id IF NOT EXISTS
FOR (state:EntityState) REQUIRE (state.tenant, state.id) IS UNIQUE;

CREATE CONSTRAINT one_artifact_per_id IF NOT EXISTS
FOR (artifact:Artifact) REQUIRE (artifact.tenant, artifact.id) IS UNIQUE;

CREATE CONSTRAINT one_projection_per_graph IF NOT EXISTS
FOR (projection:Projection) REQUIRE projection.key IS UNIQUE;

CREATE INDEX artifact_by_number IF NOT EXISTS
FOR (artifact:Artifact) ON (artifact.tenant, artifact.number);

CREATE INDEX entity_by_project IF NOT EXISTS
FOR (entity:Entity) ON (entity.tenant, entity.project);
