"""Handles that a model chose -> the figures that are shown; what was not offered cannot be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headtree.indexing.figures import has_number
from headtree.indexing.labels import mentions
from headtree.synthesis.choice import FigureChoice
from headtree.types import Citation, Evidence, FigureDecision, OfferedFigure

_SHOW_TAG = re.compile(r"[ \t]*\[SHOW:\s*([^|\[\]]+?)\s*(?:\|((?:[^\[\]]|\[[^\[\]]*\])*))?\]", re.IGNORECASE)
_HANDLE_TAG = re.compile(r"[ \t]*\[(F\d+)\]")


@dataclass(frozen=True, slots=True)
class Pick:
    """A figure that a model chose, by what it calls it."""

    handle: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PickedFigures:
    """The choice, and the handles that no offered figure has."""

    choice: FigureChoice
    refused: tuple[str, ...]


def pick_figures(
    picks: Sequence[Pick], answer: str, citations: Sequence[Citation], evidence: Evidence, *, most: int
) -> PickedFigures:
    """Show the picked figures, then those whose printed number the answer names, up to ``most``.

    Args:
        picks: in the model's order.
        answer: its text.
        citations: say which documents the answer is about, where several have a figure of one number.
        evidence: what was offered.
        most: how many may be shown.
    """
    offered = {figure.handle: figure for figure in evidence.figures}
    reasons: dict[str, str] = {}
    refused: list[str] = []
    for pick in picks:
        handle = pick.handle.strip(" []").upper()
        if handle in offered:
            reasons.setdefault(handle, one_line_reason(pick.reason) or offered[handle].reason)
        else:
            refused.append(pick.handle[:80])
    for figure in _named(answer, citations, evidence):
        reasons.setdefault(figure.handle, f"the answer names {figure.figure.label}")
    shown = list(reasons)[:most]
    decisions = tuple(
        FigureDecision(figure.figure.figure_id, handle in shown, _decision(handle, reasons, shown, most))
        for handle, figure in offered.items()
    )
    return PickedFigures(
        FigureChoice(tuple(offered[handle] for handle in shown), decisions), tuple(dict.fromkeys(refused))
    )


def one_line_reason(reason: str) -> str:
    """Return a model's reason on one line, not too long."""
    return " ".join(reason.split())[:200]


def _decision(handle: str, reasons: Mapping[str, str], shown: Sequence[str], most: int) -> str:
    if handle in shown:
        return reasons[handle]
    return f"{most} others come before it" if handle in reasons else "the model did not choose it"


def _named(answer: str, citations: Sequence[Citation], evidence: Evidence) -> list[OfferedFigure]:
    """Return the offered figures whose printed number stands in the answer, all parts of one included."""
    wanted = [label for mention in mentions(answer) for label in mention.labels]
    cited = {citation.doc_id for citation in citations}
    return [
        figure for figure in evidence.figures if figure.figure.doc_id in cited and has_number(figure.figure, wanted)
    ]


def take_show_tags(text: str) -> tuple[str, tuple[Pick, ...]]:
    """Take tags like ``[SHOW: F2 | caption [with brackets]]`` out of a text; return the rest, and what they name."""
    picks = tuple(Pick(match.group(1), (match.group(2) or "").strip()) for match in _SHOW_TAG.finditer(text))
    return _SHOW_TAG.sub("", text).strip(), picks


def name_handles(text: str, evidence: Evidence) -> str:
    """Replace handles in square brackets by the figures' printed numbers; they mean nothing to a reader."""
    labels = {offered.handle: offered.figure.label for offered in evidence.figures}

    def name(match: re.Match[str]) -> str:
        label = labels.get(match.group(1))
        return f" ({label})" if label and label not in text[max(0, match.start() - 40) : match.start()] else ""

    return _HANDLE_TAG.sub(name, text)
