"""The matrix of an ablation: what is changed, one thing at a time. A new row is one more entry of ``VARIANTS``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from headtree.indexing.index import Snapshot
from headtree.models.protocols import Embedder, Vectors
from headtree.models.registry import Registry, Role
from headtree.pipeline import OpenIndex
from headtree.retrieval.evidence import gather_evidence
from headtree.retrieval.question import read_question
from headtree.retrieval.recall import LISTS, Recalled, recall
from headtree.retrieval.rerank import rerank
from headtree.settings import Settings
from headtree.steps import LOCAL_ONLY, Steps
from headtree.types import Candidate, Evidence, OfferedFigure


class Reranker(StrEnum):
    """Who orders what recall found."""

    NONE = "none"
    """It stays in the order of recall."""
    FEATURES = "features"
    """The weighted sum of features, without a model."""
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Variant:
    """One change to the search."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Settings that differ; those that decide how documents are read mean another index."""
    lists: Collection[str] = LISTS
    """Recall lists that are asked."""
    reranker: Reranker = Reranker.FEATURES
    mentions: bool = True
    """Whether figures are offered that the text only names."""
    needs_index: bool = False
    """Whether documents must be read anew; only the chunks that differ are embedded."""
    breadcrumbs: bool = True
    """Whether chunks are embedded with their breadcrumb; without, every chunk is embedded anew."""
    needs_model: Role | None = None
    """The role without whose model there is nothing to measure: the row then says so."""


VARIANTS = (
    Variant("dense list only", lists=("dense",)),
    Variant("lexical list only", lists=("lexical",)),
    Variant("no dense list", lists=("lexical", "title")),
    Variant("no lexical list", lists=("dense", "title")),
    Variant("no title list", lists=("dense", "lexical")),
    Variant("no re-ranker", reranker=Reranker.NONE),
    Variant("dense list only, no re-ranker", lists=("dense",), reranker=Reranker.NONE),
    Variant("re-ranked by a model", reranker=Reranker.MODEL, needs_model=Role.RERANK),
    Variant("mentions not followed", mentions=False),
    Variant("k = 3", settings=MappingProxyType({"sections": 3})),
    Variant("k = 8", settings=MappingProxyType({"sections": 8})),
    Variant("20 candidates", settings=MappingProxyType({"candidates": 20})),
    Variant("no heading repair", settings=MappingProxyType({"heading_repair": False}), needs_index=True),
    Variant("no noise filter", settings=MappingProxyType({"noise_filter": False}), needs_index=True),
    Variant(
        "noise filter by rules alone",
        settings=MappingProxyType({"noise_model": "local"}),
        needs_index=True,
        needs_model=Role.NOISE,
    ),
    Variant("breadcrumb not embedded", needs_index=True, breadcrumbs=False),
    Variant(
        "figures not described",
        settings=MappingProxyType({"describe_figures": False}),
        needs_index=True,
        needs_model=Role.DESCRIBER,
    ),
    Variant(
        "chunks without context",
        settings=MappingProxyType({"contextual_chunks": False}),
        needs_index=True,
        needs_model=Role.CONTEXT,
    ),
)
SWITCHES: Mapping[Role, str] = MappingProxyType(
    {
        Role.NOISE: "noise_filter",
        Role.DESCRIBER: "describe_figures",
        Role.CONTEXT: "contextual_chunks",
        Role.VISION: "vision_filter",
    }
)
"""The settings without which a role's model does nothing."""


def why_not_run(role: Role, settings: Settings) -> str | None:
    """Say why there is no model of a role to measure, or return ``None``; what is off is not paid for to measure it."""
    switch = SWITCHES.get(role)
    is_on = switch is None or bool(getattr(settings, switch))
    if is_on and Registry(settings).chat_model(role) is not None:
        return None
    return f"not run: no model ({', '.join(name.upper() for name in (switch, role.value) if name)})"


def search_with(
    variant: Variant, text: str, vector: Vectors | None, view: Snapshot, opened: OpenIndex
) -> Evidence | None:
    """Return what a variant of the search finds for a question; ``None`` where its model failed.

    Args:
        variant: what is changed.
        text: the question.
        vector: its vector, where there is one.
        view: the variant's index.
        opened: its settings and models.
    """
    settings, question = opened.settings, read_question(text, view)
    recalled = recall(
        question, vector, view, chunks=settings.recall_chunks, sections=settings.candidates, lists=variant.lists
    )
    if variant.reranker is Reranker.NONE:
        evidence = gather_evidence(question, [_unranked(entry) for entry in recalled], view, settings)
    else:
        models = opened.models if variant.reranker is Reranker.MODEL else LOCAL_ONLY
        steps = Steps(question, view, settings, models)
        evidence = steps.read_evidence(rerank(question, recalled, view))
        if steps.fallbacks:
            return None
    if variant.mentions:
        return evidence
    return replace(evidence, figures=tuple(o for o in evidence.figures if _stands_in(o, evidence)))


def _unranked(entry: Recalled) -> Candidate:
    doc_id, node_id = entry.key
    return Candidate(doc_id, node_id, score=entry.fused, best_chunk=entry.best_chunk, reason="order of recall")


def _stands_in(offered: OfferedFigure, evidence: Evidence) -> bool:
    figure = offered.figure
    lines = (figure.line, *figure.also_at)
    return any(s.doc_id == figure.doc_id and line in s.span for s in evidence.sections for line in lines)


@dataclass(frozen=True, slots=True)
class BareEmbedder:
    """Embeds chunks without the breadcrumb that stands in their first line."""

    whole: Embedder

    @property
    def name(self) -> str:
        """A space of its own, so that no vector is taken for one with its breadcrumb."""
        return f"{self.whole.name}, no breadcrumb"

    @property
    def dimensions(self) -> int:
        """As of the embedder."""
        return self.whole.dimensions

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed what stands under the first line of each text."""
        return self.whole.embed_documents([text.partition("\n")[2] or text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Embed a question; it has no breadcrumb."""
        return self.whole.embed_query(text)
