"""The noise filter by a language model: it reads documents' outlines and adds to what the rules leave out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel

from headtree.errors import ModelCallError, ModelUnavailableError
from headtree.models.envelopes import estimate_tokens
from headtree.models.estimates import Estimate
from headtree.models.parallel import side_by_side
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
_REQUEST_TOKENS = 8_000
"""Outlines that are sent together: some 600 sections, of which the reply names a part."""
_OUTPUT_TOKENS = 8_000
_NAMED_SHARE = 0.15
"""Share of sections that a model names, about, and the tokens of each: for estimates."""
_NAMED_TOKENS = 30


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


@dataclass(frozen=True, slots=True)
class _Outline:
    doc_id: str
    sections: tuple[Section, ...]
    lines: tuple[str, ...]
    """One per section that the rules left: its id and title."""

    @property
    def tokens(self) -> int:
        return sum(estimate_tokens(line) + 2 for line in self.lines)


class NoiseJudge:
    """Asks a model which sections of documents are noise, several documents in one request."""

    def __init__(self, model: ChatModel, *, keep_titles: Sequence[str] = ()) -> None:
        """Take a model, and regular expressions of titles that are never left out."""
        self._model = model
        self._keep_titles = tuple(keep_titles)

    @property
    def name(self) -> str:
        """The model and the prompt: with either one changed, documents are read again."""
        return f"{self._model.name} {prompt_name('noise')}"

    def estimate(self, documents: Mapping[str, Sequence[Section]]) -> Estimate | None:
        """Return what judging documents will cost; ``None`` where there is nothing to ask."""
        batches = list(_batches(_outlines(documents)))
        if not batches:
            return None
        rules = estimate_tokens(NOISE)
        count = sum(len(outline.lines) for batch in batches for outline in batch)
        tokens = sum(outline.tokens for batch in batches for outline in batch) + rules * len(batches)
        output = round(count * _NAMED_SHARE * _NAMED_TOKENS)
        return Estimate("noise filter", self._model.name, tokens, output, requests=len(batches))

    def judge(self, documents: Mapping[str, Sequence[Section]]) -> Iterator[Mapping[str, Judged]]:
        """Add the model's choice to that of the rules; without a usable reply the rules stand alone.

        Args:
            documents: by id, the sections in reading order as the rules left them.

        Yields:
            The documents that were judged together; those too short to be asked about first.
        """
        outlines = _outlines(documents)
        asked = {outline.doc_id for outline in outlines}
        yield {doc_id: Judged(tuple(sections)) for doc_id, sections in documents.items() if doc_id not in asked}
        for _, judged in side_by_side(self._judge_together, list(_batches(outlines))):
            yield judged

    def _judge_together(self, batch: Sequence[_Outline]) -> Mapping[str, Judged]:
        request = ChatRequest(
            role="noise",
            prompt=prompt_name("noise"),
            system=NOISE,
            blocks=(TextBlock(f"outlines of {len(batch)} documents", "\n\n".join(_written(batch))),),
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
            return {
                outline.doc_id: Judged(
                    outline.sections, (BuildWarning(outline.doc_id, 0, WarningKind.FALLBACK, message),)
                )
                for outline in batch
            }
        named = _by_document(reply, len(batch))
        return {outline.doc_id: self._union(outline, named[number]) for number, outline in enumerate(batch)}

    def _union(self, outline: _Outline, named: Mapping[str, str]) -> Judged:
        total = max(section.span.last for section in outline.sections)
        allowed = {
            section.node_id
            for section in outline.sections
            if section.level > 0
            and len(section.span) <= _LARGEST_SHARE * total
            and not any(re.fullmatch(pattern, section.title, re.IGNORECASE) for pattern in self._keep_titles)
        }
        reasons = {node: f"{named[node] or 'noise'} ({self._model.name})" for node in named if node in allowed}
        unknown = sorted(set(named) - {section.node_id for section in outline.sections})
        warnings: tuple[BuildWarning, ...] = ()
        if unknown:
            message = (
                f"the noise filter by {self._model.name} named sections that do not exist: {', '.join(unknown[:5])}"
            )
            warnings = (BuildWarning(outline.doc_id, 0, WarningKind.FALLBACK, message),)
        judged: dict[str, Section] = {}
        for section in outline.sections:
            reason = section.noise or reasons.get(section.node_id)
            above = judged.get(section.parent) if section.parent else None
            if reason is None and above is not None and above.noise and section.node_id in allowed:
                reason = f"{above.noise.removesuffix(' (above)')} (above)"
            judged[section.node_id] = replace(section, noise=reason)
        return Judged(tuple(judged.values()), warnings)


def _outlines(documents: Mapping[str, Sequence[Section]]) -> list[_Outline]:
    """Return the outlines of documents that are long enough to hold noise."""
    outlines = []
    for doc_id, sections in documents.items():
        asked = [section for section in sections if section.noise is None and section.level > 0]
        if len(asked) >= _FEWEST_SECTIONS:
            lines = tuple(f"{section.node_id}{'  ' * section.level}{section.title[:160]}" for section in asked)
            outlines.append(_Outline(doc_id, tuple(sections), lines))
    return outlines


def _batches(outlines: Sequence[_Outline]) -> Iterator[list[_Outline]]:
    """Put outlines together, in order, as many as fit into one request; a long one goes alone."""
    batch: list[_Outline] = []
    for outline in outlines:
        if batch and sum(known.tokens for known in batch) + outline.tokens > _REQUEST_TOKENS:
            yield batch
            batch = []
        batch.append(outline)
    if batch:
        yield batch


def _written(batch: Sequence[_Outline]) -> Iterator[str]:
    """Write outlines for the model; an id says which document it is of, for they all count from 0000."""
    for number, outline in enumerate(batch, start=1):
        lines = (f"D{number}/{line}" for line in outline.lines)
        yield "\n".join((f"Document D{number}: {outline.doc_id}", *lines))


def _by_document(reply: _Reply, count: int) -> list[dict[str, str]]:
    """Return the named sections with reasons, by position in the batch; one of no document counts for the first."""
    named: list[dict[str, str]] = [{} for _ in range(count)]
    for item in reply.noise:
        reason = " ".join(item.reason.split())[:80]
        match = re.fullmatch(r"D(\d{1,6})/(\S{1,40})", item.id.strip())
        number = int(match.group(1)) if match else 0
        if match and 1 <= number <= count:
            named[number - 1].setdefault(match.group(2), reason)
        else:
            named[0].setdefault(item.id.strip()[:40], reason)
    return named
