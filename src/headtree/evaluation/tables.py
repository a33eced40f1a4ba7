"""Logs of runs -> the tables of ``results/README.md``: ``python -m headtree.evaluation.tables results``.

No number is typed by hand: a row is a log, and says the command that makes it. Published numbers of other projects
stand beside them, from ``published.json`` in the same folder.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from headtree.errors import HeadtreeError
from headtree.evaluation.report import mode_of
from headtree.evaluation.runlog import read_log, write_bytes

_COLUMNS = (
    "questions",
    "section recall",
    "all needs read",
    "MRR",
    "nDCG",
    "figure recall",
    "figure precision",
    "perfect sets",
    "wrong document",
    "label accuracy",
    "abstained rightly",
    "abstained wrongly",
    "judged right",
    "median seconds",
)

_INTRODUCTION = """\
# Results

Made by `python -m headtree.evaluation.tables results` from the logs in this folder; every row names the command that
makes it again. Means over questions, in brackets the 95 % bootstrap interval; figure recall, figure precision and label
accuracy are pooled over all pictures. A cell is empty where the question set has no gold for it.

- *section recall*: needed sections whose whole text was read. *all needs read*: questions with all of them.
- *figure recall*: needed pictures shown. *figure precision*: shown pictures that may be shown. *perfect sets*: all
  needed and none wrong. *wrong document*: pictures of a document that the question is not about; must be 0.
- *abstained rightly*: questions without an answer in the documents that were told so; *wrongly*: questions with one.
- *judged right*: 1 for an answer that a model judged right, a half for partly; the score cards say which model.
"""


def results_page(folder: Path) -> str:
    """Return the page for all logs of a folder.

    Raises:
        HeadtreeError: the folder holds no log of a finished run.
    """
    logs = list(_finished_logs(folder))
    if not logs:
        raise HeadtreeError(f"{folder} holds no log of a finished run; make one with run_test_suite.py --out {folder}")
    published = _read_published(folder / "published.json")
    parts = [_INTRODUCTION]
    for suite in sorted({log["run_summary"]["suite"] for log in logs}):
        rows = [log for log in logs if log["run_summary"]["suite"] == suite]
        parts.append(_suite_table(suite, rows, published.get(suite, ())))
    return "\n".join(parts)


def _finished_logs(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the logs of finished runs: those with a score card of the same name beside them."""
    for card in sorted(folder.rglob("*.md")):
        if card.with_suffix(".json").is_file():
            log = read_log(card.with_suffix(".json"))
            if len(log["results"]) == log["run_summary"]["total"]:
                yield log


def _read_published(path: Path) -> Mapping[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _suite_table(suite: str, logs: list[dict[str, Any]], published: Any) -> str:
    rows = [(f"headtree, {mode_of(log)}, {_commit(log)}", _cells(log)) for log in logs]
    rows += [(entry["name"], entry["cells"]) for entry in published]
    used = [name for name in _COLUMNS if any(cells.get(name) for _, cells in rows)]
    lines = [f"## {suite}", "", f"| | {' | '.join(used)} |", f"|---|{'---|' * len(used)}"]
    lines += [f"| {name} | {' | '.join(cells.get(column, '') for column in used)} |" for name, cells in rows]
    commands = dict.fromkeys(log["run_summary"].get("command", "") for log in logs)
    lines += ["", "```sh", *filter(None, commands), "```", ""]
    for log in logs:
        layers = ", ".join(f"{layer} {count}" for layer, count in log["run_summary"]["diagnosis"].items())
        lines.append(f"Failed questions by first layer ({mode_of(log)}): {layers or 'none'}.\n")
    return "\n".join(lines)


def _commit(log: Mapping[str, Any]) -> str:
    summary = log["run_summary"]
    commit = (summary["git_commit"] or "no commit")[:8]
    return f"{commit} with changes" if summary["git_dirty"] else commit


def _cells(log: Mapping[str, Any]) -> dict[str, str]:
    summary = log["run_summary"]
    k = summary["settings"]["sections"]
    complete = [s for row in log["results"] if (s := row["scores"].get(f"section_recall@{k}")) is not None]
    perfect = [s for row in log["results"] if (s := row["scores"].get("perfect")) is not None]
    total = summary["latency"].get("total")
    return {
        "questions": _questions(summary),
        "section recall": _mean(summary, f"section_recall@{k}"),
        "all needs read": f"{sum(s == 1 for s in complete)} of {len(complete)}" if complete else "",
        "MRR": _mean(summary, "mrr"),
        "nDCG": _mean(summary, f"ndcg@{k}"),
        "figure recall": _mean(summary, "figure_recall_pooled"),
        "figure precision": _mean(summary, "figure_precision_pooled"),
        "perfect sets": f"{sum(s == 1 for s in perfect)} of {len(perfect)}" if perfect else "",
        "wrong document": _count(summary, "wrong_document_figures"),
        "label accuracy": _mean(summary, "label_accuracy_pooled"),
        "abstained rightly": _share(summary, "abstention"),
        "abstained wrongly": _share(summary, "false_abstention"),
        "judged right": _mean(summary, "judged_right"),
        "median seconds": f"{total['p50']:.2f}" if total else "",
    }


def _questions(summary: Mapping[str, Any]) -> str:
    return f"{summary['total']}" + (f" ({summary['failed']} failed)" if summary["failed"] else "")


def _mean(summary: Mapping[str, Any], name: str) -> str:
    if name not in summary["metrics"]:
        return ""
    interval = summary["intervals"].get(name)
    return _decimal(summary["metrics"][name]) + (
        f" [{_decimal(interval[0])}, {_decimal(interval[1])}]" if interval else ""
    )


def _decimal(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _count(summary: Mapping[str, Any], name: str) -> str:
    return f"{summary['metrics'][name]:.0f}" if name in summary["metrics"] else ""


def _share(summary: Mapping[str, Any], name: str) -> str:
    if name not in summary["metrics"]:
        return ""
    count = summary["counts"][name]
    return f"{round(summary['metrics'][name] * count)} of {count}"


def main() -> None:
    """Write ``README.md`` in the folder that is named, ``results`` if none is."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    try:
        write_bytes(folder / "README.md", results_page(folder).encode())
    except HeadtreeError as error:
        sys.exit(f"error: {error}")
    print(folder / "README.md")


if __name__ == "__main__":
    main()
