"""How quick and how big: ``python -m benchmarks.run`` (``make bench``).

Measures reading (MB/s), embedding (chunks/s), questions by stage, index size, peak memory, how all of it grows with
1, 10 and 100 times the documents, and how long a new process takes. Prints the tables and writes them to
``docs/benchmark-speed.md``. Absolute numbers are of the machine; the ratios of one run are what to compare.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.corpora import INDEXES, ROOT, Corpus, local_settings, open_corpus, present
from benchmarks.measuring import STAGES, Asked, ask_all, folder_megabytes
from benchmarks.pages import table, write_part
from headtree.errors import HeadtreeError
from headtree.evaluation.suite import read_suite
from headtree.indexing.chunking import embedding_text
from headtree.indexing.documents import find_documents, prepare_document
from headtree.indexing.images import ImageFinder
from headtree.models.local import load_local_embedder
from headtree.pipeline import OpenIndex

PAGE = ROOT / "docs" / "benchmark-speed.md"
_INTRODUCTION = "# Speed and size\n\nWritten by `python -m benchmarks.run` (`make bench`).\n"
_STEPS = (1, 10, 100)
_STARTS = 5
"""New processes of each command; the median counts."""
_EMBEDDED = 60
"""Chunks that are embedded to measure the rate."""
_err = Console(stderr=True)
_out = Console()


# ---------------------------------------------------------------------------------------------------- documents


def reading_row(corpus: Corpus) -> list[str]:
    """Read and parse all documents of a corpus, and embed some of their chunks."""
    sources = find_documents(corpus.documents)
    raw = [(source, (corpus.documents / source.path).read_bytes()) for source in sources]
    settings, finder = local_settings(corpus.documents, INDEXES), ImageFinder(corpus.documents)
    started = time.monotonic()
    prepared = [prepare_document(content, source, settings, finder) for source, content in raw]
    seconds = time.monotonic() - started
    megabytes = sum(len(content) for _, content in raw) / 1e6
    chunks = [chunk for document in prepared for chunk in document.chunks]
    rate = embedding_rate([embedding_text(chunk) for chunk in chunks[:: max(1, len(chunks) // _EMBEDDED)]])
    return [
        corpus.name,
        str(len(raw)),
        f"{megabytes:.1f}",
        str(len(chunks)),
        f"{megabytes / seconds:.2f}",
        f"{len(chunks) / seconds:.0f}",
        f"{rate:.0f}",
    ]


def embedding_rate(texts: Sequence[str]) -> float:
    """Return how many texts the local embedder reads in a second."""
    embedder = load_local_embedder()
    started = time.monotonic()
    embedder.embed_documents(texts)
    return len(texts) / (time.monotonic() - started)


def question_row(corpus: Corpus, opened: OpenIndex) -> list[str]:
    """Ask a corpus's questions."""
    asked = ask_all(opened, [question.query for question in read_suite(corpus.questions).questions])
    with opened.index.snapshot() as view:
        chunks = view.chunk_count()
    size = folder_megabytes(opened.settings.index)
    return [corpus.name, str(chunks), *_stage_cells(asked), f"{asked.processor:.0f}", f"{size:.0f}"]


def _stage_cells(asked: Asked) -> list[str]:
    return [f"{asked.p50[stage]:.0f} / {asked.p95[stage]:.0f}" for stage in STAGES]


# ------------------------------------------------------------------------------------------------------- growth


