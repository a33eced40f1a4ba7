"""Words -> lines: what stands on one baseline without a wide gap."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import below, union
from headtree.extraction.inline_formulas import with_inline_formulas
from headtree.extraction.page_values import Font, Line, Word
from headtree.extraction.raised_type import lowered_text, raised_text

_STREAM_GAP = 1.25
"""Share of the type size that may lie between words that follow each other in the file: justified lines are loose."""
_GAP = 0.75
"""The same for words that do not follow each other in the file."""
_LABEL_GAP = 7.0
"""The same between a number or a bullet at the beginning of a line and the words it belongs to."""
_SAME_BASELINE = 0.2
"""Share of the type size by which baselines of one line may differ."""
_RAISED = 0.62
"""Share of the type size by which small type may stand above or below the baseline of its line."""
_UNDERLINE, _UNDERLINED = 0.3, 0.8
"""Share of the type size below the baseline in which an underline lies, and share of a line that it covers at least,
without a number in front."""
_SPACED_WORDS, _SPACED_SHARE, _SPACED_GAP = 6, 0.75, 2.0
"""Pieces of a line, and share of them that are single letters, from which it is letter-spaced, and share of the usual
gap of its letters from which a gap parts words."""
_SMALL = 0.86
"""Size of raised type as a share of the line's."""
_INITIAL = 1.8
"""Size of a paragraph's large first letter as a share of the type that follows, at least."""
_LABEL = re.compile(
    r"(?:[•◦▪■●○‣⁃∙·*–—-]|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|\d{1,2}(?:\.\d{1,2}){0,4}\.?|[A-Z]\.?\d?(?:\.\d{1,2})*\.?"
    r"|(?:Item|ITEM|Note|NOTE|Section|SECTION|Part|PART|Article|ARTICLE|Appendix|APPENDIX|Exhibit|EXHIBIT)"
    r"\s+[\dIVXLA-Z]{1,5}(?:[.\-]\d{1,3})*[A-Z]?[.:]?)"
)


def find_lines(words: Sequence[Word]) -> list[Line]:
    """Return the lines of a page, top to bottom and left to right by their baselines.

    Words that follow each other in the file go together first; then pieces on one baseline whose gap is small, and a
    number or a bullet with the only words to its right.
    """
    pieces: list[list[Word]] = []
    for word in words:
        if pieces and _continues(pieces[-1], word):
            pieces[-1].append(word)
        else:
            pieces.append([word])
    pieces = _with_raised_pieces(pieces)
    pieces = [_without_letter_spaces(piece) for piece in with_inline_formulas(_joined_rows(pieces))]
    return sorted((make_line(piece) for piece in pieces), key=lambda line: (round(line.baseline), line.box[0]))


def _without_letter_spaces(piece: list[Word]) -> list[Word]:
    """Put the letters of "C O N T E N T S" together."""
    letters = sum(len(word.text) == 1 and word.text.isupper() for word in piece)
    if len(piece) < _SPACED_WORDS or letters < _SPACED_SHARE * len(piece):
        return piece
    gaps = [second.box[0] - first.box[2] for first, second in pairwise(piece)]
    usual = median(gaps)
    joined = [piece[0]]
    for gap, word in zip(gaps, piece[1:], strict=True):
        last = joined[-1]
        if gap < _SPACED_GAP * usual and word.font == last.font:
            joined[-1] = replace(word, text=last.text + word.text, box=union((last.box, word.box)))
        else:
            joined[-1] = replace(last, space_after=True)
            joined.append(word)
    return joined


def make_line(words: Sequence[Word]) -> Line:
    """Return a line of words that are in order."""
    sizes: Counter[float] = Counter()
    fonts: Counter[Font] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
        fonts[word.font] += len(word.text)
    size = sizes.most_common(1)[0][0]
    baselines = Counter(round(word.baseline, 1) for word in words if word.size >= _SMALL * size)
    baseline = baselines.most_common(1)[0][0] if baselines else words[0].baseline
    box = union(word.box for word in words)
    return Line(tuple(words), box, baseline, size, fonts.most_common(1)[0][0], line_text(words, baseline, size))


def with_underlines(lines: Sequence[Line], rules: Sequence[Box]) -> list[Line]:
    """Mark the lines that are underlined; a rule that runs on beyond a line parts rows or sections."""
    flat = [rule for rule in rules if rule[2] - rule[0] > 3 * (rule[3] - rule[1])]
    if not flat:
        return list(lines)
    return [replace(line, underlined=True) if _is_underlined(line, flat) else line for line in lines]


