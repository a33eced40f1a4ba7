"""Fit the re-ranker's weights to the shared question sets: ``python -m benchmarks.fit_ranking``.

Recall's sections are ordered by a weighted sum of features (``retrieval.rerank``). Here the weights are fitted by
pairwise logistic regression and tested on documents that they were not fitted to, beside the constants in the code
and beside the order of recall. The tables go into ``docs/benchmark-fitting.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.corpora import INDEXES, ROOT, Corpus, open_corpus, present
from benchmarks.pages import table, write_part
from benchmarks.pairwise import Item, Weights, fit, folds, scaled_like, score
from headtree.errors import HeadtreeError
from headtree.evaluation.gold import SuiteQuestion
from headtree.evaluation.measures import Row, meets, section_recall
from headtree.evaluation.suite import read_suite
from headtree.pipeline import answer_with_evidence
from headtree.retrieval.rerank import WEIGHTS
from headtree.types import LineSpan

PAGE = ROOT / "docs" / "benchmark-fitting.md"
INTRODUCTION = """\
# How the constants were fitted

Written by `python -m benchmarks.fit_ranking` and `python -m benchmarks.fit_figures`, which read the question sets in
`../shared`. *Cross-validated*: every question is scored with weights that were fitted without its documents.
*In the code*: the rounded constants that are in force. They were chosen with these sets in view, so that their rows are
not cross-validated, and look a little better than they would on unseen documents.
"""
K = 5
FOLDS = 6
STRENGTH = 100.0
"""Inverse penalty; between 30 and 30,000 the cross-validated recall lies between .789 and .799."""
_err = Console(stderr=True)
_out = Console()


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """A question with the sections that recall gave for it."""

    set_name: str
    question: SuiteQuestion
    items: tuple[Item, ...]
    """One per recalled section."""
    rows: tuple[Row, ...]
    """Their own text: ``doc_id``, ``first_line``, ``last_line``."""
    read: tuple[Row, ...]
    """What the package reads with its constants: parents and spans included."""

    @property
    def group(self) -> tuple[str, str]:
        """What cross-validation leaves out together: a document, or the site that it is of."""
        return self.set_name, (self.question.docs or ("",))[0].split("/")[0]

    def recall(self, weights: Weights) -> float:
        """Return section recall of the first ``K`` sections, each with its own text only."""
        order = sorted(range(len(self.items)), key=lambda i: -score(self.items[i].features, weights))
        return section_recall(self.question, [self.rows[i] for i in order[:K]]) or 0.0


def load(corpus: Corpus, indexes: Path) -> list[RankedQuestion]:
    """Ask every question that has gold sections."""
    opened = open_corpus(corpus, indexes)
    found = []
    for question in read_suite(corpus.questions).questions:
        if not question.needs:
            continue
        _, evidence = answer_with_evidence(opened, question.query)
        with opened.index.snapshot() as view:
            bodies = [view.document(c.doc_id).sections[c.node_id].body for c in evidence.candidates]
        rows = tuple(_row(c.doc_id, body) for c, body in zip(evidence.candidates, bodies, strict=True))
        items = tuple(
            _item(question, candidate.features, row) for candidate, row in zip(evidence.candidates, rows, strict=True)
        )
        read = tuple(_row(section.doc_id, section.span) for section in evidence.sections)
        found.append(RankedQuestion(corpus.name, question, items, rows, read))
    return found


def _row(doc_id: str, span: LineSpan) -> Row:
    return {"doc_id": doc_id, "first_line": span.first, "last_line": span.last}


def _item(question: SuiteQuestion, features: Mapping[str, float], row: Row) -> Item:
    wanted = any(meets(row, need) for need in question.needs)
    return Item(features, wanted, neutral=not wanted and meets(row, question.ok_spans))


def cross_validated(questions: Sequence[RankedQuestion], names: Sequence[str]) -> list[float]:
    """Return each question's recall with weights that were fitted without its documents."""
    fold_of = folds([question.group for question in questions], FOLDS)
    weights = [
        fit([q.items for q, f in zip(questions, fold_of, strict=True) if f != fold], names, strength=STRENGTH)
        for fold in range(FOLDS)
    ]
    return [question.recall(weights[fold]) for question, fold in zip(questions, fold_of, strict=True)]


