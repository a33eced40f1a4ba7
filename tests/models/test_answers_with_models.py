"""Whole questions, from the index to the answer, against the stub."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from headtree.errors import Cancelled, ModelUnavailableError
from headtree.evaluation.gold import SuiteQuestion
from headtree.evaluation.runner import ask
from headtree.pipeline import Watcher, answer, answer_with_evidence, build_index, open_index
from headtree.settings import Settings
from headtree.types import AnswerEvent, AnswerStage, Usage
from tests.models.corpus import write_corpus
from tests.models.plausible import plausible
from tests.models.stub_service import Break, Cite, Fail, Hang, Received, Say, Script, Stub

QUESTION = "How many bar is the pump rated?"


@pytest.fixture
def make_settings(settings_for: Callable[..., Settings], tmp_path: Path) -> Callable[..., Settings]:
    """Settings over a corpus whose index goes by words only: quick, and no model is needed to search."""
    write_corpus(tmp_path / "documents")
    build_index(settings_for(None, embedder="none"))

    def make(provider: str | None = None, **values: Any) -> Settings:
        return settings_for(provider, **{"embedder": "none", **values})

    return make


def say(value: Any) -> Say:
    return Say(json.dumps(value))


def reply(request: Received, **changes: Any) -> Script:
    """A good reply to a request about the pump, in the provider's way, with some parts replaced by the test."""
    whole = {
        "answer": "The pump is rated 4 bar [1].",
        "citations": [{"section": 1, "quote": "The pump is rated 4 bar."}],
        "figures": [],
        "missing": [],
        "answerable": True,
        **changes,
    }
    if request.kind == "synthesis":
        return say(whole)
    if request.kind == "text":
        sources = [block["content"] for block in request.blocks if block["type"] == "search_result"]
        said = [
            (number, place, place)
            for quote in whole["citations"]
            for number, content in enumerate(sources)
            for place, piece in enumerate(content)
            if quote["quote"] in piece["text"]
        ]
        return Say([Cite(re.sub(r" ?\[\d+\]", "", whole["answer"]), tuple(said or [(0, 0, 0)]))])
    if request.kind == "figures":
        return say({name: whole[name] for name in ("figures", "missing", "answerable")})
    return plausible(request)


def answers(stub: Stub, **changes: Any) -> None:
    stub.answer = lambda request: reply(request, **changes)


def handle_of(stub: Stub, words: str) -> str:
    """Find the handle under which a figure was offered last."""
    listed = [request for request in stub.received if "Figures:" in request.text][-1].text
    match = re.search(rf"^(F\d+) \|[^\n]*{words}", listed, re.MULTILINE)
    assert match is not None, listed
    return match.group(1)


def picks(words: str, reason: str = "it shows it") -> Callable[[Received], list[dict[str, str]]]:
    def pick(request: Received) -> list[dict[str, str]]:
        return [
            {"handle": handle, "reason": reason}
            for handle in re.findall(rf"^(F\d+) \|[^\n]*(?:{words})", request.text, re.MULTILINE)
        ]

    return pick


def test_an_answer_is_cited_checked_and_shown(provider: str, stub: Stub, make_settings: Any) -> None:
    pump = picks("seen from the side")
    stub.answer = lambda request: reply(request, figures=pump(request))
    events: list[AnswerEvent] = []
    result = answer(open_index(make_settings(provider)), QUESTION, watcher=Watcher(events.append))
    assert result.mode == {"gemini": "gemini/gemini-3.8-flash", "claude": "claude/claude-sonnet-5-5"}[provider]
    assert result.answer == "The pump is rated 4 bar [1]." or result.answer == "The pump is rated 4 bar.[1]"
    (citation,) = result.citations
    assert citation.verified
    assert (citation.doc_id, citation.breadcrumb[-1]) == ("pump", "Rating")
    assert "rated 4 bar" in citation.quote
    assert [figure.path for figure in result.figures] == ["pump/figures/pump.png"]
    assert result.figures[0].label == "Figure 1"
    assert result.figures[0].reason == "it shows it"
    assert {d.figure_id for d in result.figure_decisions} >= {"pump#pump/figures/pump.png"}
    assert not result.warnings
    texts = [event.text for event in events if event.text]
    assert texts
    assert texts[-1].startswith("The pump is rated 4 bar")
    stages = list(dict.fromkeys(event.stage for event in events))
    own_request = [AnswerStage.CHOOSING] if provider == "claude" else []
    steps = [AnswerStage.SEARCHING, AnswerStage.RANKING, AnswerStage.READING, AnswerStage.WRITING]
    assert stages == [*steps, *own_request]
    assert not stub.refused


