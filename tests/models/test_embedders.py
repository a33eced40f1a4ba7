"""One contract for every embedder, and what Gemini's service does to an index."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headtree.errors import IndexMismatchError, ModelCallError
from headtree.models.failures import Failure, ServiceError
from headtree.models.gemini_embedder import batches
from headtree.models.registry import Registry
from headtree.models.runs import model_run
from headtree.pipeline import answer, build_index, open_index
from headtree.settings import Settings
from headtree.types import WarningKind
from tests.models.corpus import write_corpus
from tests.models.plausible import plausible
from tests.models.stub_service import Fail, Received, Say, Script, Stub, Vectors, hashed_vector

TEXTS = ["The pump is rated 4 bar.", "Change the seal.", "", "Der Deckel ist grün. 泵", "x" * 5000]


@pytest.fixture(params=["local", "gemini/gemini-embedding-001", "gemini/gemini-embedding-2"])
def embedder(request: pytest.FixtureRequest, stub: Stub, settings_for: Callable[..., Settings]) -> Any:
    stub.answer = lambda received: Say()
    return Registry(settings_for("gemini", embedder=request.param)).embedder()


def test_every_embedder_keeps_the_contract(embedder: Any) -> None:
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    # A text's vector depends neither on its place nor on its neighbours.
    np.testing.assert_allclose(embedder.embed_documents(TEXTS[::-1])[::-1], vectors, atol=1e-6)
    np.testing.assert_allclose(embedder.embed_documents(TEXTS[1:2]), vectors[1:2], atol=1e-6)
    assert embedder.embed_documents([]).shape == (0, embedder.dimensions)
    query = embedder.embed_query("How many bar is the pump rated?")
    assert query.shape == (1, embedder.dimensions)
    assert int(np.argmax(vectors @ query[0])) == 0


def test_a_document_and_a_question_are_told_apart(embedder: Any, stub: Stub) -> None:
    embedder.embed_documents(["a pump"])
    embedder.embed_query("a pump")
    if embedder.name.startswith("gemini/gemini-embedding-001"):
        assert [r.body["requests"][0]["taskType"] for r in stub.received] == ["RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]
        assert [r.body["requests"][0]["content"]["parts"][0]["text"] for r in stub.received] == ["a pump", "a pump"]
    elif embedder.name.startswith("gemini/"):
        assert all("taskType" not in r.body["requests"][0] for r in stub.received)
        assert [r.body["requests"][0]["content"]["parts"][0]["text"] for r in stub.received] == [
            "title: none | text: a pump",
            "task: search result | query: a pump",
        ]


@pytest.fixture
def gemini(stub: Stub, settings_for: Callable[..., Settings]) -> Any:
    stub.answer = lambda received: Say()
    return Registry(settings_for("gemini", embedding_dimensions=128)).embedder()


def test_batches_are_small_enough_and_in_order(gemini: Any, stub: Stub) -> None:
    """Case D-L11."""
    texts = [f"chunk number {i}" for i in range(101)]
    vectors = gemini.embed_documents(texts)
    assert [len(request.body["requests"]) for request in stub.received] == [100, 1]
    assert not stub.refused
    item = {"outputDimensionality": 128}
    for i in (0, 99, 100):
        expected = np.array(hashed_vector({**item, "content": {"parts": [{"text": texts[i]}]}}))
        np.testing.assert_allclose(vectors[i], expected / np.linalg.norm(expected), atol=1e-6)


def test_a_batch_has_a_limit_of_bytes() -> None:
    texts = ["ä" * 400_000] * 5 + ["a"]
    assert [len(batch) for batch in batches(texts)] == [2, 2, 2]
    assert [text for batch in batches(texts) for text in batch] == texts
    assert [len(batch) for batch in batches(["x" * 5_000_000, "y"])] == [1, 1]


@pytest.mark.parametrize(
    ("rows", "words"),
    [([[1.0] * 128], "1 vectors for 2 texts"), ([[1.0] * 64, [1.0] * 64], "64 numbers, the settings say 128")],
)
def test_wrong_counts_and_lengths_are_refused(gemini: Any, stub: Stub, rows: Any, words: str) -> None:
    stub.script.append(Vectors(rows))
    with pytest.raises(ServiceError, match=words):
        gemini.embed_documents(["a", "b"])


def test_a_failed_batch_is_repeated_and_the_others_are_not_paid_again(gemini: Any, stub: Stub) -> None:
    """Case D-L09: of nine batches, the third is refused twice."""
    seen = 0

    def third_fails(request: Received) -> Script:
        nonlocal seen
        seen += 1
        return Fail(429) if seen in {3, 4} else Say()

    stub.answer = third_fails
    with model_run() as run:
        vectors = gemini.embed_documents([f"chunk {i}" for i in range(900)])
    assert vectors.shape == (900, 128)
    assert len(stub.received) == 11
    assert [sent.attempts for sent in run.requests] == [1, 1, 3, 1, 1, 1, 1, 1, 1]


def test_paid_vectors_are_kept(gemini: Any, stub: Stub, settings_for: Callable[..., Settings]) -> None:
    first = gemini.embed_documents(["a", "b", "a"])
    assert len(stub.received[0].body["requests"]) == 2
    again = Registry(settings_for("gemini", embedding_dimensions=128)).embedder()
    assert again is not None
    np.testing.assert_array_equal(again.embed_documents(["b", "a"]), first[[1, 0]])
    assert len(stub.received) == 1
    # Another number of dimensions is another space.
    other = Registry(settings_for("gemini", embedding_dimensions=256)).embedder()
    assert other is not None
    other.embed_documents(["a"])
    assert len(stub.received) == 2


# ------------------------------------------------------------------------------------------------ with an index


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "documents")


def build_settings(settings_for: Callable[..., Settings], provider: str | None, **values: Any) -> Settings:
    local = {"noise_model": "local", "rerank_model": "local", "synthesis_model": "local"}
    return settings_for(provider, **{**local, "embedding_dimensions": 128, **values})


def test_an_index_is_built_paid_once_and_priced(
    stub: Stub, settings_for: Callable[..., Settings], corpus: Path
) -> None:
    stub.answer = lambda received: Say()
    settings = build_settings(settings_for, "gemini")
    notes: list[str] = []
    report = build_index(settings, progress=lambda step: notes.append(step.note) if step.note else None)
    assert report.embedded == report.chunks >= 8
    assert report.usage.calls >= 1
    assert report.usage.cost_usd > 0
    assert len(notes) == 1
    assert "gemini/gemini-embedding-001: about" in notes[0]
    assert "at most $" in notes[0]
    paid = len(stub.received)
    fresh = build_index(settings, fresh=True)
    assert fresh.embedded == report.embedded
    assert fresh.usage.calls == 0
    assert len(stub.received) == paid
    result = answer(open_index(settings), "How many bar is the pump rated?")
    assert stub.received[-1].body["requests"][0]["taskType"] == "RETRIEVAL_QUERY"
    assert result.sections[0].doc_id == "pump"
    assert result.requests[0].role == "embedding"


def test_a_changed_embedder_is_a_new_space_and_the_old_index_answers_until_then(
    stub: Stub, settings_for: Callable[..., Settings], corpus: Path
) -> None:
    stub.answer = lambda received: Say()
    build_index(build_settings(settings_for, None, embedder="local"))
    with pytest.raises(IndexMismatchError, match="headtree index"):
        open_index(build_settings(settings_for, "gemini", embedder="gemini/gemini-embedding-001"))
    opened = open_index(build_settings(settings_for, "gemini"))
    assert opened.embedder is not None
    assert opened.embedder.name.startswith("minilm")
    stub.answer = lambda received: Fail(503)
    with pytest.raises(ModelCallError, match="out of order"):
        build_index(build_settings(settings_for, "gemini"))
    assert answer(open_index(build_settings(settings_for, "gemini")), "What is the pump rated?").sections
    stub.answer = lambda received: Say()
    build_index(build_settings(settings_for, "gemini"))
    with pytest.raises(IndexMismatchError):
        answer(opened, "What is the fan rated?")
    switched = open_index(build_settings(settings_for, "gemini", embedding_dimensions=512))
    assert switched.embedder is not None
    assert switched.embedder.name == "gemini/gemini-embedding-001@128"


def test_without_its_key_an_index_is_searched_by_words(
    stub: Stub, settings_for: Callable[..., Settings], corpus: Path
) -> None:
    stub.answer = lambda received: Say()
    build_index(build_settings(settings_for, "gemini"))
    result = answer(open_index(build_settings(settings_for, None)), "How many bar is the pump rated?")
    assert result.sections[0].doc_id == "pump"
    assert any("goes by words only" in warning and "GEMINI_API_KEY" in warning for warning in result.warnings)


def test_useless_vectors_are_refused_by_name(stub: Stub, settings_for: Callable[..., Settings], corpus: Path) -> None:
    """Case D-L12: zeros for one chunk, NaN for another, and zeros for the question."""

    def some_useless(request: Received) -> Script:
        rows: list[list[Any]] = [hashed_vector(item) for item in request.body["requests"]]
        if len(rows) > 2:
            rows[1], rows[2] = [0.0] * 128, [math.nan] * 128
        else:
            rows[0] = [0.0] * 128
        return Vectors(rows)

    stub.answer = some_useless
    settings = build_settings(settings_for, "gemini")
    report = build_index(settings)
    refused = [warning for warning in report.warnings if warning.kind is WarningKind.REFUSED_VECTOR]
    assert len(refused) == 2
    assert all(warning.line > 0 for warning in refused)
    assert report.embedded == report.chunks - 2
    result = answer(open_index(settings), "zzzz qqqq?")
    assert not result.sections
    assert not result.answerable
    assert any("no usable vector for the question" in warning for warning in result.warnings)


def test_a_question_that_cannot_be_embedded_is_searched_by_words(
    stub: Stub, settings_for: Callable[..., Settings], corpus: Path
) -> None:
    stub.answer = lambda received: Say()
    settings = build_settings(settings_for, "gemini")
    build_index(settings)
    opened = open_index(settings)
    stub.answer = lambda received: Fail(503) if received.kind == "embed" else plausible(received)
    result = answer(opened, "How many bar is the pump rated?")
    assert result.sections[0].doc_id == "pump"
    assert any("was not embedded" in warning for warning in result.warnings)


def test_a_failure_has_its_kind(gemini: Any, stub: Stub) -> None:
    stub.script.append(Fail(400, "bad"))
    with pytest.raises(ServiceError) as caught:
        gemini.embed_documents(["a"])
    assert caught.value.kind is Failure.REFUSED
