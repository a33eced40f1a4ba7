"""Every fault of a service, over HTTP, for both providers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from headtree.errors import Cancelled, ModelCallError, ModelUnavailableError
from headtree.models.failures import Failure, ServiceError
from headtree.models.registry import Registry, Role
from headtree.models.requests import ChatRequest, ImageBlock, SourceBlock, TextBlock
from headtree.models.runs import model_run
from headtree.settings import Settings
from tests.models.stub_service import Break, Cite, Fail, Hang, Raw, Say, Stub


def request(**values: Any) -> ChatRequest:
    return ChatRequest(
        **{
            "role": "test",
            "prompt": "test/1",
            "system": "Rules.",
            "blocks": (TextBlock("question", "Why?"),),
            "max_output_tokens": 500,
            **values,
        }
    )


SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


def failure_of(model: Any, **options: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        model.ask(request(), **options)
    return caught.value


def test_a_reply_comes_back_with_its_tokens_and_cost(chat_model: Any, stub: Stub) -> None:
    stub.script.append(Say("Because.", tokens=(1000, 95)))
    with model_run() as run:
        reply = chat_model.ask(request())
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("Because.", 1000, 100)
    (sent,) = run.requests
    price = {"gemini/gemini-3.8-flash": (0.75, 3.75), "claude/claude-sonnet-5-5": (2.0, 10.0)}[chat_model.name]
    assert sent.cost_usd == pytest.approx((1000 * price[0] + 100 * price[1]) / 1e6, abs=2e-8)
    assert (sent.attempts, sent.outcome, sent.prompt) == (1, "done", "test/1")
    assert [(block.label, block.kind, block.bytes) for block in sent.blocks] == [
        ("rules", "text", 6),
        ("question", "text", 4),
    ]


def test_no_sampling_parameters_are_sent(chat_model: Any, stub: Stub) -> None:
    stub.script.append(Say("Because."))
    chat_model.ask(request(schema=SCHEMA))
    body = json.dumps(stub.received[0].body)
    assert not any(name in body for name in ("temperature", "top_p", "topP", "top_k", "topK"))
    assert stub.received[0].schema == SCHEMA
    assert not stub.refused


def test_streamed_text_grows_and_ends_as_the_reply(chat_model: Any, stub: Stub) -> None:
    stub.script.append(Say("word " * 50))
    heard: list[str] = []
    reply = chat_model.ask(request(), on_text=heard.append)
    assert len(heard) > 2
    assert all(later.startswith(earlier) for earlier, later in pairwise(heard))
    assert heard[-1] == reply.text == "word " * 50


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("script", "kind", "words"),
    [
        (Say(""), Failure.EMPTY, "empty"),
        (Say("x", stop="blocked"), Failure.BLOCKED, "safety"),
        (Say("", stop="blocked-prompt"), Failure.BLOCKED, "safety"),
        (Say("", stop="refused"), Failure.BLOCKED, "safety"),
        (Say('{"a": "b', stop="cut"), Failure.CUT, "cut off"),
        (Fail(400, "no such field"), Failure.REFUSED, "no such field"),
        (Fail(403, "not allowed"), Failure.KEY, "_API_KEY"),
        (Fail(404, "not found"), Failure.REFUSED, "knows no model"),
    ],
)
def test_a_lasting_fault_is_named_and_not_repeated(
    chat_model: Any, stub: Stub, script: Any, kind: Failure, words: str, streamed: bool
) -> None:
    stub.script.append(script)
    failure = failure_of(chat_model, on_text=(lambda text: None) if streamed else None)
    assert failure.kind is kind
    assert words in str(failure)
    assert len(stub.received) == 1


@pytest.mark.parametrize(
    "script", [Fail(429), Fail(503), Fail(529, kind="overloaded_error"), Fail(500), Raw("<html>", 502, "text/html")]
)
def test_a_passing_fault_is_repeated(chat_model: Any, stub: Stub, script: Any) -> None:
    stub.script += [script, script, Say("Because.")]
    with model_run() as run:
        assert chat_model.ask(request()).text == "Because."
    assert len(stub.received) == 3
    assert [sent.attempts for sent in run.requests] == [3]


def test_a_wait_that_the_service_asks_for_is_kept(chat_model: Any, stub: Stub) -> None:
    stub.script += [Fail(429, retry_after=1), Say("Because.")]
    chat_model.ask(request())
    assert stub.received[1].at - stub.received[0].at >= 1.0


def test_a_wait_beyond_the_deadline_is_not_begun(chat_model: Any, stub: Stub) -> None:
    stub.script.append(Fail(429, retry_after=3600))
    started = time.monotonic()
    assert failure_of(chat_model).kind is Failure.RATE
    assert time.monotonic() - started < 5


def test_attempts_end(chat_model: Any, stub: Stub) -> None:
    stub.answer = lambda received: Fail(503)
    with model_run() as run:
        assert failure_of(chat_model).kind is Failure.OUTAGE
        assert len(stub.received) == 4
        # The run does not wait for the same provider again.
        with pytest.raises(ModelCallError, match="out of order"):
            chat_model.ask(request())
    assert len(stub.received) == 4
    assert "out of order" in run.requests[0].outcome


@pytest.mark.parametrize("event", [None, "error"])
def test_a_stream_that_breaks_off_is_no_reply(chat_model: Any, provider: str, stub: Stub, event: str | None) -> None:
    errors = {
        "gemini": {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}},
        "claude": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    }
    broken = Break("half of a", errors[provider] if event else None)
    stub.script += [broken, Say("A whole reply.")]
    heard: list[str] = []
    assert chat_model.ask(request(), on_text=heard.append).text == "A whole reply."
    assert heard[0].startswith("half")
    assert heard[-1] == "A whole reply."


def test_silence_ends_at_the_deadline(provider: str, stub: Stub, settings_for: Callable[..., Settings]) -> None:
    stub.answer = lambda received: Hang(3)
    model = Registry(settings_for(provider, model_seconds=0.5)).chat_model(Role.SYNTHESIS)
    started = time.monotonic()
    assert failure_of(model).kind is Failure.TIMEOUT
    assert time.monotonic() - started < 2


def test_a_stop_is_heard_while_the_service_is_silent(chat_model: Any, stub: Stub) -> None:
    stub.answer = lambda received: Hang(3)
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    started = time.monotonic()
    with model_run(stop), pytest.raises(Cancelled):
        chat_model.ask(request())
    assert time.monotonic() - started < 1.5


def test_nobody_listens_at_the_address(provider: str, stub: Stub, settings_for: Callable[..., Settings]) -> None:
    model = Registry(settings_for(provider)).chat_model(Role.SYNTHESIS)
    stub.close()
    assert failure_of(model).kind is Failure.CONNECTION


def test_a_wrong_key_names_the_variable(provider: str, stub: Stub, settings_for: Callable[..., Settings]) -> None:
    key = {"gemini": "gemini_api_key", "claude": "anthropic_api_key"}[provider]
    model = Registry(settings_for(provider, **{key: "wrong"})).chat_model(Role.SYNTHESIS)
    failure = failure_of(model)
    assert failure.kind is Failure.KEY
    assert {"gemini": "GEMINI_API_KEY", "claude": "ANTHROPIC_API_KEY"}[provider] in str(failure)
    assert "wrong" not in str(failure)


def test_a_key_that_is_not_set_names_the_variable(settings_for: Callable[..., Settings]) -> None:
    with pytest.raises(ModelUnavailableError, match="ANTHROPIC_API_KEY is not set"):
        Registry(settings_for(None, synthesis_model="claude/claude-opus-5-5", claude_base_url=None)).chat_model(
            Role.SYNTHESIS
        )


def test_a_server_of_ones_own_needs_no_key(stub: Stub, settings_for: Callable[..., Settings]) -> None:
    model: Any = Registry(settings_for(None, synthesis_model="claude/qwen3:8b")).chat_model(Role.SYNTHESIS)
    assert model.name == "claude/qwen3:8b"
    assert Registry(settings_for(None)).chat_model(Role.SYNTHESIS) is None


def test_used_up_quota_is_not_repeated(chat_model: Any, provider: str, stub: Stub) -> None:
    daily = [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}]
    stub.script.append({"gemini": Fail(429, "quota", details=daily), "claude": Fail(402, "credit")}[provider])
    assert failure_of(chat_model).kind is Failure.QUOTA
    assert len(stub.received) == 1


@pytest.mark.parametrize("body", [Raw('{"choices": [{"message": {"content": "hi"}}]}'), Raw("hello", 200, "text/html")])
def test_a_server_of_another_kind_is_named(chat_model: Any, stub: Stub, body: Raw) -> None:
    stub.answer = lambda received: body
    assert failure_of(chat_model).kind in {Failure.REFUSED, Failure.OUTAGE, Failure.CONNECTION}


def test_too_many_images_are_refused_before_they_are_sent(chat_model: Any, stub: Stub) -> None:
    image = ImageBlock("F1", b"x", "image/png", 10, 10)
    with pytest.raises(ServiceError, match="images"):
        chat_model.ask(request(blocks=(image,) * 101))
    assert not stub.received


def test_sources_and_a_schema_exclude_each_other(stub: Stub, settings_for: Callable[..., Settings]) -> None:
    model: Any = Registry(settings_for("claude")).chat_model(Role.SYNTHESIS)
    source = SourceBlock("section 1", "A", ("Text.",))
    with pytest.raises(ServiceError, match="not both"):
        model.ask(request(blocks=(source,), schema=SCHEMA))


def test_native_citations_keep_source_and_paragraphs(stub: Stub, settings_for: Callable[..., Settings]) -> None:
    model: Any = Registry(settings_for("claude")).chat_model(Role.SYNTHESIS)
    stub.script.append(Say([Cite("One.", ((1, 0, 1),)), Cite(" Two.")]))
    sources = (SourceBlock("section 1", "A", ("a",)), SourceBlock("section 2", "B", ("b", "c")))
    reply = model.ask(request(blocks=(*sources, TextBlock("question", "Why?"))))
    (citation,) = reply.pieces[0].citations
    assert (citation.source, citation.first, citation.last, citation.quote) == (1, 0, 1, "bc")
    assert reply.pieces[1].citations == ()


def test_empty_text_is_left_out(chat_model: Any, stub: Stub) -> None:
    """Case D-L13."""
    stub.script.append(Say("Because."))
    chat_model.ask(request(blocks=(TextBlock("section 1", ""), TextBlock("section 2", "Good."))))
    assert not stub.refused
    assert len(stub.received[0].blocks) == 1
