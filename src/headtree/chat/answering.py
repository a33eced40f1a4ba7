"""A question as a job: it goes on while the page is clicked, left or loaded anew, and stops when it is told to.

The worker thread writes the outcome to the store, and only once: whoever comes first, the answer, a failure or the
user's Stop, wins. So Stop acts at once even where a model's reply is still awaited; that reply is thrown away.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from headtree.chat.history import AnswerOptions, Chat, ChatStore, Turn, TurnState, new_id, now
from headtree.chat.trace import Step, Trace, make_trace
from headtree.errors import Cancelled, HeadtreeError
from headtree.models.registry import Registry
from headtree.pipeline import OpenIndex, Watcher, answer_with_evidence
from headtree.steps import load_chat_models
from headtree.types import Answer, AnswerEvent

_log = logging.getLogger(__name__)

LONGEST_QUESTION = 4000
"""Characters; more is a document, not a question."""


@dataclass(frozen=True, slots=True)
class Found:
    """What answering a question gave."""

    answer: Answer
    trace: Trace
    generation: str


Answerer = Callable[[Turn, Watcher], Found]
"""Answers a question; tells the watcher its steps and obeys its stop."""


@dataclass(slots=True)
class AnswerJob:
    """A question that is being answered."""

    chat_id: str
    turn: Turn
    store: ChatStore
    stop: threading.Event = field(default_factory=threading.Event)
    text: str = ""
    steps: tuple[Step, ...] = ()
    done: threading.Event = field(default_factory=threading.Event)
    _began: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return time.monotonic() - self._began

    def hear(self, event: AnswerEvent) -> None:
        """Take a step or the text so far from the pipeline."""
        if event.text:
            self.text = event.text
        last = self.steps[-1] if self.steps else None
        if last is None or (last.stage, last.detail) != (event.stage.value, event.detail):
            self.steps = (*self.steps, Step(event.stage.value, event.detail, round(self.seconds, 3)))

    def run(self, answerer: Answerer) -> None:
        """Answer, and keep the outcome whatever it is."""
        try:
            found = answerer(self.turn, Watcher(tell=self.hear, stop=self.stop))
            self._end(
                state=TurnState.ANSWERED,
                answer=found.answer,
                trace=replace(found.trace, steps=self.steps),
                generation=found.generation,
            )
        except Cancelled:
            self.cancel()
        except HeadtreeError as error:
            self._end(state=TurnState.FAILED, error=str(error))
        except Exception as error:  # a defect of ours must not leave the question unanswered for ever
            _log.exception("the question %r failed", self.turn.question[:80])
            self._end(state=TurnState.FAILED, error=f"unexpected {type(error).__name__}; the server's log says more")

    def cancel(self) -> None:
        """Stop: what was written so far is kept."""
        self.stop.set()
        self._end(state=TurnState.STOPPED, text=self.text)

    def _end(
        self,
        *,
        state: TurnState,
        text: str = "",
        error: str = "",
        answer: Answer | None = None,
        trace: Trace | None = None,
        generation: str = "",
    ) -> None:
        with self._lock:
            if self.done.is_set():
                return
            turn = replace(
                self.turn, state=state, text=text, error=error, answer=answer, trace=trace, generation=generation
            )
            try:
                self.store.finish(self.chat_id, turn)
            finally:
                self.done.set()


@dataclass(slots=True)
class AnswerBoard:
    """The questions that are being answered, one per chat at most."""

    store: ChatStore
    _jobs: dict[str, AnswerJob] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def job(self, chat_id: str) -> AnswerJob | None:
        """Return the running job of a chat."""
        job = self._jobs.get(chat_id)
        return None if job is None or job.done.is_set() else job

    def look(self, chat_id: str) -> tuple[Chat | None, AnswerJob | None]:
        """Return a chat and its running job as they are at one moment.

        The job is looked for first: one that ends in between has its outcome in the chat. The other way round, a
        question that was answered just then would pass for one whose server was stopped.
        """
        with self._lock:  # no question begins in between
            job = self.job(chat_id)
            return self.store.load(chat_id), job

    def ask(self, chat_id: str, owner: str, question: str, options: AnswerOptions, answerer: Answerer) -> bool:
        """Begin to answer a question; ``False`` where the chat's last one is still being answered.

        Raises:
            HeadtreeError: the question is empty or too long.
        """
        question = question.strip()
        if not question:
            raise HeadtreeError("the question is empty")
        if len(question) > LONGEST_QUESTION:
            raise HeadtreeError(f"the question has {len(question)} characters; {LONGEST_QUESTION} is the most")
        turn = Turn(new_id(), question, now(), options)
        with self._lock:
            if self.job(chat_id) is not None:
                return False
            self._close_interrupted(chat_id)
            if not self.store.begin(chat_id, owner, turn):
                return False
            job = self._jobs[chat_id] = AnswerJob(chat_id, turn, self.store)
        threading.Thread(target=self._work, args=(job, answerer), daemon=True, name=f"answer-{chat_id[:8]}").start()
        return True

    def _work(self, job: AnswerJob, answerer: Answerer) -> None:
        try:
            job.run(answerer)
        finally:
            with self._lock:
                if self._jobs.get(job.chat_id) is job:
                    del self._jobs[job.chat_id]

    def _close_interrupted(self, chat_id: str) -> None:
        """Mark a question whose worker is gone, because the server was stopped, as stopped."""
        chat = self.store.load(chat_id)
        if chat and chat.turns and chat.turns[-1].state is TurnState.ANSWERING:
            self.store.finish(chat_id, replace(chat.turns[-1], state=TurnState.STOPPED))


def answer_from(opened: OpenIndex, registry: Registry) -> Answerer:
    """Return what answers questions from an open index, each with its own settings."""

    def answerer(turn: Turn, watcher: Watcher) -> Found:
        options = turn.options
        settings = options.apply_to(opened.settings)
        opened_so = replace(opened, settings=settings, models=load_chat_models(settings, registry))
        answer, evidence = answer_with_evidence(opened_so, turn.question, documents=options.documents, watcher=watcher)
        with opened.index.snapshot() as view:
            searched = options.documents or view.document_ids()
            return Found(answer, make_trace(answer, evidence, view, (), searched), view.generation)

    return answerer
