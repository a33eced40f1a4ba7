"""The log of a run, ``test_log.json``: written whole after every question, read back to resume and to compare."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import orjson

from headtree.errors import HeadtreeError
from headtree.evaluation.diagnosis import count_layers
from headtree.evaluation.gold import is_below_documents
from headtree.evaluation.measures import Row
from headtree.evaluation.summary import is_outage, summarise
from headtree.evaluation.verdicts import summarise_verdicts

LOG_NAME = "test_log.json"
PREVIOUS_LOG_NAME = "test_log.previous.json"
"""The log that a new run in the same folder found there."""

_COUNTED = ("total", "completed", "failed", "outages")
_DERIVED = (*_COUNTED, "metrics", "intervals", "counts", "flags", "outcomes", "latency", "usage", "diagnosis", "judge")
"""What a summary says of the rows; the rest is the run record."""


def make_log(record: Mapping[str, Any], rows: Sequence[Row], *, total: int) -> dict[str, Any]:
    """Return the log: the summary of the rows so far, and the rows."""
    summary = {
        "total": total,
        "completed": sum(1 for row in rows if not row.get("error")),
        "failed": sum(1 for row in rows if row.get("error")),
        "outages": sum(1 for row in rows if is_outage(row)),
        **record,
        **summarise(rows, with_intervals=len(rows) == total),
        "diagnosis": count_layers(rows),
    }
    if (verdicts := summarise_verdicts(rows)) is not None:
        summary["judge"] = verdicts
    return {"run_summary": summary, "results": list(rows)}


def record_of(log: Mapping[str, Any]) -> dict[str, Any]:
    """Return the run record of a log: what its run was made with."""
    return {name: value for name, value in log["run_summary"].items() if name not in _DERIVED}


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all."""
    write_bytes(path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_bytes(content)
    temporary.replace(path)


def read_log(path: Path) -> dict[str, Any]:
    """Read a log. Paths of pictures that are absolute (of whatever computer) lose their first folders.

    Raises:
        HeadtreeError: there is no such file, or it is not a log.
    """
    if not path.is_file():
        raise HeadtreeError(f"there is no run at {path}")
    try:
        log = json.loads(path.read_text(encoding="utf-8"))
        rows = log["results"]
        keys = {str(row["id"]) for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise HeadtreeError(f"{path} is not a run log ({error!r}); make one with run_test_suite.py") from error
    if len(keys) != len(rows):
        raise HeadtreeError(f"{path} holds a question twice; it is not a log of one run")
    for row in rows:
        for figure in (*row.get("images_found", ()), *row.get("figures", ())):
            figure["path"] = portable_path(figure["path"])
    return dict(log)


def portable_path(path: str) -> str:
    """Return a picture's path below the documents folder, also where it was written as an absolute one.

    Of an absolute path the part after the last folder called ``documents`` is kept, or its last three parts
    (``Doc/figures/a.png``).
    """
    if is_below_documents(path):
        return path
    parts = [part for part in PurePosixPath(PureWindowsPath(path).as_posix()).parts if part not in {"/", "..", "."}]
    if "documents" in parts:
        return "/".join(parts[len(parts) - parts[::-1].index("documents") :])
    return "/".join(parts[-3:])
