"""One step of growth, in a process of its own: ``python -m benchmarks.growth FOLDER DOCUMENTS``.

Makes a corpus of that many documents in the folder, indexes it, asks questions and prints what that took as one JSON
object. The corpus is generated: words by Zipf's law, headings, tables and figure captions, the same for the same
number. Its vectors come from feature hashing, so that the vector list is as long as it would be, without the hour
that embedding takes: what embedding costs is measured apart and grows with the number of chunks.
"""

from __future__ import annotations

import json
import random
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.corpora import local_settings
from benchmarks.measuring import STAGES, ask_all, folder_megabytes, peak_megabytes
from headtree.indexing.build import build
from headtree.indexing.index import Index
from headtree.models.protocols import Vectors
from headtree.pipeline import OpenIndex
from headtree.retrieval.terms import content_terms

_SECTIONS = 12
_PARAGRAPHS = 3
_WORDS = 90
"""Words of a paragraph."""
_VOCABULARY = 30_000
"""Distinct words: about those of a few hundred papers."""
_QUESTIONS = 40
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"


class HashingEmbedder:
    """Feature hashing of stems to unit vectors: no model, but real vectors that are near where words are shared."""

    name = "feature-hashing-384"
    dimensions = 384

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; shape (texts, dimensions)."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for term in content_terms(text):
                vectors[row, zlib.crc32(term.encode()) % self.dimensions] += 1.0
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Embed a question; shape (1, dimensions)."""
        return self.embed_documents([text])


class Writer:
    """Writes the same documents for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = [self._word() for _ in range(_VOCABULARY)]
        self._weights = list(np.cumsum([1 / (rank + 10) for rank in range(_VOCABULARY)]))

    def _word(self) -> str:
        pick = self._random.choice
        return "".join(pick(_CONSONANTS) + pick(_VOWELS) for _ in range(self._random.randint(2, 4)))

    def words(self, count: int) -> list[str]:
        """Return words as often as Zipf's law has them."""
        return self._random.choices(self._words, cum_weights=self._weights, k=count)

    def title(self) -> str:
        """Return a heading of three words."""
        return " ".join(self.words(3)).capitalize()

    def document(self) -> str:
        """Return a document of about 20,000 characters with a table and a figure in every third section."""
        parts = [f"# {self.title()}"]
        for number in range(1, _SECTIONS + 1):
            parts.append(f"{'##' if number % 3 else '###'} {self.title()}")
            parts += [self._paragraph(number) for _ in range(_PARAGRAPHS)]
            if number % 3 == 0:
                parts.append(f"![](figures/figure-{number}.png)\n\nFigure {number}: {' '.join(self.words(12))}.")
                rows = [f"| {' | '.join(self.words(4))} |" for _ in range(5)]
                parts.append("\n".join([rows[0], "|---|---|---|---|", *rows[1:]]))
        return "\n\n".join(parts) + "\n"

    def _paragraph(self, number: int) -> str:
        sentences = [f"{' '.join(self.words(_WORDS // 6)).capitalize()}." for _ in range(6)]
        return " ".join([*sentences, f"See Figure {number - number % 3 or 3}."])

    def question(self) -> str:
        """Return a question of nine words."""
        return f"{' '.join(self.words(9)).capitalize()}?"


def write_corpus(folder: Path, documents: int) -> list[str]:
    """Write the documents with their images and return questions about them."""
    writer = Writer(seed=documents)
    image = Image.new("RGB", (320, 200), "white")
    for number in range(documents):
        home = folder / f"document-{number:05}"
        (home / "figures").mkdir(parents=True)
        (home / f"{home.name}.md").write_text(writer.document(), encoding="utf-8")
        for section in range(3, _SECTIONS + 1, 3):
            image.save(home / "figures" / f"figure-{section}.png")
    return [writer.question() for _ in range(_QUESTIONS)]


def measure(folder: Path, documents: int) -> dict[str, float]:
    """Index a new corpus, ask questions, and return seconds, milliseconds and megabytes by name."""
    questions = write_corpus(folder / "documents", documents)
    settings = local_settings(folder / "documents", folder / "index", embedder="none")
    embedder = HashingEmbedder()
    started = time.monotonic()
    report = build(settings, embedder, fresh=True, progress=lambda step: None)
    built = time.monotonic()
    build(settings, embedder, fresh=False, progress=lambda step: None)
    again = time.monotonic()
    build_peak = peak_megabytes()
    asked = ask_all(OpenIndex(settings, Index(settings.index, space=embedder.name), embedder), questions)
    return {
        "documents": documents,
        "chunks": report.chunks,
        "text_mb": sum(file.stat().st_size for file in (folder / "documents").rglob("*.md")) / 1e6,
        "build_s": built - started,
        "second_build_s": again - built,
        "index_mb": folder_megabytes(settings.index),
        "build_peak_mb": build_peak,
        "peak_mb": peak_megabytes(),
        "processor_ms": asked.processor,
        **{f"{stage}_p50_ms": asked.p50[stage] for stage in STAGES},
        **{f"{stage}_p95_ms": asked.p95[stage] for stage in STAGES},
    }


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1]), int(sys.argv[2])), sys.stdout)
