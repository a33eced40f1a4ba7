"""Finds the figures, tables and algorithms of a page: the model's boxes, made whole and bound to their captions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import area, below, beside, common, grown, holds_centre, share_inside, union
from headtree.extraction.captions import Caption
from headtree.extraction.layout import Region, RegionKind
from headtree.extraction.page_values import Line, PageContent
from headtree.extraction.tables import read_cells
from headtree.extraction.text_style import is_capitals
from headtree.types import FigureKind

_SAME = 0.5
"""Share of the smaller of two boxes that must lie in the other for them to be one thing."""
_REACH = 60.0
"""Points between a picture and its caption, at most."""
_BESIDE_REACH = 30.0
_SMALLEST = 36.0
"""Points that a picture without a caption measures at least in both directions."""
_SURE = 0.5
"""Score from which a picture without a caption counts."""
_RULE_REACH = 7.0
"""Points beyond the model's box within which a table's top and bottom rule are looked for."""
_STRETCH = 14.0
"""Points by which drawings that lie mostly inside may stretch the model's box."""
_MOST_PASSES = 8
_WIDE_RULE = 120.0
"""Points that the rule below an algorithm measures at least: it is as wide as its column."""
_FEWEST_TABLE_LINES = 4
_TITLE_SIZE = 1.1
"""Size of a title as a share of its table's type."""
_GAP = 26.0
"""Points without anything at which a picture that is gathered from its caption ends."""


@dataclass(frozen=True, slots=True)
class Float:
    """A figure, table or algorithm on a page."""

    kind: FigureKind
    box: Box
    caption: Caption | None = None
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class _Page:
    content: PageContent
    lines: Sequence[Line]
    """Without those of captions."""
    prose: Sequence[Line]
    captions: Sequence[Caption]

    @property
    def drawings(self) -> tuple[Box, ...]:
        content = self.content
        return content.shapes + content.images + content.panels + content.rules


def find_floats(
    content: PageContent,
    lines: Sequence[Line],
    regions: Sequence[Region],
    captions: Sequence[Caption],
    tables: Sequence[Box],
    *,
    body_size: float,
) -> list[Float]:
    """Return the floats of a page, top to bottom.

    Args:
        content: of the page.
        lines: all its lines.
        regions: what the layout model found; empty where it did not run.
        captions: of the page.
        tables: boxes of tables that their rows gave away.
        body_size: type size of the running text.
    """
    in_captions = {id(line) for caption in captions for line in caption.lines}
    others = [line for line in lines if id(line) not in in_captions]
    page = _Page(content, others, [line for line in others if _is_prose(line, body_size)], captions)
    candidates = _candidates(page, regions, tables)
    bound, free = _bind(candidates, page)
    for caption in captions:
        if all(item.caption is not caption for item in bound):
            gathered = _gather(caption, page, [item.box for item in bound])
            bound += [gathered] if gathered else []
    free = [item for item in free if all(share_inside(item.box, other.box) < _SAME for other in bound)]
    kept = [_without_title(item, page) for item in free if _stands_alone(item, page)]
    return sorted(bound + kept, key=lambda item: (item.box[1], item.box[0]))


def _is_prose(line: Line, body_size: float) -> bool:
    return len(line.words) >= 7 and line.size >= 0.9 * body_size and line.box[2] - line.box[0] > 14 * line.size


# -------------------------------------------------------------------------------------------------- candidates


def _candidates(page: _Page, regions: Sequence[Region], tables: Sequence[Box]) -> list[Float]:
    found = [
        Float(
            FigureKind.TABLE if region.kind is RegionKind.TABLE else FigureKind.FIGURE, region.box, None, region.score
        )
        for region in regions
        if region.kind in (RegionKind.TABLE, RegionKind.FIGURE)
    ]
    found = [part for item in found for part in _without_captions(item, page.captions)]
    found += [Float(FigureKind.TABLE, box) for box in tables]
    found += [Float(FigureKind.FIGURE, box) for box in page.content.images if _is_big(box, page.content)]
    merged: list[Float] = []
    for item in sorted(found, key=lambda item: -item.score):
        same = next((other for other in merged if _is_same(other.box, item.box)), None)
        if same is None:
            merged.append(item)
        else:
            merged[merged.index(same)] = replace(same, box=union((same.box, item.box)))
    return [whole for item in merged if area((whole := _made_whole(item, page)).box) > 0]


