"""Fit what decides about pictures: ``python -m benchmarks.fit_figures``.

Two parts: how captions match questions (``synthesis.matching``, on 666 questions about captions of 118 papers), and
which of the offered figures are shown (``synthesis.choice``, on the question sets with gold pictures). The tables go
into ``docs/benchmark-fitting.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import reduce
from operator import add
from pathlib import Path
from typing import Annotated
from unittest.mock import patch

import typer
from rich.console import Console

from benchmarks import captions
from benchmarks.corpora import INDEXES, Corpus, open_corpus, present
from benchmarks.fit_ranking import INTRODUCTION, PAGE
from benchmarks.pages import table, write_part
from benchmarks.pairwise import Item, Weights, folds, scaled_like
from benchmarks.pointwise import Fitted, fit_pointwise
from headtree.errors import HeadtreeError
from headtree.evaluation.gold import FigureGold, SuiteQuestion
from headtree.evaluation.measures import perfect
from headtree.evaluation.suite import read_suite
from headtree.indexing.index import Index
from headtree.models.local import load_local_embedder
from headtree.pipeline import answer_with_evidence
from headtree.retrieval.question import Question, read_question
from headtree.settings import MAX_FIGURES
from headtree.synthesis import choice
from headtree.synthesis.cosines import FigureCosines, figure_cosines
from headtree.synthesis.extractive import Quote, answer_by_quotes
from headtree.synthesis.figure_features import figure_features
from headtree.synthesis.matching import WEIGHTS as MATCHING_WEIGHTS
from headtree.types import Evidence, Figure

FOLDS = 5
ASSIGNMENTS = 5
"""Of documents to folds, by chance: F1 differs by .02 between two of them."""
STRENGTH = 0.1
"""Inverse penalty of the choice's weights: two hundred needed pictures bear no freer ones."""
THRESHOLDS = (-1.4, -1.2, -1.0, -0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4)
_err = Console(stderr=True)
_out = Console()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with all that the choice of its pictures depends on."""

    corpus: Corpus
    question: SuiteQuestion
    read: Question
    evidence: Evidence
    quotes: tuple[Quote, ...]
    cosines: Mapping[str, FigureCosines]
    index: Index
    items: tuple[Item, ...]
    """One per offered figure."""

    @property
    def gold(self) -> FigureGold:
        """Which pictures are needed and which may be shown."""
        return self.question.figures or FigureGold()

    @property
    def group(self) -> tuple[str, str]:
        """What cross-validation leaves out together: a document, or the site that it is of."""
        return self.corpus.index, (self.question.docs or ("",))[0].split("/")[0]


@dataclass(frozen=True, slots=True)
class Tally:
    """Pictures counted over all questions."""

    needs: int
    met: int
    shown: int
    right: int
    perfect: int
    wrong_document: int
    questions: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def cells(self) -> list[str]:
        """Return recall, precision, their harmonic mean, perfect sets, and pictures of a wrong document a question."""
        recall = self.met / self.needs if self.needs else 0.0
        precision = self.right / self.shown if self.shown else 0.0
        return [
            f"{recall:.3f}",
            f"{precision:.3f}",
            f"{f1(recall, precision):.3f}",
            f"{self.perfect / self.questions:.3f}",
            f"{self.wrong_document / self.questions:.3f}",
        ]


def f1(recall: float, precision: float) -> float:
    """Return the harmonic mean."""
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


# ----------------------------------------------------------------------------------------------------- reading


def load(corpus: Corpus, indexes: Path) -> list[Asked]:
    """Ask every question that has gold pictures."""
    opened = open_corpus(corpus, indexes)
    found = []
    for question in read_suite(corpus.questions).questions:
        if question.figures is None:
            continue
        _, evidence = answer_with_evidence(opened, question.query)
        with opened.index.snapshot() as view:
            read = read_question(question.query, view)
            quotes = answer_by_quotes(read, evidence, view).quotes
            vector = opened.embedder.embed_query(question.query) if opened.embedder else None
            cosines = figure_cosines((offered.figure for offered in evidence.figures), vector, view)
            features = figure_features(read, evidence, quotes, cosines, view)
            allowed = choice.allowed_documents(read, evidence)
            items = tuple(
                _item(question.figures, offered.figure, asdict(values), allowed)
                for offered, values in zip(evidence.figures, features, strict=True)
            )
        found.append(Asked(corpus, question, read, evidence, quotes, cosines, opened.index, items))
    return found


def _item(gold: FigureGold, figure: Figure, features: Weights, allowed: Collection[str]) -> Item:
    """A figure that may be shown but need not be counts for nothing, nor one that never would be."""
    wanted = any(figure.path in need for need in gold.needs())
    open_to_choice = figure.doc_id in allowed and (wanted or figure.path not in gold.right())
    return Item(features, wanted, neutral=not open_to_choice)


# ----------------------------------------------------------------------------------------------------- choosing


@contextmanager
def in_force(fitted: Fitted, threshold: float) -> Iterator[None]:
    """Let the package choose with other constants, so that what is measured is its own choice and no copy of it."""
    with (
        patch.object(choice, "WEIGHTS", fitted.weights),
        patch.object(choice, "_BIAS", fitted.bias),
        patch.object(choice, "_THRESHOLD", threshold),
    ):
        yield


def shown(asked: Asked) -> tuple[Figure, ...]:
    """Return the pictures that are shown with the constants in force; none where the question is not answered."""
    if not asked.evidence.sections or asked.evidence.absent_terms:
        return ()
    with asked.index.snapshot() as view:
        chosen = choice.choose_figures(asked.read, asked.evidence, asked.quotes, asked.cosines, view, most=MAX_FIGURES)
    return tuple(offered.figure for offered in chosen.shown)


def tally(questions: Sequence[Asked], pictures: Sequence[Sequence[Figure]]) -> Tally:
    """Count what was shown against the gold."""
    paths = [[figure.path for figure in figures] for figures in pictures]
    pairs = list(zip(questions, paths, strict=True))
    return Tally(
        needs=sum(len(q.gold.needs()) for q in questions),
        met=sum(bool(need & set(found)) for q, found in pairs for need in q.gold.needs()),
        shown=sum(len(found) for found in paths),
        right=sum(path in q.gold.right() for q, found in pairs for path in found),
        perfect=sum(int(perfect(q.gold, found) or 0) for q, found in pairs),
        wrong_document=sum(
            figure.doc_id not in q.question.docs and figure.path not in q.gold.right()
            for q, figures in zip(questions, pictures, strict=True)
            for figure in figures
        ),
        questions=len(questions),
    )


def cross_validated(questions: Sequence[Asked], seed: int) -> list[tuple[Figure, ...]]:
    """Return each question's pictures with weights and threshold that were fitted without its documents."""
    fold_of = folds([question.group for question in questions], FOLDS, seed=seed)
    pictures: dict[int, tuple[Figure, ...]] = {}
    for fold in range(FOLDS):
        kept = [q for q, f in zip(questions, fold_of, strict=True) if f != fold]
        fitted = refitted(kept)
        threshold = best_threshold(kept, fitted)
        with in_force(fitted, threshold):
            pictures |= {i: shown(questions[i]) for i, f in enumerate(fold_of) if f == fold}
    return [pictures[i] for i in range(len(questions))]


