"""Finds displayed formulas and the number that is printed beside each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import below, beside, grown, holds_centre, share_inside, union
from headtree.extraction.layout import Region, RegionKind
from headtree.extraction.page_values import Line, PageContent, Word

_NUMBER = re.compile(r"\((?:[A-Z]{0,2}\.?\d{1,3}(?:[.\-]\d{1,3})*[a-z]?)\)")
_NUMBER_AT_END = re.compile(r"^(?P<rest>.*\S)\s+(?P<number>\((?:[A-Z]{0,2}\.?\d{1,3}(?:\.\d{1,3})*[a-z]?)\))$")
_MATHS_FONT = re.compile(
    r"cmmi|cmsy|cmex|msbm|msam|math|symbol|euler|eufm|stix|mtmi|mtsy|mtex|rsfs|txsy|txmi|pxsy", re.I
)
_MATHS_SIGN = re.compile(r"[=≤≥≪≫∈∉∑∏∫√∂∇≈∼⊗⊕←↦⟨⟩∞∀∃∆ΔφϕθλαβγδεησκμρτωΩΣΠ−⋅∥⊤⊥≜≡∝→]")
_RELATION = re.compile(r"[=≤≥≪≫∈≈∼≜≡∝←→<>]|:=")
_MATHS_SHARE = 0.4
"""Share of a line's characters in type for mathematics from which it may be a piece of a formula."""
_WORDS = 4
"""Words of at least four letters with which a line is a sentence that speaks of a formula."""
_WORDS_OF_TITLE = 2
"""Such words with which a line without any mathematics is a title, even where the model sees a formula."""
_CONNECTING = frozenset({"where", "with", "and", "for", "since", "let", "then", "thus", "hence", "if", "when"})
"""Words with which a line goes on with the sentence round a formula."""
_LINE_GAP = 0.9
"""Share of the type size that may lie between two pieces of one formula."""
_REACH = 220.0
"""Points between a formula and the number at the margin, at most."""
_SMALLEST = 8.0
_MOST_PASSES = 4


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula."""

    box: Box
    """Without its number."""
    number: str
    """As printed: ``(5)``; empty where it has none."""
    number_box: Box | None
    lines: tuple[Line, ...]
    """All lines that are shown by the picture or are its number."""


def has_formulas(lines: Sequence[Line]) -> bool:
    """Whether a page may hold displayed formulas, so that it is worth looking at."""
    return any(_maths_share(line) >= _MATHS_SHARE and _RELATION.search(line.text) for line in lines)


def find_formulas(
    content: PageContent, lines: Sequence[Line], regions: Sequence[Region], *, body_size: float
) -> list[Formula]:
    """Return the displayed formulas among lines that belong to no figure, table or caption, top to bottom."""
    marked = [region.box for region in regions if region.kind is RegionKind.EQUATION]
    pieces = [line for line in lines if _is_piece(line, marked, body_size) or _has_number_beside(line, lines)]
    found: list[Formula] = []
    taken: set[int] = set()
    for group in _groups(pieces):
        whole = _completed(group, lines) if _is_formula(group, marked) else None
        if whole is not None and taken.isdisjoint(map(id, whole)):
            taken |= set(map(id, whole))
            found += _numbered(whole, lines, content)
    return sorted(found, key=lambda formula: (formula.box[1], formula.box[0]))


def _is_piece(line: Line, marked: Sequence[Box], body_size: float) -> bool:
    if _is_sentence(line) or line.text.isdigit():
        return False
    share = _maths_share(line)
    if any(share_inside(line.box, box) > 0.5 for box in marked):
        return share > 0 or _real_words(line) < _WORDS_OF_TITLE
    if _NUMBER.fullmatch(line.text):
        return False
    return share >= _MATHS_SHARE or (len(line.text) <= 2 and line.size < body_size and share > 0)


def _is_sentence(line: Line) -> bool:
    first = line.words[0]
    begins = _is_real_word(first) and first.text[0].isupper()
    return _real_words(line) >= _WORDS or begins or first.text.casefold() in _CONNECTING


def _real_words(line: Line) -> int:
    return sum(_is_real_word(word) for word in line.words)


def _is_real_word(word: Word) -> bool:
    return len(word.text) >= 4 and word.text.isalpha() and not _is_maths(word.font.name)


def _has_number_beside(line: Line, lines: Sequence[Line]) -> bool:
    """Whether a formula's number stands alone on a line's baseline, at the margin."""
    if _is_sentence(line) or not _RELATION.search(line.text):
        return False
    beyond = [other for other in lines if other is not line and abs(other.baseline - line.baseline) < 0.3 * line.size]
    numbers = [other for other in beyond if _NUMBER.fullmatch(other.text)]
    return len(numbers) == 1 and not any(_is_sentence(other) for other in beyond)


def _completed(group: Sequence[Line], lines: Sequence[Line]) -> list[Line] | None:
    """Add what stands beside a group's pieces; ``None`` where that is text: the pieces are a part of its line."""
    members = list(group)
    ids = {id(line) for line in members}
    for _ in range(_MOST_PASSES):
        box = union(line.box for line in members)
        size = max(line.size for line in members)
        beside_it = [
            line
            for line in lines
            if id(line) not in ids
            and not _NUMBER.fullmatch(line.text)
            and below(line.box, box) > -3 * size
            and any(beside(line.box, item.box) > 0.4 * min(line.size, item.size) for item in members)
        ]
        if any(len(re.findall(r"[A-Za-z]{2,}", line.text)) >= _WORDS for line in beside_it):
            return None
        if not beside_it:
            break
        members += beside_it
        ids |= {id(line) for line in beside_it}
    return members


