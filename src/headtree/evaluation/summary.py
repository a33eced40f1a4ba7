"""Scores of the questions -> means with intervals: values per question come first, means are derived."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headtree.evaluation.measures import Row

RESAMPLES = 2000
"""Bootstrap resamples: an interval's ends move by less than .01 from one seed to the next at 50 questions."""
_SEED = 20_240
_SHORTEST_STAGE = 0.001
"""Seconds: a stage that never took longer did nothing."""
STAGES = ("recall", "rerank", "synthesis", "vision", "total")


def summarise(rows: Sequence[Row], *, with_intervals: bool = True) -> dict[str, Any]:
    """Return what a run's scores come to.

    Rows that were lost to an outage of a model are left out: they say nothing about the answers. A score that is no
    number is left out too, and listed.

    Args:
        rows: results.
        with_intervals: whether to resample; a run that is under way is summarised often and does without.

    Returns:
        ``metrics``: means by measure (``wrong_document_figures``: the count over all questions), and pooled shares;
        ``intervals``: 95 % percentile bootstrap; ``counts``: questions behind each; ``flags``;
        ``outcomes``; ``latency``; ``usage``.
    """
    asked = [row for row in rows if not is_outage(row)]
    columns, flags = _columns(asked)
    metrics: dict[str, float] = {}
    intervals: dict[str, list[float]] = {}
    for name, values in columns.items():
        if not values:
            continue
        total = name == "wrong_document_figures"
        metrics[name] = _rounded(sum(values) if total else sum(values) / len(values))
        if with_intervals and len(values) > 1 and not total:
            intervals[name] = [_rounded(end) for end in bootstrap_interval(values)]
    return {
        "metrics": metrics | pooled(asked),
        "intervals": intervals,
        "counts": {name: len(values) for name, values in columns.items() if values},
        "flags": flags,
        "outcomes": outcomes(rows),
        "latency": latency(asked),
        "usage": usage(rows),
    }


def outcomes(rows: Sequence[Row]) -> dict[str, int]:
    """Return how many questions were answered and how many told so where the documents do not, and what was given."""
    answered = [row for row in rows if not row.get("error")]
    return {
        "answered": sum(1 for row in answered if row.get("answerable")),
        "abstained": sum(1 for row in answered if not row.get("answerable")),
        "citations": sum(len(row.get("citations", ())) for row in answered),
        "pictures": sum(len(row.get("figures", ())) for row in answered),
    }


def is_outage(row: Row) -> bool:
    """Whether a model could not be reached for this question."""
    return row.get("error_kind") == "outage"


def _columns(rows: Sequence[Row]) -> tuple[dict[str, list[float]], list[str]]:
    columns: dict[str, list[float]] = {}
    flags: list[str] = []
    for row in rows:
        for name, value in (row.get("scores") or {}).items():
            column = columns.setdefault(name, [])
            if value is None:
                continue
            if isinstance(value, int | float) and math.isfinite(value):
                column.append(float(value))
            else:
                flags.append(f"question {row['id']}: {name} is {value}; left out of the mean")
    return columns, flags


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the 95 % percentile bootstrap interval of a mean (Efron 1979); the seed is fixed."""
    low, high = np.percentile(resampled_means(np.asarray(values, dtype=np.float64)), [2.5, 97.5])
    return float(low), float(high)


def resampled_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of bootstrap resamples, shape (``RESAMPLES``,)."""
    draws = np.random.default_rng(_SEED).integers(0, len(values), size=(RESAMPLES, len(values)))
    return np.asarray(values[draws].mean(axis=1))


def _rounded(value: float) -> float:
    return round(value, 4)


# -------------------------------------------------------------------------------------------------- pooled shares


def pooled(rows: Iterable[Row]) -> dict[str, float]:
    """Return shares over all pictures of a run instead of means over questions: long answers weigh more."""
    tallies = [row["tally"] for row in rows if row.get("tally")]
    shares = {
        "figure_recall_pooled": ("figure_needs_met", "figure_needs"),
        "figure_precision_pooled": ("figures_right", "figures_judged"),
        "label_accuracy_pooled": ("labels_right", "labels_judged"),
    }
    found = {}
    for name, (part, whole) in shares.items():
        total = sum(tally[whole] for tally in tallies)
        if total:
            found[name] = _rounded(sum(tally[part] for tally in tallies) / total)
    return found


# -------------------------------------------------------------------------------------------------- time and cost


def latency(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Return the median and the 95th percentile of each stage's seconds, over the questions that were answered."""
    answered = [row["timings"] for row in rows if not row.get("error") and row.get("timings")]
    found = {}
    for stage in STAGES:
        seconds = [timings.get(stage, 0.0) for timings in answered]
        if max(seconds, default=0.0) >= _SHORTEST_STAGE:
            p50, p95 = np.percentile(seconds, [50, 95])
            found[stage] = {"p50": _rounded(float(p50)), "p95": _rounded(float(p95))}
    return found


def usage(rows: Sequence[Row]) -> Mapping[str, float]:
    """Return the calls, tokens and dollars of a run, those of failed questions too."""
    names = ("calls", "input_tokens", "output_tokens", "cost_usd")
    return {name: round(sum(row["usage"].get(name, 0) for row in rows if row.get("usage")), 6) for name in names}
