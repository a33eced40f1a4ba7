"""Measures the local PDF engine: speed and memory on any PDFs, quality where the truth is known.

    python -m benchmarks.extraction                              the shared papers, quality and speed
    python -m benchmarks.extraction a.pdf b.pdf                  speed, memory and the list of headings

Quality: headings by their words (number and spaces aside), level steps between neighbouring headings that were both
found, boxes by intersection over union, printed numbers by the caption of the box that fits, reading order as the
share of the unique five-word shingles of Adobe's Markdown, found in both, that keep their order.
"""

from __future__ import annotations

import argparse
import bisect
import json
import os
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from headtree.extraction.blocks import Box, Code, ExtractedDocument, Heading, Image, ListItem, Paragraph
from headtree.extraction.boxes import overlap
from headtree.extraction.local import extract_pdf
from headtree.extraction.rendering import render_document
from headtree.types import FigureKind

SHARED = Path(__file__).resolve().parents[2] / "shared" / "papers"
GOOD_OVERLAP = 0.7
_WORDS = {"F": "Figure", "T": "Table", "A": "Algorithm"}


@dataclass(frozen=True, slots=True)
class Run:
    """A document that was extracted, and what that took."""

    name: str
    document: ExtractedDocument
    seconds: float

    @property
    def headings(self) -> list[Heading]:
        """Its headings in reading order."""
        return [block for block in self.document.blocks if isinstance(block, Heading)]

    @property
    def images(self) -> list[Image]:
        """Its pictures in reading order."""
        return [block for block in self.document.blocks if isinstance(block, Image)]


@dataclass(frozen=True, slots=True)
class HeadingScore:
    """How the headings of a document compare with the truth."""

    true: int
    found: int
    false: tuple[str, ...]
    missed: tuple[str, ...]
    steps: int
    steps_right: int


def run(path: Path, *, processes: int | None = None) -> Run:
    """Extract a PDF without writing its Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        document = extract_pdf(path, pictures=Path(folder), processes=processes)
        return Run(path.stem, document, time.perf_counter() - start)


class PeakMemory:
    """Samples the memory of this process and its children, shared pages counted once (Linux)."""

    def __init__(self) -> None:
        self.megabytes = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._done.wait(0.2):
            self.megabytes = max(self.megabytes, sum(map(_own_share, _family(os.getpid()))))


def _family(process: int) -> list[int]:
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [process, *(member for child in children for member in _family(int(child)))]


def _own_share(process: int) -> float:
    """Return a process's proportional set size in megabytes, 0 where it has ended."""
    try:
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)
    except OSError:
        return 0.0
    return int(found.group(1)) / 1024 if found else 0.0


def score_headings(found: Sequence[Heading], truth: Sequence[dict[str, Any]]) -> HeadingScore:
    """Match headings by their letters and digits, in order of appearance."""
    keys = [re.sub(r"[\W_]+", "", heading.text).casefold() for heading in found]
    wanted = [re.sub(r"[\W_]+", "", item["text"]).casefold() for item in truth]
    level_of: dict[str, int] = {}
    for key, heading in zip(keys, found, strict=True):
        level_of.setdefault(key, heading.level)
    both = [(item["level"], level_of[key]) for item, key in zip(truth, wanted, strict=True) if key in level_of]
    steps = list(pairwise(both))
    right = sum(second[0] - first[0] == second[1] - first[1] for first, second in steps)
    extra = Counter(keys) - Counter(wanted)
    false = tuple(heading.text for key, heading in zip(keys, found, strict=True) if key in extra)
    missed = tuple(item["text"] for item, key in zip(truth, wanted, strict=True) if key not in level_of)
    return HeadingScore(len(truth), len(both), false, missed, len(steps), right)