def _is_maths(font: str) -> bool:
    return _MATHS_FONT.search(font) is not None


def _maths_share(line: Line) -> float:
    total = sum(len(word.text) for word in line.words)
    maths = sum(
        len(word.text) if _is_maths(word.font.name) else len(_MATHS_SIGN.findall(word.text)) for word in line.words
    )
    return maths / total if total else 0.0


def _groups(pieces: Sequence[Line]) -> list[list[Line]]:
    """Put pieces together that touch or nearly touch: numerators, limits, further rows."""
    groups: list[list[Line]] = []
    for line in sorted(pieces, key=lambda item: item.box[1]):
        near = [group for group in groups if any(_touches(line, other) for other in group)]
        merged = [line]
        for group in near:
            merged = [*group, *merged]
            groups.remove(group)
        groups.append(merged)
    return groups


def _touches(first: Line, second: Line) -> bool:
    size = max(first.size, second.size)
    vertical, horizontal = beside(first.box, second.box), below(first.box, second.box)
    if vertical > 0:
        return horizontal > -3.5 * size
    return vertical > -_LINE_GAP * size and horizontal > -2 * size


def _is_formula(group: Sequence[Line], marked: Sequence[Box]) -> bool:
    """Whether pieces are a formula: the model says so, or a relation stands in them."""
    box = union(line.box for line in group)
    if any(share_inside(box, grown(area, 6)) > 0.5 or share_inside(area, grown(box, 6)) > 0.7 for area in marked):
        return True
    text = " ".join(line.text for line in group)
    return len(text) >= 8 and _RELATION.search(text) is not None and box[3] - box[1] >= _SMALLEST


def _numbered(group: Sequence[Line], lines: Sequence[Line], content: PageContent) -> list[Formula]:
    """Give a formula its number; several numbers beside one group part it between them."""
    box = union(line.box for line in group)
    numbers = [
        line
        for line in lines
        if _NUMBER.fullmatch(line.text)
        and line not in group
        and beside(line.box, grown(box, 2)) > 0
        and (0 < line.box[0] - box[2] + 3 < _REACH or 0 < box[0] - line.box[2] + 3 < _REACH)
    ]
    if len(numbers) <= 1:
        return [_formula(group, numbers[0] if numbers else None, content)]
    parts: list[list[Line]] = [[] for _ in numbers]
    for line in group:
        nearest = min(range(len(numbers)), key=lambda n: abs(numbers[n].baseline - line.baseline))
        parts[nearest].append(line)
    return [_formula(part, number, content) for part, number in zip(parts, numbers, strict=True) if part]


def _formula(group: Sequence[Line], number: Line | None, content: PageContent) -> Formula:
    text = number.text if number else ""
    number_box = number.box if number else None
    lines = [*group, number] if number else list(group)
    box = union(line.box for line in group)
    last = max(group, key=lambda line: line.box[2])
    at_end = _NUMBER_AT_END.match(last.text)
    if number is None and at_end and _NUMBER.fullmatch(last.words[-1].text) and len(last.words) > 1:
        text, number_box = at_end["number"], last.words[-1].box
        kept = [line.box for line in group if line is not last] + [word.box for word in last.words[:-1]]
        box = union(kept)
    first = min(group, key=lambda line: line.box[0])
    if not text and len(first.words) > 1 and _NUMBER.fullmatch(first.words[0].text):
        text, number_box = first.words[0].text, first.words[0].box
        box = union([line.box for line in group if line is not first] + [word.box for word in first.words[1:]])
    bars = [rule for rule in content.rules + content.shapes if holds_centre(grown(box, 4), rule)]
    return Formula(
        union([box, *(bar for bar in bars if bar[2] - bar[0] < box[2] - box[0] + 30)]), text, number_box, tuple(lines)
    )