def test_the_record_says_what_left_the_building(provider: str, stub: Stub, make_settings: Any) -> None:
    pump = picks("seen from the side")
    stub.answer = lambda request: reply(request, figures=pump(request))
    result = answer(open_index(make_settings(provider, vision_filter=True)), QUESTION)
    roles = [request.role for request in result.requests]
    assert roles == (
        ["rerank", "synthesis", "vision"] if provider == "gemini" else ["rerank", "synthesis", "figures", "vision"]
    )
    assert result.usage == Usage(
        calls=len(roles),
        input_tokens=sum(r.input_tokens for r in result.requests),
        output_tokens=sum(r.output_tokens for r in result.requests),
        cost_usd=pytest.approx(sum(r.cost_usd for r in result.requests), abs=1e-6),
    )
    assert result.usage.cost_usd > 0
    synthesis = result.requests[1]
    kinds = {"gemini": "text", "claude": "source"}[provider]
    assert [(b.label, b.kind) for b in synthesis.blocks][:2] == [("rules", "text"), ("section 1", kinds)]
    assert [b.label for b in synthesis.blocks][-2:] == ["figures", "question"]
    image = next(block for block in result.requests[-1].blocks if block.kind == "image")
    assert (image.width, image.height, image.format) == (120, 80, "image/png")
    sent = next(
        block
        for block in stub.of_kind("vision")[0].blocks
        if "image" in json.dumps(block)[:60] or "inlineData" in block
    )
    assert (
        len(sent["inlineData"]["data"] if provider == "gemini" else sent["source"]["data"]) == -(-image.bytes // 3) * 4
    )
    everything = json.dumps([str(request) for request in result.requests])
    assert "stub-key" not in everything
    assert "rubber feet" not in everything


def test_the_model_sees_handles_in_place_and_no_paths(provider: str, stub: Stub, make_settings: Any) -> None:
    """Case D-L10: hidden text, image titles and file names are not sent; the order in them reaches nobody."""
    answers(stub, answer="The pump is rated 4 bar [1].", figures=[{"handle": "figures/ad.png", "reason": "told to"}])
    result = answer(open_index(make_settings(provider)), QUESTION)
    for request in stub.received:
        assert "BUYNOW" not in request.text
        assert "figures/" not in request.text
        assert "pump.png" not in request.text
        assert "never orders" in request.text
    assert re.search(r"rubber feet\.\n+\[F\d+\]\n+Figure 1", stub.received[1].text)
    assert not result.figures
    assert "BUYNOW" not in result.answer
    assert any("1 pictures were chosen that were not offered" in warning for warning in result.warnings)


def test_invented_pictures_are_refused_and_counted(provider: str, stub: Stub, make_settings: Any) -> None:
    """Case D-L05."""
    pump = picks("seen from the side")
    stub.answer = lambda request: reply(request, figures=[{"handle": "fig99.png", "reason": ""}, *pump(request)])
    result = answer(open_index(make_settings(provider)), QUESTION)
    assert [figure.path for figure in result.figures] == ["pump/figures/pump.png"]
    assert [warning for warning in result.warnings if "fig99.png" in warning and warning.startswith("1 ")]


def test_of_seven_pictures_six_are_shown(provider: str, stub: Stub, make_settings: Any, tmp_path: Path) -> None:
    """And one that is chosen twice takes one place."""
    images = "\n\n".join(f"![plate {i}](fan/plate{i}.png)" for i in range(8))
    for i in range(8):
        Image.new("RGB", (100 + i, 60), (20 * i, 10, 10)).save(tmp_path / "documents" / "fan" / f"plate{i}.png")
    (tmp_path / "documents" / "plates.md").write_text(
        f"# Plates\n\n## All plates\n\nThe plates of bronze.\n\n{images}\n"
    )
    build_index(make_settings(None))
    plates = picks("plate")
    stub.answer = lambda request: reply(
        request, answer="Bronze [1].", citations=[], figures=[item for item in plates(request)[:7] for _ in (1, 2)]
    )
    result, evidence = answer_with_evidence(open_index(make_settings(provider)), "Which plates of bronze are there?")
    assert len([offered for offered in evidence.figures if offered.figure.doc_id == "plates"]) == 8
    assert [figure.path for figure in result.figures] == [f"fan/plate{i}.png" for i in range(6)]
    said = {
        decision.figure_id: decision.reason for decision in result.figure_decisions if "plates#" in decision.figure_id
    }
    assert {figure_id: reason for figure_id, reason in said.items() if figure_id > "plates#fan/plate5.png"} == {
        "plates#fan/plate6.png": "6 others come before it",
        "plates#fan/plate7.png": "the model did not choose it",
    }


def test_a_figure_that_the_answer_names_is_shown(provider: str, stub: Stub, make_settings: Any) -> None:
    answers(stub, answer="Every 1,200 hours, see Table 1 [1].", citations=[])
    result = answer(open_index(make_settings(provider)), "How often is the seal changed?")
    assert [figure.path for figure in result.figures] == ["pump/tables/service.png"]
    assert result.figures[0].reason == "the answer names Table 1"


def test_an_unanswerable_question_shows_nothing(provider: str, stub: Stub, make_settings: Any) -> None:
    pump = picks("seen from the side")
    stub.answer = lambda request: reply(
        request, answer="The sections do not say.", citations=[], answerable=False, figures=pump(request)
    )
    result = answer(open_index(make_settings(provider)), QUESTION)
    assert not result.answerable
    assert not result.figures
    assert "do not say" in result.answer


def test_a_quote_that_does_not_stand_there_is_not_verified(stub: Stub, make_settings: Any) -> None:
    answers(
        stub,
        answer="It is rated 4 bar [1] and weighs 77 kg [1][9].",
        citations=[
            {"section": 1, "quote": "The pump  is rated 4\nbar."},
            {"section": 1, "quote": "It weighs 77 kg."},
            {"section": 9, "quote": "x"},
        ],
    )
    result = answer(open_index(make_settings("gemini")), QUESTION)
    assert result.answer == "It is rated 4 bar [1] and weighs 77 kg [2]."
    assert [citation.verified for citation in result.citations] == [True, False]
    assert any("[2]" in warning and "word for word" in warning for warning in result.warnings)
    assert any("section 9" in warning for warning in result.warnings)
    assert any("stand in no section" in warning and "77" in warning for warning in result.warnings)


def test_parts_that_the_documents_do_not_hold_are_named(stub: Stub, make_settings: Any) -> None:
    answers(stub, missing=["its weight"])
    result = answer(open_index(make_settings("gemini")), "How many bar is the pump rated, and what does it weigh?")
    assert result.answerable
    assert result.answer.endswith("Not in the documents:\n\n- its weight")


def test_a_cut_section_is_read_on_before_the_model_abstains(stub: Stub, make_settings: Any, tmp_path: Path) -> None:
    long = "\n\n".join(f"Paragraph {i} speaks of nothing but the number {i} and grease." for i in range(120))
    (tmp_path / "documents" / "long.md").write_text(f"# Long\n\n## Grease\n\n{long}\n\nIts hue is green.\n")
    settings = make_settings("gemini", evidence_characters=2000, sections=1)
    build_index(settings.model_copy(update={"noise_model": "local"}))

    def by_what_it_saw(request: Received) -> Script:
        if request.kind != "synthesis":
            return plausible(request)
        seen = "Its hue is green." in request.text
        assert ("(cut: only lines" in request.text) is not seen
        return reply(request, answer="Green [1]." if seen else "?", citations=[], answerable=seen)

    stub.answer = by_what_it_saw
    result, evidence = answer_with_evidence(open_index(settings), "What does paragraph 7 of the grease text speak of?")
    assert result.answer == "Green [1]."
    assert len(stub.of_kind("synthesis")) == 2
    assert not evidence.sections[0].cut
    assert result.sections[0].last_line == evidence.sections[0].span.last


@pytest.mark.parametrize(
    "fault",
    [
        Say(""),
        Say("x", stop="blocked"),
        Say("x", stop="refused"),
        Say('{"answer": "half of', stop="cut"),
        Say('{"images":[' + "1," * 5000),
        Say("I would rather not use JSON."),
        Fail(429),
        Fail(529, kind="overloaded_error"),
        Fail(401, "bad key", kind="authentication_error"),
        Break("half"),
    ],
)
def test_whatever_fails_a_local_answer_says_so(provider: str, stub: Stub, make_settings: Any, fault: Script) -> None:
    """Cases D-L06, D-L07, D-L08: the question is answered all the same, once with the same request again at most."""
    if isinstance(fault, Say) and fault.stop == "done" and fault.text and provider == "claude":
        pytest.skip("prose is what this provider is asked for")
    stub.answer = lambda request: fault if request.kind in {"synthesis", "text"} else plausible(request)
    settings = make_settings(provider, rerank_model="local")
    expected = answer(open_index(make_settings(None)), QUESTION)
    result = answer(open_index(settings), QUESTION)
    assert result.mode == "local"
    assert result.answer == expected.answer
    assert result.figures == expected.figures
    assert any("gave no answer, these are quotes by the local reader" in warning for warning in result.warnings)
    bodies = [json.dumps(request.body) for request in stub.received]
    assert len(set(bodies)) == 1, "a bad reply was pasted into the next request"
    assert result.requests[-1].outcome != "done" or len(result.requests) == 2


def test_with_the_service_down_every_step_falls_back(provider: str, stub: Stub, make_settings: Any) -> None:
    expected = answer(open_index(make_settings(None)), QUESTION)
    stub.answer = lambda request: Fail(503)
    result = answer(open_index(make_settings(provider, vision_filter=True)), QUESTION)
    assert result.mode == "local"
    assert result.answer == expected.answer
    steps = ("re-ranking by", "gave no answer") + (("the pictures were not looked at",) if expected.figures else ())
    for step in steps:
        assert any(step in warning and "out of order" in warning for warning in result.warnings), step
    assert len(stub.received) == 4, "one step tried four times; the others knew"


def test_a_service_that_is_silent_costs_its_time_once(provider: str, stub: Stub, make_settings: Any) -> None:
    stub.answer = lambda request: Hang(3)
    started = time.monotonic()
    result = answer(open_index(make_settings(provider, model_seconds=0.5)), QUESTION)
    assert result.mode == "local"
    assert any(
        "no complete reply within" in warning or "did not reply in time" in warning for warning in result.warnings
    )
    assert time.monotonic() - started < 3
    assert len(result.requests) == 1


@pytest.mark.parametrize("fault", [Say(""), Say("x", stop="blocked-prompt"), Fail(429)])
def test_in_a_benchmark_a_failure_is_an_error(provider: str, stub: Stub, make_settings: Any, fault: Script) -> None:
    """Case D-L06: the row says what failed; it is no answer of the model that was to be measured."""
    stub.answer = lambda request: fault if request.kind in {"synthesis", "text"} else plausible(request)
    opened = open_index(make_settings(provider))
    assert opened.models.synthesis is not None
    row = ask(SuiteQuestion(key="1", id="1", query=QUESTION), opened)
    assert row["error_kind"] == "outage"
    assert opened.models.synthesis.name in row["error"]
    assert any(word in row["error"] for word in ("empty", "safety", "takes no more requests"))
    assert not row["scores"]


def test_a_failed_rerank_leaves_the_local_order(provider: str, stub: Stub, make_settings: Any) -> None:
    stub.answer = lambda request: say({"sections": [{"index": 99}]}) if request.kind == "rerank" else reply(request)
    local = answer(open_index(make_settings(None)), QUESTION)
    result = answer(open_index(make_settings(provider)), QUESTION)
    assert [s.node_id for s in result.sections] == [s.node_id for s in local.sections]
    assert result.mode != "local"
    assert any("the local order was used" in warning for warning in result.warnings)


def test_the_reranker_decides_what_is_read(provider: str, stub: Stub, make_settings: Any) -> None:
    def choose(request: Received) -> Script:
        if request.kind != "rerank":
            return reply(request, answer="Dry [1].", citations=[])
        line = next(line for line in request.text.split("\n") if "> Storage" in line)
        index = int(line[1 : line.index("]")])
        return say({"sections": [{"index": index, "reason": "told"}, {"index": index}, {"index": 999}, {"index": -1}]})

    stub.answer = choose
    result, evidence = answer_with_evidence(open_index(make_settings(provider)), QUESTION)
    assert [section.breadcrumb[-1] for section in result.sections] == ["Storage"]
    assert "told" in evidence.sections[0].reason
    assert len(evidence.candidates) > 3
    assert evidence.candidates[0].node_id == evidence.sections[0].node_id


def test_stopping_reaches_the_provider(provider: str, stub: Stub, make_settings: Any) -> None:
    stub.answer = lambda request: Hang(5)
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    with pytest.raises(Cancelled):
        answer(open_index(make_settings(provider)), QUESTION, watcher=Watcher(stop=stop))


def test_without_a_key_nothing_changes(make_settings: Any, stub: Stub) -> None:
    opened = open_index(make_settings(None))
    explicit = open_index(
        make_settings(None, rerank_model="local", synthesis_model="local", vision_model="local", noise_model="local")
    )
    first, second = answer(opened, QUESTION), answer(explicit, QUESTION)
    assert replace(first, timings=second.timings) == second
    assert (first.mode, first.usage, first.requests, first.warnings) == ("local", Usage(), (), ())
    assert not stub.received


def test_a_named_model_without_its_key_is_an_error(make_settings: Any) -> None:
    with pytest.raises(ModelUnavailableError, match="GEMINI_API_KEY is not set"):
        open_index(make_settings(None, synthesis_model="gemini/gemini-3.8-flash"))


# ------------------------------------------------------------- a local server that speaks the Messages API


def test_a_local_server_gets_no_features_that_it_may_not_have(stub: Stub, make_settings: Any) -> None:
    stub.answer = lambda request: Say(
        "Sure!\n"
        + json.dumps({"answer": "The pump is rated 4 bar [1].", "citations": [], "figures": [], "answerable": True})
    )
    settings = make_settings("claude", synthesis_model="claude/qwen3:8b", rerank_model="local")
    result = answer(open_index(settings), QUESTION)
    assert result.mode == "claude/qwen3:8b"
    assert result.answer.startswith("The pump is rated 4 bar")
    body = stub.received[0].body
    assert "output_config" not in body
    assert {block["type"] for block in body["messages"][0]["content"]} == {"text"}
    assert '"additionalProperties": false' in body["system"]
    assert result.usage.cost_usd == 0


def test_prose_with_show_tags_is_still_an_answer(stub: Stub, make_settings: Any) -> None:
    """Cases D-L01 and D-L02."""
    stub.answer = lambda request: Say(
        f"The pump is rated 4 bar [1]. [SHOW: {handle_of(stub, 'seen from')} | Table 2 [ours] vs base]"
    )
    settings = make_settings("claude", synthesis_model="claude/qwen3:8b", rerank_model="local")
    result = answer(open_index(settings), QUESTION)
    assert result.answer == "The pump is rated 4 bar [1]."
    assert [figure.path for figure in result.figures] == ["pump/figures/pump.png"]
    assert result.figures[0].reason == "Table 2 [ours] vs base"
    assert any("prose" in warning for warning in result.warnings)


def test_a_rank_list_in_words_is_read(stub: Stub, make_settings: Any) -> None:
    stub.answer = lambda request: (
        Say("Top 2: 1, 0") if "Candidates" in request.text or "[0] " in request.text else reply(request)
    )
    settings = make_settings("claude", rerank_model="claude/qwen3:8b", synthesis_model="local")
    result, evidence = answer_with_evidence(open_index(settings), QUESTION)
    local = answer_with_evidence(open_index(make_settings(None)), QUESTION)[1]
    chosen = [(c.doc_id, c.node_id) for c in evidence.candidates[:2]]
    assert chosen == [(c.doc_id, c.node_id) for c in (local.candidates[1], local.candidates[0])]
    assert not result.warnings