def _is_big(box: Box, content: PageContent) -> bool:
    size = min(box[2] - box[0], box[3] - box[1])
    return size >= 1.5 * _SMALLEST and area(box) < 0.85 * content.width * content.height


def _is_same(first: Box, second: Box) -> bool:
    return common(first, second) > _SAME * min(area(first), area(second))


def _without_captions(item: Float, captions: Sequence[Caption]) -> list[Float]:
    """Cut captions off a box; one in its middle cuts it in two."""
    boxes = [item.box]
    for caption in captions:
        rest = []
        for box in boxes:
            if below(box, caption.box) < 0.5 * (caption.box[2] - caption.box[0]) or beside(box, caption.box) <= 0:
                rest.append(box)
                continue
            above, under = (*box[:3], caption.box[1] - 1), (box[0], caption.box[3] + 1, *box[2:])
            rest += [part for part in (above, under) if part[3] - part[1] >= 14]
        boxes = rest
    return [replace(item, box=box) for box in boxes]


def _made_whole(item: Float, page: _Page) -> Float:
    """Fit a box to what it shows: whole lines and drawings, the rules above and below a table, no margin."""
    box = item.box
    limit = grown(box, _STRETCH)
    inside = [line.box for line in page.lines if holds_centre(box, line.box) and share_inside(line.box, limit) > 0.85]
    content = page.content
    solid = content.shapes + content.images + content.panels
    inside += [_clipped(drawing, limit) for drawing in solid if share_inside(drawing, box) > 0.5]
    reach = grown(box, _RULE_REACH)
    for rule in content.rules:
        wide = below(rule, box) > 0.7 * min(rule[2] - rule[0], box[2] - box[0])
        if holds_centre(box, rule) or (wide and holds_centre(reach, rule)):
            inside.append(_clipped(rule, limit))
    if item.kind is FigureKind.TABLE:
        inside = _without_prose_at_ends(inside, page.prose)
    if not inside:
        return item
    return replace(item, box=_off_captions(union(inside), page.captions))


def _without_prose_at_ends(inside: Sequence[Box], prose: Sequence[Line]) -> list[Box]:
    """Drop running text that a table's box includes at its top or bottom."""
    texts = {line.box for line in prose}
    kept = sorted(inside, key=lambda box: box[1])
    while kept and kept[0] in texts:
        kept.pop(0)
    while kept and max(kept, key=lambda box: box[3]) in texts:
        kept.remove(max(kept, key=lambda box: box[3]))
    return kept


def _off_captions(box: Box, captions: Sequence[Caption]) -> Box:
    for caption in captions:
        if common(box, caption.box) > 0.2 * area(caption.box):
            upper = caption.box[1] - box[1] > box[3] - caption.box[3]
            box = (*box[:3], caption.box[1] - 0.5) if upper else (box[0], caption.box[3] + 0.5, *box[2:])
    return box


def _clipped(box: Box, limit: Box) -> Box:
    return max(box[0], limit[0]), max(box[1], limit[1]), min(box[2], limit[2]), min(box[3], limit[3])


# ---------------------------------------------------------------------------------------------------- captions


def _bind(candidates: Sequence[Float], page: _Page) -> tuple[list[Float], list[Float]]:
    """Give each caption the picture that stands best, then the further parts of that picture."""
    pairs = sorted(
        (cost, number, index)
        for number, caption in enumerate(page.captions)
        for index, item in enumerate(candidates)
        if (cost := _cost(caption, item, page)) is not None
    )
    owner: dict[int, int] = {}
    chosen: dict[int, Box] = {}
    for _, number, index in pairs:
        if number not in chosen and index not in owner:
            owner[index] = number
            chosen[number] = candidates[index].box
    for _ in range(_MOST_PASSES):  # a part may only touch the picture once another part has joined it
        before = len(owner)
        for index, item in enumerate(candidates):
            fitting = [
                n for n, box in chosen.items() if index not in owner and _is_part(item, box, page.captions[n], page)
            ]
            if fitting:
                number = min(fitting, key=lambda n: _apart(item.box, chosen[n]))
                owner[index] = number
                chosen[number] = union((chosen[number], item.box))
        if len(owner) == before:
            break
    bound = [
        Float(page.captions[number].kind, _up_to_caption(box, page.captions[number], page), page.captions[number])
        for number, box in chosen.items()
    ]
    return bound, [item for index, item in enumerate(candidates) if index not in owner]


