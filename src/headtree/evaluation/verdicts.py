"""What a judge says of answers, and what its verdicts come to beside the checks that need no model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from headtree.evaluation.measures import Row
from headtree.models.prompts import prompt_name

JUDGE_NAME = "judge"
JUDGE_PROMPT = prompt_name(JUDGE_NAME)
"""Stands with each verdict, and not in the record of the run, which does without a judge."""


class Grade(StrEnum):
    """What a judge may say."""

    RIGHT = "right"
    PARTLY = "partly"
    WRONG = "wrong"


SCORES: Mapping[Grade, float] = MappingProxyType({Grade.RIGHT: 1.0, Grade.PARTLY: 0.5, Grade.WRONG: 0.0})


@dataclass(frozen=True, slots=True)
class Verdict:
    """A grade with its reason."""

    grade: Grade
    reason: str


def summarise_verdicts(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Return what the verdicts of a run come to; ``None`` where nobody judged.

    ``judged`` and ``errors`` count the verdicts that are there and those that failed; ``agreement`` is the share of
    the ``number_checks`` answers with a verdict and an exact check of numbers in which both say right, or both do not.
    """
    verdicts = [row["judge"] for row in rows if row.get("judge")]
    if not verdicts:
        return None
    graded = [row for row in rows if row.get("judge") and "grade" in row["judge"]]
    checked = [(row["judge"]["grade"], numbers) for row in graded if (numbers := _number_checks(row))]
    both = [(grade == Grade.RIGHT, min(numbers) == 1.0) for grade, numbers in checked]
    return {
        "by": ", ".join(sorted({verdict["by"] for verdict in verdicts})),
        "prompt": ", ".join(sorted({verdict["prompt"] for verdict in verdicts})),
        "judged": len(graded),
        "errors": len(verdicts) - len(graded),
        "grades": {grade.value: sum(row["judge"]["grade"] == grade for row in graded) for grade in Grade},
        "number_checks": len(both),
        "agreement": round(sum(a == b for a, b in both) / len(both), 4) if both else None,
        "usage": _spent(verdicts),
    }


def _number_checks(row: Row) -> list[float]:
    checks = (row["scores"].get(name) for name in ("numbers_found", "computed_found"))
    return [value for value in checks if value is not None]


def _spent(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    names = ("calls", "input_tokens", "output_tokens", "cost_usd")
    return {name: round(math.fsum(verdict["usage"][name] for verdict in verdicts), 6) for name in names}


def verdict_lines(summary: Mapping[str, Any]) -> list[str]:
    """Return in words how an answer was judged, and by whom; empty where nobody judged."""
    judge = summary.get("judge")
    if judge is None:
        return []
    asked = judge["judged"] + judge["errors"]
    grades = ", ".join(f"{count} {grade}" for grade, count in judge["grades"].items())
    lines = [f"Judged by {judge['by']} ({judge['prompt']}): {judge['judged']} of {asked} answers: {grades}."]
    if judge["errors"]:
        lines.append(
            f"{judge['errors']} have no verdict because the judge failed; they count nowhere, and --resume asks again."
        )
    if judge["number_checks"]:
        lines.append(
            f"Where exact numbers are known ({judge['number_checks']} answers), the judge agrees with them in "
            f"{judge['agreement']:.0%}."
        )
    else:
        lines.append("No judged answer has an exact check of numbers to hold the judge against.")
    if judge["by"] in summary.get("models", {}).values():
        lines.append("The judge is also a model of the run: it may be lenient with its own.")
    return [*lines, f"The judge took, apart from the run itself: {cost_line(judge['usage'])}"]


def cost_line(usage: Mapping[str, float]) -> str:
    """Return in words what models took."""
    if not usage["calls"]:
        return "No model was called."
    return (
        f"{usage['calls']:.0f} model calls, {usage['input_tokens']:,.0f} tokens in, "
        f"{usage['output_tokens']:,.0f} out, ${usage['cost_usd']:.4f}."
    )
