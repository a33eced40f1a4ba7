"""The Python API: open an index, ask it, look at the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headtree.notebook import answer_html, answer_markdown
from headtree.pipeline import OpenIndex, answer, build_index
from headtree.pipeline import open_index as open_built_index
from headtree.settings import load_settings
from headtree.types import Answer


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer and the folder of its pictures: prints as its text, and a notebook shows it with its pictures."""

    answer: Answer
    """All that is known: citations, sections, figures with reasons, timings."""
    documents: Path
    """The documents folder, which the figures' paths are relative to."""

    @property
    def pictures(self) -> tuple[Path, ...]:
        """Files of the figures shown, best first."""
        return tuple(self.documents / figure.path for figure in self.answer.figures if figure.exists)

    def __str__(self) -> str:
        return self.answer.answer

    def _repr_markdown_(self) -> str:
        return answer_markdown(self.answer)

    def _repr_html_(self) -> str:
        return answer_html(self.answer, self.documents)


def open_index(
    documents: Path | str | None = None, *, index: Path | str | None = None, update: bool = True, **settings: Any
) -> OpenIndex:
    """Open the index of a folder of Markdown documents: once, to ask often.

    Args:
        documents: the folder; by default the one of the settings (``data/documents``).
        index: folder of the index. By default that of the settings; for a folder of documents that is not that of
            the settings, one beside it (``handbook`` -> ``handbook-index``), so that two collections never share one.
        update: read and embed first what is new or changed, as ``headtree index`` does; ``False`` opens what is there.
        settings: any other setting by its name, for instance ``sections=3``; see ``docs/configuration.md``.

    Raises:
        HeadtreeError: there are no documents, or the index cannot be used; the message says what to do.
    """
    configured = load_settings(**settings)
    folder = configured.documents if documents is None else Path(documents)
    if index is None and folder.resolve() != configured.documents.resolve():
        index = folder.with_name(f"{folder.name}-index")
    loaded = load_settings(documents=folder, index=index, **settings)
    if update:
        build_index(loaded)
    return open_built_index(loaded)


def ask(index: OpenIndex, question: str, *, documents: Sequence[str] = ()) -> AnswerView:
    """Answer a question.

    Args:
        index: from ``open_index``.
        question: what you want to know.
        documents: ids of the documents to search; all where empty.

    Raises:
        HeadtreeError: the question is empty, or a document is not in the index.
    """
    return AnswerView(answer(index, question, documents=documents), index.settings.documents)