def _up_to_caption(box: Box, caption: Caption, page: _Page) -> Box:
    """Add what stands between a picture and its caption: the names of an axis, a legend."""
    if caption.box[1] > box[3] - 1:
        strip = box[0], box[3] - 1, box[2], caption.box[1]
    elif caption.box[3] < box[1] + 1:
        strip = box[0], caption.box[3], box[2], box[1] + 1
    else:
        return _clear_of(box, caption.box)
    prose = {id(line) for line in page.prose}
    things = [line.box for line in page.lines if id(line) not in prose and holds_centre(strip, line.box)]
    things += [drawing for drawing in page.drawings if share_inside(drawing, strip) > 0.9]
    return _clear_of(_off_captions(union([box, *things]), page.captions), caption.box)


def _clear_of(box: Box, caption: Box) -> Box:
    """End a box where its caption begins, if that stands above or below; a field behind both may reach further."""
    if below(box, caption) <= 0 or beside(box, caption) > 0.5 * (box[3] - box[1]):
        return box
    if caption[1] + caption[3] > box[1] + box[3]:
        return (*box[:3], min(box[3], caption[1]))
    return (box[0], max(box[1], caption[3]), *box[2:])


def _cost(caption: Caption, item: Float, page: _Page) -> float | None:
    """Return how badly a picture fits a caption, ``None`` where it cannot be its own."""
    words, picture = caption.box, item.box
    shared = below(words, picture)
    if shared > 0.3 * min(words[2] - words[0], picture[2] - picture[0]):
        above = (picture[1] + picture[3]) < (words[1] + words[3])
        gap = words[1] - picture[3] if above else picture[1] - words[3]
        if gap > _REACH or _has_prose_between(words, picture, page):
            return None
        usual = above if caption.kind is FigureKind.FIGURE else not above
        offset = abs((words[0] + words[2]) - (picture[0] + picture[2])) / 20
        same_kind = item.kind is caption.kind or caption.kind is FigureKind.ALGORITHM
        return max(gap, 0) + offset + (0 if usual else 22) + (0 if same_kind else 4)
    if beside(words, picture) > 0.5 * (words[3] - words[1]) and -shared < _BESIDE_REACH:
        return 40 - shared
    return None


def _has_prose_between(words: Box, picture: Box, page: _Page) -> bool:
    top, bottom = min(words[3], picture[3]), max(words[1], picture[1])
    return any(
        top - 1 <= (line.box[1] + line.box[3]) / 2 <= bottom + 1
        and below(line.box, words) > 0
        and below(line.box, picture) > 0
        for line in page.prose
    )


def _is_part(item: Float, whole: Box, caption: Caption, page: _Page) -> bool:
    """Whether a box is a further part of a captioned picture: nothing else stands in the box round both."""
    together = union((whole, item.box))
    if common(together, caption.box) > 0.3 * area(caption.box):
        return False
    if any(common(together, other.box) > 0.3 * area(other.box) for other in page.captions if other is not caption):
        return False
    strangers = [line for line in page.prose if holds_centre(together, line.box)]
    own = [line for line in strangers if holds_centre(whole, line.box) or holds_centre(item.box, line.box)]
    return _apart(whole, item.box) <= _REACH and len(strangers) == len(own)


def _apart(first: Box, second: Box) -> float:
    return max(-beside(first, second), 0) + max(-below(first, second), 0)


# --------------------------------------------------------------------------- captions that the model gave no box


def _gather(caption: Caption, page: _Page, taken: Sequence[Box]) -> Float | None:
    """Gather the picture of a caption from what stands next to it, up to running text or a wide gap."""
    usual = -1 if caption.kind is FigureKind.FIGURE else 1
    if caption.kind is FigureKind.ALGORITHM and (ruled := _ruled_box(caption, page)):
        return Float(caption.kind, ruled, caption)
    for direction in (usual, -usual):
        box = _gathered_box(caption, page, taken, direction)
        if box is not None and box[3] - box[1] >= 20:
            return Float(caption.kind, box, caption)
    return None