def refitted(questions: Sequence[Asked]) -> Fitted:
    """Return the regression of whether a figure is needed, fitted to some questions."""
    return fit_pointwise([question.items for question in questions], list(choice.WEIGHTS), strength=STRENGTH)


def best_threshold(questions: Sequence[Asked], fitted: Fitted) -> float:
    """Return the threshold under which F1 is best on some questions; of equals the most careful one."""
    scores = {}
    for threshold in THRESHOLDS:
        with in_force(fitted, threshold):
            counted = tally(questions, [shown(question) for question in questions])
        recall, precision = counted.met / max(1, counted.needs), counted.right / max(1, counted.shown)
        scores[threshold] = f1(recall, precision)
    return max(scores, key=lambda threshold: (round(scores[threshold], 3), threshold))


# ------------------------------------------------------------------------------------------------------ tables


def captions_part(questions: Sequence[captions.CaptionQuestion]) -> str:
    """Return the part of the page on matching."""
    names = list(MATCHING_WEIGHTS)
    accuracies = [
        ["BM25 of the captions", f"{captions.bm25_accuracy(questions):.3f}"],
        ["constants in the code", f"{captions.accuracy(questions, MATCHING_WEIGHTS):.3f}"],
        ["refitted, cross-validated", f"{captions.cross_validated(questions, names):.3f}"],
    ]
    fitted = scaled_like(captions.refitted(questions), MATCHING_WEIGHTS)
    rows = []
    for name in names:
        without = captions.cross_validated(questions, [other for other in names if other != name])
        rows.append([name, f"{MATCHING_WEIGHTS[name]:g}", f"{fitted[name]:.1f}", f"{without:.3f}"])
    papers = len({question.paper for question in questions})
    return f"""\
{len(questions)} questions about one figure of a known paper, {papers} papers, captions only.
Folds by paper; the constants in the code were fitted to these questions, so that their row is not cross-validated.

{table(["right figure first", "share"], accuracies)}

{table(["feature", "in the code", "refitted to all", "cross-validated without it"], rows)}
"""


