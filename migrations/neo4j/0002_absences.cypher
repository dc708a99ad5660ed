// A document that was removed or withdrawn has absences. MERGE finds each by its id.

CREATE CONSTRAINT one_absence_per_id IF NOT EXISTS
FOR (absence:Absence) REQUIRE (absence.tenant, absence.id) IS UNIQUE;
