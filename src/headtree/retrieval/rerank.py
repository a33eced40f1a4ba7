"""Re-ranking without a model: a weighted sum of stated features.

The weights come from ``benchmarks/fit_ranking.py``: pairwise logistic regression over the shared question sets,
cross-validated by document, then rounded; few digits are meant, for the data say no more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from headtree.indexing.index import Snapshot
from headtree.retrieval.features import section_features
from headtree.retrieval.question import Question
from headtree.retrieval.recall import Recalled
from headtree.types import Candidate

WEIGHTS = MappingProxyType(
    {
        "fused": 1.5,
        "document": 1.5,
        "dense": 9.5,
        "lexical": 1.0,
        "coverage": 3.0,
        "window": 2.5,
        "named": 2.5,
        "label": 3.0,
        "generic": -2.0,
        "length": -0.4,
    }
)


def rerank(question: Question, recalled: Sequence[Recalled], view: Snapshot) -> list[Candidate]:
    """Order the recalled sections by their features, best first.

    ``fused`` and ``document`` (the sum of ``fused`` over a document's sections) count relative to the best of this
    question, for their size depends on how many lists agree.
    """
    best = max((entry.fused for entry in recalled), default=1.0)
    by_document: dict[str, float] = defaultdict(float)
    for entry in recalled:
        by_document[entry.key[0]] += entry.fused
    largest = max(by_document.values(), default=1.0)
    candidates = []
    for entry in recalled:
        features = {
            **section_features(question, entry, view.document(entry.key[0])),
            "fused": entry.fused / best,
            "document": by_document[entry.key[0]] / largest,
        }
        score = sum(weight * features[name] for name, weight in WEIGHTS.items())
        candidates.append(
            Candidate(
                doc_id=entry.key[0],
                node_id=entry.key[1],
                score=round(score, 4),
                features=MappingProxyType(features),
                best_chunk=entry.best_chunk,
                captions=entry.captions,
                reason=_reason(features),
            )
        )
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.doc_id, candidate.node_id))


def _reason(features: Mapping[str, float]) -> str:
    """Name the three features that speak most for the section."""
    shares = {name: weight * features[name] for name, weight in WEIGHTS.items() if features[name]}
    strongest = sorted(shares, key=lambda name: -shares[name])[:3]
    return ", ".join(f"{name} {features[name]:.2f}" for name in strongest)
