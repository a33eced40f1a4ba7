"""The vision filter: a model looks at the chosen pictures and drops those that are wrong. It never adds one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel

from headtree.errors import DocumentError
from headtree.models.failures import Failure, ServiceError
from headtree.models.pixels import prepare_image
from headtree.models.prompts import VISION, VISION_SCHEMA, prompt_name
from headtree.models.protocols import ChatModel
from headtree.models.replies import fit_to, read_form, read_numbers, try_twice
from headtree.models.requests import Block, ChatReply, ChatRequest, ImageBlock, TextBlock
from headtree.settings import MAX_IMAGE_SIDE
from headtree.synthesis.figure_picks import one_line_reason
from headtree.types import Answer, FigureDecision, ShownFigure

_OUTPUT_TOKENS = 4_000
UNCHECKED = "not looked at"


class _Verdict(BaseModel):
    handle: str
    verdict: str
    reason: str = ""


class _Verdicts(BaseModel):
    verdicts: list[_Verdict]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was seen of one figure."""

    keep: bool
    reason: str


def look_at_figures(answer: Answer, documents: Path, model: ChatModel, *, longest_side: int = MAX_IMAGE_SIDE) -> Answer:
    """Return the answer without the pictures that the model drops; each one's reason says what was seen.

    A picture that cannot be read or gets no verdict stays, marked as not looked at.

    Args:
        answer: with figures.
        documents: the documents folder.
        model: one that sees images.
        longest_side: pixels of a picture as it is sent; never more than the model takes.

    Raises:
        ModelCallError, ModelUnavailableError: the model gave no usable verdict; the answer stands as it is.
    """
    handles = {f"F{number}": figure for number, figure in enumerate(answer.figures, start=1)}
    blocks, unread = _blocks(handles, documents, min(longest_side, model.capabilities.image_side))
    seen = [handle for handle in handles if handle not in unread]
    verdicts = _ask(answer, blocks, seen, model) if seen else {}
    verdicts |= {handle: Verdict(True, f"{UNCHECKED}: {why}") for handle, why in unread.items()}
    return _apply(answer, {figure.figure_id: verdicts.get(handle) for handle, figure in handles.items()})


def mark_unchecked(answer: Answer, why: str) -> Answer:
    """Return the answer with all its pictures, each marked as not looked at."""
    return _apply(answer, {figure.figure_id: Verdict(True, f"{UNCHECKED}: {why}") for figure in answer.figures})


def _blocks(
    handles: Mapping[str, ShownFigure], documents: Path, longest_side: int
) -> tuple[list[Block], dict[str, str]]:
    """Return each image after what is said about it, and why some could not be read."""
    blocks: list[Block] = []
    unread: dict[str, str] = {}
    root = documents.resolve()
    for handle, figure in handles.items():
        file = (root / figure.path).resolve()
        try:
            if not file.is_relative_to(root):
                raise DocumentError(f"{figure.path} is outside of the documents folder")
            image = prepare_image(file, longest_side=longest_side)
        except DocumentError as error:
            unread[handle] = str(error)
            continue
        words = f"{handle}: {figure.label or figure.kind}. {figure.caption or 'No caption.'}"
        blocks.append(TextBlock(f"{handle} label", words))
        blocks.append(ImageBlock(handle, image.data, image.media_type, image.width, image.height))
    return blocks, unread


def _ask(answer: Answer, blocks: Sequence[Block], seen: Sequence[str], model: ChatModel) -> dict[str, Verdict]:
    question = TextBlock("question and answer", f"Question: {answer.question}\n\nAnswer:\n{answer.answer}")
    request = ChatRequest(
        role="vision",
        prompt=prompt_name("vision"),
        system=VISION,
        blocks=(*blocks, question),
        max_output_tokens=_OUTPUT_TOKENS,
        schema=VISION_SCHEMA,
    )
    asked = fit_to(model, request)
    return try_twice(lambda: read_verdicts(model.ask(asked), seen))


def read_verdicts(reply: ChatReply, seen: Sequence[str]) -> dict[str, Verdict]:
    """Read verdicts by handle; a reply in words lists the numbers of what is kept, counted from 0.

    Raises:
        ServiceError: of kind ``CUT``, where there is no verdict on any of the figures.
    """
    try:
        named = read_form(reply, _Verdicts).verdicts
    except ServiceError:
        kept = () if "{" in reply.text else read_numbers(reply.text, len(seen))
        if not kept and reply.text.strip(" .!").lower() != "none":
            raise
        return {handle: Verdict(i in kept, "the model listed what it keeps") for i, handle in enumerate(seen)}
    verdicts: dict[str, Verdict] = {}
    for item in named:
        handle = item.handle.strip(" []").upper()
        if handle in seen and item.verdict in {"keep", "drop"}:
            verdicts.setdefault(handle, Verdict(item.verdict == "keep", one_line_reason(item.reason)))
    if not verdicts:
        raise ServiceError(Failure.CUT, "the model gave no verdict on any of the pictures")
    return verdicts


def _apply(answer: Answer, verdicts: Mapping[str, Verdict | None]) -> Answer:
    shown: list[ShownFigure] = []
    words: dict[str, tuple[bool, str]] = {}
    for figure in answer.figures:
        verdict = verdicts.get(figure.figure_id) or Verdict(True, UNCHECKED)
        said = verdict.reason if verdict.reason.startswith(UNCHECKED) else f"looked at: {verdict.reason}"
        words[figure.figure_id] = (verdict.keep, said)
        if verdict.keep:
            shown.append(replace(figure, reason=f"{figure.reason}; {said}"))
    decisions = tuple(
        FigureDecision(d.figure_id, words[d.figure_id][0], f"{d.reason}; {words[d.figure_id][1]}")
        if d.figure_id in words
        else d
        for d in answer.figure_decisions
    )
    return replace(answer, figures=tuple(shown), figure_decisions=decisions)
