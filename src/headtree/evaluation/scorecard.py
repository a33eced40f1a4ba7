"""The score card: which measures stand together, and how values are written on terminals and pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from headtree.evaluation.verdicts import cost_line, verdict_lines

_COUNTS = frozenset({"context_lines", "wrong_document_figures"})

_GROUPS = MappingProxyType(
    {
        "found": ("candidate_recall",),
        "read": ("section_recall", "mrr", "ndcg", "context_lines", "figure_offered", "numbers_read"),
        "shown": (
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
        "said": (
            "citations_verified",
            "numbers_cited",
            "numbers_found",
            "computed_found",
            "judged_right",
            "abstention",
            "false_abstention",
        ),
    }
)
"""Each group can fail while the others look well, so that none is read as proof of another."""


def is_share(name: str) -> bool:
    """Whether a measure lies between 0 and 1."""
    return name not in _COUNTS


def value_text(name: str, value: float) -> str:
    """Return a value as it is shown: counts whole, shares with three digits."""
    return f"{value:.3f}" if is_share(name) else f"{value:.0f}"


def grouped_rows(summary: Mapping[str, Any]) -> dict[str, list[dict[str, str]]]:
    """Return by group one row per measure: ``name``, ``value``, ``interval``, ``count``, as text."""
    metrics = summary["metrics"]
    return {
        group: [_row(summary, name) for stem in stems for name in metrics if name.split("@")[0] == stem]
        for group, stems in _GROUPS.items()
    }


def _row(summary: Mapping[str, Any], name: str) -> dict[str, str]:
    interval = summary["intervals"].get(name)
    return {
        "name": name,
        "value": value_text(name, summary["metrics"][name]),
        "interval": f"{value_text(name, interval[0])}-{value_text(name, interval[1])}" if interval else "",
        "count": str(summary["counts"].get(name, "")),
    }


def counts_line(summary: Mapping[str, Any]) -> str:
    """Return how many questions a run answered, in words."""
    line = f"{summary['suite']}: {summary['completed']} of {summary['total']} questions answered"
    if summary["failed"]:
        line += f", {summary['failed']} failed"
    if summary["outages"]:
        scored = summary["total"] - summary["outages"]
        line += f" ({summary['outages']} by an outage: scores are over {scored} questions; --resume asks them again)"
    return line


def outcomes_line(summary: Mapping[str, Any]) -> str:
    """Return what the answers were like, which needs no gold."""
    told = summary["outcomes"]
    return (
        f"{told['answered']} answered, {told['abstained']} told that the documents do not say it; "
        f"{told['citations']} citations, {told['pictures']} pictures shown."
    )


def prompts_line(summary: Mapping[str, Any]) -> str:
    """Return the prompts that were in force, each with its version."""
    return f"Prompts: {', '.join(f'{name}/{version}' for name, version in summary['prompts'].items())}."


def markdown_card(log: Mapping[str, Any], *, mode: str) -> str:
    """Return the score card as Markdown."""
    summary = log["run_summary"]
    changes = " with changes" if summary["git_dirty"] else ""
    lines = [
        f"# {counts_line(summary)}",
        "",
        f"Answered by {mode}; commit {summary['git_commit'] or 'unknown'}{changes};",
        f"documents {summary['corpus_hash']}, questions {summary['questions_hash']}.",
        "",
        outcomes_line(summary),
        "",
        "| | measure | mean | 95 % interval | questions |",
        "|---|---|---|---|---|",
    ]
    for group, rows in grouped_rows(summary).items():
        lines += [f"| {group} | {row['name']} | {row['value']} | {row['interval']} | {row['count']} |" for row in rows]
    if summary["diagnosis"]:
        lines += ["", "Failed questions by the first layer at which they failed:", ""]
        lines += [f"- {layer}: {count}" for layer, count in summary["diagnosis"].items()]
    if judged := verdict_lines(summary):
        lines += ["", *(f"- {line}" for line in judged)]
    stages = [f"{name} {s['p50']:.2f} s (p95 {s['p95']:.2f} s)" for name, s in summary["latency"].items()]
    lines += ["", f"Median time: {', '.join(stages)}." if stages else "No question was answered."]
    if summary["usage"]["calls"]:
        lines += ["", f"{cost_line(summary['usage'])} {prompts_line(summary)}"]
    lines.append("")
    return "\n".join(lines)
