"""What speaks for a figure: laws that hold for every question, with vectors and without."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from headtree.pipeline import answer_with_evidence
from headtree.retrieval.question import read_question
from headtree.synthesis.choice import WEIGHTS
from headtree.synthesis.cosines import figure_cosines
from headtree.synthesis.extractive import answer_by_quotes
from headtree.synthesis.figure_features import figure_features
from tests.retrieval.test_answers import QUESTIONS

BOUNDS = {
    "fused": (-1, 0),
    "passage": (-1, 1),
    "home": (0, 1),
    "section": (0, 1),
    "near": (0, 1),
    "around": (0, 1),
    "inside_gap": (-1, 0),
    "crowd": (0, 10),
    "cue": (-1, 1),
    "formula_asked": (0, 1),
}


@pytest.fixture(params=["words", "vectors"])
def opened(request):
    return request.getfixturevalue(request.param)


def featured(opened, text):
    """The offered figures, each with its features and its cosines."""
    _, evidence = answer_with_evidence(opened, text)
    vector = opened.embedder.embed_query(text) if opened.embedder else None
    with opened.index.snapshot() as view:
        question = read_question(text, view)
        quotes = answer_by_quotes(question, evidence, view).quotes
        cosines = figure_cosines((offered.figure for offered in evidence.figures), vector, view)
        features = figure_features(question, evidence, quotes, cosines, view)
    return [offered.figure for offered in evidence.figures], features, cosines


@pytest.mark.parametrize("text", [text for text in QUESTIONS if text.strip("?")])
def test_features_stay_in_their_bounds(opened, text):
    figures, features, _ = featured(opened, text)
    assert set(WEIGHTS) == set(BOUNDS)
    for values in features:
        for name, value in asdict(values).items():
            assert BOUNDS[name][0] <= value <= BOUNDS[name][1], name
    for doc_id in {figure.doc_id for figure in figures}:
        mine = [values for figure, values in zip(figures, features, strict=True) if figure.doc_id == doc_id]
        assert max(values.fused for values in mine) == 0
        assert max(values.inside_gap for values in mine) == 0
        assert len({values.crowd for values in mine}) == 1


def test_cosines_are_of_the_passages_that_stand_by_a_figure_or_mention_it(vectors):
    text = "When do trains leave Lowmoor?"
    figures, _, cosines = featured(vectors, text)
    (stations,) = (figure for figure in figures if figure.path.endswith("stations.png"))
    query = vectors.embedder.embed_query(text)[0]
    with vectors.index.snapshot() as view:
        spans, known = view.passage_vectors(stations.doc_id)
    close = {span: float(vector @ query) for span, vector in zip(spans, known, strict=True)}
    mentioning = [value for span, value in close.items() if any(m.line in span for m in stations.mentions)]
    assert cosines[stations.figure_id].mention == pytest.approx(max(mentioning))
    assert cosines[stations.figure_id].passage in [pytest.approx(value) for value in close.values()]


def test_without_vectors_there_are_no_cosines(words):
    assert featured(words, "When do trains leave Lowmoor?")[2] == {}
