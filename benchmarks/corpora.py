"""The documents and question sets that the benchmarks read: the shared sets where they are present, and the sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headtree.errors import HeadtreeError
from headtree.pipeline import OpenIndex, build_index, open_index
from headtree.settings import Settings, load_settings

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
INDEXES = ROOT / "results" / "indexes"
"""Where the benchmarks keep their indexes, one folder per corpus, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of documents with questions about them."""

    name: str
    documents: Path
    questions: Path


_CORPORA = (
    Corpus("papers", SHARED / "papers" / "documents", SHARED / "papers" / "questions.json"),
    Corpus("filings", SHARED / "filings" / "documents", SHARED / "filings" / "questions.json"),
    Corpus("docsites", SHARED / "docsites", SHARED / "docsites" / "questions.json"),
    Corpus("helpdocs", SHARED / "helpdocs" / "documents", SHARED / "helpdocs" / "questions.json"),
    Corpus("sample", ROOT / "data" / "documents", ROOT / "results" / "test_queries.json"),
)


def present(names: Sequence[str]) -> list[Corpus]:
    """Return the named corpora that are on this machine, in that order.

    Raises:
        HeadtreeError: none of them is.
    """
    by_name = {corpus.name: corpus for corpus in _CORPORA}
    found = [by_name[name] for name in names if by_name[name].questions.is_file() and by_name[name].documents.is_dir()]
    if not found:
        raise HeadtreeError(f"none of these question sets is here: {', '.join(names)}; they lie in {SHARED.name}/")
    return found


def local_settings(documents: Path, index: Path, *, embedder: str = "local") -> Settings:
    """Return settings that use no model but the local embedder, whatever keys the environment holds."""
    return load_settings(
        documents=documents,
        index=index,
        embedder=embedder,
        noise_model="local",
        rerank_model="local",
        synthesis_model="local",
        vision_model="local",
    )


def open_corpus(corpus: Corpus, indexes: Path) -> OpenIndex:
    """Bring a corpus's index up to date and open it; the first time its chunks are embedded, which takes minutes."""
    settings = local_settings(corpus.documents, indexes / corpus.name)
    build_index(settings)
    return open_index(settings)
