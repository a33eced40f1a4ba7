"""A run's log -> its reports: JSON named by set, mode and commit, a Markdown score card, and one HTML page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from headtree.evaluation.diagnosis import Layer
from headtree.evaluation.gold import Suite, SuiteQuestion
from headtree.evaluation.measures import Row, meets, same_label
from headtree.evaluation.plots import bar_plot, interval_plot
from headtree.evaluation.runlog import write_bytes, write_json
from headtree.evaluation.scorecard import (
    counts_line,
    grouped_rows,
    is_share,
    markdown_card,
    outcomes_line,
    prompts_line,
)
from headtree.evaluation.thumbnails import Thumbnails
from headtree.evaluation.verdicts import Grade, cost_line, verdict_lines

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "link", "autolink"])
"""Answers may quote documents: no HTML of theirs, and nothing that a browser would load or follow."""


def write_reports(suite: Suite, log: Mapping[str, Any], out: Path, documents: Path) -> Path:
    """Write ``<set>-<mode>-<commit>`` as ``.json``, ``.md`` and ``.html`` and return the HTML page.

    Args:
        suite: the questions with their gold.
        log: the run.
        out: folder to write to.
        documents: folder that pictures are read from for the thumbnails.
    """
    name = report_name(log)
    write_json(out / f"{name}.json", log)
    write_bytes(out / f"{name}.md", markdown_card(log, mode=mode_of(log)).encode())
    page = out / f"{name}.html"
    write_bytes(page, html_report(suite, log, documents).encode())
    return page


def report_name(log: Mapping[str, Any]) -> str:
    """Return a file name without an ending; a run without a commit is named by version."""
    summary = log["run_summary"]
    commit = (summary["git_commit"] or "")[:8] or f"v{summary['versions']['headtree']}"
    return "-".join(re.sub(r"[^\w.]+", "_", part) for part in (summary["suite"], mode_of(log), commit))


def mode_of(log: Mapping[str, Any]) -> str:
    """Return who was to answer, ``local`` or ``provider/model``; of an older log, who did."""
    if models := log["run_summary"].get("models"):
        return str(models["synthesis"])
    return next((row["mode"] for row in log["results"] if row.get("mode")), "none")


def html_report(suite: Suite, log: Mapping[str, Any], documents: Path) -> str:
    """Return the page. All text is escaped; pictures are inside as thumbnails; nothing is loaded from elsewhere."""
    environment = Environment(
        loader=PackageLoader("headtree.evaluation", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    summary = log["run_summary"]
    metrics = {name: value for name, value in summary["metrics"].items() if is_share(name)}
    thumbnails = Thumbnails(documents)
    questions = {question.key: question for question in suite.questions}
    p95 = {stage: seconds["p95"] for stage, seconds in summary["latency"].items()}
    return environment.get_template("report.html.jinja").render(
        summary=summary,
        mode=mode_of(log),
        counts=counts_line(summary),
        verdicts=verdict_lines(summary),
        groups=grouped_rows(summary),
        outcomes=outcomes_line(summary),
        cost=cost_line(summary["usage"]) + (f" {prompts_line(summary)}" if summary["usage"]["calls"] else ""),
        layers=_layers(log),
        layer_plot=Markup(bar_plot("Failed questions per layer", summary["diagnosis"])),
        interval_plot=Markup(interval_plot(metrics, summary["intervals"])),
        latency_plot=Markup(bar_plot("Seconds per stage", p95, unit="s")),
        has_gold=any(question.has_gold for question in suite.questions),
        cases=[_case(questions[str(row["id"])], row, thumbnails) for row in log["results"]],
    )


def _layers(log: Mapping[str, Any]) -> list[str]:
    """Return what the questions can be filtered by: the layers, and the errors that happened."""
    errors = {row["error_kind"] for row in log["results"] if row.get("error")}
    return [*(layer.value for layer in Layer), *sorted(errors)]


def _case(question: SuiteQuestion, row: Row, thumbnails: Thumbnails) -> dict[str, Any]:
    diagnosis = row["diagnosis"] or {"layer": row.get("error_kind"), "findings": []}
    return {
        "row": row,
        "error": row.get("error", ""),
        "layer": diagnosis["layer"],
        "failed": bool(diagnosis["layer"]) or (row.get("judge") or {}).get("grade") == Grade.WRONG,
        "judge": _judge(row["judge"]) if row.get("judge") else None,
        "findings": diagnosis["findings"],
        "has_gold": question.has_gold,
        "answer": Markup(_MARKDOWN.render(row["response"])),
        "expected": question.answer,
        "pictures": {
            "Shown": [_shown_picture(question, figure, thumbnails) for figure in row["figures"]],
            "Needed and not shown": _absent_pictures(question, row, thumbnails),
        },
        "sections": [
            {**section, "place": " > ".join(section["breadcrumb"]), "meets": _is_needed(question, section)}
            for section in row["sections"]
        ],
        "offered": row.get("offered", ()),
        "scores": {name: _short(value) for name, value in row["scores"].items() if value is not None},
        "seconds": {stage: f"{seconds:.3f}" for stage, seconds in row["timings"].items() if seconds},
    }


def _short(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _judge(verdict: Mapping[str, str]) -> dict[str, str]:
    if "grade" not in verdict:
        return {"tag": "no verdict", "tone": "warn", "why": verdict["error"]}
    tones = {Grade.RIGHT: "good", Grade.PARTLY: "warn", Grade.WRONG: "bad"}
    grade = Grade(verdict["grade"])
    return {"tag": f"judged {grade}", "tone": tones[grade], "why": verdict["reason"]}


def _is_needed(question: SuiteQuestion, section: Row) -> bool:
    return any(meets(section, need) for need in question.needs)


def _shown_picture(question: SuiteQuestion, figure: Row, thumbnails: Thumbnails) -> dict[str, Any]:
    path, verdict, tone = figure["path"], "", ""
    if question.figures is not None:
        needed = any(path in need for need in question.figures.needs())
        right = path in question.figures.right()
        verdict = "needed" if needed else "acceptable" if right else "wrong"
        tone = "good" if right else "bad"
    gold = question.labels.get(path)
    if gold is not None and not same_label(figure["label"], gold):
        verdict, tone = f"{verdict}, its number is {gold or 'none'}".removeprefix(", "), "bad"
    return {**figure, "uri": thumbnails.data_uri(path), "verdict": verdict, "tone": tone}


def _absent_pictures(question: SuiteQuestion, row: Row, thumbnails: Thumbnails) -> list[dict[str, Any]]:
    shown = {figure["path"] for figure in row["figures"]}
    absent = [need for need in (question.figures.needs() if question.figures else ()) if not need & shown]
    return [
        {
            "path": path,
            "label": question.labels.get(path, ""),
            "uri": thumbnails.data_uri(path),
            "verdict": "one of these" if len(need) > 1 else "not shown",
            "tone": "bad",
        }
        for need in absent
        for path in sorted(need)
    ]