# ------------------------------------------------------------------------------------------------------ tables


def recall_table(questions: Sequence[RankedQuestion]) -> str:
    """Return recall by set: the order of recall, the constants, the refitted weights, and what is read in the end."""
    refitted = cross_validated(questions, list(WEIGHTS))
    orders = {
        "order of recall (fused)": [q.recall({"fused": 1.0}) for q in questions],
        "constants in the code": [q.recall(WEIGHTS) for q in questions],
        "refitted, cross-validated": refitted,
        "constants, sections as read": [section_recall(q.question, q.read[:K]) or 0.0 for q in questions],
    }
    sets = list(dict.fromkeys(question.set_name for question in questions))
    counts = [str(sum(q.set_name == name for q in questions)) for name in sets]
    rows = [["questions", *counts, str(len(questions))]]
    rows += [[label, *_means(questions, values, sets)] for label, values in orders.items()]
    return table([f"section recall@{K}", *sets, "all"], rows)


def _means(questions: Sequence[RankedQuestion], values: Sequence[float], sets: Sequence[str]) -> list[str]:
    by_set = [[v for q, v in zip(questions, values, strict=True) if q.set_name == name] for name in sets]
    return [f"{mean(part):.3f}" for part in (*by_set, values)]


def weights_table(questions: Sequence[RankedQuestion]) -> str:
    """Return each weight in the code, refitted to all, and what leaving the feature out costs."""
    names = list(WEIGHTS)
    refitted = scaled_like(fit([q.items for q in questions], names, strength=STRENGTH), WEIGHTS)
    whole = mean(cross_validated(questions, names))
    rows = []
    for name in names:
        without = mean(cross_validated(questions, [other for other in names if other != name]))
        rows.append([name, f"{WEIGHTS[name]:g}", f"{refitted[name]:.1f}", f"{without:.3f}", f"{without - whole:+.3f}"])
    return table(["feature", "in the code", "refitted to all", f"recall@{K} without it", "difference"], rows)


def report(questions: Sequence[RankedQuestion]) -> str:
    """Return the part of the page on ranking."""
    return f"""\
Features of the recalled sections, pairs of a needed and an unneeded section of one question, logistic regression,
{FOLDS} folds by document (by site for documentation sites). A section counts with its own text only, so that the rows
compare orders; the last row is what the package reads in the end, with children and parents. Only the row *refitted*
is cross-validated.

{recall_table(questions)}

Weights rank by their proportions; the refitted ones are scaled to the size of those in the code and fitted to all
questions. Without a feature: refitted and cross-validated as above, mean over all questions.

{weights_table(questions)}
"""


def run(
    indexes: Annotated[Path, typer.Option(help="Folder of the indexes, one per set; they are brought up to date.")] = (
        INDEXES
    ),
    sets: Annotated[str, typer.Option(help="Question sets, with commas.")] = "papers,filings,docsites,helpdocs",
    page: Annotated[Path, typer.Option(help="Page that the tables go into.")] = PAGE,
) -> None:
    """Fit, test and write the tables."""
    questions: list[RankedQuestion] = []
    for corpus in present(sets.split(",")):
        _err.print(f"asking the questions of {corpus.name}", highlight=False)
        questions += load(corpus, indexes)
    body = report(questions)
    _out.print(body, markup=False, highlight=False, soft_wrap=True)
    write_part(page, "Ranking of sections", body, introduction=INTRODUCTION)


if __name__ == "__main__":
    try:
        typer.run(run)
    except HeadtreeError as error:
        sys.exit(f"error: {error}")
