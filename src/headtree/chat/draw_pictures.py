"""Pictures on the page: cards of any shape in rows, one in a window of its own, grey cards for what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from headtree.chat.pictures import (
    PREVIEW,
    DrawnPicture,
    Thumbnails,
    draw_large,
    draw_thumbnail,
    file_name,
    find_picture,
)
from headtree.chat.provenance import read_provenance
from headtree.chat.safe_text import escape_label, render_line
from headtree.chat.sources import find_document
from headtree.chat.workspace import Workspace
from headtree.errors import HeadtreeError
from headtree.types import Figure, FigureKind, ShownFigure

_CARD_EDGES = 32
"""Pixels of a card's padding, left and right together."""
_CAPTION_CHARACTERS = 110
_WIDE = 400
"""Pixels of a card's picture from which its caption has room for twice as many characters."""
_NAMES: Mapping[str, str] = {
    FigureKind.TABLE: "Table",
    FigureKind.FORMULA: "Formula",
    FigureKind.ALGORITHM: "Algorithm",
}
"""Of pictures without a label or a caption; others are pictures."""
_NARROW = 640
"""Pixels; an enlarged picture that is narrower has its words beside it."""
_FACTS_WIDTH = 360


@dataclass(frozen=True, slots=True)
class Card:
    """A picture to be drawn, of an answer or of a section."""

    doc_id: str
    path: str
    label: str
    caption: str
    kind: str = FigureKind.FIGURE.value
    reason: str = ""
    """Why it was chosen; empty where it only stands there."""

    @property
    def name(self) -> str:
        """What the picture is called: its label, else the beginning of its caption, else what it is."""
        return self.label or self.caption or _NAMES.get(self.kind, "Picture")


def card_of_answer(figure: ShownFigure) -> Card:
    """Return the card of a picture that was chosen for an answer."""
    return Card(figure.doc_id, figure.path, figure.label, figure.caption, figure.kind, figure.reason)


def card_of_document(figure: Figure) -> Card:
    """Return the card of a picture where it stands in its document."""
    return Card(figure.doc_id, figure.path, figure.label or "", figure.caption or figure.alt, figure.kind.value)


def draw_gallery(cards: Sequence[Card], documents: Path, *, key: str, enlarge: Callable[[Card], None]) -> None:
    """Draw cards in rows.

    Args:
        cards: the pictures, best first.
        documents: the documents folder.
        key: makes the buttons' keys unique on the page.
        enlarge: is called with the card whose button was pressed.
    """
    with st.container(horizontal=True, gap="small", key=f"gallery-{key}"):
        for number, card in enumerate(cards):
            drawn = _thumbnails().get(find_picture(documents, card.path), len(cards))
            if isinstance(drawn, str):
                _draw_missing(card, drawn)
            elif _draw_card(card, drawn, key=f"{key}-{number}"):
                enlarge(card)


def _draw_card(card: Card, drawn: DrawnPicture, *, key: str) -> bool:
    with st.container(width=drawn.width + _CARD_EDGES, border=True, gap="xsmall"):
        _draw_image(drawn, card)
        pressed = st.button(
            escape_label(card.name, longest=60),
            icon=":material/zoom_in:",
            key=f"zoom-{key}",
            type="tertiary",
            wrap=False,
            help="Enlarge, with where it stands and why it was chosen",
        )
        if card.label and card.caption:
            most = _CAPTION_CHARACTERS * (2 if drawn.width >= _WIDE else 1)
            st.caption(render_line(_short(card.caption, most)))
    return pressed


def _draw_missing(card: Card, problem: str) -> None:
    with st.container(width=240, border=True, gap="xsmall"):
        st.markdown(":gray[:material/broken_image:]")
        st.markdown(f"**{escape_label(card.name, longest=60)}**")
        st.caption(f"Not shown: {escape_label(problem)}.")


