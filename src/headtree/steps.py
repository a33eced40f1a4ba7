"""The steps of an answer that a model may take, each with the local path that is taken where it fails, and says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from headtree.errors import ModelCallError, ModelUnavailableError
from headtree.indexing.index import Snapshot
from headtree.models.estimates import request_estimate
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
from headtree.types import Answer, Candidate, Evidence

_TYPICAL_ANSWER_TOKENS = 1_000
_RULES_CHARACTERS = 4_000
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


@dataclass(slots=True)
class Steps:
    """The steps of one answer, and what each had to fall back on."""

    question: Question
    view: Snapshot
    settings: Settings
    models: ChatModels
    warnings: list[str] = field(default_factory=list)

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
                self.warnings.append(f"re-ranking by {model.name} failed, the local order was used: {error}")
        return gather_evidence(self.question, ranked, self.view, self.settings)

    def estimate(self, evidence: Evidence) -> str:
        """Say what writing the answer will cost, for whole documents beside what sections would; empty if local."""
        if self.models.synthesis is None or not evidence.sections:
            return ""
        estimate = self._estimate(evidence, self.models.synthesis.name)
        if self.settings.whole_corpus:
            sections = gather_evidence(self.question, evidence.candidates, self.view, self.settings)
            estimate += f" (as sections: {self._estimate(sections, self.models.synthesis.name)})"
        return estimate

    def _estimate(self, evidence: Evidence, name: str) -> str:
        characters = sum(len(section.text) for section in evidence.sections) + _RULES_CHARACTERS
        return request_estimate(name, characters, _TYPICAL_ANSWER_TOKENS)

    def write(
        self, evidence: Evidence, vector: Vectors | None, on_text: Callable[[str], None]
    ) -> tuple[Answer, Evidence]:
        """Write the answer with the model, else by quotes; return it with the evidence that was read."""
        model = self.models.synthesis
        if model is not None and evidence.sections:
            try:
                return synthesise_with_model(self.question, evidence, self.view, model, self.settings, on_text=on_text)
            except _FAILED as error:
                self.warnings.append(f"{model.name} gave no answer, these are quotes by the local reader: {error}")
        return synthesise_locally(self.question, evidence, vector, self.view, self.settings), evidence

    def look(self, answer: Answer) -> Answer:
        """Let the vision model drop wrong pictures; where it fails they stay, marked as not looked at."""
        model = self.models.vision
        if model is None or not answer.figures:
            return answer
        try:
            return look_at_figures(answer, self.settings.documents, model, longest_side=self.settings.image_side)
        except _FAILED as error:
            self.warnings.append(f"the pictures were not looked at: {model.name} failed: {error}")
            return mark_unchecked(answer, f"{model.name} failed")


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
