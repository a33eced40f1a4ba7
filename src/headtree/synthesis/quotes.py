"""Markers and quotes of a model's answer -> citations that were checked against the documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from headtree.indexing.index import Snapshot, StoredDocument
from headtree.synthesis.citations import fold, quote_stands_in
from headtree.synthesis.presentation import without_handles
from headtree.types import Citation, Evidence, EvidenceSection, LineSpan

_MARKER = re.compile(r"[ \t]*\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\(|:|\[(?!\d))")
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?!\w)")
_PRINTED = re.compile(
    r"\b(?:tables?|fig(?:ure|s)?\.?|figures|eq(?:uation|s)?\.?|equations|algorithms?|sections?|appendix|chapter|item|step"
    r"|note)\s+[A-Z]?\.?\d+(?:\.\d+)*",
    re.IGNORECASE,
)
_LIST_NUMBER = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_SMALL = 10
"""Whole numbers up to this are often counts of the writer's own."""


@dataclass(frozen=True, slots=True)
class ClaimedQuote:
    """What a model says a marker rests on."""

    section: int
    """Rank of the evidence section."""
    quote: str
    lines: LineSpan | None = None
    """Where it stands, where the service itself says so."""


@dataclass(frozen=True, slots=True)
class CitedText:
    """An answer's text, its markers numbered from 1 in order, and their citations."""

    text: str
    citations: tuple[Citation, ...]
    notes: tuple[str, ...]
    """What was wrong with the markers, for the answer's warnings."""


def cite(text: str, claimed: Sequence[ClaimedQuote], evidence: Evidence, view: Snapshot) -> CitedText:
    """Pair each marker, which names a section, with the next quote from that section; number them; check the quotes.

    Args:
        text: the answer, with section ranks as markers.
        claimed: quotes, in the order of the markers.
        evidence: the sections.
        view: the index, for the documents' lines.
    """
    sections = {section.rank: section for section in evidence.sections}
    waiting = {rank: [quote for quote in claimed if quote.section == rank] for rank in sections}
    numbers: dict[tuple[int, str], int] = {}
    citations: list[Citation] = []
    unknown: list[int] = []

    def number_of(rank: int) -> int:
        queue = waiting[rank]
        quote = queue[0] if queue else ClaimedQuote(rank, "")
        if len(queue) > 1:
            queue.pop(0)
        key = (rank, fold(quote.quote))
        if key not in numbers:
            numbers[key] = len(numbers) + 1
            citations.append(_citation(numbers[key], quote, sections, view))
        return numbers[key]

    def replacement(match: re.Match[str]) -> str:
        ranks = [int(rank) for rank in re.findall(r"\d+", match.group(1))]
        if not any(rank in sections for rank in ranks) and re.search(r"\w$", text[: match.start(1) - 1]):
            return match.group()  # an index in code or mathematics: a[0]
        unknown.extend(rank for rank in ranks if rank not in sections)
        marks = dict.fromkeys(number_of(rank) for rank in ranks if rank in sections)
        lead = match.group()[: match.group().index("[")]
        return f"{lead}{''.join(f'[{number}]' for number in marks)}" if marks else ""

    written = _MARKER.sub(replacement, text).strip()
    notes = [f"the answer cited section {rank}, which it was not given" for rank in dict.fromkeys(unknown)]
    if unverified := [citation.number for citation in citations if not citation.verified]:
        marks = ", ".join(f"[{number}]" for number in unverified)
        notes.append(f"not found word for word in its section: the quote of {marks}")
    return CitedText(written, tuple(citations), tuple(notes))


def _citation(number: int, claimed: ClaimedQuote, sections: dict[int, EvidenceSection], view: Snapshot) -> Citation:
    """Find a quote in its section, else in another section that was read; unverified where it is in none."""
    quote = without_handles(claimed.quote)
    own = sections[claimed.section]
    found, home = claimed.lines, own
    if found is None and quote:
        for section in (own, *(other for other in sections.values() if other is not own)):
            found = locate_quote(quote, view.document(section.doc_id), section.span)
            if found is not None:
                home = section
                break
    document = view.document(home.doc_id)
    span = found or home.span
    node = next(section for section in document.sections.values() if span.first in section.body)
    return Citation(
        number=number,
        doc_id=home.doc_id,
        node_id=node.node_id,
        breadcrumb=node.breadcrumb,
        first_line=span.first,
        last_line=span.last,
        quote=quote,
        verified=found is not None,
    )


def locate_quote(quote: str, document: StoredDocument, span: LineSpan) -> LineSpan | None:
    """Return the fewest lines of a span in which a quote stands word for word; ``None`` where it does not."""

    def stands(first: int, last: int) -> bool:
        return quote_stands_in(quote, document.lines[first - 1 : last])

    if not stands(span.first, span.last):
        return None
    # More lines never lose a quote, so that both ends can be searched by halves.
    low, high = span.first, span.last
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if stands(span.first, middle) else (middle + 1, high)
    last = low
    low, high = span.first, last
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if stands(middle, last) else (low, middle - 1)
    return LineSpan(low, last) if stands(low, last) else span


def unsupported_numbers(text: str, citations: Sequence[Citation], evidence: Evidence) -> tuple[str, ...]:
    """Return the numbers of an answer that stand in no section that it cites, nor in the question, in order.

    Printed numbers (Table 7), numbers of a list, and small whole numbers are not looked at.
    """
    cited = {citation.doc_id for citation in citations}
    spans = [section for section in evidence.sections if _is_cited(section, citations)]
    read = " ".join((evidence.question, *(f"{' '.join(s.breadcrumb)} {s.text}" for s in spans or evidence.sections)))
    captions = " ".join(o.figure.caption for o in evidence.figures if o.figure.doc_id in cited)
    known = set(_numbers(f"{read} {captions}"))
    plain = _LIST_NUMBER.sub("", _PRINTED.sub("", re.sub(r"\[\d+\]", "", text)))
    claimed = (number for number in _numbers(plain) if not (number.isdigit() and int(number) <= _SMALL))
    return tuple(dict.fromkeys(number for number in claimed if number not in known))


def _is_cited(section: EvidenceSection, citations: Sequence[Citation]) -> bool:
    return any(c.doc_id == section.doc_id and c.first_line in section.span for c in citations)


def _numbers(text: str) -> list[str]:
    """Return numbers without thousands separators and without the zeros at a fraction's end."""
    found = (number.replace(",", "") for number in _NUMBER.findall(text))
    return [number.rstrip("0").rstrip(".") if "." in number else number for number in found]
