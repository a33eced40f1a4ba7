"""The score card: which measures stand together, and how a value is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_COUNTS = frozenset({"context_lines", "wrong_document_figures"})


def _starting(*prefixes: str) -> Callable[[Mapping[str, float]], list[str]]:
    def present(metrics: Mapping[str, float]) -> list[str]:
        return [name for prefix in prefixes for name in metrics if name.split("@")[0] == prefix]

    return present


GROUPS = {
    "found": _starting("candidate_recall"),
    "read": _starting("section_recall", "mrr", "ndcg", "context_lines", "figure_offered", "numbers_read"),
    "shown": _starting(
        "figure_recall",
        "figure_recall_pooled",
        "figure_precision",
        "figure_precision_pooled",
        "figure_f1",
        "perfect",
        "figure_reciprocal_rank",
        "wrong_document_figures",
        "label_accuracy",
        "label_accuracy_pooled",
    ),
    "said": _starting(
        "citations_verified", "numbers_cited", "numbers_found", "computed_found", "abstention", "false_abstention"
    ),
}
"""Each group can fail while the others look well, so that none is read as proof of another."""


def value_text(name: str, value: float) -> str:
    """Return a value as it is shown: counts whole, shares with three digits."""
    return f"{value:.0f}" if name in _COUNTS else f"{value:.3f}"


def counts_line(summary: Mapping[str, Any]) -> str:
    """Return how many questions a run answered, in words."""
    line = f"{summary['suite']}: {summary['completed']} of {summary['total']} questions answered"
    if summary["failed"]:
        line += f", {summary['failed']} failed"
    if summary["outages"]:
        scored = summary["total"] - summary["outages"]
        line += f" ({summary['outages']} by an outage: scores are over {scored} questions; --resume asks them again)"
    return line