def choice_part(questions: Sequence[Asked]) -> str:
    """Return the part of the page on the choice."""
    chosen = {
        "constants in the code": [[shown(question) for question in questions]],
        "refitted, cross-validated": [cross_validated(questions, seed) for seed in range(ASSIGNMENTS)],
    }
    rows = []
    for name in (*dict.fromkeys(question.corpus.name for question in questions), "all"):
        mine = [i for i, question in enumerate(questions) if name in (question.corpus.name, "all")]
        asked = [questions[i] for i in mine]
        for label, runs in chosen.items():
            counted = reduce(add, (tally(asked, [pictures[i] for i in mine]) for pictures in runs))
            needs = sum(len(question.gold.needs()) for question in asked)
            rows.append([name, label, str(len(asked)), str(needs), *counted.cells()])
    fitted = refitted(questions)
    weights = [[name, f"{weight:g}", f"{fitted.weights[name]:.1f}"] for name, weight in choice.WEIGHTS.items()]
    weights.append(["bias", f"{choice._BIAS:g}", f"{fitted.bias:.1f}"])
    header = [
        "set",
        "weights",
        "questions",
        "needs",
        "recall",
        "precision",
        "F1",
        "perfect",
        "of wrong document",
    ]
    return f"""\
Pictures shown by the package's own choice, pooled over all questions with gold pictures (those that need none
included). {FOLDS} folds by document (by site for documentation sites), {ASSIGNMENTS} assignments of documents to folds
by chance, pooled; weights and threshold are fitted to the other folds. `papers-more` and `docsites-more` are questions
over the same documents (`benchmarks/gold`), written without a look at what the system answers, and worded further from
the documents. The weights in the code were fitted to all of these questions, and the features were selected with them
in view: the rows of the code are not cross-validated, and those that are still owe something to the selection. Last
column: pictures of a wrong document (or page of a site), a question.

{table(header, rows)}

{table(["feature", "in the code", "refitted to all"], weights)}
"""


def run(
    indexes: Annotated[Path, typer.Option(help="Folder of the indexes, one per set; they are brought up to date.")] = (
        INDEXES
    ),
    sets: Annotated[
        str, typer.Option(help="Question sets, with commas.")
    ] = "papers,docsites,sample,papers-more,docsites-more",
    page: Annotated[Path, typer.Option(help="Page that the tables go into.")] = PAGE,
) -> None:
    """Fit, test and write the tables."""
    if captions.FOLDER.is_dir():
        _err.print("matching captions", highlight=False)
        _write(page, "Matching of captions", captions_part(captions.load(load_local_embedder())))
    questions: list[Asked] = []
    for corpus in present(sets.split(",")):
        _err.print(f"asking the questions of {corpus.name}", highlight=False)
        questions += load(corpus, indexes)
    _write(page, "Choice of pictures", choice_part(questions))


def _write(page: Path, title: str, body: str) -> None:
    _out.print(body, markup=False, highlight=False, soft_wrap=True)
    write_part(page, title, body, introduction=INTRODUCTION)


if __name__ == "__main__":
    try:
        typer.run(run)
    except HeadtreeError as error:
        sys.exit(f"error: {error}")
