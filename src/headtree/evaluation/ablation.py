"""What each part is worth: the same questions with one part changed at a time, differences paired by question.

For the search, no answer is written, so that its rows cost no model call but that of the model re-ranker. Only the
vision filter, which acts on answers, has them written: once per question, and the filter looks at the same answer.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from headtree.errors import HeadtreeError, ModelCallError, ModelUnavailableError
from headtree.evaluation.compare import Difference, difference_of
from headtree.evaluation.gold import Suite, SuiteQuestion
from headtree.evaluation.measures import Scores, figure_scores, search_scores
from headtree.evaluation.parallel import in_parallel
from headtree.evaluation.trail import candidate_rows, offered_rows
from headtree.evaluation.variants import VARIANTS, BareEmbedder, Variant, search_with, why_not_run
from headtree.indexing.build import BuildStep
from headtree.indexing.index import Index, Snapshot
from headtree.models.protocols import Embedder, Vectors
from headtree.models.registry import Role
from headtree.models.runs import model_run
from headtree.pipeline import OpenIndex, answer_with_evidence, build_index, open_index
from headtree.settings import Settings
from headtree.synthesis.vision import look_at_figures
from headtree.types import Evidence, ShownFigure, Usage

Watch = Callable[[str, int, int], None]
"""Is told what is done now, how many variants are done and how many there are."""

BASELINE = "as it is"
LOCAL_BASELINE = "re-ranked by features"
"""What the rows of the search are compared with where a model re-ranks: a matrix of its calls would be dear."""
ANSWERED = "answers as they are"
VISION = "vision filter"


@dataclass(frozen=True, slots=True)
class AblationRow:
    """One row of the matrix; a baseline where it has no differences and no note."""

    name: str
    means: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    differences: tuple[Difference, ...] = ()
    """Against the last baseline above it, per measure."""
    note: str = ""
    """Why it was not run, or how many questions an outage took from it."""
    lost: int = 0
    """Questions that an outage took."""


@dataclass(frozen=True, slots=True)
class Ablation:
    """The outcome of a matrix."""

    rows: tuple[AblationRow, ...]
    usage: Usage
    """What its models took, the building of indexes included."""


@dataclass(slots=True)
class _Matrix:
    """The matrix while it is made."""

    questions: Sequence[SuiteQuestion]
    vectors: Mapping[str, Vectors | None]
    opened: OpenIndex
    work: Path
    jobs: int
    spent: list[Usage]


def run_ablation(
    suite: Suite,
    settings: Settings,
    work: Path,
    *,
    variants: Sequence[Variant] = VARIANTS,
    jobs: int = 1,
    watch: Watch = lambda name, done, total: None,
) -> Ablation:
    """Search every question once per variant, and answer it where a vision filter is on.

    Args:
        suite: questions; those without gold are left out.
        settings: the baseline; its index must be up to date.
        work: folder for the indexes of variants that read documents otherwise.
        variants: what is changed, one at a time.
        jobs: questions that are asked at the same time.
        watch: is told how far it is.

    Raises:
        HeadtreeError: no question has gold that a search can be scored by.
    """
    questions = [q for q in suite.questions if not q.problem and (q.needs or (q.figures and q.figures.needs()))]
    if not questions:
        raise HeadtreeError(f"no question of {suite.name} has gold sections or pictures; an ablation needs some")
    opened = open_index(settings)
    with model_run() as run:
        vectors = {q.key: opened.embedder.embed_query(q.query) if opened.embedder else None for q in questions}
    matrix = _Matrix(questions, vectors, opened, work, jobs, [run.usage])
    total = len(variants) + 2
    plain = Variant(LOCAL_BASELINE if opened.models.rerank else BASELINE)
    watch(plain.name, 0, total)
    baseline = _search_scores(matrix, opened, plain)
    rows = [AblationRow(plain.name, _means(baseline))]
    for done, variant in enumerate(variants, start=1):
        watch(variant.name, done, total)
        rows.append(_searched(matrix, variant, baseline, partial(_tell_build, watch, variant.name, done, total)))
    watch(VISION, total - 1, total)
    rows += _looked(matrix)
    watch("done", total, total)
    return Ablation(tuple(rows), _sum(matrix.spent))


def _tell_build(watch: Watch, name: str, done: int, total: int, step: BuildStep) -> None:
    watch(f"{name}: {step.stage} {step.done} of {step.total}", done, total)


def _sum(spent: Sequence[Usage]) -> Usage:
    names = Usage.__dataclass_fields__
    return Usage(**{name: sum(getattr(usage, name) for usage in spent) for name in names})


# -------------------------------------------------------------------------------------------------- the search


def _searched(
    matrix: _Matrix, variant: Variant, baseline: Mapping[str, Scores], tell: Callable[[BuildStep], None]
) -> AblationRow:
    role = variant.needs_model
    if role is not None and (why := why_not_run(role, matrix.opened.settings)):
        return AblationRow(variant.name, note=why)
    scores = _search_scores(matrix, _opened(matrix, variant, tell), variant)
    return _row(matrix, variant.name, baseline, scores)


def _opened(matrix: _Matrix, variant: Variant, tell: Callable[[BuildStep], None]) -> OpenIndex:
    """Return the index of a variant: the baseline's, or a copy of it that is brought to the variant's settings."""
    opened = matrix.opened
    changed = opened.settings.model_copy(update=dict(variant.settings))
    if not variant.needs_index:
        return replace(opened, settings=changed)
    folder = matrix.work / variant.name.replace(" ", "-")
    if not folder.is_dir():
        part = folder.with_name(f"{folder.name}.part")  # a copy that was stopped is never taken for a whole one
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(opened.settings.index, part)
        part.rename(folder)
    # Both vector stores search exactly: a variant needs no collection on a server.
    changed = changed.model_copy(update={"index": folder, "milvus_uri": None})
    embedder: Embedder | None = opened.embedder
    if embedder is not None and not variant.breadcrumbs:
        embedder = BareEmbedder(embedder)
    matrix.spent.append(build_index(changed, progress=tell, embedder=embedder).usage)
    return replace(
        opened, settings=changed, index=Index(folder, space=embedder.name if embedder else ""), embedder=embedder
    )


def _search_scores(matrix: _Matrix, opened: OpenIndex, variant: Variant) -> dict[str, Scores]:
    """Return the scores of each question that no outage took."""

    def ask(question: SuiteQuestion) -> Scores | None:
        with opened.index.snapshot() as view, model_run() as run:
            evidence = search_with(variant, question.query, matrix.vectors[question.key], view, opened)
            matrix.spent.append(run.usage)
            if evidence is None:
                return None
            # The measure keeps one name for all k, so that "k = 3" can be compared.
            row = _evidence_row(evidence, view)
            return search_scores(question, row, k=opened.settings.sections, name_k="k")

    return _in_order(matrix, ask)


def _in_order(matrix: _Matrix, ask: Callable[[SuiteQuestion], Any]) -> dict[str, Any]:
    found = {question.key: result for question, result in in_parallel(matrix.questions, ask, jobs=matrix.jobs)}
    return {question.key: found[question.key] for question in matrix.questions if found[question.key] is not None}


def _evidence_row(evidence: Evidence, view: Snapshot) -> dict[str, Any]:
    return {
        "sections": [
            {"doc_id": s.doc_id, "first_line": s.span.first, "last_line": s.span.last} for s in evidence.sections
        ],
        "candidates": candidate_rows(evidence, view),
        "offered": offered_rows(evidence),
    }


# ------------------------------------------------------------------------------------------- the vision filter


def _looked(matrix: _Matrix) -> list[AblationRow]:
    """Return the pictures of the answers without the filter, and what it changes."""
    opened, model = matrix.opened, matrix.opened.models.vision
    if model is None:
        return [AblationRow(VISION, note=why_not_run(Role.VISION, opened.settings) or "")]
    unfiltered = replace(opened, models=replace(opened.models, vision=None))

    def ask(question: SuiteQuestion) -> tuple[Scores, Scores] | None:
        answer, _ = answer_with_evidence(unfiltered, question.query)
        matrix.spent.append(answer.usage)
        if answer.fallbacks:
            return None
        with model_run() as run:
            try:
                looked = look_at_figures(answer, opened.settings.documents, model)
            except (ModelCallError, ModelUnavailableError):
                return None
            finally:
                matrix.spent.append(run.usage)
        return _picture_scores(question, answer.figures), _picture_scores(question, looked.figures)

    both = _in_order(matrix, ask)
    before = {key: scores[0] for key, scores in both.items()}
    after = {key: scores[1] for key, scores in both.items()}
    answered = replace(_row(matrix, ANSWERED, before, before), differences=())
    return [answered, replace(_row(matrix, VISION, before, after), note="", lost=0)]


def _picture_scores(question: SuiteQuestion, shown: Sequence[ShownFigure]) -> Scores:
    scores = figure_scores(question, [{"path": figure.path, "label": figure.label} for figure in shown])
    return {name: scores[name] for name in ("figure_recall", "figure_precision", "perfect")}


# -------------------------------------------------------------------------------------------------------- rows


def _row(matrix: _Matrix, name: str, baseline: Mapping[str, Scores], scores: Mapping[str, Scores]) -> AblationRow:
    lost = len(matrix.questions) - len(scores)
    note = f"{lost} of {len(matrix.questions)} questions lost to an outage" if lost else ""
    return AblationRow(name, _means(scores), _differences(baseline, scores), note, lost)


def _means(scores: Mapping[str, Scores]) -> Mapping[str, float]:
    return MappingProxyType({item.measure: item.new for item in _differences(scores, scores)})


def _differences(old: Mapping[str, Scores], new: Mapping[str, Scores]) -> tuple[Difference, ...]:
    names = dict.fromkeys(name for scores in new.values() for name in scores)
    keys = [key for key in new if key in old]
    found = (difference_of(name, [(old[key].get(name), new[key].get(name)) for key in keys]) for name in names)
    return tuple(difference for difference in found if difference is not None)
