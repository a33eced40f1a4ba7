"""The synthesiser with a language model: it writes from whole sections, cites, and chooses figures by handle.

A model that cites by itself writes first and chooses figures in a second, small request, for citations and a schema
exclude each other; any other gives all in one reply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pydantic import BaseModel

from headtree.indexing.index import Snapshot
from headtree.models.failures import Failure, ServiceError
from headtree.models.prompts import (
    CITED_SYNTHESIS,
    FIGURE_CHOICE,
    FIGURE_CHOICE_SCHEMA,
    SYNTHESIS,
    SYNTHESIS_SCHEMA,
    prompt_name,
)
from headtree.models.protocols import ChatModel
from headtree.models.replies import ask_for, fit_to, partial_string, read_form, try_twice
from headtree.models.requests import Block, ChatReply, ChatRequest, Effort, SourceBlock, TextBlock
from headtree.retrieval.offer import offer_figures
from headtree.retrieval.question import Question
from headtree.settings import Settings
from headtree.synthesis.figure_picks import Pick, name_handles, pick_figures, take_show_tags
from headtree.synthesis.local import NOT_ANSWERED, compose_answer
from headtree.synthesis.presentation import (
    Paragraph,
    figure_list,
    section_heading,
    section_lines,
    section_paragraphs,
)
from headtree.synthesis.quotes import ClaimedQuote, cite, unsupported_numbers
from headtree.types import Answer, AnswerEvent, AnswerStage, Evidence, EvidenceSection

_OUTPUT_TOKENS = 12_000
"""An answer with its quotes is about 1,000; the rest is room to think."""
_CHOICE_TOKENS = 4_000
_READ_ON_SHARE = 2
"""Characters of evidence per token of context when a cut section is read on: half of what the context holds."""

Listener = Callable[[AnswerEvent], None]


class _Cited(BaseModel):
    section: int
    quote: str


class _Picked(BaseModel):
    handle: str
    reason: str = ""


class _Choice(BaseModel):
    figures: list[_Picked] = []
    missing: list[str] = []
    answerable: bool = True


class _Reply(_Choice):
    answer: str
    citations: list[_Cited] = []


@dataclass(frozen=True, slots=True)
class _Draft:
    """What a model wrote and chose; nothing of it checked yet."""

    text: str
    """With the ranks of sections as markers."""
    quotes: tuple[ClaimedQuote, ...]
    picks: tuple[Pick, ...]
    missing: tuple[str, ...]
    answerable: bool
    notes: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()


def synthesise_with_model(
    question: Question, evidence: Evidence, view: Snapshot, model: ChatModel, settings: Settings, *, tell: Listener
) -> tuple[Answer, Evidence]:
    """Answer with a model; before it abstains, sections that were cut are read on.

    Args:
        question: what is asked.
        evidence: what is read; at least one section.
        view: the index.
        model: who writes.
        settings: for the cap of figures.
        tell: is given the answer so far, its markers not numbered yet, and told when its pictures are chosen.

    Returns:
        The answer, and the evidence that it was written from.

    Raises:
        ModelCallError, ModelUnavailableError: the model gave no usable answer.
    """
    draft = _write(evidence, view, model, settings, tell)
    if not draft.answerable and any(section.cut for section in evidence.sections):
        evidence = read_on(question, evidence, view, model.capabilities.context_tokens * _READ_ON_SHARE)
        draft = _write(evidence, view, model, settings, tell)
    return _finish(question, evidence, draft, view, model, settings), evidence


def read_on(question: Question, evidence: Evidence, view: Snapshot, characters: int) -> Evidence:
    """Return the evidence with its cut sections whole, as far as a budget of characters goes, and their figures."""
    left = characters - sum(len(section.text) for section in evidence.sections)
    sections: list[EvidenceSection] = []
    for section in evidence.sections:
        document = view.document(section.doc_id)
        whole = document.sections[section.node_id].span
        text = document.text(whole)
        if section.cut and len(text) - len(section.text) <= left:
            left -= len(text) - len(section.text)
            section = replace(section, span=whole, text=text, cut=False)
        sections.append(section)
    return replace(
        evidence, sections=tuple(sections), figures=offer_figures(question, sections, evidence.candidates, view)
    )


def _write(evidence: Evidence, view: Snapshot, model: ChatModel, settings: Settings, tell: Listener) -> _Draft:
    if model.capabilities.native_citations:
        return _write_with_citations(evidence, view, model, settings, tell)
    return _write_in_one(evidence, view, model, settings, tell)


# ------------------------------------------------------------------------------------ one reply, all in a schema


def _write_in_one(evidence: Evidence, view: Snapshot, model: ChatModel, settings: Settings, tell: Listener) -> _Draft:
    request = fit_to(
        model,
        ChatRequest(
            role="synthesis",
            prompt=prompt_name("synthesis"),
            system=SYNTHESIS.format(count=settings.max_figures),
            blocks=(*_section_blocks(evidence, view), *_closing_blocks(evidence, view)),
            max_output_tokens=_OUTPUT_TOKENS,
            kept_blocks=len(evidence.sections) if settings.whole_corpus else 0,
            schema=SYNTHESIS_SCHEMA,
            effort=Effort.MEDIUM,
        ),
    )

    def listen(text: str) -> None:
        tell(AnswerEvent(AnswerStage.WRITING, text=partial_string(text, "answer")))

    def ask() -> _Draft:
        reply = model.ask(request, on_text=listen)
        try:
            return _from_form(read_form(reply, _Reply))
        except ServiceError:
            # Asked in words only, a small model may answer in words: worth more than none.
            if request.schema is not None or "{" in reply.text:
                raise
            return _from_prose(reply)

    return try_twice(ask)


def _section_blocks(evidence: Evidence, view: Snapshot) -> list[Block]:
    return [
        TextBlock(
            f"section {section.rank}",
            "\n".join(
                (
                    section_heading(section),
                    *(text for _, text in section_lines(section, view.document(section.doc_id), evidence.figures)),
                )
            ),
        )
        for section in evidence.sections
    ]


def _closing_blocks(evidence: Evidence, view: Snapshot) -> list[Block]:
    """Return what stands after the sections: the stable part of a prompt comes first."""
    return [
        TextBlock("figures", figure_list(evidence, view)),
        TextBlock("question", f"Question: {evidence.question}"),
    ]


def _from_form(reply: _Reply) -> _Draft:
    if not reply.answer.strip() and reply.answerable:
        raise ServiceError(Failure.EMPTY, "the model sent an empty answer")
    return _Draft(
        text=reply.answer,
        quotes=tuple(ClaimedQuote(cited.section, cited.quote) for cited in reply.citations),
        picks=tuple(Pick(picked.handle, picked.reason) for picked in reply.figures),
        missing=tuple(part.strip() for part in reply.missing if part.strip()),
        answerable=reply.answerable,
    )


def _from_prose(reply: ChatReply) -> _Draft:
    text, picks = take_show_tags(reply.text)
    return _Draft(text, (), picks, (), True, ("the model replied in prose: its citations carry no quotes",))


# ----------------------------------------------------------------------------- native citations, then the figures


def _write_with_citations(
    evidence: Evidence, view: Snapshot, model: ChatModel, settings: Settings, tell: Listener
) -> _Draft:
    paragraphs = {
        section.rank: section_paragraphs(section, view.document(section.doc_id), evidence.figures)
        for section in evidence.sections
    }
    # The service counts citations by source block and leaves out empty ones; so must this.
    sent = [section for section in evidence.sections if paragraphs[section.rank]]
    request = ChatRequest(
        role="synthesis",
        prompt=prompt_name("cited-synthesis"),
        system=CITED_SYNTHESIS,
        blocks=(
            *(
                SourceBlock(
                    f"section {section.rank}",
                    section_heading(section),
                    tuple(paragraph.text for paragraph in paragraphs[section.rank]),
                )
                for section in sent
            ),
            *_closing_blocks(evidence, view),
        ),
        max_output_tokens=_OUTPUT_TOKENS,
        kept_blocks=len(sent) if settings.whole_corpus else 0,
        effort=Effort.MEDIUM,
    )

    def listen(text: str) -> None:
        tell(AnswerEvent(AnswerStage.WRITING, text=text))

    reply = try_twice(lambda: model.ask(request, on_text=listen))
    tell(AnswerEvent(AnswerStage.CHOOSING, f"{len(evidence.figures)} pictures offered"))
    text, quotes = _with_markers(reply, [(section.rank, paragraphs[section.rank]) for section in sent])
    choice, notes = _choose(evidence, reply.text, view, model, settings)
    return _Draft(
        text=text,
        quotes=quotes,
        picks=tuple(Pick(picked.handle, picked.reason) for picked in choice.figures),
        missing=(),  # the answer itself names it
        answerable=choice.answerable,
        notes=notes,
        fallbacks=("figures",) if notes else (),
    )


def _with_markers(
    reply: ChatReply, sources: list[tuple[int, tuple[Paragraph, ...]]]
) -> tuple[str, tuple[ClaimedQuote, ...]]:
    """Set a marker after each cited piece; square brackets that the model wrote by itself mean nothing here."""
    parts: list[str] = []
    quotes: list[ClaimedQuote] = []
    for piece in reply.pieces:
        marks: list[int] = []
        for citation in piece.citations:
            if not 0 <= citation.source < len(sources):
                continue
            rank, paragraphs = sources[citation.source]
            cited = paragraphs[citation.first : citation.last + 1]
            if not cited or rank in marks:
                continue
            marks.append(rank)
            quotes.append(_native_quote(rank, citation.quote, cited))
        body = piece.text.rstrip()
        parts.append(f"{body}{''.join(f'[{rank}]' for rank in marks)}{piece.text[len(body) :]}")
    return "".join(parts), tuple(quotes)


def _native_quote(rank: int, quote: str, cited: tuple[Paragraph, ...]) -> ClaimedQuote:
    """Return the quote with its lines, where the cited paragraphs indeed hold it."""
    sent = " ".join(" ".join(paragraph.text for paragraph in cited).split())
    holds = bool(quote.strip()) and " ".join(quote.split()) in sent
    lines = replace(cited[0].span, last=cited[-1].span.last) if holds else None
    return ClaimedQuote(rank, quote, lines)


def _choose(
    evidence: Evidence, answer: str, view: Snapshot, model: ChatModel, settings: Settings
) -> tuple[_Choice, tuple[str, ...]]:
    """Ask for the figures of a written answer; where that fails, the answer stands and says so."""
    request = ChatRequest(
        role="figures",
        prompt=prompt_name("figure-choice"),
        system=FIGURE_CHOICE.format(count=settings.max_figures),
        blocks=(*_closing_blocks(evidence, view), TextBlock("answer", f"Answer:\n{answer}")),
        max_output_tokens=_CHOICE_TOKENS,
        schema=FIGURE_CHOICE_SCHEMA,
    )
    try:
        return ask_for(model, request, _Choice), ()
    except ServiceError as failure:
        return _Choice(), (f"pictures were not chosen, only those that the answer names are shown: {failure}",)


# ------------------------------------------------------------------------------------------------------ checks


def _finish(
    question: Question, evidence: Evidence, draft: _Draft, view: Snapshot, model: ChatModel, settings: Settings
) -> Answer:
    """Check what was written against the documents and put the answer together."""
    cited = cite(name_handles(draft.text, evidence), draft.quotes, evidence, view)
    picks = draft.picks if draft.answerable else ()
    named = cited.text if draft.answerable else ""
    picked = pick_figures(picks, named, cited.citations, evidence, most=settings.max_figures)
    notes = [*draft.notes, *cited.notes]
    if picked.refused:
        handles = ", ".join(repr(handle) for handle in picked.refused[: settings.max_figures])
        notes.append(f"{len(picked.refused)} pictures were chosen that were not offered, and are not shown: {handles}")
    if draft.answerable:
        if not cited.citations:
            notes.append("the answer cites no section")
        if numbers := unsupported_numbers(cited.text, cited.citations, evidence):
            notes.append(f"these numbers stand in no section that the answer cites: {', '.join(numbers)}")
    answer = compose_answer(
        question,
        evidence,
        _with_missing(cited.text or NOT_ANSWERED, draft),
        picked.choice,
        answerable=draft.answerable,
        citations=cited.citations,
        mode=model.name,
    )
    return replace(answer, warnings=(*answer.warnings, *notes), fallbacks=draft.fallbacks)


def _with_missing(text: str, draft: _Draft) -> str:
    """Name what the documents do not hold below the answer."""
    if not draft.missing:
        return text
    parts = "\n".join(f"- {' '.join(part.split())}" for part in draft.missing)
    return f"{text}\n\nNot in the documents:\n\n{parts}"