def grow(documents: int) -> dict[str, float]:
    """Measure a generated corpus in a new process, so that memory is that of this corpus alone."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.growth", folder, str(documents)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


_GROWTH = {
    "documents": ("documents", "{:.0f}"),
    "chunks": ("chunks", "{:.0f}"),
    "text, MB": ("text_mb", "{:.1f}"),
    "build without embedding, s": ("build_s", "{:.1f}"),
    "second build, nothing changed, s": ("second_build_s", "{:.2f}"),
    "index, MB": ("index_mb", "{:.1f}"),
    "peak memory of the build, MB": ("build_peak_mb", "{:.0f}"),
    "peak memory with questions, MB": ("peak_mb", "{:.0f}"),
    "recall, ms (p50)": ("recall_p50_ms", "{:.0f}"),
    "re-rank and evidence, ms (p50)": ("rerank_p50_ms", "{:.0f}"),
    "synthesis and choice, ms (p50)": ("synthesis_p50_ms", "{:.0f}"),
    "a question, ms (p50)": ("total_p50_ms", "{:.0f}"),
    "a question, ms (p95)": ("total_p95_ms", "{:.0f}"),
    "a question, ms of processor time": ("processor_ms", "{:.0f}"),
}


def growth_table(steps: Sequence[Mapping[str, float]]) -> str:
    """Return a row per measure: its value at each step, and by how much it grew from the first to the last."""
    rows = []
    for label, (name, form) in _GROWTH.items():
        values = [step[name] for step in steps]
        ratio = values[-1] / values[0] if values[0] else 0.0
        rows.append([label, *(form.format(value) for value in values), f"{ratio:.1f}"])
    first = steps[0]["documents"]
    return table(["", *(f"{step['documents'] / first:.0f}x" for step in steps), "last / first"], rows)


# ------------------------------------------------------------------------------------------------------ start-up


def start_row(label: str, arguments: Sequence[str]) -> list[str]:
    """Run the command in new processes; return the median of wall time and of processor time."""
    walls, processors = [], []
    for _ in range(_STARTS):
        before = _children_seconds()
        started = time.monotonic()
        subprocess.run(
            [sys.executable, "-c", "from headtree.cli import main; main()", *arguments],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        walls.append(time.monotonic() - started)
        processors.append(_children_seconds() - before)
    return [label, f"{median(walls):.2f}", f"{median(processors):.2f}"]


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start_rows(corpus: Corpus, opened: OpenIndex) -> list[list[str]]:
    """Measure the shortest command, and a question of the corpus from a new process to the end."""
    question = read_suite(corpus.questions).questions[0].query
    folders = ["--documents", str(opened.settings.documents), "--index", str(opened.settings.index)]
    return [
        start_row("`headtree --help`", ["--help"]),
        start_row(f"`headtree ask`, {corpus.name}", ["ask", question, *folders, "--json"]),
    ]


# --------------------------------------------------------------------------------------------------------- page


def machine() -> str:
    """Return what the numbers depend on."""
    load = f", load average at the start {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}{load}. "
        "Times are wall time unless a column says processor time: on a machine that does other work at the same time "
        "(a load above the number of cores) only processor time and ratios mean something."
    )


def run(
    indexes: Annotated[Path, typer.Option(help="Folder of the indexes, one per set; they are brought up to date.")] = (
        INDEXES
    ),
    sets: Annotated[str, typer.Option(help="Document sets, with commas.")] = "papers,filings,sample",
    documents: Annotated[int, typer.Option(min=1, help="Documents of the smallest generated corpus.")] = 5,
    page: Annotated[Path, typer.Option(help="Page that the tables go into.")] = PAGE,
) -> None:
    """Measure, print and write the tables."""
    conditions = machine()
    corpora = present(sets.split(","))
    _write(page, "Machine", conditions)
    _err.print("reading and embedding", highlight=False)
    header = ["set", "documents", "MB of text", "chunks", "parsed, MB/s", "parsed, chunks/s", "embedded, chunks/s"]
    _write(page, "Reading and embedding", table(header, [reading_row(corpus) for corpus in corpora]))
    _err.print("asking questions (the first time, indexes are built)", highlight=False)
    opened = {corpus: open_corpus(corpus, indexes) for corpus in corpora}
    header = ["set", "chunks", *(f"{stage}, ms" for stage in STAGES), "processor, ms", "index, MB"]
    rows = table(header, [question_row(corpus, opened[corpus]) for corpus in corpora])
    _write(page, "Questions", f"Median / 95th percentile, each question asked once in one process.\n\n{rows}")
    _err.print("new processes", highlight=False)
    rows = table(["command", "seconds", "processor seconds"], start_rows(corpora[0], opened[corpora[0]]))
    _write(page, "A new process", f"Median of {_STARTS}.\n\n{rows}")
    steps = []
    for factor in _STEPS:
        _err.print(f"growth: {factor * documents} documents", highlight=False)
        steps.append(grow(factor * documents))
    _write(page, "Growth", f"{_GROWTH_NOTE}\n\n{growth_table(steps)}")


_GROWTH_NOTE = """\
Generated documents, each step in a new process. Vectors come from feature hashing in place of the model, so that the
vector list is searched as it would be; embedding itself grows with the number of chunks (see above). Images are all
the same small file."""


def _write(page: Path, title: str, body: str) -> None:
    _out.print(f"{title}\n\n{body}\n", markup=False, highlight=False, soft_wrap=True)
    write_part(page, title, body, introduction=_INTRODUCTION)


if __name__ == "__main__":
    try:
        typer.run(run)
    except HeadtreeError as error:
        sys.exit(f"error: {error}")
