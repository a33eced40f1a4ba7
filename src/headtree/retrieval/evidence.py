"""Candidates -> evidence: the sections that are read whole, and the figures that may be shown with them.

One span decides both: what text is read and which figures are offered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from headtree.indexing.index import Snapshot, StoredDocument
from headtree.retrieval.abstain import absent_terms
from headtree.retrieval.offer import offer_figures
from headtree.retrieval.question import Question
from headtree.settings import Settings
from headtree.types import Candidate, Evidence, EvidenceSection, LineSpan, Section

# Measured together on the shared sets (docs/benchmark.md): section recall@5 against lines of context.
_WHOLE_CHARACTERS = 12_000
"""A section with children is read with all of them up to this size, about four pages."""
_PARENT_CHARACTERS = 16_000
"""Sections of one parent come as the parent where that is no longer than this; a short page comes whole."""
_SIBLING_RANKS = 12
"""A sibling counts as relevant when it is among this many first candidates."""
_SCORE_MARGIN = 5.0
"""How far below the best section's score a short section may lie and still be read."""
_MARGIN_PER_DOUBLING = 1.5
"""How much of that margin each doubling of its length over ``_SHORT_LINES`` costs: long text must be better."""
_SHORT_LINES = 100


@dataclass(frozen=True, slots=True)
class _Choice:
    candidate: Candidate
    section: Section
    span: LineSpan
    reason: str


def gather_evidence(question: Question, ranked: Sequence[Candidate], view: Snapshot, settings: Settings) -> Evidence:
    """Return what is read to answer: sections, the figures offered with them, and what speaks against an answer."""
    sections = choose_sections(question, ranked, view, count=settings.sections, characters=settings.evidence_characters)
    return Evidence(
        question=question.text,
        sections=sections,
        figures=offer_figures(question, sections, ranked, view),
        candidates=tuple(ranked),
        named_documents=question.documents,
        absent_terms=absent_terms(question, view),
    )


def choose_sections(
    question: Question, ranked: Sequence[Candidate], view: Snapshot, *, count: int, characters: int
) -> tuple[EvidenceSection, ...]:
    """Take the best sections, whole, within a budget of text.

    A section that lies in one already chosen takes no place; where a later one holds an earlier one, it takes that
    one's place. One whose score is far below the best is left out, the sooner the longer it is. A section over what
    is left of the budget is cut round the hit, and says so.

    Args:
        question: for which documents it names: each named one gets a place.
        ranked: candidates, best first.
        view: the index.
        count: how many sections at most.
        characters: how much text at most, over all sections.
    """
    choices: list[_Choice] = []
    compared = _compared(question, ranked, count)
    for candidate in _spread(compared, ranked, count):
        document = view.document(candidate.doc_id)
        choice = _expand(candidate, document, ranked[:_SIBLING_RANKS])
        if not document.text(choice.span).strip() or any(_covers(other, choice) for other in choices):
            continue
        if _is_far_behind(choice, choices, compared):
            continue
        held = [other for other in choices if _covers(choice, other)]
        if held:
            position = choices.index(held[0])
            choices = [other for other in choices if other not in held]
            choices.insert(position, replace(choice, candidate=held[0].candidate))
        elif len(choices) < count:
            choices.append(choice)
        else:
            break
    return tuple(_read(choices, view, characters))


def _compared(question: Question, ranked: Sequence[Candidate], count: int) -> tuple[str, ...]:
    """Return the documents that the question names where they are a few: each gets its part of the evidence."""
    named = tuple(doc_id for doc_id in question.documents if any(c.doc_id == doc_id for c in ranked))
    return named if 2 <= len(named) <= count // 2 + 1 else ()


def _spread(compared: Sequence[str], ranked: Sequence[Candidate], count: int) -> Iterator[Candidate]:
    """Yield candidates in order, but some of each document that is compared among the first."""
    if not compared:
        yield from ranked
        return
    share = max(1, count // len(compared))
    first = [c for doc_id in compared for c in [c for c in ranked if c.doc_id == doc_id][:share]]
    first.sort(key=lambda candidate: -candidate.score)
    yield from first
    yield from (candidate for candidate in ranked if candidate not in first)


def _is_far_behind(choice: _Choice, choices: Sequence[_Choice], compared: Sequence[str]) -> bool:
    """Whether a section's score lies too far below the first choice, for its length.

    Documents that are compared are measured by themselves: the question asks something else of each.
    """
    candidate = choice.candidate
    others = (other.candidate for other in choices)
    rivals = (other for other in others if candidate.doc_id not in compared or other.doc_id == candidate.doc_id)
    first = next(rivals, None)
    return first is not None and candidate.score < first.score - _margin(choice.span)


def _margin(span: LineSpan) -> float:
    return _SCORE_MARGIN - _MARGIN_PER_DOUBLING * math.log2(max(len(span), _SHORT_LINES) / _SHORT_LINES)


def _covers(outer: _Choice, inner: _Choice) -> bool:
    return outer.candidate.doc_id == inner.candidate.doc_id and outer.span.covers(inner.span)


def _expand(candidate: Candidate, document: StoredDocument, best: Sequence[Candidate]) -> _Choice:
    """Choose the span: the section with its children, its parent, or its own text alone."""
    section = document.sections[candidate.node_id]
    if section.parent is not None:
        parent = document.sections[section.parent]
        others = [
            other
            for other in best
            if other.doc_id == candidate.doc_id
            and other.node_id != section.node_id
            and document.sections[other.node_id].line in parent.span
        ]
        if others and document.size(parent.span) <= _PARENT_CHARACTERS:
            return _Choice(candidate, parent, parent.span, "its sections rank high together")
    if section.level > 0 and document.size(section.span) <= _WHOLE_CHARACTERS:
        return _Choice(candidate, section, section.span, candidate.reason)
    return _Choice(candidate, section, section.body, candidate.reason)


def _read(choices: Sequence[_Choice], view: Snapshot, characters: int) -> Iterator[EvidenceSection]:
    left = characters
    for rank, choice in enumerate(choices, start=1):
        document = view.document(choice.candidate.doc_id)
        # Each section still to come keeps a claim on an equal share of what is left.
        allowance = max(left - (len(choices) - rank) * (characters // (4 * len(choices))), 1000)
        span = _cut(choice, document, allowance)
        text = document.text(span)
        left -= len(text)
        yield EvidenceSection(
            rank=rank,
            doc_id=document.doc_id,
            node_id=choice.section.node_id,
            breadcrumb=choice.section.breadcrumb,
            span=span,
            score=choice.candidate.score,
            text=text,
            cut=span != choice.span,
            reason=choice.reason,
        )


def _cut(choice: _Choice, document: StoredDocument, characters: int) -> LineSpan:
    """Return the span, or as many lines round the best chunk as the budget allows."""
    if document.size(choice.span) <= characters:
        return choice.span
    chunk = choice.candidate.best_chunk
    first = last = chunk.first_line if chunk and chunk.first_line in choice.span else choice.span.first
    size = len(document.lines[first - 1]) + 1
    while True:
        grown = False
        for line in (last + 1, first - 1):
            if line in choice.span and size + len(document.lines[line - 1]) + 1 <= characters:
                size += len(document.lines[line - 1]) + 1
                first, last = min(first, line), max(last, line)
                grown = True
        if not grown:
            return LineSpan(first, last)
