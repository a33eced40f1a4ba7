"""A figure, table or algorithm on a page, and the page it is looked for on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headtree.extraction.blocks import Box
from headtree.extraction.captions import Caption
from headtree.extraction.page_values import Line, PageContent
from headtree.types import FigureKind


@dataclass(frozen=True, slots=True)
class Float:
    """A figure, table or algorithm on a page."""

    kind: FigureKind
    box: Box
    caption: Caption | None = None
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class FloatPage:
    """What stands on a page, sorted for finding its figures."""

    content: PageContent
    lines: Sequence[Line]
    """Without those of captions."""
    prose: Sequence[Line]
    captions: Sequence[Caption]

    @property
    def drawings(self) -> tuple[Box, ...]:
        """All that is drawn."""
        content = self.content
        return content.shapes + content.images + content.panels + content.rules
