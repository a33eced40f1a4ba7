"""What a question asks for, as far as its words tell: terms, figures by number, documents by name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headtree.indexing.figures import has_number
from headtree.indexing.index import Snapshot, StoredDocument
from headtree.indexing.labels import Label, mentions
from headtree.indexing.plain import one_line
from headtree.retrieval.terms import STOP_WORDS, content_terms, words
from headtree.types import Figure

_NAME_WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")
_QUOTED = re.compile(r"[“„«\"]([^“”„«»\"]{3,100})[”“»\"]")
_NUMBERING = re.compile(r"^(?:[\dIVXLC]+(?:\.\d+)*|[A-Z])[.)]?\s+")
_SHORTEST_NAME = 3
"""Characters that a document's name must have to be looked for in a question."""
_CONCENTRATION = 0.5
"""A word names documents only if this share of the chunks that hold it are theirs: "Homarr" does, "open" does not."""
_SHORT_NAME_CONCENTRATION = 0.8
"""The same for a part of a document's name, which is more easily an everyday word."""
_MOST_NAMES = 12
"""Names of one question that are checked, the longest first; each costs a look into the lexical list."""


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
    """Documents that it names by a proper name, or all that the user restricted the search to."""
    named: Mapping[str, int]
    """By how many names each document is named, everyday words that are a page's name included."""
    names: frozenset[str]
    """Words of the proper names by which it names documents, in lower case."""
    restricted: bool
    """Whether the user chose the documents: then nothing else is searched."""

    def quotes_title(self, title: str) -> bool:
        """Whether a section's title stands in quotation marks in the question, its numbering left out."""
        return _bare(title) in {_bare(quoted) for quoted in _QUOTED.findall(self.text)}


def read_question(text: str, view: Snapshot, *, documents: Sequence[str] = ()) -> Question:
    """Read a question against an index.

    Args:
        text: the question.
        view: the index, for names of documents and frequencies of terms.
        documents: ids to search in; all where empty.
    """
    terms = content_terms(text)
    found = named_documents(text, view)
    return Question(
        text=text,
        terms=terms,
        weights=_weights(terms, view),
        labels=tuple(dict.fromkeys(label for place in mentions(text) for label in place.labels)),
        documents=tuple(documents) or found.proper,
        named=dict.fromkeys(documents, 1) or found.named,
        names=found.names,
        restricted=bool(documents),
    )


def _weights(terms: Iterable[str], view: Snapshot) -> dict[str, float]:
    """Return BM25's inverse document frequency; a term that stands nowhere weighs like the rarest."""
    total = view.chunk_count()
    frequencies = view.term_frequencies(terms)
    return {term: math.log1p((total - count + 0.5) / (count + 0.5)) for term, count in frequencies.items()}


def _bare(title: str) -> str:
    return _NUMBERING.sub("", one_line(title)).strip(" .:").casefold()


def named_figures(question: Question, document: StoredDocument) -> tuple[Figure, ...]:
    """Return a document's figures that a question names by number; none where it asks about other documents."""
    if not question.labels or (question.documents and document.doc_id not in question.documents):
        return ()
    return tuple(figure for figure in document.figures if has_number(figure, question.labels))


@dataclass(frozen=True, slots=True)
class NamedDocuments:
    """The documents that a text names."""

    proper: tuple[str, ...]
    """Those that it names by a proper name, sorted."""
    named: Mapping[str, int]
    """By how many names each is named."""
    names: frozenset[str]
    """Words of the proper names, in lower case."""


def named_documents(text: str, view: Snapshot) -> NamedDocuments:
    """Return the documents that a text names.

    A name is a part of the document's path, or the part of its title before a colon; spelling with hyphens or spaces
    does not matter ("Argo CD" names all of ``argo-cd/...``). Everyday words are no names, even where a page is called
    so: a name must stand mainly in the documents that carry it. A proper name is written with a capital.
    """
    spoken = _runs(text)
    whole, short = _carriers(spoken, view.once(_names))
    carriers = {**short, **whole}
    named: dict[str, int] = {}
    proper: set[str] = set()
    said: set[str] = set()
    for name in sorted(carriers, key=len, reverse=True)[:_MOST_NAMES]:
        share = _CONCENTRATION if name in whole else _SHORT_NAME_CONCENTRATION
        if _concentration(spoken[name], carriers[name], view) >= share:
            for doc_id in carriers[name]:
                named[doc_id] = named.get(doc_id, 0) + 1
            if not spoken[name].islower():
                proper.update(carriers[name])
                said.update(words(spoken[name]))
    return NamedDocuments(tuple(sorted(proper)), named, frozenset(said))


@dataclass(frozen=True, slots=True)
class _Names:
    """The documents that each name may mean, in the order of the index."""

    full: Mapping[str, Sequence[str]]
    short: Mapping[str, Sequence[str]]


def _names(view: Snapshot) -> _Names:
    full: dict[str, list[str]] = {}
    short: dict[str, list[str]] = {}
    for doc_id, title in view.titles().items():
        for name in document_names(doc_id, title):
            full.setdefault(name, []).append(doc_id)
        for name in _short_names(doc_id):
            short.setdefault(name, []).append(doc_id)
    return _Names(full, short)


def _carriers(
    spoken: Mapping[str, str], names: _Names
) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
    """Return the documents of each spoken name, whole names and short ones apart.

    A short name must be a proper one, and of one document.
    """
    proper = (name for name in spoken if not spoken[name].islower())
    short = {name: names.short[name] for name in proper if len(names.short.get(name, ())) == 1}
    return {name: names.full[name] for name in spoken if name in names.full}, short


def _concentration(phrase: str, documents: Sequence[str], view: Snapshot) -> float:
    """Return the share of a phrase's chunks that are of some documents; 1 where no text holds it, only the path."""
    counts = view.matches_by_document(f'body : "{phrase}"')
    everywhere = sum(counts.values())
    return sum(counts.get(doc_id, 0) for doc_id in documents) / everywhere if everywhere else 1.0


def _runs(text: str) -> Mapping[str, str]:
    """Return all runs of one to four words, written together, with the words as they are.

    A part of a hyphenated word does not stand for itself, but its beginning does: "CLIP-CITE" may be of CLIP,
    "ES-CLIP" is not.
    """
    runs: dict[str, str] = {}
    spoken = [(match.group(), match.start()) for match in _NAME_WORD.finditer(text)]
    for start, (_, position) in enumerate(spoken):
        if position > 0 and text[position - 1] in "-_":
            continue
        for length in range(1, 5):
            run = [re.sub(r"[’']s$", "", word) for word, _ in spoken[start : start + length]]
            runs.setdefault("".join(run).lower(), " ".join(run))
    return runs


def document_names(doc_id: str, title: str) -> frozenset[str]:
    """Return the names by which a document may be called, in lower case and written together."""
    parts = [*re.split(r"/|__", doc_id), title.split(":")[0]]
    names = {"".join(words(part)) for part in parts}
    return frozenset(name for name in names if _may_name(name))


def _short_names(doc_id: str) -> frozenset[str]:
    """Return the parts of a document's own name: ``RS45-Manual`` may be called ``RS-45``."""
    parts = re.split(r"[-_.\s]+", re.split(r"/|__", doc_id)[-1])
    return frozenset(name for part in parts if _may_name(name := part.lower()))


def _may_name(name: str) -> bool:
    return len(name) >= _SHORTEST_NAME and name not in STOP_WORDS and not name.isdigit()
