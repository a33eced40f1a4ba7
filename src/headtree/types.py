"""The values that the parts of headtree hand to each other, in the order of the data's way.

All of them are frozen; none of them knows how it is made or stored. Lines are 1-based and spans are inclusive at
both ends, as editors count them. Paths are relative to the documents folder, with forward slashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

# ---------------------------------------------------------------------------------------------------- documents


@dataclass(frozen=True, slots=True, order=True)
class LineSpan:
    """Lines ``first`` to ``last`` of a document, 1-based and inclusive; ``last == first - 1`` is empty."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.first <= line <= self.last

    def covers(self, other: LineSpan) -> bool:
        """Whether every line of ``other`` lies in this span."""
        return self.first <= other.first and other.last <= self.last


class FigureKind(StrEnum):
    """What an image is, as far as the document tells."""

    FIGURE = "figure"
    TABLE = "table"
    FORMULA = "formula"
    ALGORITHM = "algorithm"
    PART = "part"
    """One panel of a figure that the extractor cut into several images."""
    JUNK = "junk"
    """Decoration, a stray glyph, a rule: never offered."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in the text that names a figure by its printed number."""

    line: int
    node_id: str
    text: str
    """As written, for instance ``Figs. 2-4``."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One image of one document: a figure, table, formula or a part of one."""

    doc_id: str
    path: str
    """Below the documents folder; the address itself where the image is remote or outside of it."""
    fig_id: str
    """Number within the document in reading order: ``fig_1``, ``fig_2`` ..."""
    filename: str
    """As the document's folder sees it: ``figures/a.png``."""
    node_id: str
    """The section in which the image stands."""
    line: int
    kind: FigureKind = FigureKind.FIGURE
    label: str | None = None
    """The printed number: ``Table 7``, ``Figure S1``, ``Equation 5``, ``Equations 3 and 4``."""
    caption: str = ""
    """The caption without its label."""
    alt: str = ""
    context: str = ""
    """Words that stand beside the image: its table row, or the line of text that it is read from."""
    inside: LineSpan | None = None
    """Lines that hold the image's own content as text: the cells of a table, the words of a drawing."""
    group: str | None = None
    """Parts of one figure share this: the ``fig_id`` of the first."""
    also_at: tuple[int, ...] = ()
    """Further lines of the document that reference the same file."""
    mentions: tuple[Mention, ...] = ()
    exists: bool = True
    problem: str | None = None
    """Why the file cannot be shown: missing, damaged, remote, outside the documents folder."""
    width: int = 0
    """Pixels; 0 where the file cannot be read."""
    height: int = 0
    content_hash: str = ""
    """SHA-256 of the file's bytes, hexadecimal, first 16 digits."""
    description: str = ""
    """What a model saw in it, where figures are described: a sentence or two, never more than words."""
    visible_text: str = ""
    """Words that the model read in it."""

    @property
    def figure_id(self) -> str:
        """The figure's identity: its document and its path below the documents folder."""
        return f"{self.doc_id}#{self.path}"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its own text and its place in the tree."""

    node_id: str
    """Zero-padded position in reading order, ``0000`` is the document itself."""
    title: str
    level: int
    """Depth in the tree: 0 for the document, 1 for its top headings."""
    line: int
    """The heading's line; 1 for the document itself."""
    body: LineSpan
    """The heading and its own text up to the first child."""
    span: LineSpan
    """``body`` and all descendants."""
    breadcrumb: tuple[str, ...]
    """Titles from the document's name down to this section."""
    parent: str | None
    children: tuple[str, ...] = ()
    noise: str | None = None
    """Why this section is not indexed; ``None`` where it is."""


