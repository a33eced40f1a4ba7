"""What a question asks for, as far as its words tell: terms, figures by number, documents by name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headtree.indexing.index import Snapshot
from headtree.indexing.labels import Label, mentions
from headtree.retrieval.terms import STOP_WORDS, content_terms, stem, words

_SHORTEST_NAME = 3
"""Characters that a document's name must have to be looked for in a question."""
_COMMON_NAMES = "api docs doc documents documentation guide guides index overview readme user users en intro"
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*\d|\b\d\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read."""

    text: str
    terms: tuple[str, ...]
    """Stems of its meaningful words."""
    weights: Mapping[str, float]
    """Inverse document frequency of each term over the index's chunks; 0 for a term that stands nowhere."""
    labels: tuple[Label, ...]
    """Figures that it names by number."""
    documents: tuple[str, ...]
    """Documents that it names, or all that the user restricted the search to."""
    restricted: bool
    """Whether the user chose the documents: then nothing else is searched."""


def read_question(text: str, view: Snapshot, *, documents: Sequence[str] = ()) -> Question:
    """Read a question against an index.

    Args:
        text: the question.
        view: the index, for names of documents and frequencies of terms.
        documents: ids to search in; all where empty.
    """
    terms = content_terms(text)
    return Question(
        text=text,
        terms=terms,
        weights=_weights(terms, view),
        labels=tuple(dict.fromkeys(label for place in mentions(text) for label in place.labels)),
        documents=tuple(documents) or named_documents(text, view.titles()),
        restricted=bool(documents),
    )


def _weights(terms: Iterable[str], view: Snapshot) -> dict[str, float]:
    """Return BM25's inverse document frequency, never negative."""
    total = view.chunk_count()
    frequencies = view.term_frequencies(terms)
    return {
        term: math.log1p((total - count + 0.5) / (count + 0.5)) if count else 0.0 for term, count in frequencies.items()
    }


def named_documents(text: str, titles: Mapping[str, str]) -> tuple[str, ...]:
    """Return the documents whose name stands in a text, sorted.

    A name is a part of the document's path, or the part of its title before a colon; spelling with hyphens or spaces
    does not matter ("Argo CD" names ``argo-cd/...``). A name that only many documents share together (a folder) names
    all of them.
    """
    spoken = _runs(words(text))
    found = set()
    for doc_id, title in titles.items():
        for name in _names(doc_id, title):
            if name in spoken:
                found.add(doc_id)
    return tuple(sorted(found))


def _runs(spoken: Sequence[str]) -> frozenset[str]:
    """Return all runs of one to four words, written together."""
    return frozenset("".join(spoken[start : start + length]) for length in range(1, 5) for start in range(len(spoken)))


def _names(doc_id: str, title: str) -> set[str]:
    parts = [*re.split(r"/|__", doc_id), title.split(":")[0]]
    names = {"".join(words(part)) for part in parts}
    return {
        name
        for name in names
        if len(name) >= _SHORTEST_NAME
        and name not in _COMMON_NAMES.split()
        and name not in STOP_WORDS
        and not name.isdigit()
    }


def distinctive_terms(text: str) -> tuple[str, ...]:
    """Return the words that stand for one thing: with a capital or a digit inside, acronyms, numbers."""
    tokens = re.findall(r"[^\s,;:!?()\[\]\"“”]+", text)
    special = [
        token.strip(".'’*")
        for position, token in enumerate(tokens)
        if re.search(r"\d", token) or re.search(r".[A-Z]", token) or (position > 0 and token[:1].isupper())
    ]
    return tuple(dict.fromkeys(token for token in special if stem(token.lower()) and token.lower() not in STOP_WORDS))
