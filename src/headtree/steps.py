"""Who takes which step, of a build and of an answer; each step of an answer has a local path where a model fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from headtree.errors import ModelCallError, ModelUnavailableError
from headtree.indexing.contexts import ContextWriter
from headtree.indexing.descriptions import FigureDescriber
from headtree.indexing.enriching import Approve, Readers
from headtree.indexing.index import Snapshot
from headtree.indexing.model_noise import NoiseJudge
from headtree.models.estimates import request_estimate
from headtree.models.paid_results import PaidResults
from headtree.models.protocols import ChatModel, Embedder, Vectors
from headtree.models.registry import Registry, Role
from headtree.retrieval.evidence import gather_evidence
from headtree.retrieval.model_rerank import rerank_with_model
from headtree.retrieval.offer import offer_figures
from headtree.retrieval.question import Question
from headtree.retrieval.whole import read_whole_documents
from headtree.settings import Settings
from headtree.synthesis.chat import synthesise_with_model
from headtree.synthesis.local import synthesise_locally
from headtree.synthesis.vision import look_at_figures, mark_unchecked
from headtree.types import Answer, AnswerEvent, Candidate, Evidence

# For prices that are said before: what requests over the shared papers' questions came to.
_TYPICAL_ANSWER_TOKENS = 1_000
_CHOICE_TOKENS = 300
"""Five sections, or a verdict on each picture, with reasons and a little thinking."""
_RULES_CHARACTERS = 4_000
_CANDIDATE_CHARACTERS = 210
"""Breadcrumb, what it holds and a snippet; 50 of them are about 2,700 tokens."""
_TYPICAL_SIDE = 1_000
"""Pixels of a picture."""
_FAILED = (ModelCallError, ModelUnavailableError)


@dataclass(frozen=True, slots=True)
class ChatModels:
    """Who takes each step; ``None`` is the local path, and for vision: nobody looks."""

    rerank: ChatModel | None = None
    synthesis: ChatModel | None = None
    vision: ChatModel | None = None


LOCAL_ONLY = ChatModels()


def load_chat_models(settings: Settings, registry: Registry) -> ChatModels:
    """Return the models of the settings; none of them is called yet.

    Args:
        settings: who takes which role; they may differ from those of the registry, as one question's do in the chat.
        registry: has the keys, and the limits that all questions share.

    Raises:
        ModelUnavailableError: the settings name a model whose key is not set.
    """
    return ChatModels(
        rerank=registry.chat_model(Role.RERANK, settings.rerank_model),
        synthesis=registry.chat_model(Role.SYNTHESIS, settings.synthesis_model),
        vision=registry.chat_model(Role.VISION, settings.vision_model) if settings.vision_filter else None,
    )


def load_readers(settings: Settings, registry: Registry, approve: Approve) -> Readers:
    """Return the models that read documents while an index is built.

    Raises:
        ModelUnavailableError: the settings name a model whose key is not set.
    """
    paid = PaidResults(settings.index)
    noise = registry.chat_model(Role.NOISE) if settings.noise_filter else None
    describer = registry.chat_model(Role.DESCRIBER) if settings.describe_figures else None
    context = registry.chat_model(Role.CONTEXT) if settings.contextual_chunks else None
    absent = {
        "DESCRIBE_FIGURES is on, but no figure was described": settings.describe_figures and describer is None,
        "CONTEXTUAL_CHUNKS is on, but no context was written": settings.contextual_chunks and context is None,
    }
    return Readers(
        judge=NoiseJudge(noise, keep_titles=settings.keep_titles) if noise else None,
        describer=FigureDescriber(describer, paid, settings.documents) if describer else None,
        context_writer=ContextWriter(context, paid) if context else None,
        approve=approve,
        absent=tuple(f"{what}: no language model takes that role" for what, lacks in absent.items() if lacks),
    )


@dataclass(slots=True)
class Steps:
    """The steps of one answer, and what each had to fall back on."""

    question: Question
    view: Snapshot
    settings: Settings
    models: ChatModels
    warnings: list[str] = field(default_factory=list)
    fallbacks: list[str] = field(default_factory=list)
    """Roles of the models that failed."""

    def read_evidence(self, ranked: Sequence[Candidate]) -> Evidence:
        """Choose what is read: whole documents where the settings say so, the model's choice, else by local order."""
        if self.settings.whole_corpus and self.models.synthesis is not None:
            whole = read_whole_documents(self.question, self.view, tokens=self.settings.whole_corpus_tokens)
            if whole is not None:
                return replace(whole, candidates=tuple(ranked))
            self.warnings.append(
                f"the documents are over {self.settings.whole_corpus_tokens:,} tokens (WHOLE_CORPUS_TOKENS); "
                "sections were read instead"
            )
        model = self.models.rerank
        if model is not None and ranked:
            try:
                ranking = rerank_with_model(self.question, ranked, self.view, model, count=self.settings.sections)
                evidence = gather_evidence(self.question, ranking.chosen, self.view, self.settings)
                # What was not chosen is not read, but a caption of it may match.
                figures = offer_figures(self.question, evidence.sections, ranking.candidates, self.view)
                return replace(evidence, candidates=ranking.candidates, figures=figures)
            except _FAILED as error:
                self._fall_back("rerank", f"re-ranking by {model.name} failed, the local order was used: {error}")
        return gather_evidence(self.question, ranked, self.view, self.settings)

    def ranking_price(self, candidates: int) -> str:
        """Say what choosing the sections will cost; empty if local."""
        model = self.models.rerank
        reads_whole = self.settings.whole_corpus and self.models.synthesis is not None
        if model is None or not candidates or reads_whole:
            return ""
        return request_estimate(model.name, candidates * _CANDIDATE_CHARACTERS + _RULES_CHARACTERS, _CHOICE_TOKENS)

    def writing_price(self, evidence: Evidence) -> str:
        """Say what writing the answer will cost, for whole documents beside what sections would; empty if local."""
        if self.models.synthesis is None or not evidence.sections:
            return ""
        estimate = self._writing_price(evidence, self.models.synthesis.name)
        if self.settings.whole_corpus:
            sections = gather_evidence(self.question, evidence.candidates, self.view, self.settings)
            estimate += f" (as sections: {self._writing_price(sections, self.models.synthesis.name)})"
        return estimate

    def _writing_price(self, evidence: Evidence, name: str) -> str:
        characters = sum(len(section.text) for section in evidence.sections) + _RULES_CHARACTERS
        return request_estimate(name, characters, _TYPICAL_ANSWER_TOKENS)

    def looking_price(self, figures: int) -> str:
        """Say what looking at the chosen pictures will cost; empty if nobody looks."""
        model = self.models.vision
        if model is None:
            return ""
        tokens = figures * model.image_tokens(_TYPICAL_SIDE, _TYPICAL_SIDE)
        return request_estimate(model.name, 4 * tokens + _RULES_CHARACTERS, _CHOICE_TOKENS)

    def write(
        self, evidence: Evidence, vector: Vectors | None, tell: Callable[[AnswerEvent], None]
    ) -> tuple[Answer, Evidence]:
        """Write the answer with the model, else by quotes; return it with the evidence that was read."""
        model = self.models.synthesis
        if model is not None and evidence.sections:
            try:
                return synthesise_with_model(self.question, evidence, self.view, model, self.settings, tell=tell)
            except _FAILED as error:
                why = f"{model.name} gave no answer, these are quotes by the local reader: {error}"
                self._fall_back("synthesis", why)
        return synthesise_locally(self.question, evidence, vector, self.view, self.settings), evidence

    def look(self, answer: Answer) -> Answer:
        """Let the vision model drop wrong pictures; where it fails they stay, marked as not looked at."""
        model = self.models.vision
        if model is None or not answer.figures:
            return answer
        try:
            return look_at_figures(answer, self.settings.documents, model, longest_side=self.settings.image_side)
        except _FAILED as error:
            self._fall_back("vision", f"the pictures were not looked at: {model.name} failed: {error}")
            return mark_unchecked(answer, f"{model.name} failed")

    def _fall_back(self, role: str, why: str) -> None:
        self.fallbacks.append(role)
        self.warnings.append(why)


def embed_question(embedder: Embedder | None, text: str) -> tuple[Vectors | None, tuple[str, ...]]:
    """Return a question's vector, or ``None`` and why the search goes by words only."""
    if embedder is None:
        return None, ()
    try:
        vector = embedder.embed_query(text)
    except _FAILED as error:
        return None, (f"the question was not embedded, the search went by words only: {error}",)
    if not np.isfinite(vector).all() or not vector.any():
        return None, (f"{embedder.name} gave no usable vector for the question, the search went by words only",)
    return vector, ()