class WarningKind(StrEnum):
    """What a build warning is about; the values are part of ``headtree index --json``."""

    UNREADABLE = "unreadable-document"
    ENCODING = "encoding"
    MISSING_IMAGE = "missing-image"
    BROKEN_IMAGE = "broken-image"
    REMOTE_IMAGE = "remote-image"
    EMBEDDED_IMAGE = "embedded-image"
    OUTSIDE_IMAGE = "image-outside-documents"
    UNCLOSED_FENCE = "unclosed-fence"
    HIDDEN_TEXT = "hidden-text"
    HEADING_REPAIRED = "heading-repaired"
    NOISE = "section-not-indexed"
    FIGURE_DOUBT = "figure-doubt"
    REFUSED_VECTOR = "refused-vector"
    OUTSIDE_DOCUMENT = "link-out-of-documents"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class BuildWarning:
    """Something in a document that a person may want to know or mend."""

    doc_id: str
    line: int
    """0 where the warning is about the whole document."""
    kind: WarningKind
    message: str


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document: its lines as they may be shown, its tree and its figures."""

    doc_id: str
    path: str
    """The Markdown file below the documents folder."""
    title: str
    lines: tuple[str, ...]
    """The file's lines without comments, hidden HTML and embedded image data; same numbers as in the file."""
    sections: tuple[Section, ...]
    """In reading order; the first is the document itself."""
    figures: tuple[Figure, ...]
    """In reading order."""
    content_hash: str
    """SHA-256 over the Markdown's bytes and the referenced images' sizes and times, hexadecimal."""
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """The front matter."""
    warnings: tuple[BuildWarning, ...] = ()

    def text(self, span: LineSpan) -> str:
        """Return the lines of a span, joined by newlines."""
        return "\n".join(self.lines[span.first - 1 : span.last])


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a section's own text: what is searched, and a pointer to the section."""

    doc_id: str
    node_id: str
    ordinal: int
    """Position within the document, from 0."""
    first_line: int
    last_line: int
    breadcrumb: tuple[str, ...]
    text: str
    figure_path: str | None = None
    """Set on a chunk that holds what is known about one figure: its label, caption and alternative text."""
    context: str = ""
    """What a model wrote to place it in its document, where chunks have contexts; searched, never shown or quoted."""


class PassageKind(StrEnum):
    """What a passage is; only prose and items are sentences."""

    PROSE = "prose"
    ITEM = "item"
    HEADER_ROW = "header-row"
    ROW = "row"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, list item, table row or code block: what is quoted, and what chunks are made of."""

    kind: PassageKind
    first_line: int
    last_line: int
    text: str
    """As in the document; a row of an HTML table as its cells, joined by `` | ``."""


# -------------------------------------------------------------------------------------------------- retrieval


@dataclass(frozen=True, slots=True)
class Candidate:
    """One section that recall found, before and after re-ranking."""

    doc_id: str
    node_id: str
    score: float
    """Higher is better; comparable within one question only."""
    features: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    best_chunk: Chunk | None = None
    captions: tuple[str, ...] = ()
    """Paths of its figures whose caption matches the question by itself."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OfferedFigure:
    """A figure that may be shown, and why it may."""

    figure: Figure
    handle: str
    """``F1``, ``F2`` ... in the order of the evidence: what a model is shown instead of a path."""
    reason: str
    """For instance ``stands in section 2`` or ``mentioned in section 1 (Fig. 2)``."""
    section_rank: int
    """Rank of the evidence section it came with."""


@dataclass(frozen=True, slots=True)
class EvidenceSection:
    """A section as the synthesiser reads it: one span decides its text and its figures."""

    rank: int
    """1 is the best."""
    doc_id: str
    node_id: str
    breadcrumb: tuple[str, ...]
    span: LineSpan
    score: float
    text: str
    cut: bool = False
    """Whether the text is a part of the section because the whole was over the budget."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a question found: the sections that are read and the figures that may be shown."""

    question: str
    sections: tuple[EvidenceSection, ...]
    figures: tuple[OfferedFigure, ...]
    candidates: tuple[Candidate, ...] = ()
    """All re-ranked candidates, best first."""
    named_documents: tuple[str, ...] = ()
    """Documents that the question names or that the user chose."""
    absent_terms: tuple[str, ...] = ()
    """Distinctive terms of the question that stand nowhere in the documents it asks about."""


# -------------------------------------------------------------------------------------------------- the answer


