"""The judge with a language model of the models layer. Its reply is untrusted: one of three grades, or no verdict."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from headtree.errors import HeadtreeError, ModelUnavailableError
from headtree.evaluation.verdicts import JUDGE_NAME, JUDGE_PROMPT, Grade, Verdict
from headtree.models.catalogue import PROVIDERS
from headtree.models.prompts import JUDGE, JUDGE_SCHEMA
from headtree.models.protocols import ChatModel
from headtree.models.registry import AUTO, Registry, Role
from headtree.models.replies import ask_for
from headtree.models.requests import ChatRequest, Effort, TextBlock
from headtree.settings import Settings

_OUTPUT_TOKENS = 4_000
"""A reason and a grade are about 60; the rest is room to think."""
_REASON_CHARACTERS = 400


class _Reply(BaseModel):
    reason: str
    grade: Grade


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Grades with a chat model; see ``Judge``."""

    model: ChatModel

    @property
    def name(self) -> str:
        """``provider/model``."""
        return self.model.name

    def grade(self, task: str) -> Verdict:
        """See ``Judge.grade``."""
        request = ChatRequest(
            role=JUDGE_NAME,
            prompt=JUDGE_PROMPT,
            system=JUDGE,
            blocks=(TextBlock("question, gold and answer", task),),
            max_output_tokens=_OUTPUT_TOKENS,
            schema=JUDGE_SCHEMA,
            effort=Effort.MEDIUM,
        )
        reply = ask_for(self.model, request, _Reply)
        return Verdict(reply.grade, " ".join(reply.reason.split())[:_REASON_CHARACTERS])


def check_choice(choice: str) -> None:
    """Check what was typed as a judge.

    Raises:
        ValueError: it is neither ``auto`` nor ``provider/model``.
    """
    provider, _, model = choice.partition("/")
    if choice != AUTO and not (provider in PROVIDERS and model):
        raise ValueError(f"{choice!r} is neither auto nor {' nor '.join(f'{name}/<model>' for name in PROVIDERS)}")


def load_judge(settings: Settings, choice: str) -> ModelJudge:
    """Return the judge; nothing is called yet.

    Args:
        settings: keys, addresses and limits.
        choice: ``provider/model``, or ``auto`` for the model that writes answers where a key is set.

    Raises:
        HeadtreeError: no key is set for it.
    """
    try:
        model = Registry(settings.model_copy(update={Role.SYNTHESIS.value: choice})).chat_model(Role.SYNTHESIS)
    except ModelUnavailableError:
        model = None
    if model is None:
        raise HeadtreeError(
            f"--judge {choice} needs a key: set GEMINI_API_KEY or ANTHROPIC_API_KEY in the environment or in .env"
        )
    return ModelJudge(model)
