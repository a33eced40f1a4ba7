"""The synthesiser that needs no model: it quotes the sentences and table rows that answer, each with its source."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import sentencex

from headtree.indexing.figures import has_number
from headtree.indexing.index import Snapshot, StoredDocument
from headtree.indexing.labels import Label, caption_label
from headtree.indexing.plain import one_line, without_images
from headtree.retrieval.question import Question, named_figures
from headtree.retrieval.terms import stem_set
from headtree.synthesis.citations import quote_stands_in
from headtree.types import Citation, Evidence, EvidenceSection, Figure, LineSpan, Passage, PassageKind

HEADER = "*Quoted from the documents; no language model wrote this.*"

_MOST_QUOTES = 8
"""Quotes in an answer: about what a reader takes in at a glance."""
_LEAST_SHARE = 0.3
"""A quote must hold at least this share of what the best quote holds of the question."""
_REPEATED = 0.35
"""What a question term still counts in a quote when an earlier quote already held it."""
_REPEATED_IN_ROW = 0.85
"""The same for a table's rows, which share their words and each hold numbers of their own.

Measured on the annual reports: with .85, answers hold .50 of the numbers that are asked for, with .35 it was .12.
"""
_NAMED = 1.0
"""Share of the question's weight that is added to a quote of a figure that the question names by number (its caption,
its cells, and who mentions it), or of a section whose title it quotes: "What does Table 5 list?" has few other words.
"""
_IN_HEADING = 0.5
"""What a question term counts in a sentence or row that only stands under a heading with it."""
_FEWEST_WORDS = 5
"""Shorter prose is a label or a cell that lost its table."""
_TOO_LONG = 700
"""Characters above which a sentence is the wreck of a table or a listing."""
_LONE_BOLD = re.compile(r"(?<!\w)\*\*(?=\w)|(?<=[^\s*])\*\*(?!\w)")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence, item or row that may be quoted."""

    section: EvidenceSection
    passage: Passage
    text: str
    """As in the document."""
    order: int
    """Position in the evidence section."""
    stems: frozenset[str]
    heading: frozenset[str]
    """Stems of the heading that it stands under: rows of equal name belong to different tables."""
    header: Passage | None = None
    """The header row of a table row."""
    named: bool = False
    """Whether it is of a figure that the question names by number, or of a section whose title it quotes."""


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """The text of an answer and its sources."""

    text: str
    citations: tuple[Citation, ...]
    quotes: tuple[Quote, ...]


def answer_by_quotes(question: Question, evidence: Evidence, view: Snapshot) -> ExtractiveAnswer:
    """Choose the quotes that answer and set them in reading order, grouped by section.

    A quote counts by the question terms that it holds (inverse document frequency), a term less once it was held by
    an earlier quote; sections count by rank. What a figure says that the question names by number counts more.
    """
    chosen = _choose(question, list(_quotes(question, evidence, view)))
    ordered = sorted(chosen, key=lambda quote: (quote.section.rank, quote.order))
    citations = tuple(_citation(number, quote, view) for number, quote in enumerate(ordered, start=1))
    return ExtractiveAnswer(_write(ordered), citations, tuple(ordered))


# ------------------------------------------------------------------------------------------------------ quotes


def _quotes(question: Question, evidence: Evidence, view: Snapshot) -> Iterator[Quote]:
    for section in evidence.sections:
        document = view.document(section.doc_id)
        figures = named_figures(question, document)
        header: Passage | None = None
        order = 0
        for passage in document.passages_in(section.span):
            if passage.kind is PassageKind.HEADER_ROW:
                header = header or passage
            elif passage.kind is not PassageKind.ROW:
                header = None
            title = document.section_at(passage.first_line).title
            heading = stem_set(title)
            for text in _sentences(passage) or _short_caption(passage, question.labels):
                named = question.quotes_title(title) or (bool(figures) and _is_of(passage, text, figures))
                yield Quote(section, passage, text, order, stem_set(text), heading, header, named)
                order += 1


def _short_caption(passage: Passage, labels: Sequence[Label]) -> tuple[str, ...]:
    """Return a caption of few words where the question names its number: then it is what is asked for."""
    text = without_images(passage.text).strip()
    return (text,) if text and labels and caption_label(text) in labels else ()


def _is_of(passage: Passage, text: str, figures: Sequence[Figure]) -> bool:
    """Whether a quote captions one of some figures, mentions it, or is a part of it."""
    label = caption_label(text)
    lines = range(passage.first_line, passage.last_line + 1)
    for figure in figures:
        inside = figure.inside is not None and passage.first_line in figure.inside
        mentioned = any(mention.line in lines and mention.text in text for mention in figure.mentions)
        if inside or mentioned or (label is not None and has_number(figure, (label,))):
            return True
    return False


@lru_cache(maxsize=4096)
def _sentences(passage: Passage) -> tuple[str, ...]:
    """Return what may be quoted of a passage: prose by sentences, items and rows whole, code not at all."""
    if passage.kind in {PassageKind.CODE, PassageKind.HEADER_ROW}:
        return ()
    if passage.kind is PassageKind.ROW:
        # A row with one filled cell is a heading within the table.
        return (passage.text,) if sum(bool(cell) for cell in _cells(passage.text)) > 1 else ()
    text = without_images(passage.text)
    return tuple(
        sentence.strip()
        for sentence in sentencex.segment("en", text)
        if len(sentence.split()) >= _FEWEST_WORDS and len(sentence) <= _TOO_LONG and re.search(r"[a-z]{3}", sentence)
    )