@dataclass(frozen=True, slots=True)
class Citation:
    """A claim's source: the lines that say it, and whether the quote was found in them."""

    number: int
    doc_id: str
    node_id: str
    breadcrumb: tuple[str, ...]
    first_line: int
    last_line: int
    quote: str
    verified: bool


@dataclass(frozen=True, slots=True)
class SourceSection:
    """A section that the synthesiser read: exactly these lines."""

    rank: int
    doc_id: str
    node_id: str
    breadcrumb: tuple[str, ...]
    first_line: int
    last_line: int
    score: float


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """A figure of the answer."""

    figure_id: str
    doc_id: str
    path: str
    label: str
    caption: str
    kind: str
    node_id: str
    exists: bool
    reason: str
    description: str = ""
    """What a model saw in it when the index was built; empty where figures are not described."""


@dataclass(frozen=True, slots=True)
class FigureDecision:
    """Why an offered figure was shown or left out."""

    figure_id: str
    shown: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What model calls cost: all zero for the local path."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class RequestBlock:
    """One block of a request to a model: what kind of thing left the building, not its content."""

    label: str
    """Says what it is: ``section 2``, ``F3``, ``question``."""
    kind: str
    """``text``, ``source`` (text that the service cites natively) or ``image``."""
    tokens: int
    """Estimated; the service's own count stands on the request."""
    bytes: int
    width: int = 0
    """Pixels, of an image."""
    height: int = 0
    format: str = ""
    """Media type, of an image."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model, as it is shown by ``headtree ask --show-request``; it holds no text and no key."""

    model: str
    """``provider/model``."""
    role: str
    """What it was for: ``synthesis``, ``rerank``, ``figures``, ``vision``, ``noise``, ``description``, ``context``,
    ``embedding``."""
    prompt: str
    """Name and version of the prompt; empty for an embedding."""
    blocks: tuple[RequestBlock, ...]
    """In the order in which they were sent."""
    input_tokens: int
    output_tokens: int
    """With the tokens that the model thought in."""
    cached_tokens: int
    """How many of the input the service had kept from an earlier request."""
    cost_usd: float
    """0 where the price of the model is not known."""
    seconds: float
    attempts: int
    outcome: str
    """``done``, or why it failed."""
    cache_written_tokens: int = 0
    """How many of the input the service was told to keep for the next request, at a higher price."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds per stage of one answer."""

    recall: float = 0.0
    rerank: float = 0.0
    synthesis: float = 0.0
    vision: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the user gets; ``headtree ask --json`` prints exactly these fields."""

    question: str
    answer: str
    """Markdown with ``[1]`` markers."""
    answerable: bool
    mode: str
    """``local`` or ``provider/model``."""
    citations: tuple[Citation, ...]
    sections: tuple[SourceSection, ...]
    figures: tuple[ShownFigure, ...]
    figure_decisions: tuple[FigureDecision, ...]
    usage: Usage = Usage()
    timings: Timings = Timings()
    warnings: tuple[str, ...] = ()
    requests: tuple[ModelRequest, ...] = ()
    """What was sent to models for it, in order; empty for the local path."""
    fallbacks: tuple[str, ...] = ()
    """Steps that a model was to take and failed at, named like a request's ``role``; ``warnings`` say why."""


class AnswerStage(StrEnum):
    """What an answer is at; the values are shown to people."""

    SEARCHING = "searching"
    RANKING = "ranking"
    READING = "reading"
    WRITING = "writing"
    CHOOSING = "choosing pictures"
    LOOKING = "looking at pictures"


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """A step that has begun, or a piece of text that was written."""

    stage: AnswerStage
    detail: str = ""
    """For people: ``50 sections``, or a fallback that was taken."""
    text: str = ""
    """Set while an answer is being written: the whole text so far."""
    price: str = ""
    """What a model will be paid for this step, about; part of ``detail`` too."""


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """Which documents a build found new, changed, gone or as they were."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The outcome of a build; ``headtree index --json`` prints exactly these fields."""

    documents: DocumentChanges
    sections: int
    chunks: int
    figures: int
    embedded: int
    """Chunks whose vector was computed in this build."""
    warnings: tuple[BuildWarning, ...]
    seconds: float
    usage: Usage = Usage()
