// name: references_of_anchors
// Which references lead from or to each of these entities at a moment, and to what? By way, type and count, which say
// how strong they are; of equals the first by id alone. And which artifact of each found entity is its newest at
// that moment, if it is of these projects, types and domains?
UNWIND $anchors AS anchor
MATCH (entity:Entity {tenant: $tenant, id: anchor})
CALL (entity) {
    MATCH (entity)-[reference:IMPLEMENTS|EXTENDS|RELATES_TO|SUPERSEDES|DEPENDS_ON|SPECIFIES|FORMALIZES|RESOLVES|DOCUMENTS|REFERENCES]-(other:Entity {tenant: $tenant})
    WHERE reference.validFrom <= $valid AND (reference.validUntil IS NULL OR reference.validUntil > $valid)
        AND reference.recordedAt <= $known AND (reference.retractedAt IS NULL OR reference.retractedAt > $known)
    WITH
        startNode(reference) = entity AS leaves, type(reference) AS type, reference.occurrences AS occurrences,
        other
    ORDER BY other.id
    WITH leaves, type, occurrences, collect(other)[..$limit] AS others
    RETURN leaves, type, occurrences, others
}
WITH collect([anchor, leaves, type, occurrences, [other IN others | other.id]]) AS groups, collect(others) AS found
CALL (found) {
    UNWIND found AS others
    UNWIND others AS other
    WITH DISTINCT other
    CALL (other) {
        MATCH (other)-[:HAS_VERSION]->(artifact:Artifact {tenant: $tenant})
        WHERE artifact.createdAt <= $valid AND artifact.recordedAt <= $known AND NOT artifact.number IN $absent
        RETURN artifact
        ORDER BY artifact.createdAt DESC
        LIMIT 1
    }
    WITH other, artifact
    WHERE artifact.project IN $projects
        AND ($types IS NULL OR artifact.typeId IN $types) AND ($domains IS NULL OR artifact.domain IN $domains)
    RETURN collect([other.id, artifact.number]) AS newest
}
RETURN [groups, newest] AS found;

// name: sharers_of_mentions
// What do these artifacts mention most at a moment, how many mention each of that, which of those are of these
// projects, types and domains, and so its newest own one?
UNWIND $seeds AS number
MATCH (seed:Artifact {tenant: $tenant, number: number})-[mention:MENTIONS]->(entity:Entity {tenant: $tenant})
WHERE mention.recordedAt <= $known AND entity.recordedAt <= $known
    AND (entity.createdAt <= $valid OR entity.id IN $begun) AND NOT entity.id IN $notBegun
WITH entity, count(DISTINCT seed) AS seeds
ORDER BY seeds DESC, entity.id
LIMIT $mentioned
CALL (entity) {
    MATCH (entity)<-[mention:MENTIONS]-(artifact:Artifact {tenant: $tenant})
    WHERE mention.recordedAt <= $known AND artifact.createdAt <= $valid AND artifact.recordedAt <= $known
        AND NOT artifact.number IN $absent
    WITH artifact
    ORDER BY artifact.id
    LIMIT $artifacts
    RETURN collect(artifact) AS holders
}
CALL (entity) {
    MATCH (entity)-[:HAS_VERSION]->(artifact:Artifact {tenant: $tenant})
    WHERE artifact.createdAt <= $valid AND artifact.recordedAt <= $known AND NOT artifact.number IN $absent
    WITH artifact
    ORDER BY artifact.createdAt DESC
    LIMIT 1
    RETURN collect(artifact) AS own
}
RETURN collect([
    seeds, size(holders),
    [artifact IN holders WHERE artifact.project IN $projects
        AND ($types IS NULL OR artifact.typeId IN $types) AND ($domains IS NULL OR artifact.domain IN $domains)
        | artifact.number],
    [artifact IN own WHERE artifact.project IN $projects
        AND ($types IS NULL OR artifact.typeId IN $types) AND ($domains IS NULL OR artifact.domain IN $domains)
        | artifact.number]
]) AS found;

// name: references_of_entities
// Which references leave or reach each of these entities at a moment, the newest first?
UNWIND $entities AS asked
MATCH (entity:Entity {tenant: $tenant, id: asked})
CALL (entity) {
    MATCH (entity)-[reference:IMPLEMENTS|EXTENDS|RELATES_TO|SUPERSEDES|DEPENDS_ON|SPECIFIES|FORMALIZES|RESOLVES|DOCUMENTS|REFERENCES]-(other:Entity {tenant: $tenant})
    WHERE reference.validFrom <= $valid AND (reference.validUntil IS NULL OR reference.validUntil > $valid)
        AND reference.recordedAt <= $known AND (reference.retractedAt IS NULL OR reference.retractedAt > $known)
        AND other.createdAt <= $valid AND NOT other.id IN $absent
    RETURN reference
    ORDER BY reference.validFrom DESC, reference.id DESC
    LIMIT $most
}
WITH asked, reference
ORDER BY reference.validFrom DESC, reference.id DESC
RETURN collect([
    asked, reference.id, startNode(reference).id, endNode(reference).id, type(reference), reference.sourceArtifact,
    reference.validFrom, reference.validUntil, reference.inPart
]) AS found;
