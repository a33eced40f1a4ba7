"""Whether questions are answered as well over what the local engine extracts as over Adobe's Markdown.

    python -m benchmarks.extracted [--work DIR] [--details]

The shared papers that are there as PDF are extracted here and indexed beside Adobe's Markdown of the same papers; the
questions about them are asked of both. What is right is known by lines and files of Adobe's Markdown, so it is
carried over: a section by its words (the section that has most five-word shingles of the wanted lines), a picture by
its document and printed number, on both sides alike. Pictures without a printed number are left out of the needs.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean

from benchmarks.corpora import SHARED, local_settings
from benchmarks.extraction import shingles
from headtree.evaluation.gold import GoldSpan, Need, SuiteQuestion
from headtree.evaluation.measures import Scores, search_scores
from headtree.evaluation.suite import read_suite
from headtree.extraction.extract import extract
from headtree.indexing.figures import parse_label
from headtree.pipeline import OpenIndex, answer_with_evidence, build_index, open_index
from headtree.types import LineSpan

PAPERS = SHARED / "papers"
_MEASURES = ("section_recall@1", "section_recall@3", "section_recall@5", "context_lines", "offered", "shown")


@dataclass(frozen=True, slots=True)
class Side:
    """One way to have extracted the papers."""

    name: str
    opened: OpenIndex
    label_of: Callable[[str, str | None], str | None]
    """The printed number of a picture, by its path and the label that the index gives it."""
    carry: Callable[[Need], Need]
    """Where a need stands in this side's Markdown."""


def label_keys(document: str, label: str | None) -> frozenset[str]:
    """Return what identifies a picture on both sides: its document and each number printed with it, panels aside."""
    return frozenset(f"{document} {found.whole}" for found in parse_label(label))


class Carrier:
    """Finds the section of other Markdown that holds the words of given lines."""

    def __init__(self, reference: Path, opened: OpenIndex) -> None:
        self._reference = reference
        self._sections: dict[str, list[tuple[LineSpan, set[tuple[str, ...]]]]] = {}
        with opened.index.snapshot() as view:
            for doc_id in view.document_ids():
                text = (opened.settings.documents / doc_id / f"{doc_id}.md").read_text(encoding="utf-8").splitlines()
                bodies = [section.body for section in view.document(doc_id).sections.values()]
                self._sections[doc_id] = [(body, set(shingles(_lines(text, body)))) for body in bodies]

    def carry(self, need: Need) -> Need:
        """Return a need's spans as bodies of the other Markdown's sections."""
        return tuple(dict.fromkeys(self._span(gold) for gold in need))

    def _span(self, gold: GoldSpan) -> GoldSpan:
        source = self._reference / gold.doc_id / f"{gold.doc_id}.md"
        wanted = set(shingles(_lines(source.read_text(encoding="utf-8").splitlines(), gold.span)))
        best = max(self._sections[gold.doc_id], key=lambda section: len(wanted & section[1]))
        return replace(gold, span=best[0])


def _lines(text: Sequence[str], span: LineSpan) -> str:
    return "\n".join(text[span.first - 1 : span.last])


# ------------------------------------------------------------------------------------------------- asking


def score(question: SuiteQuestion, side: Side) -> Scores:
    """Ask a question of one side and score it with the gold carried over."""
    answer, evidence = answer_with_evidence(side.opened, question.query)
    k = side.opened.settings.sections
    carried = replace(question, needs=tuple(side.carry(need) for need in question.needs))
    row = {"sections": [asdict(section) for section in answer.sections]}
    found = search_scores(carried, row, k=k)
    needs = _figure_needs(question)
    shown = [(figure.doc_id, figure.path, figure.label) for figure in answer.figures]
    offered = [(item.figure.doc_id, item.figure.path, item.figure.label) for item in evidence.figures]
    return {**found, "offered": _met(needs, offered, side), "shown": _met(needs, shown, side)}


def _figure_needs(question: SuiteQuestion) -> list[frozenset[str]]:
    """Return for each needed picture with a printed number the numbers that meet it."""
    needs = question.figures.needs() if question.figures else ()
    keys = [
        frozenset().union(*(label_keys(path.split("/")[0], question.labels.get(path)) for path in need))
        for need in needs
    ]
    return [need for need in keys if need]


def _met(needs: Sequence[frozenset[str]], pictures: Sequence[tuple[str, str, str | None]], side: Side) -> float | None:
    keys = frozenset().union(*(label_keys(doc, side.label_of(path, label)) for doc, path, label in pictures))
    return mean(bool(need & keys) for need in needs) if needs else None


def questions_about(documents: set[str]) -> list[SuiteQuestion]:
    """Return the shared questions whose documents are all among those given."""
    found = read_suite(PAPERS / "questions.json").questions
    return [question for question in found if question.docs and set(question.docs) <= documents]


# ------------------------------------------------------------------------------------------------- both sides


def open_sides(work: Path, labels: Mapping[str, str]) -> tuple[Side, Side]:
    """Extract what is not extracted yet, bring both indexes up to date and open them."""
    pdfs = sorted((PAPERS / "pdf").glob("*.pdf"))
    extract(pdfs, out=work / "local")
    for pdf in pdfs:
        if not (work / "adobe" / pdf.stem).is_dir():
            shutil.copytree(PAPERS / "documents" / pdf.stem, work / "adobe" / pdf.stem)
    adobe, local = (_opened(work, name) for name in ("adobe", "local"))
    return (
        Side("adobe", adobe, lambda path, _: labels.get(path), lambda need: need),
        Side("local", local, lambda _, label: label, Carrier(PAPERS / "documents", local).carry),
    )


def _opened(work: Path, name: str) -> OpenIndex:
    settings = local_settings(work / name, work / f"{name}-index")
    build_index(settings)
    return open_index(settings)


def compare(work: Path, *, details: bool) -> None:
    """Ask both sides all questions and print the means, and where asked for, each question that differs."""
    questions = questions_about({pdf.stem for pdf in (PAPERS / "pdf").glob("*.pdf")})
    sides = open_sides(work, {path: label for question in questions for path, label in question.labels.items()})
    scored = [[score(question, side) for side in sides] for question in questions]
    if details:
        _print_differences(questions, scored)
    counts = {name: sum(pair[0][name] is not None for pair in scored) for name in _MEASURES}
    print(f"{'':<8}" + "".join(f"{name + f' ({counts[name]})':>24}" for name in _MEASURES))
    for number, side in enumerate(sides):
        means = (mean(v for pair in scored if (v := pair[number][name]) is not None) for name in _MEASURES)
        print(f"{side.name:<8}" + "".join(f"{value:>24.3f}" for value in means))


def _print_differences(questions: Sequence[SuiteQuestion], scored: Sequence[Sequence[Scores]]) -> None:
    for question, (adobe, local) in zip(questions, scored, strict=True):
        for name in ("section_recall@5", "offered", "shown"):
            if adobe[name] != local[name]:
                print(f"{question.key} {name}: adobe {adobe[name]:.2f}, local {local[name]:.2f}: {question.query}")
                print(f"    needs {[sorted(need) for need in _figure_needs(question)]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="keeps the extracted papers and the indexes for the next run")
    parser.add_argument("--details", action="store_true", help="list the questions that differ")
    arguments = parser.parse_args()
    if arguments.work:
        compare(arguments.work, details=arguments.details)
        return
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), details=arguments.details)


if __name__ == "__main__":
    main()
