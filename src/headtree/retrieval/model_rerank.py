"""Re-ranking with a language model: it sees where each candidate stands, what it holds and a snippet, and chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel

from headtree.indexing.index import Snapshot
from headtree.models.failures import Failure, ServiceError
from headtree.models.prompts import RERANK, RERANK_SCHEMA, prompt_name
from headtree.models.protocols import ChatModel
from headtree.models.replies import fit_to, read_form, read_numbers, try_twice
from headtree.models.requests import ChatReply, ChatRequest, TextBlock
from headtree.retrieval.evidence import choose_sections
from headtree.retrieval.question import Question
from headtree.retrieval.snippets import holdings, section_snippet
from headtree.types import Candidate

_OUTPUT_TOKENS = 4_000
"""Five numbers and reasons are about 150; the rest is room to think."""
_SCORE_STEP = 0.01
"""Keeps the model's order, while no chosen section falls below the margin within which sections are read."""


class _Choice(BaseModel):
    index: int
    reason: str = ""


class _Choices(BaseModel):
    sections: list[_Choice]


@dataclass(frozen=True, slots=True)
class ModelRanking:
    """What the model chose, and all candidates with its choice first."""

    chosen: tuple[Candidate, ...]
    candidates: tuple[Candidate, ...]


def rerank_with_model(
    question: Question, ranked: Sequence[Candidate], view: Snapshot, model: ChatModel, *, count: int
) -> ModelRanking:
    """Let a model choose up to ``count`` of the candidates.

    Unknown numbers and repeats are left out. The chosen ones share the best local score, less a hundredth a rank.

    Args:
        question: what is asked.
        ranked: candidates in local order, which is what a failure falls back to.
        view: the index.
        model: who chooses.
        count: how many at most.

    Raises:
        ModelCallError, ModelUnavailableError: the model gave no usable choice.
    """
    described = [(candidate, _line(question, candidate, view)) for candidate in ranked]
    offered = [candidate for candidate, line in described if line is not None]
    lines = (line for _, line in described if line is not None)
    request = ChatRequest(
        role="rerank",
        prompt=prompt_name("rerank"),
        system=RERANK.format(count=count),
        blocks=(
            TextBlock("candidates", "\n".join(f"[{index}] {line}" for index, line in enumerate(lines))),
            TextBlock("question", f"Question: {question.text}"),
        ),
        max_output_tokens=_OUTPUT_TOKENS,
        schema=RERANK_SCHEMA,
    )
    asked = fit_to(model, request)
    choices = try_twice(lambda: _read(model.ask(asked), len(offered)))
    best = max(candidate.score for candidate in ranked)
    chosen = tuple(
        replace(
            offered[choice.index],
            score=round(best - rank * _SCORE_STEP, 4),
            reason=f"chosen by {model.name}: {choice.reason}".rstrip(": "),
        )
        for rank, choice in enumerate(choices[:count])
    )
    taken = {(candidate.doc_id, candidate.node_id) for candidate in chosen}
    rest = (candidate for candidate in ranked if (candidate.doc_id, candidate.node_id) not in taken)
    return ModelRanking(chosen, (*chosen, *rest))


def _line(question: Question, candidate: Candidate, view: Snapshot) -> str | None:
    """Describe a candidate on one line; ``None`` where there is nothing to read."""
    document = view.document(candidate.doc_id)
    section = document.sections[candidate.node_id]
    # What would be read decides what is said, so that the model is never promised more than comes.
    whole = choose_sections(question, [candidate], view, count=1, characters=1_000_000)
    if not whole:
        return None
    read = whole[0]
    below = " (with its subsections)" if section.children and read.span.last > section.body.last else ""
    held = holdings(document, read.span)
    return (
        f"{' > '.join(section.breadcrumb)}{below}{f' | holds: {held}' if held else ''}"
        f" | {section_snippet(document, section, question.weights)}"
    )


def _read(reply: ChatReply, count: int) -> list[_Choice]:
    """Read the choice, in the form that was asked for or as a list of numbers in words."""
    try:
        named = read_form(reply, _Choices).sections
    except ServiceError:
        if "{" in reply.text:  # a broken form: its numbers may be anything
            raise
        named = [_Choice(index=index) for index in read_numbers(reply.text, count)]
    choices = {choice.index: choice for choice in reversed(named) if 0 <= choice.index < count}
    ordered = [choices[index] for index in dict.fromkeys(choice.index for choice in named) if index in choices]
    if not ordered:
        raise ServiceError(Failure.CUT, "the model chose none of the candidates")
    return ordered
