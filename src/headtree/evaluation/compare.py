"""Two runs of one question set -> what got better, what got worse, and whether that is more than chance.

Both runs are scored anew with the same gold and the same measures, so that a change of either is no difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from headtree.errors import HeadtreeError
from headtree.evaluation.gold import Suite, SuiteQuestion
from headtree.evaluation.measures import LOWER_IS_BETTER, Row, Scores, score
from headtree.evaluation.summary import is_outage, resampled_means

DEFAULT_GATES = MappingProxyType(
    {
        "section_recall": 0.02,
        "figure_recall": 0.02,
        "figure_precision": 0.02,
        "perfect": 0.02,
        "abstention": 0.02,
        "false_abstention": 0.02,
        "wrong_document_figures": 0.0,
    }
)
"""How much worse a mean may be: one question of fifty. Another document's picture is never allowed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How a measure's mean changed over the questions that both runs scored."""

    measure: str
    questions: int
    old: float
    new: float
    low: float
    """Ends of the 95 % paired bootstrap interval of ``new - old``."""
    high: float
    better: int
    """Questions that got better."""
    worse: int

    @property
    def change(self) -> float:
        """New mean minus old mean."""
        return self.new - self.old

    @property
    def loss(self) -> float:
        """How much worse the new mean is; negative where it is better."""
        return self.change if self.measure in LOWER_IS_BETTER else -self.change


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome of a comparison."""

    differences: tuple[Difference, ...]
    changed: Mapping[str, Mapping[str, tuple[float, float]]]
    """By question: the measures that changed, with the old and the new value."""
    perfect_p: float | None
    """McNemar's exact two-sided p for perfect picture sets; ``None`` where no question has gold pictures."""
    left_out: tuple[str, ...]
    """Questions that only one run has, or that an outage took from one."""
    broken_gates: tuple[str, ...]
    """Per measure that got worse than its margin: a sentence."""


def compare_logs(
    suite: Suite, old: Mapping[str, Any], new: Mapping[str, Any], *, gates: Mapping[str, float] = DEFAULT_GATES
) -> Comparison:
    """Compare two logs, question by question.

    Args:
        suite: the gold.
        old: the log to measure against; rows of other programs need ``id`` and ``images_found`` only.
        new: the log to judge.
        gates: by measure, how much worse its mean may be; a name without ``@k`` means the measure at the new run's k.

    Raises:
        HeadtreeError: the runs have no scored question in common, or a gate names a measure that was not scored.
    """
    pairs, left_out = _paired_scores(suite, old, new)
    if not pairs:
        raise HeadtreeError("the two runs have no answered question in common: there is nothing to compare")
    names = dict.fromkeys(name for _, after in pairs.values() for name in after)
    found = (
        difference_of(name, [(before.get(name), after.get(name)) for before, after in pairs.values()]) for name in names
    )
    differences = tuple(difference for difference in found if difference is not None)
    return Comparison(
        differences=differences,
        changed={key: _changes(before, after) for key, (before, after) in pairs.items() if _changes(before, after)},
        perfect_p=_perfect_p(differences),
        left_out=left_out,
        broken_gates=tuple(_broken(differences, gates, k=_sections(new))),
    )


