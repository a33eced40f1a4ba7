"""Documents that a test writes, and how it has them read or indexed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from headtree.indexing.documents import PreparedDocument, SourceFile, prepare_document
from headtree.indexing.images import ImageFinder
from headtree.models.protocols import Vectors
from headtree.retrieval.terms import stems
from headtree.settings import Settings
from headtree.types import Document, Figure, Section

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared evaluation data is not beside the repository")


def make_settings(documents: Path, index: Path | None = None, **values: object) -> Settings:
    """Settings that no environment and no file of the person who runs the test has a part in."""
    given = {"documents": documents, "index": index or documents.parent / "index", "embedder": "none", **values}
    return Settings(_env_file=None, **given)  # type: ignore[arg-type]


def make_pictures(folder: Path, *paths: str, size: tuple[int, int] = (400, 300)) -> None:
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", size, "teal").save(file)


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return folder


def prepare(
    content: str | bytes, folder: Path | None = None, *, doc_id: str = "doc", **values: object
) -> PreparedDocument:
    """Read a document as a build does; its images are looked for in ``folder``/``doc_id``."""
    raw = content if isinstance(content, bytes) else content.encode("utf-8")
    documents = folder or Path("/nonexistent")
    source = SourceFile(doc_id, f"{doc_id}/{doc_id}.md")
    return prepare_document(raw, source, make_settings(documents, **values), ImageFinder(documents))


def read(content: str | bytes, folder: Path | None = None, *, doc_id: str = "doc", **values: object) -> Document:
    return prepare(content, folder, doc_id=doc_id, **values).document


def outline(document: Document) -> list[tuple[int, str]]:
    """Depth and title of every section but the document itself."""
    return [(section.level, section.title) for section in document.sections[1:]]


def section(document: Document, title: str) -> Section:
    (found,) = [item for item in document.sections if item.title == title]
    return found


def body(document: Document, title: str) -> str:
    return document.text(section(document, title).body)


def figures_of(document: Document, title: str) -> list[str]:
    home = section(document, title).node_id
    return [figure.filename for figure in document.figures if figure.node_id == home]


def figure(document: Document, filename: str) -> Figure:
    (found,) = [item for item in document.figures if item.filename == filename]
    return found


class WordEmbedder:
    """Vectors that one can work out by hand: one direction per word of a list, by how often each stands in a text."""

    def __init__(self, words: Sequence[str], *, name: str = "words") -> None:
        self._directions = {stem: place for place, word in enumerate(words) for stem in stems(word)}
        self.name = name
        self.dimensions = len(words) + 1
        self.texts: list[str] = []
        """All texts that were embedded as documents, in order."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.stack([self._embed(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return self._embed(text)[None, :]

    def _embed(self, text: str) -> Vectors:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        vector[-1] = 0.1  # so that a text without any of the words has a direction too
        for stem in stems(text):
            if stem in self._directions:
                vector[self._directions[stem]] += 1
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
