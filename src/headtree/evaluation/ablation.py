"""What each part of the search is worth: the same questions with one part changed at a time.

Only the search is run, no answer is written, so that a matrix costs no model call. Differences are paired by question.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from headtree.errors import HeadtreeError
from headtree.evaluation.compare import Difference, difference_of
from headtree.evaluation.gold import Suite, SuiteQuestion
from headtree.evaluation.measures import Scores, search_scores
from headtree.evaluation.trail import candidate_rows, offered_rows
from headtree.indexing.build import BuildStep, build
from headtree.indexing.index import Index, Snapshot
from headtree.models.protocols import Embedder, Vectors
from headtree.pipeline import OpenIndex, open_index
from headtree.retrieval.evidence import gather_evidence
from headtree.retrieval.question import read_question
from headtree.retrieval.recall import LISTS, Recalled, recall
from headtree.retrieval.rerank import rerank
from headtree.settings import Settings
from headtree.types import Candidate, Evidence, OfferedFigure

Watch = Callable[[str, int, int], None]
"""Is told what is done now, how many variants are done and how many there are."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One change to the search."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Settings that differ; those that decide how documents are read mean another index."""
    lists: Collection[str] = LISTS
    """Recall lists that are asked."""
    reranked: bool = True
    mentions: bool = True
    """Whether figures are offered that the text only names."""
    needs_index: bool = False
    """Whether documents must be read anew; only the chunks that differ are embedded."""
    breadcrumbs: bool = True
    """Whether chunks are embedded with their breadcrumb; without, every chunk is embedded anew."""


BASELINE = Variant("as it is")
VARIANTS = (
    Variant("dense list only", lists=("dense",)),
    Variant("lexical list only", lists=("lexical",)),
    Variant("no dense list", lists=("lexical", "title")),
    Variant("no lexical list", lists=("dense", "title")),
    Variant("no title list", lists=("dense", "lexical")),
    Variant("no re-ranker", reranked=False),
    Variant("dense list only, no re-ranker", lists=("dense",), reranked=False),
    Variant("mentions not followed", mentions=False),
    Variant("k = 3", settings=MappingProxyType({"sections": 3})),
    Variant("k = 8", settings=MappingProxyType({"sections": 8})),
    Variant("20 candidates", settings=MappingProxyType({"candidates": 20})),
    Variant("no heading repair", settings=MappingProxyType({"heading_repair": False}), needs_index=True),
    Variant("no noise filter", settings=MappingProxyType({"noise_filter": False}), needs_index=True),
    Variant("breadcrumb not embedded", needs_index=True, breadcrumbs=False),
)


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


@dataclass(frozen=True, slots=True)
class Ablation:
    """The outcome of a matrix."""

    baseline: Mapping[str, float]
    """Means by measure."""
    variants: Mapping[str, tuple[Difference, ...]]
    """By variant: new minus baseline, per measure."""


def run_ablation(
    suite: Suite,
    settings: Settings,
    work: Path,
    *,
    variants: Sequence[Variant] = VARIANTS,
    watch: Watch = lambda name, done, total: None,
) -> Ablation:
    """Search every question once per variant.

    Args:
        suite: questions; those without gold are left out.
        settings: the baseline; its index must be up to date.
        work: folder for the indexes of variants that read documents otherwise.
        variants: what is changed, one at a time.
        watch: is told how far it is.

    Raises:
        HeadtreeError: no question has gold that a search can be scored by.
    """
    questions = [q for q in suite.questions if not q.problem and (q.needs or (q.figures and q.figures.needs()))]
    if not questions:
        raise HeadtreeError(f"no question of {suite.name} has gold sections or pictures; an ablation needs some")
    opened = open_index(settings)
    vectors = {q.key: opened.embedder.embed_query(q.query) if opened.embedder else None for q in questions}
    total = len(variants) + 1
    watch(BASELINE.name, 0, total)
    baseline = _scores(questions, vectors, opened, BASELINE)
    found: dict[str, tuple[Difference, ...]] = {}
    for done, variant in enumerate(variants, start=1):
        tell = partial(_tell_build, watch, variant.name, done, total)
        watch(variant.name, done, total)
        scores = _scores(questions, vectors, _opened(variant, settings, opened, work, tell), variant)
        found[variant.name] = _differences(baseline, scores)
    watch("done", total, total)
    means = {item.measure: item.new for item in _differences(baseline, baseline)}
    return Ablation(MappingProxyType(means), MappingProxyType(found))


def _tell_build(watch: Watch, name: str, done: int, total: int, step: BuildStep) -> None:
    watch(f"{name}: {step.stage} {step.done} of {step.total}", done, total)


def _opened(
    variant: Variant, settings: Settings, opened: OpenIndex, work: Path, tell: Callable[[BuildStep], None]
) -> OpenIndex:
    """Return the index of a variant: the baseline's, or a copy of it that is brought to the variant's settings."""
    changed = settings.model_copy(update=dict(variant.settings))
    if not variant.needs_index:
        return replace(opened, settings=changed)
    folder = work / variant.name.replace(" ", "-")
    if not folder.is_dir():
        shutil.copytree(settings.index, folder)
    changed = changed.model_copy(update={"index": folder})
    embedder: Embedder | None = opened.embedder
    if embedder is not None and not variant.breadcrumbs:
        embedder = BareEmbedder(embedder)
    build(changed, embedder, fresh=False, progress=tell)
    return OpenIndex(changed, Index(folder, space=embedder.name if embedder else ""), embedder)


def _scores(
    questions: Sequence[SuiteQuestion], vectors: Mapping[str, Vectors | None], opened: OpenIndex, variant: Variant
) -> dict[str, Scores]:
    scores = {}
    for question in questions:
        with opened.index.snapshot() as view:
            evidence = _search(question, vectors[question.key], view, opened.settings, variant)
            row = {
                "sections": [
                    {"doc_id": s.doc_id, "first_line": s.span.first, "last_line": s.span.last}
                    for s in evidence.sections
                ],
                "candidates": candidate_rows(evidence, view),
                "offered": offered_rows(evidence),
            }
        # The measure keeps one name for all k, so that "k = 3" can be compared.
        scores[question.key] = search_scores(question, row, k=opened.settings.sections, name_k="k")
    return scores


def _search(
    question: SuiteQuestion, vector: Vectors | None, view: Snapshot, settings: Settings, variant: Variant
) -> Evidence:
    asked = read_question(question.query, view)
    recalled = recall(
        asked, vector, view, chunks=settings.recall_chunks, sections=settings.candidates, lists=variant.lists
    )
    candidates = rerank(asked, recalled, view) if variant.reranked else [_unranked(entry) for entry in recalled]
    evidence = gather_evidence(asked, candidates, view, settings)
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


def _differences(old: Mapping[str, Scores], new: Mapping[str, Scores]) -> tuple[Difference, ...]:
    names = dict.fromkeys(name for scores in new.values() for name in scores)
    found = (difference_of(name, [(old[key].get(name), new[key].get(name)) for key in new]) for name in names)
    return tuple(difference for difference in found if difference is not None)


def ablation_table(ablation: Ablation, measures: Sequence[str] = ()) -> str:
    """Return a Markdown table: the baseline's means, then per variant the mean and its paired difference."""
    names = [name for name in (measures or ablation.baseline) if name in ablation.baseline]
    lines = [
        f"| search | {' | '.join(names)} |",
        f"|---|{'---|' * len(names)}",
        f"| {BASELINE.name} | {' | '.join(f'{ablation.baseline[name]:.3f}' for name in names)} |",
    ]
    for variant, differences in ablation.variants.items():
        by_name = {item.measure: item for item in differences}
        cells = (_cell(by_name.get(name)) for name in names)
        lines.append(f"| {variant} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(item: Difference | None) -> str:
    if item is None:
        return ""
    if not item.better and not item.worse:
        return f"{item.new:.3f}"
    return f"{item.new:.3f} ({item.change:+.3f} [{item.low:+.3f}, {item.high:+.3f}])"
