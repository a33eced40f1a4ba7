"""What is measured of a running system: percentiles, peak memory, and the stages of questions."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from headtree.pipeline import OpenIndex, answer

STAGES = ("recall", "rerank", "synthesis", "total")


@dataclass(frozen=True, slots=True)
class Asked:
    """How long questions took, in milliseconds."""

    p50: Mapping[str, float]
    """By stage; recall includes embedding the question, synthesis the choice of pictures."""
    p95: Mapping[str, float]
    processor: float
    """Processor time per question: what a machine with nothing else to do would need at most."""


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value under which a share of the values lies, by the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def ask_all(opened: OpenIndex, questions: Sequence[str]) -> Asked:
    """Ask each question once, after one that only warms up."""
    answer(opened, questions[0])
    started = time.process_time()
    timings = [answer(opened, question).timings for question in questions]
    processor = (time.process_time() - started) / len(questions)
    stages = {stage: [1000 * getattr(timing, stage) for timing in timings] for stage in STAGES}
    return Asked(
        {stage: percentile(values, 0.5) for stage, values in stages.items()},
        {stage: percentile(values, 0.95) for stage, values in stages.items()},
        1000 * processor,
    )


def peak_megabytes() -> float:
    """Return the most memory that this process has held.

    Linux tells it of the process alone; the portable number may be that of the process which started this one.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1000
    unit = 1 if sys.platform == "darwin" else 1000  # bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def folder_megabytes(folder: Path) -> float:
    """Return the size of a folder's files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