def _is_underlined(line: Line, rules: Sequence[Box]) -> bool:
    words = line.words[1:] if len(line.words) > 1 and _LABEL.fullmatch(line.words[0].text) else line.words
    box = union(word.box for word in words)
    near = [rule for rule in rules if -0.05 * line.size < rule[1] - line.baseline < _UNDERLINE * line.size]
    own = [rule for rule in near if below(rule, line.box) > 0]
    if not own:
        return False
    left, _, right, _ = union(own)
    reach = 0.4 * line.size
    covered = sum(below(rule, box) for rule in own)
    within = left > line.box[0] - reach and right < line.box[2] + reach
    return within and covered > _UNDERLINED * (box[2] - box[0])


def line_text(words: Sequence[Word], baseline: float, size: float) -> str:
    """Return the text of a line; raised digits become superscript signs, with a space after a word."""
    return " ".join("".join(text for text, _ in line_pieces(words, baseline, size)).split())


def line_pieces(words: Sequence[Word], baseline: float, size: float) -> list[tuple[str, str]]:
    """Return the pieces of a line's text, gaps included, each with the address that a link on it leads to."""
    pieces: list[tuple[str, str]] = []
    for position, word in enumerate(words):
        text, raised = word.text, _shift(word, baseline, size)
        if raised > 0:
            text = raised_text(text, before=pieces[-1][0] if pieces else "")
        elif raised < 0:
            text = lowered_text(text)
        pieces.append((text, word.address))
        if position + 1 < len(words) and _is_initial(word, words[position + 1]):
            continue
        if word.space_after and position + 1 < len(words):
            goes_on = bool(word.address) and words[position + 1].address == word.address
            pieces.append((" ", word.address if goes_on else ""))
    return pieces


def _is_initial(word: Word, after: Word) -> bool:
    """Whether a word is the large first letter of the next one."""
    return len(word.text) == 1 and word.text.isalpha() and word.size > _INITIAL * after.size and after.text.isalpha()


def is_raised(word: Word, line_size: float, baseline: float) -> bool:
    """Whether a word is set as a superscript of a line."""
    return _shift(word, baseline, line_size) > 0


def _shift(word: Word, baseline: float, size: float) -> int:
    """Return 1 for a superscript, -1 for a subscript, else 0."""
    if word.size > _SMALL * size:
        return 0
    rise = baseline - word.baseline
    return 1 if rise > 0.15 * size else -1 if rise < -0.08 * size else 0


def _continues(piece: Sequence[Word], word: Word) -> bool:
    last = piece[-1]
    if last.hyphen:
        return False
    size = max(last.size, word.size)
    gap = word.box[0] - last.box[2]
    if not -0.6 * size <= gap <= _STREAM_GAP * size:
        return False
    difference = abs(word.baseline - last.baseline)
    if difference <= _SAME_BASELINE * size:
        return True
    small = min(last.size, word.size) <= _SMALL * size
    return small and difference <= _RAISED * size and gap <= 0.5 * size


def _with_raised_pieces(pieces: Sequence[list[Word]]) -> list[list[Word]]:
    """Put a small raised piece behind the piece that it touches, where the file holds it elsewhere."""
    result = []
    wide = [piece for piece in pieces if len(piece) > 1 or len(piece[0].text) > 3]
    for piece in pieces:
        home = None
        if sum(len(word.text) for word in piece) <= 4:
            home = next((other for other in wide if other is not piece and _touches(other, piece)), None)
        if home is None:
            result.append(piece)
        else:
            home += piece
            home.sort(key=lambda word: word.box[0])
    return result


def _touches(home: Sequence[Word], piece: Sequence[Word]) -> bool:
    first = piece[0]
    for word in home:
        if first.size <= _SMALL * word.size and 0.1 * word.size < word.baseline - first.baseline <= _RAISED * word.size:
            near = abs(first.box[0] - word.box[2]) <= 0.35 * word.size or abs(piece[-1].box[2] - word.box[0]) <= 0.5
            if near:
                return True
    return False


def _joined_rows(pieces: Sequence[list[Word]]) -> list[list[Word]]:
    """Join pieces of one baseline that stand close to each other."""
    ordered = sorted(pieces, key=lambda piece: (piece[0].baseline, piece[0].box[0]))
    rows: list[list[list[Word]]] = []
    for piece in ordered:
        size = piece[0].size
        if rows and abs(rows[-1][-1][0].baseline - piece[0].baseline) <= _SAME_BASELINE * size:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    joined = []
    for row in rows:
        row.sort(key=lambda piece: piece[0].box[0])
        current = row[0]
        for position, piece in enumerate(row[1:], start=1):
            size = max(current[-1].size, piece[0].size)
            gap = piece[0].box[0] - current[-1].box[2]
            alone = position == 1 and len(row) == 2 and _LABEL.fullmatch(" ".join(word.text for word in current))
            if -0.6 * size <= gap <= _GAP * size or (alone and 0 < gap <= _LABEL_GAP * size):
                current = [*current, *piece]
            else:
                joined.append(current)
                current = piece
        joined.append(current)
    return joined