def _ruled_box(caption: Caption, page: _Page) -> Box | None:
    """Return the box from an algorithm's caption down to the rule that closes it."""
    width = caption.box[2] - caption.box[0]
    below_it = [
        rule
        for rule in page.content.rules
        if rule[2] - rule[0] > _WIDE_RULE and below(rule, caption.box) > 0.9 * width and rule[1] > caption.box[3] + 12
    ]
    last = min(below_it, key=lambda rule: rule[1], default=None)
    return (last[0], caption.box[3] + 0.5, last[2], last[3]) if last else None


def _gathered_box(caption: Caption, page: _Page, taken: Sequence[Box], direction: int) -> Box | None:
    start = caption.box[1] if direction < 0 else caption.box[3]
    prose_ids = {id(line) for line in page.prose}
    walls = [
        *taken,
        *(other.box for other in page.captions if other is not caption),
        *(line.box for line in page.prose),
    ]
    drawings = [box for box in page.drawings if area(box) < 0.6 * page.content.width * page.content.height]
    things = drawings + [line.box for line in page.lines if id(line) not in prose_ids]
    ahead = [box for box in _beyond(things, start, direction) if below(box, caption.box) > -1]
    ends = [_near_edge(wall, direction) for wall in _beyond(walls, start, direction) if below(wall, caption.box) > 0]
    end = min(ends, key=lambda edge: abs(edge - start), default=None)
    gathered: list[Box] = []
    edge = start
    for box in sorted(ahead, key=lambda item: abs(_near_edge(item, direction) - start)):
        if end is not None and (_far_edge(box, direction) - end) * direction > 2:
            continue
        if abs(_near_edge(box, direction) - start) > abs(edge - start) + _GAP:
            break
        gathered.append(box)
        edge = max(edge, _far_edge(box, direction)) if direction > 0 else min(edge, _far_edge(box, direction))
    drawn = [box for box in gathered if box in set(drawings)]
    return union(gathered) if gathered and drawn else None


def _beyond(boxes: Iterable[Box], start: float, direction: int) -> list[Box]:
    return [box for box in boxes if (_near_edge(box, direction) - start) * direction > -2]


def _near_edge(box: Box, direction: int) -> float:
    return box[1] if direction > 0 else box[3]


def _far_edge(box: Box, direction: int) -> float:
    return box[3] if direction > 0 else box[1]


# ----------------------------------------------------------------------------------------- pictures without one


def _without_title(item: Float, page: _Page) -> Float:
    """Leave the title above a table, which is set larger or in capitals, to the text."""
    if item.kind is not FigureKind.TABLE:
        return item
    lines = sorted((line for line in page.lines if holds_centre(item.box, line.box)), key=lambda line: line.baseline)
    size = median(line.size for line in lines) if lines else 0.0
    while len(lines) > _FEWEST_TABLE_LINES and lines[1].baseline - lines[0].baseline > 0.5 * size:
        if lines[0].size < _TITLE_SIZE * size and not is_capitals(lines[0].text):
            break
        item = replace(item, box=(item.box[0], max(item.box[1], lines[0].box[3] + 0.5), *item.box[2:]))
        lines = lines[1:]
    return item


def _stands_alone(item: Float, page: _Page) -> bool:
    """Whether a box without a caption is a picture or table and no piece of text."""
    box = item.box
    width, height = box[2] - box[0], box[3] - box[1]
    prose = sum(common(line.box, box) for line in page.prose)
    if prose > 0.35 * area(box):
        return False
    if item.kind is FigureKind.TABLE:
        readable = read_cells(page.lines, page.content.rules, box) is not None
        pictured = any(share_inside(box, image) > 0.5 for image in page.content.images)
        return width >= 2 * _SMALLEST and height >= 14 and (readable or pictured)
    drawn = [d for d in page.content.shapes + page.content.images if share_inside(d, grown(box, 2)) > 0.8]
    return item.score >= _SURE and min(width, height) >= _SMALLEST and bool(drawn)
