"""The noise filter by a language model: it reads a document's outline and adds to what the rules leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel

from headtree.errors import ModelCallError, ModelUnavailableError
from headtree.models.prompts import NOISE, NOISE_SCHEMA, prompt_name
from headtree.models.protocols import ChatModel
from headtree.models.replies import ask_for
from headtree.models.requests import ChatRequest, TextBlock
from headtree.types import BuildWarning, Section, WarningKind

_FEWEST_SECTIONS = 12
"""A document with fewer has no contents, references or boilerplate to speak of: of 1,303 pages of public documentation
sites 272 have as many, of papers and annual reports all."""
_LARGEST_SHARE = 0.5
"""Share of a document's lines above which a section is never left out, as for the rules."""
_OUTPUT_TOKENS = 8_000


class _Named(BaseModel):
    id: str
    reason: str = ""


class _Reply(BaseModel):
    noise: list[_Named]


@dataclass(frozen=True, slots=True)
class Judged:
    """Sections with ``noise`` set by the rules or the model, and a warning where the model was of no help."""

    sections: tuple[Section, ...]
    warnings: tuple[BuildWarning, ...] = ()


class NoiseJudge:
    """Asks a model which sections of a document are noise."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model and the prompt: with either one changed, documents are read again."""
        return f"{self._model.name} {prompt_name('noise')}"

    def judge(self, doc_id: str, sections: Sequence[Section], *, keep_titles: Sequence[str]) -> Judged:
        """Add the model's choice to that of the rules; without a usable reply the rules stand alone.

        Args:
            doc_id: the document.
            sections: in reading order, as the rules left them.
            keep_titles: regular expressions of titles that are never left out.
        """
        open_sections = [section for section in sections if section.noise is None and section.level > 0]
        if len(open_sections) < _FEWEST_SECTIONS:
            return Judged(tuple(sections))
        outline = "\n".join(
            f"{section.node_id}{'  ' * section.level}{section.title[:160]}" for section in open_sections
        )
        request = ChatRequest(
            role="noise",
            prompt=prompt_name("noise"),
            system=NOISE,
            blocks=(TextBlock("outline", f"Document: {doc_id}\n{outline}"),),
            max_output_tokens=_OUTPUT_TOKENS,
            schema=NOISE_SCHEMA,
        )
        try:
            reply = ask_for(self._model, request, _Reply)
        except (ModelCallError, ModelUnavailableError) as error:
            message = (
                f"the noise filter by {self._model.name} failed, the rules alone decided: {error}; "
                "headtree index --fresh asks again"
            )
            return Judged(tuple(sections), (BuildWarning(doc_id, 0, WarningKind.FALLBACK, message),))
        return self._union(doc_id, sections, reply, keep_titles)

    def _union(self, doc_id: str, sections: Sequence[Section], reply: _Reply, keep_titles: Sequence[str]) -> Judged:
        total = max(section.span.last for section in sections)
        allowed = {
            section.node_id
            for section in sections
            if section.level > 0
            and len(section.span) <= _LARGEST_SHARE * total
            and not any(re.fullmatch(pattern, section.title, re.IGNORECASE) for pattern in keep_titles)
        }
        known = {section.node_id for section in sections}
        named = {item.id.strip(): " ".join(item.reason.split())[:80] for item in reply.noise}
        reasons = {node: f"{named[node] or 'noise'} ({self._model.name})" for node in named if node in allowed}
        unknown = sorted(set(named) - known)
        warnings: tuple[BuildWarning, ...] = ()
        if unknown:
            message = (
                f"the noise filter by {self._model.name} named sections that do not exist: {', '.join(unknown[:5])}"
            )
            warnings = (BuildWarning(doc_id, 0, WarningKind.FALLBACK, message),)
        judged: dict[str, Section] = {}
        for section in sections:
            reason = section.noise or reasons.get(section.node_id)
            above = judged.get(section.parent) if section.parent else None
            if reason is None and above is not None and above.noise and section.node_id in allowed:
                reason = f"{above.noise.removesuffix(' (above)')} (above)"
            judged[section.node_id] = replace(section, noise=reason)
        return Judged(tuple(judged.values()), warnings)
