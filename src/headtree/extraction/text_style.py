"""What running text looks like in a document, and how a line differs from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from headtree.extraction.page_values import Line, TextItem

_LARGER = 1.06
"""Size as a share of the running text's from which type is set larger on purpose."""
_PROSE_WORDS, _SIZE_DIFFERENCE = 8, 0.6
_USUAL_STEP = 1.2
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
    """The running text of a document."""

    size: float
    font: str
    bold: bool
    step: float
    """Distance of two baselines as a share of the type size."""

    @classmethod
    def of(cls, items: Sequence[TextItem]) -> BodyText:
        """Measure the text of a document: what most characters of long lines have."""
        styles: Counter[tuple[float, str, bool]] = Counter()
        for fewest in (7, 1):
            for item in items:
                if len(item.line.words) >= fewest:
                    styles[round(item.line.size, 1), item.line.font.name, item.line.font.bold] += len(item.line.text)
            if styles:
                break
        size, font, bold = styles.most_common(1)[0][0] if styles else (10.0, "", False)
        return cls(size, font, bold, _usual_step(items, size))

    def is_larger(self, line: Line) -> bool:
        """Whether a line is set in larger type."""
        return line.size >= _LARGER * self.size

    def is_strong(self, line: Line) -> bool:
        """Whether a whole line is larger or bold."""
        return self.is_larger(line) or (is_bold(line) and not self.bold)

    def is_prose(self, line: Line) -> bool:
        """Whether a line is running text: eight words in its type."""
        in_type = abs(line.size - self.size) <= _SIZE_DIFFERENCE and not is_capitals(line.text)
        return in_type and len(line.words) >= _PROSE_WORDS and line.text[-1:] != ","

    def is_set_apart(self, line: Line) -> bool:
        """Whether a whole line is bold, larger, in capitals or in another cut than running text."""
        if self.is_strong(line):
            return True
        return is_capitals(line.text) or (is_italic(line) and line.size >= 0.95 * self.size)


def _usual_step(items: Iterable[TextItem], size: float) -> float:
    steps: Counter[float] = Counter()
    for upper, lower in pairwise(items):
        if upper.page == lower.page and upper.column == lower.column and abs(upper.line.size - size) < 0.3:
            step = (lower.line.baseline - upper.line.baseline) / size
            if 0.9 < step < _ONE_LINE:
                steps[round(step, 2)] += 1
    return steps.most_common(1)[0][0] if steps else _USUAL_STEP


def style_of(line: Line) -> Style:
    """Return the style of a line, sizes rounded to half a point."""
    return Style(round(line.size * 2) / 2, is_capitals(line.text), is_bold(line), not is_italic(line))


def is_bold(line: Line) -> bool:
    """Whether all words of a line are bold, signs aside."""
    return all(word.font.bold for word in line.words if any(character.isalnum() for character in word.text))


def is_italic(line: Line) -> bool:
    """Whether all words of a line but a number in front are italic."""
    words = [word for word in line.words if any(character.isalpha() for character in word.text)]
    return bool(words) and all(word.font.italic for word in words[-max(1, len(words) - 1) :])


def is_capitals(text: str) -> bool:
    """Whether a text is set in capitals: four letters at least, nearly all of them."""
    letters = [character for character in text if character.isalpha()]
    return len(letters) >= 4 and sum(character.isupper() for character in letters) >= 0.95 * len(letters)
