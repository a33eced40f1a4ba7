"""Example questions made from an index: they show what can be asked, and the documents do answer them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

from headtree.indexing.index import Snapshot, StoredDocument
from headtree.types import Figure, FigureKind, Section

STARTERS = 6
_DOCUMENTS = 12
"""Documents that are looked at: reading thousands would delay the first page."""
_CAPTION_WORDS = range(3, 19)
_TITLE_WORDS = range(1, 10)
_TELLING_LINES = 4
_KIND_WORDS = {
    FigureKind.FIGURE: "What does {label} of {document} show?",
    FigureKind.TABLE: "What values does {label} of {document} list?",
    FigureKind.FORMULA: "What is {label} of {document}, and what do its symbols mean?",
    FigureKind.ALGORITHM: "What are the steps of {label} of {document}?",
}


@dataclass(frozen=True, slots=True)
class Starter:
    """An example question, with a picture that goes with it where there is one."""

    question: str
    figure: Figure | None = None


def make_starters(view: Snapshot, *, count: int = STARTERS) -> tuple[Starter, ...]:
    """Return up to ``count`` questions, spread over the documents and over kinds of picture."""
    ids = view.document_ids()
    step = max(1, len(ids) // _DOCUMENTS)
    queues = [
        list(_starters(view.document(doc_id), first=number)) for number, doc_id in enumerate(ids[::step][:_DOCUMENTS])
    ]
    found: dict[str, Starter] = {}
    for turn in range(count):
        for queue in queues:
            if turn < len(queue):
                found.setdefault(queue[turn].question, queue[turn])
    return tuple(found.values())[:count]


def _starters(document: StoredDocument, *, first: int) -> Iterator[Starter]:
    """Yield questions about one document, pictures and sections in turn; ``first`` varies what it begins with."""
    name = _readable(document.doc_id)
    pictures = list(_about_pictures(document, name))
    sections = list(_about_sections(document, name))
    if pictures:
        pictures = pictures[first % len(pictures) :] + pictures[: first % len(pictures)]
    kinds = (sections, pictures) if first % 3 == 2 else (pictures, sections)
    for position in range(max(len(pictures), len(sections))):
        for starters in kinds:
            yield from starters[position : position + 1]


def _about_pictures(document: StoredDocument, name: str) -> Iterator[Starter]:
    """Ask about pictures of each kind in turn; of a kind, about those first that the text mentions most."""
    known = [f for f in document.figures if f.label and f.exists and len(f.caption.split()) in _CAPTION_WORDS]
    kinds = [
        sorted((figure for figure in known if figure.kind is kind), key=lambda figure: -len(figure.mentions))[:STARTERS]
        for kind in _KIND_WORDS
    ]
    for figure in chain.from_iterable(zip_longest(*kinds)):
        if figure is not None:
            yield Starter(_KIND_WORDS[figure.kind].format(label=figure.label, document=name), figure)


def _about_sections(document: StoredDocument, name: str) -> Iterator[Starter]:
    """Ask about sections, those first that have a picture, then those that say more and are no title in capitals."""
    pictures = {figure.node_id: figure for figure in reversed(document.figures) if figure.label and figure.exists}

    def order(section: Section) -> tuple[bool, bool]:
        return section.node_id not in pictures, len(section.body) < _TELLING_LINES or section.title.isupper()

    for section in sorted(document.sections.values(), key=order):
        title = re.sub(r"^(?:[\dA-Z]{1,3}(?:\.\d+)*\.?|[IVX]+\.)\s+", "", section.title).strip()
        deep = section.level >= 2 and section.noise is None and len(section.body) > 1
        if deep and len(title.split()) in _TITLE_WORDS:
            yield Starter(f"What does {name} say about “{title}”?", pictures.get(section.node_id))


def _readable(doc_id: str) -> str:
    return doc_id.rsplit("/", 1)[-1]
