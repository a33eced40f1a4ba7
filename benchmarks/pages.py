"""Markdown pages that scripts write part by part: a script replaces its own parts and leaves the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from headtree.evaluation.runlog import write_bytes


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first are aligned to the right."""
    borders = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, borders, *rows))


def with_part(page: str, title: str, body: str) -> str:
    """Return a page with the part under ``## title`` replaced, or appended where the page has none."""
    part = f"## {title}\n\n{body.strip()}\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(page):
        return pattern.sub(lambda match: f"{part}\n", page).rstrip("\n") + "\n"
    return f"{page.rstrip()}\n\n{part}"


def write_part(path: Path, title: str, body: str, *, introduction: str) -> None:
    """Write one part of a page; the page begins with ``introduction`` where it is new."""
    page = path.read_text(encoding="utf-8") if path.is_file() else introduction
    write_bytes(path, with_part(page, title, body).encode())