def score_boxes(images: Sequence[Image], truth: Sequence[dict[str, Any]]) -> tuple[int, int, list[str]]:
    """Return how many boxes are met, how many of those carry the printed number, and a line for each that is not."""
    met = labelled = 0
    problems = []
    for item in truth:
        box: Box = tuple(item["bbox"])
        label = f"{_WORDS[item['label'][0]]} {item['label'][1:]}"
        on_page = [image for image in images if image.places[0].page == item["page"]]
        best = max(on_page, key=lambda image: overlap(image.places[0].box, box), default=None)
        shared = overlap(best.places[0].box, box) if best else 0.0
        met += shared >= GOOD_OVERLAP
        right = best is not None and best.label == label
        labelled += right
        if shared < GOOD_OVERLAP or not right:
            problems.append(f"{label} on page {item['page']}: overlap {shared:.2f}, bound to {best and best.label}")
    return met, labelled, problems


def reading_order(markdown: str, reference: str) -> tuple[float, int]:
    """Return the share of common unique shingles in the longest increasing run, and how many are common."""
    ours, theirs = _unique_shingles(markdown), _unique_shingles(reference)
    common = [ours[shingle] for shingle in sorted(theirs, key=theirs.__getitem__) if shingle in ours]
    tails: list[int] = []
    for position in common:
        place = bisect.bisect_left(tails, position)
        tails[place : place + 1] = [position]
    return (len(tails) / len(common) if common else 0.0), len(common)


def shingles(text: str) -> list[tuple[str, ...]]:
    """Return every five words that follow each other in a Markdown text."""
    words = re.findall(r"\w+", re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text).casefold())
    return [tuple(words[at : at + 5]) for at in range(len(words) - 4)]


def _unique_shingles(text: str) -> dict[tuple[str, ...], int]:
    found = shingles(text)
    counts = Counter(found)
    return {shingle: at for at, shingle in enumerate(found) if counts[shingle] == 1}


def report_quality(result: Run, truth: dict[str, Any] | None) -> None:
    """Print what is known about the quality of one paper."""
    if truth:
        headings = score_headings(result.headings, truth["headings"])
        met, labelled, problems = score_boxes(result.images, truth["boxes"])
        print(
            f"  headings {headings.found}/{headings.true}, false {len(headings.false)}, "
            f"level steps {headings.steps_right}/{headings.steps}"
        )
        for text in headings.false:
            print(f"    false: {text}")
        for text in headings.missed:
            print(f"    missed: {text}")
        print(f"  boxes {met}/{len(truth['boxes'])}, printed number {labelled}/{len(truth['boxes'])}")
        for problem in problems:
            print(f"    {problem}")
    reference = SHARED / "documents" / result.name / f"{result.name}.md"
    if reference.is_file():
        words = [block for block in result.document.blocks if isinstance(block, Heading | Paragraph | ListItem | Code)]
        rendered = render_document(words).markdown
        share, count = reading_order(rendered, reference.read_text(encoding="utf-8"))
        print(f"  reading order {share:.4f} of {count} common shingles")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pdf", nargs="*", type=Path)
    parser.add_argument("--processes", type=int, default=None)
    arguments = parser.parse_args()
    truths = json.loads((SHARED / "pdf_truth.json").read_text())["documents"] if SHARED.is_dir() else {}
    pages = seconds = 0.0
    with PeakMemory() as memory:
        for path in arguments.pdf or sorted((SHARED / "pdf").glob("*.pdf")):
            result = run(path, processes=arguments.processes)
            pages, seconds = pages + len(result.document.pages), seconds + result.seconds
            _report(result, truths.get(result.name), with_headings=bool(arguments.pdf))
    processor = sum(os.times()[:4])
    print(
        f"all: {pages:.0f} pages, {pages / seconds:.2f} pages/s, {processor / pages:.2f} processor seconds a page, "
        f"peak memory {memory.megabytes:.0f} MB"
    )


def _report(result: Run, truth: dict[str, Any] | None, *, with_headings: bool) -> None:
    count = len(result.document.pages)
    kinds = Counter(str(image.kind) for image in result.images)
    tables = [image for image in result.images if image.kind is FigureKind.TABLE]
    print(f"{result.name}: {count} pages, {count / result.seconds:.2f} pages/s, {dict(kinds)}, ", end="")
    print(f"{sum(bool(table.rows) for table in tables)}/{len(tables)} tables with cells")
    if with_headings:
        for heading in result.headings:
            print(f"  p{heading.places[0].page:<4}{'  ' * heading.level}{heading.text}")
    report_quality(result, truth)


if __name__ == "__main__":
    main()
