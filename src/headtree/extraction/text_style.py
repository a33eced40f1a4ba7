"""What running text looks like in a document, and how a line differs from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from headtree.extraction.page_values import Line, TextItem

_LARGER = 1.06
"""Size as a share of the running text's from which type is set larger on purpose."""
_CAPITALS = 0.9
"""Share of letters: "ITEMS 10 and 11. DIRECTORS" is set in capitals."""
_PROSE_WORDS, _SIZE_DIFFERENCE = 8, 0.6
_USUAL_STEP = 1.2
_FEWEST_LINES, _ONE_KIND = 8, 0.7
"""Lines of running text, and share of their characters in one kind of type, from which a page speaks for itself."""
_ONE_LINE = 2.2
"""Share of the type size within which the next baseline of a paragraph lies."""


@dataclass(frozen=True, slots=True, order=True)
class Style:
    """How a line is set: what headings of one level have in common. Stronger styles compare greater."""

    size: float
    capitals: bool
    bold: bool
    roman: bool
    """Not italic."""


@dataclass(frozen=True, slots=True)
class BodyText:
    """The running text of a document, or of one of its pages."""

    size: float
    font: str
    bold: bool
    step: float
    """Distance of two baselines as a share of the type size."""
    pages: Mapping[int, BodyText] = field(default_factory=dict)
    """Of the pages that have enough text of one kind to speak for themselves: exhibits are set unlike their report."""

    @classmethod
    def of(cls, items: Sequence[TextItem]) -> BodyText:
        """Measure the text of a document: what most characters of long lines have."""
        styles = _styles(items, fewest_words=_PROSE_WORDS - 1) or _styles(items, fewest_words=1)
        size, font, bold = styles.most_common(1)[0][0] if styles else (10.0, "", False)
        step = _usual_step(items, size) or _USUAL_STEP
        pages: dict[int, list[TextItem]] = defaultdict(list)
        for item in items:
            pages[item.page].append(item)
        found = {page: _of_page(own, step) for page, own in pages.items()}
        return cls(size, font, bold, step, {page: body for page, body in found.items() if body})

    def on(self, page: int) -> BodyText:
        """Return what running text looks like on a page."""
        return self.pages.get(page, self)

    def is_larger(self, line: Line) -> bool:
        """Whether a line is set in larger type."""
        return line.size >= _LARGER * self.size

    def is_strong(self, line: Line) -> bool:
        """Whether a whole line is larger or bold."""
        return self.is_larger(line) or (is_bold(line) and not self.bold)

    def is_prose(self, line: Line) -> bool:
        """Whether a line is running text: eight words in its type."""
        in_type = abs(line.size - self.size) <= _SIZE_DIFFERENCE and not is_capitals(line.text)
        return in_type and line.word_count >= _PROSE_WORDS and line.text[-1:] != ","

    def is_set_apart(self, line: Line) -> bool:
        """Whether a whole line is bold, larger, in capitals or in another cut than running text."""
        if self.is_strong(line):
            return True
        return is_capitals(line.text) or (is_italic(line) and line.size >= 0.95 * self.size)


def _styles(items: Iterable[TextItem], *, fewest_words: int) -> Counter[tuple[float, str, bool]]:
    """Count the characters of lines by size, font and weight."""
    styles: Counter[tuple[float, str, bool]] = Counter()
    for item in items:
        if item.line.word_count >= fewest_words:
            styles[round(item.line.size, 1), item.line.font.name, item.line.font.bold] += len(item.line.text)
    return styles


def _of_page(items: Sequence[TextItem], usual_step: float) -> BodyText | None:
    """Return the running text of a page, ``None`` where it has little, or of several kinds."""
    prose = [item for item in items if item.line.word_count >= _PROSE_WORDS]
    styles = _styles(prose, fewest_words=1)
    if len(prose) < _FEWEST_LINES or styles.most_common(1)[0][1] < _ONE_KIND * styles.total():
        return None
    size, font, bold = styles.most_common(1)[0][0]
    return BodyText(size, font, bold, _usual_step(items, size) or usual_step)


def _usual_step(items: Iterable[TextItem], size: float) -> float | None:
    """Return the most common distance of two lines of running text, ``None`` where there are none."""
    steps: Counter[float] = Counter()
    for upper, lower in pairwise(items):
        in_text = abs(upper.line.size - size) < 0.3 and upper.line.word_count >= _PROSE_WORDS
        if in_text and upper.page == lower.page and upper.column == lower.column:
            step = (lower.line.baseline - upper.line.baseline) / size
            if 0.9 < step < _ONE_LINE:
                steps[round(step, 2)] += 1
    return steps.most_common(1)[0][0] if steps else None


def style_of(line: Line) -> Style:
    """Return the style of a line, sizes rounded to half a point."""
    return Style(round(line.size * 2) / 2, is_capitals(line.text), is_bold(line), not is_italic(line))


def is_bold(line: Line) -> bool:
    """Whether all words of a line are bold, signs aside."""
    return all(word.font.bold for word in line.words if any(character.isalnum() for character in word.text))


def is_italic(line: Line, *, whole: bool = False) -> bool:
    """Whether all words of a line but a number in front, or the ``whole`` line, are italic."""
    words = [word for word in line.words if any(character.isalpha() for character in word.text)]
    first = 0 if whole else min(1, len(words) - 1)
    return bool(words) and all(word.font.italic for word in words[first:])


def is_capitals(text: str) -> bool:
    """Whether a text is set in capitals: four letters at least, nearly all of them."""
    letters = [character for character in text if character.isalpha()]
    return len(letters) >= 4 and sum(character.isupper() for character in letters) >= _CAPITALS * len(letters)
