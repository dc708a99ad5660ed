"""The numbers by which the ledger knows its rows, each a type of its own, so that none passes for another."""

from __future__ import annotations

from typing import NewType

TenantNumber = NewType("TenantNumber", int)
"""The number of a tenant, the first column of every key; a connection reads the rows of one tenant."""

ProjectNumber = NewType("ProjectNumber", int)
"""The number of a project of a tenant, the second column of the indexes that recall reads."""

ArtifactNumber = NewType("ArtifactNumber", int)
"""The number of an artifact of a tenant; a later filing takes a greater one."""

BEFORE_ARTIFACTS = ArtifactNumber(0)
"""A number below that of every artifact."""
