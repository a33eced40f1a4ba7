"""What is known about a candidate section besides its place in the lists: the stated features of the re-ranker."""

from __future__ import annotations

import math
import re
from array import array
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from headtree.indexing.index import StoredDocument
from headtree.indexing.plain import plain_text
from headtree.retrieval.question import Question, named_figures
from headtree.retrieval.recall import Recalled
from headtree.retrieval.terms import stem_set, stems

_WINDOW = 80
"""Stems in which the question's terms are looked for together: about a paragraph."""

_GENERIC_TITLES = re.compile(
    r"(?:abstract|introduction|conclusions?(?: (?:and|&) .*)?|summary|discussions?|background|overview|preliminaries"
    r"|related works?|further reading|next steps|what's next|see also|additional resources|impact statement"
    r"|.*limitations"
    r"|further discussions?|future (?:work|directions)|motivation|resources)",
    re.IGNORECASE,
)
"""Titles of sections that speak of everything and answer little; the clearest single signal in a prototype."""
_NUMBERING = re.compile(r"^(?:[\dIVXLC]+(?:\.\d+)*|[A-Z])[.)]?\s+")


def section_features(question: Question, entry: Recalled, document: StoredDocument) -> Mapping[str, float]:
    """Return the features of one candidate, each in [0, 1] but for ``length``."""
    section = document.sections[entry.key[1]]
    terms = section_terms(document, section.node_id)
    breadcrumb = stem_set(" ".join(section.breadcrumb))
    total = sum(question.weights.values()) or 1.0
    title = _NUMBERING.sub("", section.title).strip()
    return {
        "dense": entry.dense,
        "lexical": entry.lexical,
        "coverage": sum(question.weights[term] for term in question.terms if term in terms.places or term in breadcrumb)
        / total,
        "window": _window_coverage(terms, question.weights) / total,
        "named": min(question.named.get(entry.key[0], 0), 2) / 2,
        "label": _label_match(question, document, section.node_id),
        "generic": float(_GENERIC_TITLES.fullmatch(title) is not None),
        "length": math.log10(10 + terms.length),
    }


@dataclass(frozen=True, slots=True)
class SectionTerms:
    """The stems of a section's own text."""

    places: Mapping[str, array[int]]
    """By stem: its positions, counted in stems from 0, ascending."""
    length: int
    """How many stems there are."""


_TERMS: WeakKeyDictionary[StoredDocument, dict[str, SectionTerms]] = WeakKeyDictionary()
"""Kept by document and node id as long as the document is: stemming a long section costs more than ranking fifty."""


def section_terms(document: StoredDocument, node_id: str) -> SectionTerms:
    """Return the stems of a section's own text with their places."""
    kept = _TERMS.setdefault(document, {})
    known = kept.get(node_id)
    if known is None:
        known = kept[node_id] = _read_terms(document, node_id)
    return known


def _read_terms(document: StoredDocument, node_id: str) -> SectionTerms:
    places: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    length = 0
    for passage in document.passages.get(node_id, ()):
        for stem in stems(plain_text(passage.text)):
            places[stem].append(length)
            length += 1
    return SectionTerms(dict(places), length)


def _window_coverage(terms: SectionTerms, weights: Mapping[str, float]) -> float:
    """Return the greatest weight of distinct question terms that stand within one window."""
    places = sorted((position, term) for term in weights for position in terms.places.get(term, ()))
    counts: dict[str, int] = {}
    best = current = 0.0
    start = 0
    for position, term in places:
        counts[term] = counts.get(term, 0) + 1
        current += weights[term] if counts[term] == 1 else 0.0
        while position - places[start][0] >= _WINDOW:
            gone = places[start][1]
            counts[gone] -= 1
            current -= weights[gone] if counts[gone] == 0 else 0.0
            start += 1
        best = max(best, current)
    return best


def _label_match(question: Question, document: StoredDocument, node_id: str) -> float:
    """Return 1 where a figure that the question names by number stands in the section, .5 where it is mentioned."""
    figures = named_figures(question, document)
    if any(figure.node_id == node_id for figure in figures):
        return 1.0
    return 0.5 if any(mention.node_id == node_id for figure in figures for mention in figure.mentions) else 0.0
