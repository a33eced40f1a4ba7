"""A failed question -> the layer at which it failed, so that the next piece of work is known.

The layers stand in the data's order; a question is classed by its first finding, for what comes later often follows
from it. A layer is looked at on its own facts: what the index holds, what was recalled, read, offered, shown, said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from headtree.evaluation.gold import GoldSpan, Need, SuiteQuestion
from headtree.evaluation.measures import Row, meets, same_label
from headtree.indexing.index import Snapshot
from headtree.types import Figure, FigureKind


class Layer(StrEnum):
    """Where a question can fail."""

    EXTRACTION = "extraction"
    """The index does not hold what is needed: a document, section or picture is missing or left out."""
    RECALL = "recall"
    """It was not among the candidates."""
    RERANK = "re-rank"
    """It was a candidate and not read, or read in part."""
    OFFER = "offer"
    """Its section was read and the picture not offered."""
    CHOICE = "choice"
    """A needed picture was offered and not shown, or a wrong one was shown."""
    LABEL = "label"
    """A picture was shown with another number than the document prints."""
    SYNTHESIS = "synthesis"
    """What was read was not said, or what was said is not supported."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not right."""

    layer: Layer
    detail: str


def diagnose(question: SuiteQuestion, row: Row, view: Snapshot, *, k: int) -> dict[str, Any]:
    """Return ``layer`` (``None`` where nothing is wrong) and all ``findings`` in the order of the layers."""
    case = _Case(question, row, view, k)
    found = [*case.sections(), *case.needed_figures(), *case.shown_figures(), *case.answer()]
    found.sort(key=lambda finding: list(Layer).index(finding.layer))
    return {
        "layer": found[0].layer.value if found else None,
        "findings": [{"layer": finding.layer.value, "detail": finding.detail} for finding in found],
    }


def count_layers(rows: Sequence[Row]) -> dict[str, int]:
    """Count the failed questions of each layer, in the order of the layers."""
    counts = Counter(row["diagnosis"]["layer"] for row in rows if row.get("diagnosis"))
    return {layer.value: counts[layer.value] for layer in Layer if counts[layer.value]}


