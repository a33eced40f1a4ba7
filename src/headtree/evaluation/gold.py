"""What is known about right answers: the values that a question set is read into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath
from types import MappingProxyType

from headtree.types import LineSpan


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """Lines of a document that hold what is asked for."""

    doc_id: str
    span: LineSpan
    heading: str = ""


Need = tuple[GoldSpan, ...]
"""One thing that must be found: any of its spans will do."""


@dataclass(frozen=True, slots=True)
class FigureGold:
    """Which pictures an answer needs and which it may show; paths below the documents folder."""

    must: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    """Of each group one is needed."""
    ok: tuple[str, ...] = ()
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """By needed picture: those that can stand for it."""

    def needs(self) -> tuple[frozenset[str], ...]:
        """Return one set per needed picture or group: any of it will do."""
        musts = (frozenset((path, *self.alternatives.get(path, ()))) for path in self.must)
        return (*musts, *(frozenset(group) for group in self.groups))

    def right(self) -> frozenset[str]:
        """Return every picture that may be shown."""
        return frozenset(self.ok).union(*self.needs())


@dataclass(frozen=True, slots=True)
class SuiteQuestion:
    """A question and what is known about its right answer."""

    key: str
    """Its id as text; unique within the set."""
    id: str | int
    """As the file gives it."""
    query: str
    category: str = ""
    split: str = ""
    docs: tuple[str, ...] = ()
    """Documents that the answer comes from; empty where the set does not say."""
    answer: str = ""
    answerable: bool | None = None
    """``None`` where the set does not say."""
    needs: tuple[Need, ...] = ()
    any_need: bool = False
    """Whether one need is enough."""
    ok_spans: tuple[GoldSpan, ...] = ()
    figures: FigureGold | None = None
    """``None`` where the set does not speak of pictures."""
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The printed number of pictures, by path; empty text where a picture has none."""
    numbers: tuple[str, ...] = ()
    """Numbers of the documents that a right answer contains."""
    computed: tuple[str, ...] = ()
    """Numbers that follow from them."""
    problem: str | None = None
    """Why the row cannot be asked."""

    @property
    def has_gold(self) -> bool:
        """Whether anything is known about its right answer."""
        told = (self.needs, self.answer, self.numbers, self.computed, self.docs)
        return any(told) or self.answerable is not None or self.figures is not None


@dataclass(frozen=True, slots=True)
class RowProblem:
    """What is wrong with a row of a question set."""

    row: int
    """1-based position in the file's list."""
    id: str
    message: str

    def __str__(self) -> str:
        return f"question {self.row} ({self.id}): {self.message}"


@dataclass(frozen=True, slots=True)
class Suite:
    """A question set."""

    name: str
    questions: tuple[SuiteQuestion, ...]
    problems: tuple[RowProblem, ...] = ()


def is_below_documents(path: str) -> bool:
    """Whether a path is relative and stays below its folder, on every system."""
    absolute = PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()
    return not absolute and ".." not in PurePosixPath(path).parts and "\\" not in path
