"""A cache of full blocks of postings, which never change: a process unpacks each once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.domain.numbers import ArtifactNumber, ProjectNumber, TenantNumber

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Numbers = NDArray[np.int64]
"""Numbers of artifacts."""


def unpack_numbers(packed: Iterable[bytes], kind: str) -> NDArray[Any]:
    """Return the packed numbers as one array; `kind` is `>u4` or `>i8`."""
    found = np.frombuffer(b"".join(packed), kind)
    return found.astype(found.dtype.newbyteorder("="))


def whole_numbers(lower: NDArray[np.uint32], last: Numbers) -> Numbers:
    """Return artifact numbers, given their lower 32 bits and the last number of each one's block."""
    if not len(last) or last.max() < 1 << 32:
        return lower.astype(np.int64)
    below: NDArray[np.uint32] = last.astype(np.uint32) - lower
    return last - below


def microseconds(moment: datetime) -> int:
    """Return a moment in its packed form: microseconds since the beginning of 2000."""
    return (moment - _EPOCH) // _MICROSECOND


MAX_BYTES = 128 * 1024 * 1024
_BYTES_BESIDE = 1_000  # a term, its place among the others and three arrays without what they hold


class HeldTerm(NamedTuple):
    """A term of one project of a tenant."""

    tenant: TenantNumber
    project: ProjectNumber
    term: str


@dataclass(frozen=True, slots=True)
class Postings:
    """Postings of one term: artifact numbers in rising order, frequencies, and the artifacts' term counts."""

    artifacts: Numbers
    frequencies: NDArray[np.unsignedinteger]
    term_counts: NDArray[np.unsignedinteger]

    @classmethod
    def of(
        cls, artifacts: Numbers, frequencies: NDArray[np.uint32], term_counts: NDArray[np.uint32]
    ) -> Postings:
        """Return postings in the smallest integer types that hold the numbers."""
        return cls(artifacts, _narrow(frequencies), _narrow(term_counts))

    def __len__(self) -> int:
        return len(self.artifacts)

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.artifacts.nbytes + self.frequencies.nbytes + self.term_counts.nbytes


@dataclass(frozen=True, slots=True)
class FullBlocks:
    """Every full block of a term up to the one whose last number is `last`."""

    last: ArtifactNumber
    postings: Postings


def concatenate_postings(*parts: Postings) -> Postings:
    """Concatenate postings."""
    return Postings(
        np.concatenate([each.artifacts for each in parts]),
        np.concatenate([each.frequencies for each in parts]),
        np.concatenate([each.term_counts for each in parts]),
    )


class PostingsCache:
    """A cache of the full blocks of recently used terms, limited in bytes."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._most = most
        self._size = 0
        self._held: OrderedDict[HeldTerm, FullBlocks] = OrderedDict()
        self._lock = Lock()

    def of(
        self, tenant: TenantNumber, projects: Sequence[ProjectNumber], terms: Sequence[str]
    ) -> dict[HeldTerm, FullBlocks]:
        """Return the cached blocks of some terms in some projects."""
        found = {}
        with self._lock:
            for held in (HeldTerm(tenant, project, term) for project in projects for term in terms):
                if (full := self._held.get(held)) is not None:
                    self._held.move_to_end(held)
                    found[held] = full
        return found

    def keep(self, held: HeldTerm, full: FullBlocks) -> None:
        """Cache these blocks unless more of them are cached; evict the least recently used ones."""
        with self._lock:
            former = self._held.get(held)
            if former is not None and former.last >= full.last:
                return
            self._size += full.postings.size - (former.postings.size if former else -_BYTES_BESIDE)
            self._held[held] = full
            self._held.move_to_end(held)
            while self._size > self._most:
                _, least = self._held.popitem(last=False)
                self._size -= least.postings.size + _BYTES_BESIDE


def _narrow(numbers: NDArray[np.uint32]) -> NDArray[np.unsignedinteger]:
    greatest = int(numbers.max()) if len(numbers) else 0
    return numbers.astype(np.min_scalar_type(greatest))
