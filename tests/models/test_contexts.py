"""Contexts of chunks: what is sent, what is searched, what is paid, and what happens without a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtree.errors import HeadtreeError
from headtree.indexing.contexts import CHUNKS_PER_REQUEST, _windows
from headtree.indexing.documents import SourceFile, prepare_document
from headtree.indexing.images import ImageFinder
from headtree.models.estimates import Estimate
from headtree.pipeline import answer, answer_with_evidence, build_index, open_index
from headtree.settings import Settings
from headtree.types import BuildReport, WarningKind
from tests.models.corpus import write_corpus
from tests.models.plausible import plausible
from tests.models.stub_service import Fail, Received, Say, Script, Stub


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "documents", more_sections=40)


@pytest.fixture
def build(provider: str, settings_for: Callable[..., Settings], documents: Path, stub: Stub) -> Any:
    stub.answer = plausible

    def run(*, fresh: bool = False, approve: Any = lambda estimates: True, **values: Any) -> BuildReport:
        chosen = {"embedder": "none", "noise_model": "local", "contextual_chunks": True, **values}
        return build_index(settings_for(provider, **chosen), fresh=fresh, approve=approve)

    return run


def numbered(request: Received) -> list[tuple[int, str]]:
    """The chunks of a request: number and breadcrumb."""
    found = re.findall(r"^\[(\d+)\] (.+)$", request.text.split("Chunks:\n")[1], re.MULTILINE)
    return [(int(number), breadcrumb) for number, breadcrumb in found]


def writing(words: Callable[[str], str | None]) -> Callable[[Received], Script]:
    """Answer with contexts made from breadcrumbs; ``None`` leaves one out."""

    def write(request: Received) -> Script:
        if request.kind != "context":
            return plausible(request)
        made = [(number, words(breadcrumb)) for number, breadcrumb in numbered(request)]
        return Say(json.dumps({"contexts": [{"chunk": n, "context": text} for n, text in made if text is not None]}))

    return write


def local(settings_for: Callable[..., Settings]) -> Any:
    return open_index(settings_for(None, embedder="none"))


def contexts_of(opened: Any) -> dict[str, str]:
    """The contexts of an index by the last title of the breadcrumb; those of text only."""
    with opened.index.snapshot() as view:
        ids = [chunk_id for doc_id in view.document_ids() for chunk_id in view.chunk_ids([doc_id])]
        chunks = view.chunks(ids).values()
        return {chunk.breadcrumb[-1]: chunk.context for chunk in chunks if chunk.figure_path is None}


def fallbacks(report: BuildReport) -> list[str]:
    return [f"{w.doc_id}: {w.message}" for w in report.warnings if w.kind is WarningKind.FALLBACK]


def test_they_are_off_unless_asked_for(build: Any, stub: Stub) -> None:
    report = build(contextual_chunks=False)
    assert not stub.received
    assert report.usage.calls == 0


def test_a_chunk_is_found_by_its_context_which_is_never_quoted(
    build: Any, stub: Stub, settings_for: Callable[..., Settings]
) -> None:
    stub.answer = writing(lambda breadcrumb: "On the zyzzyva pump." if "Storage" in breadcrumb else "On a pump.")
    report = build()
    assert not fallbacks(report)
    assert not stub.refused
    opened = local(settings_for)
    known = contexts_of(opened)
    assert known["Storage"] == "On the zyzzyva pump."
    assert known["Part 7"] == "On a pump."
    result, evidence = answer_with_evidence(opened, "What is said on the zyzzyva?")
    assert (evidence.candidates[0].doc_id, result.sections[0].doc_id) == ("pump", "pump")
    assert evidence.candidates[0].node_id == next(
        section.node_id for section in result.sections if section.breadcrumb[-1] in {"Storage", "Pump handbook"}
    )
    assert not any("zyzzyva" in citation.quote for citation in result.citations)
    assert not any("zyzzyva" in section.text for section in evidence.sections)


def test_contexts_are_embedded(build: Any, provider: str, stub: Stub) -> None:
    if provider != "gemini":
        pytest.skip("it has no embedder")
    stub.answer = writing(lambda breadcrumb: "On the zyzzyva pump.")
    build(embedder="auto", embedding_dimensions=128)
    embedded = [
        item["content"]["parts"][0]["text"] for request in stub.of_kind("embed") for item in request.body["requests"]
    ]
    assert "pump > Pump handbook > Part 7\nOn the zyzzyva pump.\nPart 7 lies in drawer 7." in embedded


def test_the_document_stands_first_and_is_kept(build: Any, provider: str, stub: Stub) -> None:
    report = build()
    requests = [request for request in stub.of_kind("context") if "Pump handbook" in request.text]
    assert len(requests) == 3
    assert all(len(numbered(request)) <= CHUNKS_PER_REQUEST for request in requests)
    asked = [breadcrumb for request in requests for _, breadcrumb in numbered(request)]
    assert len(asked) == len(set(asked)) >= 44
    first = {json.dumps(request.blocks[0]) for request in requests}
    assert len(first) == 1, "what is kept must be the same"
    text = requests[0].text
    assert "drawer 39" in text.split("Chunks:")[0]
    assert "BUYNOW" not in text
    assert "figures/" not in text
    if provider == "claude":
        assert [request.kept[1] > 0 for request in requests] == [True, False, False]
        assert [request.kept[0] > 0 for request in requests] == [False, True, True]
    assert report.usage.calls == len(stub.of_kind("context")) == 3, "a page of one chunk has nothing to be placed in"


def test_nothing_is_paid_twice(build: Any, stub: Stub, documents: Path) -> None:
    build()
    paid = len(stub.received)
    assert build(fresh=True).usage.calls == 0
    assert build().usage.calls == 0
    (documents / "note.md").write_text("# Note\n\n## A\n\nOf apples.\n\n## B\n\nOf pears.\n")
    asked: list[Sequence[Estimate]] = []
    build(approve=lambda estimates: not asked.append(estimates))
    assert len(asked) == 1
    (request,) = stub.received[paid:]
    assert [breadcrumb for _, breadcrumb in numbered(request)] == ["note > Note > A", "note > Note > B"]
    build(contextual_chunks=False)
    assert build(fresh=True).usage.calls == 0
    assert len(stub.received) == paid + 1
    build(context_model=f"{stub.received[0].provider}/another-model")
    assert len(stub.received) > paid + 1, "another model writes other contexts"


def test_a_failure_leaves_a_chunk_without_and_is_said(
    build: Any, stub: Stub, settings_for: Callable[..., Settings]
) -> None:
    stub.answer = lambda request: Fail(503)
    report = build()
    assert [message for message in fallbacks(report) if message.startswith("pump: ") and "out of order" in message]
    assert set(contexts_of(local(settings_for)).values()) == {""}
    assert answer(local(settings_for), "How many bar is the pump rated?").sections[0].doc_id == "pump"
    # Asked again, it is paid for what is lacking.
    stub.answer = plausible
    assert build().usage.calls == 0, "an unchanged document is not read again"
    assert not fallbacks(build(fresh=True))
    assert set(contexts_of(local(settings_for)).values()) == {"Of a machine."}


def test_what_the_model_leaves_out_is_counted_and_the_rest_is_kept(
    build: Any, stub: Stub, settings_for: Callable[..., Settings]
) -> None:
    stub.answer = writing(
        lambda breadcrumb: None if breadcrumb.endswith("Part 3") else "On\na <b>pump</b>\x1b[31m " + "x" * 900
    )
    report = build()
    (said,) = fallbacks(report)
    assert said.startswith("pump: 1 chunks were indexed without a context")
    assert "left some out" in said
    known = contexts_of(local(settings_for))
    assert known["Part 3"] == ""
    assert known["Part 4"].startswith("On a pump")
    assert "\x1b" not in known["Part 4"]
    assert len(known["Part 4"]) <= 500
    before = len(stub.received)
    stub.answer = plausible
    build(fresh=True)
    assert [numbered(request) for request in stub.received[before:]] == [[(0, "pump > Pump handbook > Part 3")]]


@pytest.mark.parametrize(
    "said", ["[]", '{"contexts": [{"chunk": 99, "context": "x"}, {"chunk": -1, "context": "y"}]}', "no"]
)
def test_replies_of_no_use(build: Any, stub: Stub, said: str) -> None:
    stub.answer = lambda request: Say(said)
    report = build()
    assert len(fallbacks(report)) == 1
    assert report.chunks > 20


def test_nothing_is_spent_before_it_was_agreed_to(
    build: Any, stub: Stub, settings_for: Callable[..., Settings], provider: str
) -> None:
    build(contextual_chunks=False)
    asked: list[Sequence[Estimate]] = []

    def refuse(estimates: Sequence[Estimate]) -> bool:
        assert not stub.received
        asked.append(estimates)
        return False

    with pytest.raises(HeadtreeError, match="--yes"):
        build(approve=refuse)
    ((estimate,),) = asked
    assert re.fullmatch(r"contexts of \d+ chunks", estimate.what)
    assert estimate.model.startswith(f"{provider}/")
    assert estimate.usd is not None
    assert not stub.received
    assert answer(local(settings_for), "How many bar is the pump rated?").sections
    paid = build().usage
    # The stub counts only what follows the part that is kept; the estimate is of the right size and not too low.
    assert estimate.input_tokens <= 2 * paid.input_tokens + 4000


def test_without_a_model_it_is_said(build: Any, settings_for: Callable[..., Settings], documents: Path) -> None:
    report = build_index(settings_for(None, embedder="none", contextual_chunks=True, describe_figures=True))
    said = fallbacks(report)
    assert len(said) == 2
    assert any("CONTEXTUAL_CHUNKS is on" in message for message in said)
    assert any("DESCRIBE_FIGURES is on" in message for message in said)


def test_a_long_document_is_read_in_parts(settings_for: Callable[..., Settings], stub: Stub, tmp_path: Path) -> None:
    """A server with a context of 32,768 tokens is given half of it at a time, with the titles of all of it."""
    text = "\n\n".join(f"## Chapter {i}\n\n" + f"Chapter {i} tells of thing {i}. " * 400 for i in range(9))
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "book.md").write_text(f"# Book\n\n{text}\n")
    stub.answer = writing(lambda breadcrumb: "In a book.")
    settings = settings_for("claude", embedder="none", noise_model="local", contextual_chunks=True)
    build_index(settings.model_copy(update={"context_model": "claude/qwen3:8b"}))
    requests = stub.of_kind("context")
    readings = list(dict.fromkeys(request.blocks[0]["text"] for request in requests))
    assert len(readings) == 2
    assert all(len(reading) < 80_000 and "Chapter 8" in reading for reading in readings)
    assert all("cache_control" not in block for request in requests for block in request.blocks)
    for request in requests:
        for _, breadcrumb in numbered(request):
            number = breadcrumb.rsplit(" ", 1)[1]
            assert f"tells of thing {number}." in request.blocks[0]["text"]
    assert set(contexts_of(open_index(settings.model_copy(update={"synthesis_model": "local"}))).values()) == {
        "In a book."
    }


@given(
    st.lists(st.sampled_from(["# A", "## B", "word " * 5, "", "x" * 300]), min_size=1, max_size=60),
    st.integers(20, 400),
)
def test_parts_hold_every_line_once_and_are_short(lines: list[str], limit: int) -> None:
    raw = "\n".join(lines).encode()
    document = prepare_document(
        raw, SourceFile("d", "d.md"), Settings(_env_file=None), ImageFinder(Path("nowhere"))
    ).document
    spans = _windows(document, limit)
    covered = [line for span in spans for line in range(span.first, span.last + 1)]
    assert covered == list(range(1, len(document.lines) + 1))
    for span in spans:
        assert len(span) == 1 or len(document.text(span)) <= limit