@dataclass(frozen=True, slots=True)
class _Case:
    question: SuiteQuestion
    row: Row
    view: Snapshot
    k: int

    @property
    def abstained(self) -> bool:
        return not self.row["answerable"]

    # ------------------------------------------------------------------------------------------- sections

    def sections(self) -> Iterator[Finding]:
        """Find where each need that no read section meets was lost."""
        read = self.row["sections"][: self.k]
        unmet = [need for need in self.question.needs if not any(meets(section, need) for section in read)]
        if self.question.any_need and len(unmet) < len(self.question.needs):
            return
        yield from (self._lost_section(need) for need in unmet)

    def _lost_section(self, need: Need) -> Finding:
        name = need[0].heading or f"{need[0].doc_id}, lines {need[0].span.first}-{need[0].span.last}"
        problems = [self._not_indexed(gold) for gold in need]
        if all(problems):
            return Finding(Layer.EXTRACTION, f"{name}: {problems[0]}")
        for rank, candidate in enumerate(self.row["candidates"], start=1):
            if any(_begins_in(gold, candidate) for gold in need):
                partly = any(_begins_in(gold, section) for gold in need for section in self.row["sections"])
                return Finding(Layer.RERANK, f"{name}: candidate {rank}, {'read in part' if partly else 'not read'}")
        return Finding(Layer.RECALL, f"{name}: not among {len(self.row['candidates'])} candidates")

    def _not_indexed(self, gold: GoldSpan) -> str | None:
        """Say why a span cannot be found, or return ``None``."""
        if gold.doc_id not in self.view.titles():
            return f"the document {gold.doc_id} is not in the index"
        sections = self.view.document(gold.doc_id).sections.values()
        home = next((section for section in sections if gold.span.first in section.body), None)
        if home is None:
            return "its lines are past the end of the document"
        return f"left out of the index: {home.noise}" if home.noise else None

    # -------------------------------------------------------------------------------------------- figures

    def needed_figures(self) -> Iterator[Finding]:
        """Find where each needed picture that is not shown was lost."""
        if self.question.figures is None:
            return
        shown = {figure["path"] for figure in self.row["figures"]}
        for need in self.question.figures.needs():
            if not need & shown:
                found = [self._lost_figure(path) for path in sorted(need)]
                # Of several pictures that would do, the one that came furthest tells most.
                last = max(found, key=lambda finding: list(Layer).index(finding.layer))
                if not (self.abstained and last.layer is Layer.CHOICE):
                    yield last

    def _lost_figure(self, path: str) -> Finding:
        if any(offered["path"] == path for offered in self.row["offered"]):
            reasons = [d["reason"] for d in self.row["figure_decisions"] if d["figure_id"].endswith(f"#{path}")]
            return Finding(Layer.CHOICE, f"{path}: offered and not shown ({'; '.join(reasons) or 'no reason'})")
        found = [figure for doc_id in self._documents() if (figure := self._figure(doc_id, path))]
        usable = [figure for figure in found if figure.exists and figure.kind is not FigureKind.JUNK]
        if not usable:
            why = (found[0].problem or "taken for decoration") if found else "no document refers to it"
            return Finding(Layer.EXTRACTION, f"{path}: {why}")
        return self._not_offered(path, usable)

    def _documents(self) -> Sequence[str]:
        """Return the documents in which a needed picture is looked for: those of the gold, else those found."""
        titles = self.view.titles()
        found = (candidate["doc_id"] for candidate in self.row["candidates"])
        return [doc_id for doc_id in dict.fromkeys(self.question.docs or found) if doc_id in titles]

    def _figure(self, doc_id: str, path: str) -> Figure | None:
        return self.view.document(doc_id).figures_by_path.get(path)

    def _not_offered(self, path: str, figures: Sequence[Figure]) -> Finding:
        places = [
            (figure.doc_id, line)
            for figure in figures
            for line in (figure.line, *figure.also_at, *(mention.line for mention in figure.mentions))
        ]
        if _holds(self.row["sections"], places):
            return Finding(Layer.OFFER, f"{path}: a section that holds or names it was read, it was not offered")
        if _holds(self.row["candidates"], places):
            return Finding(Layer.RERANK, f"{path}: the sections that hold or name it were candidates and not read")
        return Finding(Layer.RECALL, f"{path}: no section that holds or names it was a candidate")

    def shown_figures(self) -> Iterator[Finding]:
        """Find shown pictures that are wrong, or have a wrong number."""
        right = self.question.figures.right() if self.question.figures else frozenset()
        for figure in self.row["figures"]:
            path, gold = figure["path"], self.question.labels.get(figure["path"])
            if self.question.figures is not None and path not in right:
                other = self.question.docs and figure["doc_id"] not in self.question.docs
                yield Finding(Layer.CHOICE, f"{path}: shown and {'of another document' if other else 'not asked for'}")
            if gold is not None and not same_label(figure["label"], gold):
                yield Finding(
                    Layer.LABEL, f"{path}: shown as {figure['label'] or 'no number'}, is {gold or 'no number'}"
                )

    # --------------------------------------------------------------------------------------------- answer

    def answer(self) -> Iterator[Finding]:
        """Find what was read and not said, and what was said without support."""
        if self.question.answerable is False and not self.abstained:
            yield Finding(Layer.SYNTHESIS, "answered, and the documents do not hold the answer")
        if self.question.answerable is True and self.abstained:
            yield Finding(Layer.SYNTHESIS, "not answered, and the documents hold the answer")
        unverified = [citation["number"] for citation in self.row["citations"] if not citation["verified"]]
        if unverified:
            yield Finding(Layer.SYNTHESIS, f"quotes that stand in no source: {', '.join(map(str, unverified))}")
        scores: Mapping[str, float | None] = self.row["scores"]
        read, said = scores.get("numbers_read"), scores.get("numbers_found")
        if read is not None and said is not None and said < read:
            yield Finding(Layer.SYNTHESIS, f"numbers were read and not said: {said:.2f} of them said, {read:.2f} read")


def _begins_in(gold: GoldSpan, section: Row) -> bool:
    return _holds([section], [(gold.doc_id, gold.span.first)])


def _holds(sections: Sequence[Row], places: Sequence[tuple[str, int]]) -> bool:
    return any(
        section["doc_id"] == doc_id and section["first_line"] <= line <= section["last_line"]
        for section in sections
        for doc_id, line in places
    )
