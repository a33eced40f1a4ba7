"""A line or two of a section, chosen around the question's terms: what a model sees of a candidate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from headtree.indexing.index import StoredDocument
from headtree.indexing.plain import one_line
from headtree.retrieval.terms import stems
from headtree.types import FigureKind, LineSpan, Section

CHARACTERS = 150


def section_snippet(document: StoredDocument, section: Section, weights: Mapping[str, float]) -> str:
    """Return about 150 characters of a section's text, without heading and image tags; never empty.

    A section without words of its own is described by the titles of its subsections, or by its figures' captions.
    """
    words = one_line(" ".join(passage.text for passage in document.passages.get(section.node_id, ()))).split()
    if words:
        return _window(words, weights)
    titles = [document.sections[child].title for child in section.children]
    captions = [figure.caption or figure.label or "" for figure in document.figures if figure.line in section.span]
    return _clip("; ".join(text for text in (*titles, *captions) if text)) or "(no text)"


def _window(words: Sequence[str], weights: Mapping[str, float]) -> str:
    """Return the run of words of the wanted length that holds the most weight of distinct terms."""
    found = [[stem for stem in _word_stems(word) if stem in weights] for word in words]
    best, best_weight = (0, _end(words, 0)), -1.0
    starts = [0, *(max(position - 4, 0) for position, terms in enumerate(found) if terms)]
    for start in dict.fromkeys(starts):
        end = _end(words, start)
        # Exactly rounded: a set's order differs from process to process, and ties must not.
        weight = math.fsum(weights[stem] for stem in {stem for terms in found[start:end] for stem in terms})
        if weight > best_weight:
            best, best_weight = (start, end), weight
    start, end = best
    return f"{'… ' if start else ''}{_clip(' '.join(words[start:end]))}{' …' if end < len(words) else ''}"


@lru_cache(maxsize=200_000)
def _word_stems(word: str) -> tuple[str, ...]:
    return tuple(stems(word))


def _end(words: Sequence[str], start: int) -> int:
    length = 0
    for position in range(start, len(words)):
        length += len(words[position]) + 1
        if length > CHARACTERS:
            return max(position, start + 1)
    return len(words)


def _clip(text: str) -> str:
    return text if len(text) <= CHARACTERS else f"{text[: CHARACTERS - 1]}…"


def holdings(document: StoredDocument, span: LineSpan) -> str:
    """Return the printed numbers of the figures in a span: ``Table 7, Fig. 4``; empty where there are none."""
    labels = [
        figure.label.replace("Figure", "Fig.")
        for figure in document.figures
        if figure.label and figure.exists and figure.kind is not FigureKind.JUNK and figure.line in span
    ]
    return ", ".join(dict.fromkeys(labels))
