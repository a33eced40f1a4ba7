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
    index: str
    """Name of its index folder; question sets over the same documents share one."""


_GOLD = Path(__file__).parent / "gold"
"""Questions of our own over the shared papers and sites, written without a look at what the system answers."""

_CORPORA = (
    Corpus("papers", SHARED / "papers" / "documents", SHARED / "papers" / "questions.json", "papers"),
    Corpus("filings", SHARED / "filings" / "documents", SHARED / "filings" / "questions.json", "filings"),
    Corpus("docsites", SHARED / "docsites", SHARED / "docsites" / "questions.json", "docsites"),
    Corpus("helpdocs", SHARED / "helpdocs" / "documents", SHARED / "helpdocs" / "questions.json", "helpdocs"),
    Corpus("sample", ROOT / "data" / "documents", ROOT / "results" / "test_queries.json", "sample"),
    Corpus("papers-more", SHARED / "papers" / "documents", _GOLD / "papers-more.json", "papers"),
    Corpus("docsites-more", SHARED / "docsites", _GOLD / "docsites-more.json", "docsites"),
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
    settings = local_settings(corpus.documents, indexes / corpus.index)
    build_index(settings)
    return open_index(settings)