def _paired_scores(
    suite: Suite, old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[dict[str, tuple[Scores, Scores]], tuple[str, ...]]:
    before, after = _rows(old), _rows(new)
    questions = {question.key: question for question in suite.questions}
    pairs: dict[str, tuple[Scores, Scores]] = {}
    left_out = []
    for key in dict.fromkeys((*before, *after)):
        both = key in questions and key in before and key in after
        if not both or is_outage(before[key]) or is_outage(after[key]):
            left_out.append(key)
            continue
        pairs[key] = (
            rescore(questions[key], before[key], k=_sections(old)) | _judged(before[key], beside=after[key]),
            rescore(questions[key], after[key], k=_sections(new)) | _judged(after[key], beside=before[key]),
        )
    return pairs, tuple(left_out)


def _judged(row: Row, *, beside: Row) -> Scores:
    """Return what the judge gave an answer, where the same judge graded both runs by the same prompt."""
    verdict, other = row.get("judge") or {}, beside.get("judge") or {}
    same = all(verdict.get(name) == other.get(name) for name in ("by", "prompt"))
    return {"judged_right": row["scores"]["judged_right"]} if same and "grade" in verdict and "grade" in other else {}


def _rows(log: Mapping[str, Any]) -> dict[str, Row]:
    return {str(row["id"]): row for row in log["results"]}


def _sections(log: Mapping[str, Any]) -> int:
    """Return the number of sections that a run read; 5, as published, where its log does not say."""
    settings = log.get("run_summary", {}).get("settings")
    return int(settings.get("sections", 5)) if isinstance(settings, dict) else 5


def rescore(question: SuiteQuestion, row: Row, *, k: int) -> Scores:
    """Score a stored row; of a row of another program only what it says is scored."""
    if "figures" in row and "sections" in row:
        return score(question, row, k=k)
    figures = [
        {"path": image["path"], "label": image.get("label", ""), "doc_id": image["path"].split("/")[0]}
        for image in row.get("images_found", ())
    ]
    scores = score(question, {**row, "figures": figures}, k=k)
    return {name: value for name, value in scores.items() if name.startswith(_FIGURE_MEASURES)}


_FIGURE_MEASURES = ("figure_recall", "figure_precision", "figure_f1", "perfect", "wrong_document", "label_accuracy")


# ------------------------------------------------------------------------------------------------- statistics


def difference_of(measure: str, pairs: Iterable[tuple[float | None, float | None]]) -> Difference | None:
    """Return the change over the questions that have a value in both runs; ``None`` where none has."""
    kept = [(old, new) for old, new in pairs if old is not None and new is not None]
    if not kept:
        return None
    old, new = np.asarray(kept, dtype=np.float64).T
    gain = old - new if measure in LOWER_IS_BETTER else new - old
    low, high = np.percentile(resampled_means(new - old), [2.5, 97.5])
    return Difference(
        measure=measure,
        questions=len(kept),
        old=float(old.mean()),
        new=float(new.mean()),
        low=float(low),
        high=float(high),
        better=int((gain > 0).sum()),
        worse=int((gain < 0).sum()),
    )


def _perfect_p(differences: Sequence[Difference]) -> float | None:
    found = next((item for item in differences if item.measure == "perfect"), None)
    return mcnemar(found.better, found.worse) if found else None


def mcnemar(better: int, worse: int) -> float:
    """Return McNemar's exact two-sided p (binomial) from the discordant counts (McNemar 1947)."""
    total = better + worse
    if total == 0:
        return 1.0
    tail = sum(math.comb(total, count) for count in range(min(better, worse) + 1)) / 2**total
    return float(min(1.0, 2 * tail))


def _changes(before: Scores, after: Scores) -> dict[str, tuple[float, float]]:
    return {
        name: (old, new)
        for name, new in after.items()
        if new is not None and (old := before.get(name)) is not None and old != new
    }


def _broken(differences: Sequence[Difference], gates: Mapping[str, float], *, k: int) -> Iterable[str]:
    known = {item.measure: item for item in differences}
    for name, margin in gates.items():
        item = known.get(name) or known.get(f"{name}@{k}")
        if item is None:
            if gates is not DEFAULT_GATES:
                raise HeadtreeError(f"the gate {name} names no measure of both runs; there are: {', '.join(known)}")
        # Differences of means carry rounding of the last bits; a loss of exactly the margin is allowed.
        elif item.loss > margin + 1e-9:
            yield f"{item.measure} got worse by {item.loss:.3f} ({item.old:.3f} to {item.new:.3f}); allowed: {margin:g}"


def parse_gates(texts: Sequence[str]) -> Mapping[str, float]:
    """Read gates as they are typed (``perfect=0.05``); the default ones where there are none.

    Raises:
        ValueError: a text is no name with a margin of at least 0.
    """
    gates = {}
    for text in texts:
        name, _, margin = text.partition("=")
        try:
            gates[name] = float(margin)
        except ValueError:
            gates[name] = -1.0
        if not name or not gates[name] >= 0:
            raise ValueError(f"{text!r} is not like perfect=0.05")
    return gates or DEFAULT_GATES
