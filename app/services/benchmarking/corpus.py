"""The real texts of a run, checked to be enough for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import Invalid
from app.services.benchmarking.documents import RECOMBINATIONS, Body, bodies, stretches_of
from app.services.benchmarking.texts import read_texts

FEWEST = 10
MOST = 1_000_000
SEED = 20


@dataclass(frozen=True, slots=True)
class Corpus:
    """Real texts cut into stretches, each good for one document."""

    source: str
    texts: int
    stretches: Sequence[Body]

    def bodies(self) -> Iterator[Body]:
        """Answer the bodies of a run, the same in every run."""
        return bodies(self.stretches, SEED)

    def described(self) -> dict[str, object]:
        """Answer what documents are made of."""
        return {"source": self.source, "texts": self.texts, "stretches": len(self.stretches), "seed": SEED}


def read_corpus(documents: int, folder: Path | None) -> Corpus:
    """Answer the texts of a folder, or the shipped decision records, cut for so many documents.

    Raises Invalid for a number that is too small or too large, and for texts that are not enough.
    """
    if not FEWEST <= documents <= MOST:
        raise Invalid(f"--documents is from {FEWEST} to {MOST:,}, not {documents:,}")
    texts = read_texts(folder)
    stretches = stretches_of(texts, SEED)
    source = "the shipped decision records" if folder is None else f"the texts under {folder}"
    most = RECOMBINATIONS * len(stretches) ** 2 // 4  # the rest is embedded alone or filed one by one
    if documents > most:
        raise Invalid(
            f"{source} can make {most:,} documents; ask for fewer, or name more texts with --corpora"
        )
    return Corpus(source, len(texts), stretches)
