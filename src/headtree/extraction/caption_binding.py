"""Binds captions to pictures: which box is whose, which boxes are parts of one, where a caption has no box yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import area, below, beside, common, holds_centre, share_inside, union
from headtree.extraction.captions import Caption
from headtree.extraction.floats import Float, FloatPage
from headtree.types import FigureKind

_REACH = 60.0
"""Points between a picture and its caption, at most."""
_BESIDE_REACH = 30.0
_MARGIN_REACH, _MARGIN_OFF = 400.0, 16.0
"""Points between a picture and a caption in the margin, where no text stands, across and along the page."""
_MOST_PASSES = 8
_WIDE_RULE = 120.0
"""Points that the rule below an algorithm measures at least: it is as wide as its column."""
MOST_PROSE = 0.35
"""Share of a box that running text may cover before the box is text."""
_GAP = 26.0
"""Points without anything at which a picture that is gathered from its caption ends."""


def bind_captions(candidates: Sequence[Float], page: FloatPage) -> tuple[list[Float], list[Float]]:
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


def _up_to_caption(box: Box, caption: Caption, page: FloatPage) -> Box:
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
    return _clear_of(off_captions(union([box, *things]), page.captions), caption.box)


def _clear_of(box: Box, caption: Box) -> Box:
    """End a box where its caption begins, if that stands above or below; a field behind both may reach further."""
    if below(box, caption) <= 0 or beside(box, caption) > 0.5 * (box[3] - box[1]):
        return box
    if caption[1] + caption[3] > box[1] + box[3]:
        return (*box[:3], min(box[3], caption[1]))
    return (box[0], max(box[1], caption[3]), *box[2:])


def _cost(caption: Caption, item: Float, page: FloatPage) -> float | None:
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
    overlap = beside(words, picture)
    if overlap > 0.5 * (words[3] - words[1]) and -shared < _BESIDE_REACH:
        return 40 - shared
    in_margin = 0 < -shared < _MARGIN_REACH and all(below(line.box, words) <= 0 for line in page.prose)
    if overlap > -_MARGIN_OFF and in_margin:
        return 80 - 0.1 * shared
    return None


def _has_prose_between(words: Box, picture: Box, page: FloatPage) -> bool:
    top, bottom = min(words[3], picture[3]), max(words[1], picture[1])
    return any(
        top - 1 <= (line.box[1] + line.box[3]) / 2 <= bottom + 1
        and below(line.box, words) > 0
        and below(line.box, picture) > 0
        for line in page.prose
    )


def _is_part(item: Float, whole: Box, caption: Caption, page: FloatPage) -> bool:
    """Whether a box is a further part of a captioned picture: nothing else stands in the box round both."""
    together = union((whole, item.box))
    if prose_share(item.box, page) > MOST_PROSE:
        return False
    if common(together, caption.box) > 0.3 * area(caption.box):
        return False
    if any(common(together, other.box) > 0.3 * area(other.box) for other in page.captions if other is not caption):
        return False
    strangers = [line for line in page.prose if holds_centre(together, line.box)]
    own = [line for line in strangers if holds_centre(whole, line.box) or holds_centre(item.box, line.box)]
    return _apart(whole, item.box) <= _REACH and len(strangers) == len(own)


def prose_share(box: Box, page: FloatPage) -> float:
    """Return the share of a box that running text covers."""
    return sum(common(line.box, box) for line in page.prose) / (area(box) or 1.0)


def _apart(first: Box, second: Box) -> float:
    return max(-beside(first, second), 0) + max(-below(first, second), 0)


# -------------------------------------------------------------------------- captions that the model gave no box


def gather_picture(caption: Caption, page: FloatPage, taken: Sequence[Box]) -> Float | None:
    """Gather the picture of a caption from what stands next to it, up to running text or a wide gap."""
    usual = -1 if caption.kind is FigureKind.FIGURE else 1
    if caption.kind is FigureKind.ALGORITHM and (ruled := _ruled_box(caption, page)):
        return Float(caption.kind, ruled, caption)
    for direction in (usual, -usual):
        box = _gathered_box(caption, page, taken, direction)
        if box is not None and box[3] - box[1] >= 20:
            return Float(caption.kind, box, caption)
    return None


def _ruled_box(caption: Caption, page: FloatPage) -> Box | None:
    """Return the box from an algorithm's caption down to the rule that closes it."""
    width = caption.box[2] - caption.box[0]
    below_it = [
        rule
        for rule in page.content.rules
        if rule[2] - rule[0] > _WIDE_RULE and below(rule, caption.box) > 0.9 * width and rule[1] > caption.box[3] + 12
    ]
    last = min(below_it, key=lambda rule: rule[1], default=None)
    return (last[0], caption.box[3] + 0.5, last[2], last[3]) if last else None


def _gathered_box(caption: Caption, page: FloatPage, taken: Sequence[Box], direction: int) -> Box | None:
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


def off_captions(box: Box, captions: Sequence[Caption]) -> Box:
    """Cut captions off a box, at its end that is nearer to each."""
    for caption in captions:
        if common(box, caption.box) > 0.2 * area(caption.box):
            upper = caption.box[1] - box[1] > box[3] - caption.box[3]
            box = (*box[:3], caption.box[1] - 0.5) if upper else (box[0], caption.box[3] + 0.5, *box[2:])
    return box
