// name: references_of_anchors
// Which references lead from or to each of these entities at a moment, and to what?
// By way, type and count, which say how strong they are; of equals the first by id alone.
UNWIND $anchors AS anchor
MATCH (entity:Entity {tenant: $tenant, id: anchor})
CALL (entity) {
    MATCH (entity)-[reference:IMPLEMENTS|EXTENDS|RELATES_TO|SUPERSEDES|DEPENDS_ON|SPECIFIES|FORMALIZES|RESOLVES|DOCUMENTS|REFERENCES]-(other:Entity)
    WHERE reference.validFrom <= $valid AND (reference.validUntil IS NULL OR reference.validUntil > $valid)
        AND reference.recordedAt <= $known AND (reference.retractedAt IS NULL OR reference.retractedAt > $known)
    WITH
        startNode(reference) = entity AS leaves, type(reference) AS type, reference.occurrences AS occurrences,
        other.id AS other
    ORDER BY other
    WITH leaves, type, occurrences, collect(other)[..$limit] AS others
    RETURN leaves, type, occurrences, others
}
RETURN anchor, leaves, type, occurrences, others;

// name: newest_artifacts
// Which artifact of each of these entities is the newest at a moment, if it is of these projects, types and domains?
UNWIND $entities AS id
MATCH (entity:Entity {tenant: $tenant, id: id})
CALL (entity) {
    MATCH (entity)-[:HAS_VERSION]->(artifact:Artifact)
    WHERE artifact.createdAt <= $valid AND artifact.recordedAt <= $known
    RETURN artifact
    ORDER BY artifact.createdAt DESC
    LIMIT 1
}
WITH id, artifact
WHERE artifact.project IN $projects
    AND ($types IS NULL OR artifact.typeId IN $types) AND ($domains IS NULL OR artifact.domain IN $domains)
RETURN id AS entity, artifact.number AS number;

// name: sharers_of_mentions
// What do these artifacts mention most at a moment, how many mention each of that, which of those are of these
// projects, types and domains, and so its newest own one?
UNWIND $seeds AS number
MATCH (seed:Artifact {tenant: $tenant, number: number})-[mention:MENTIONS]->(entity:Entity)
WHERE mention.recordedAt <= $known AND entity.createdAt <= $valid AND entity.recordedAt <= $known
WITH entity, count(DISTINCT seed) AS seeds
ORDER BY seeds DESC, entity.id
LIMIT $entities
CALL (entity) {
    MATCH (entity)<-[mention:MENTIONS]-(artifact:Artifact)
    WHERE mention.recordedAt <= $known AND artifact.createdAt <= $valid AND artifact.recordedAt <= $known
    WITH artifact
    ORDER BY artifact.id
    LIMIT $artifacts
    RETURN collect(artifact) AS holders
}
CALL (entity) {
    MATCH (entity)-[:HAS_VERSION]->(artifact:Artifact)
    WHERE artifact.createdAt <= $valid AND artifact.recordedAt <= $known
    WITH artifact
    ORDER BY artifact.createdAt DESC
    LIMIT 1
    RETURN collect(artifact) AS own
}
RETURN
    seeds, size(holders) AS mentions,
    [artifact IN holders WHERE artifact.project IN $projects
        AND ($types IS NULL OR artifact.typeId IN $types) AND ($domains IS NULL OR artifact.domain IN $domains)
        | artifact.number] AS holders,
    [artifact IN own WHERE artifact.project IN $projects
        AND ($types IS NULL OR artifact.typeId IN $types) AND ($domains IS NULL OR artifact.domain IN $domains)
        | artifact.number] AS own;

// name: references_of_entities
// Which references leave or reach each of these entities at a moment, the newest first?
UNWIND $entities AS asked
MATCH (entity:Entity {tenant: $tenant, id: asked})
CALL (entity) {
    MATCH (entity)-[reference:IMPLEMENTS|EXTENDS|RELATES_TO|SUPERSEDES|DEPENDS_ON|SPECIFIES|FORMALIZES|RESOLVES|DOCUMENTS|REFERENCES]-(other:Entity)
    WHERE reference.validFrom <= $valid AND (reference.validUntil IS NULL OR reference.validUntil > $valid)
        AND reference.recordedAt <= $known AND (reference.retractedAt IS NULL OR reference.retractedAt > $known)
        AND other.createdAt <= $valid
    RETURN reference
    ORDER BY reference.validFrom DESC, reference.id DESC
    LIMIT $most
}
RETURN asked, startNode(reference).id AS source, endNode(reference).id AS target, type(reference) AS type, reference {.id, .validFrom, .validUntil, .sourceArtifact} AS told
ORDER BY told.validFrom DESC, told.id DESC;