def _choose(question: Question, quotes: Sequence[Quote]) -> list[Quote]:
    """Take the best quote again and again, each term counting less once it has been held."""
    asked = question.weights
    held: Counter[str] = Counter()
    left = [quote for quote in quotes if quote.named or any(asked.get(stem) for stem in quote.stems | quote.heading)]
    chosen: list[Quote] = []
    best_score = 0.0
    while left and len(chosen) < _MOST_QUOTES:
        scores = [_score(quote, asked, held) for quote in left]
        score, _, position = max((score, -left[i].section.rank, -i) for i, score in enumerate(scores))
        best_score = best_score or score
        if score < _LEAST_SHARE * best_score:
            break
        quote = left.pop(-position)
        chosen.append(quote)
        held.update((quote.stems | quote.heading) & asked.keys())
    return chosen


def _score(quote: Quote, asked: Mapping[str, float], held: Mapping[str, int]) -> float:
    """Return what a quote adds to those that were chosen."""
    kept = _REPEATED_IN_ROW if quote.passage.kind is PassageKind.ROW else _REPEATED
    value = sum(weight * kept ** held[term] * _presence(term, quote) for term, weight in asked.items())
    value += _NAMED * sum(asked.values()) if quote.named else 0.0
    # A long sentence holds more terms by chance; a lower rank speaks less for the question.
    return value / math.log(8 + len(quote.stems)) / (1 + 0.12 * (quote.section.rank - 1))


def _presence(term: str, quote: Quote) -> float:
    if term in quote.stems:
        return 1.0
    return _IN_HEADING if term in quote.heading else 0.0


# ------------------------------------------------------------------------------------------------------ writing


def _write(quotes: Sequence[Quote]) -> str:
    parts = [HEADER]
    numbered = list(enumerate(quotes, start=1))
    for rank in dict.fromkeys(quote.section.rank for quote in quotes):
        group = [(number, quote) for number, quote in numbered if quote.section.rank == rank]
        parts.append(f"**{_escape(' > '.join(group[0][1].section.breadcrumb))}**")
        parts += _write_group(group)
    return "\n\n".join(parts)


def _write_group(group: Sequence[tuple[int, Quote]]) -> Iterator[str]:
    """Write one section's quotes in their order: rows of one table as a table, the rest as lists."""
    for is_row, members in groupby(group, key=lambda one: one[1].passage.kind is PassageKind.ROW):
        if not is_row:
            yield "\n".join(f"- {_sentence_markdown(quote.text)} [{number}]" for number, quote in members)
            continue
        for _, rows in groupby(members, key=lambda one: one[1].header):
            yield _table(list(rows))


def _table(rows: Sequence[tuple[int, Quote]]) -> str:
    header = rows[0][1].header
    cells = [[*_cells(quote.text), f"[{number}]"] for number, quote in rows]
    width = max(len(row) for row in cells)
    titles = _cells(header.text) if header else []
    # A header with fewer cells spans columns; its words go to the right, over the numbers.
    titles = [""] * (width - 1 - len(titles)) + titles[: width - 1] + [""]
    lines = [titles, ["---"] * width, *([*row[:-1], *[""] * (width - len(row)), row[-1]] for row in cells)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(row: str) -> list[str]:
    first = row.strip().split("\n")[0].strip("|")
    return [one_line(cell) for cell in re.split(r"(?<!\\)\|", first)]


def _sentence_markdown(text: str) -> str:
    """Return a quote for the answer: its words on one line, without links that lead nowhere from here.

    A sentence that was cut out of bold text brought one of the two marks along.

    >>> _sentence_markdown("**Revenue at the year's end.")
    "Revenue at the year's end."
    """
    return _escape(_LONE_BOLD.sub("", one_line(text)))


def _escape(text: str) -> str:
    return re.sub(r"([\\*_`\[\]<>|])", r"\\\1", text)


def _citation(number: int, quote: Quote, view: Snapshot) -> Citation:
    document = view.document(quote.section.doc_id)
    span = _quote_lines(quote, document)
    section = document.section_at(span.first)
    return Citation(
        number=number,
        doc_id=quote.section.doc_id,
        node_id=section.node_id,
        breadcrumb=section.breadcrumb,
        first_line=span.first,
        last_line=span.last,
        quote=quote.text,
        verified=quote_stands_in(quote.text, document.lines[span.first - 1 : span.last]),
    )


def _quote_lines(quote: Quote, document: StoredDocument) -> LineSpan:
    """Narrow a passage's lines to those of the quote."""
    passage = quote.passage
    span = LineSpan(passage.first_line, passage.last_line)
    for last in range(span.first, span.last + 1):
        if quote_stands_in(quote.text, document.lines[span.first - 1 : last]):
            first = span.first
            while first < last and quote_stands_in(quote.text, document.lines[first:last]):
                first += 1
            return LineSpan(first, last)
    return span