def draw_enlarged(card: Card, workspace: Workspace) -> None:
    """Draw a picture with everything that is known about it; the inside of a window."""
    documents = workspace.settings.documents
    found = find_picture(documents, card.path)
    drawn = _large(str(found.file), found.version) if found.file else found.problem
    if isinstance(drawn, str) or found.file is None:
        st.warning(f"The picture cannot be shown: {escape_label(str(drawn))}.", icon=":material/broken_image:")
        return
    # A narrow picture leaves room beside it for what is known; the words of a wide one go below.
    with st.container(horizontal=True, gap="large"):
        with st.container(width=drawn.width):
            _draw_image(drawn, card)
        with st.container(width=_FACTS_WIDTH if drawn.width < _NARROW else "stretch", gap="xsmall"):
            if card.caption:
                st.markdown(render_line(card.caption))
            for line in _known_about(card, workspace):
                st.caption(line)
            st.caption(f"{drawn.natural[0]} x {drawn.natural[1]} pixels")
            st.download_button(
                "Download the picture",
                found.file.read_bytes(),
                file_name=file_name(1, card.label, card.path).removeprefix("01-"),
                icon=":material/download:",
                on_click="ignore",
                key="download-picture",
            )


def _known_about(card: Card, workspace: Workspace) -> list[str]:
    """Return what the document knows about a picture, as safe lines."""
    lines = [f"Chosen because: {escape_label(card.reason, longest=300)}"] if card.reason else []
    try:
        with workspace.open().index.snapshot() as view:
            document = find_document(view, card.doc_id)
    except HeadtreeError:
        document = None
    figure = document.figures_by_path.get(card.path) if document else None
    if document is None or figure is None:
        return [*lines, f"Document: {escape_label(card.doc_id)} (no longer in the index)"]
    section = document.sections.get(figure.node_id)
    if section is not None:
        place = escape_label(" > ".join(section.breadcrumb), longest=300)
        lines.append(f"Stands in: {place}, line {figure.line}")
    provenance = read_provenance(workspace.settings.documents, document.path)
    if provenance is not None and (found := provenance.of_figure(figure.filename)) is not None:
        lines.append(f"Page {found.page} of the PDF")
    if figure.mentions:
        where = ", ".join(str(mention.line) for mention in figure.mentions[:12])
        lines.append(f"Mentioned in {'line' if len(figure.mentions) == 1 else 'lines'} {where}")
    if figure.description:
        lines.append(f"A model saw: {escape_label(figure.description, longest=600)}")
    if figure.alt and figure.alt != card.caption:
        lines.append(f"Description: {render_line(figure.alt)}")
    return lines


def draw_preview(figure: Figure, documents: Path) -> None:
    """Draw a small picture with its caption; nothing where it cannot be drawn."""
    found = find_picture(documents, figure.path)
    drawn = _preview(str(found.file), found.version) if found.file else found.problem
    if isinstance(drawn, str):
        return
    card = card_of_document(figure)
    _draw_image(drawn, card)
    st.caption(render_line(_short(card.caption, _CAPTION_CHARACTERS)) if card.caption else escape_label(card.name))


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + " …"


def _draw_image(drawn: DrawnPicture, card: Card) -> None:
    # Given a number for the width or another format, Streamlit would write the picture anew at every rerun.
    st.image(drawn.data, width="stretch", output_format=drawn.format, alt=card.name)


def prepare_galleries(galleries: Sequence[Sequence[Card]], documents: Path) -> None:
    """Draw the pictures of many galleries ahead, on all cores: one after the other they would delay the page."""
    _thumbnails().prepare([[find_picture(documents, card.path) for card in cards] for cards in galleries])


@st.cache_resource(show_spinner=False)
def _thumbnails() -> Thumbnails:
    return Thumbnails()


# The key is the file's path with its size and time of change; the same for all visitors, for it is index data.
@st.cache_data(max_entries=40, show_spinner=False)
def _preview(file: str, version: tuple[int, int]) -> DrawnPicture | str:
    return draw_thumbnail(Path(file), PREVIEW)


@st.cache_data(max_entries=40, show_spinner=False)
def _large(file: str, version: tuple[int, int]) -> DrawnPicture | str:
    return draw_large(Path(file))
