"""Finds the figures, tables and algorithms of a page: the model's boxes, made whole and bound to their captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import area, below, beside, common, grown, holds_centre, share_inside, union
from headtree.extraction.caption_binding import MOST_PROSE, bind_captions, gather_picture, off_captions, prose_share
from headtree.extraction.captions import Caption
from headtree.extraction.floats import Float, FloatPage
from headtree.extraction.layout import Region, RegionKind
from headtree.extraction.page_values import Line, PageContent
from headtree.extraction.table_cells import read_cells
from headtree.extraction.text_style import is_capitals
from headtree.types import FigureKind

_SAME = 0.5
"""Share of the smaller of two boxes that must lie in the other for them to be one thing."""
_SMALLEST = 36.0
"""Points that a picture without a caption measures at least in both directions."""
_SURE = 0.5
"""Score from which a picture without a caption counts."""
_RULE_REACH = 7.0
"""Points beyond the model's box within which a table's top and bottom rule are looked for."""
_STRETCH = 14.0
"""Points by which drawings that lie mostly inside may stretch the model's box."""
_FEWEST_TABLE_LINES = 4
_FEWEST_UPRIGHT = 3
"""Upright rules that make a grid."""
_MOSTLY = 0.8
"""Share of a table of numbers that lies in a box which includes it."""
_CAPTION_REACH = 30.0
"""Points between a table and its caption: a captioned table may hold rows of words, only running text is cut off."""
_FEWEST_TEXT_WORDS, _TEXT_INDENT = 4, 0.2
"""Words of a line, and share of a box's width by which it is set in at most, from which it is no label of a table."""
_TITLE_SIZE = 1.1
"""Size of a title as a share of its table's type."""


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
    page = FloatPage(content, others, [line for line in others if _is_prose(line, body_size)], captions)
    candidates = _candidates(page, regions, tables)
    bound, free = bind_captions(candidates, page)
    for caption in captions:
        if all(item.caption is not caption for item in bound):
            gathered = gather_picture(caption, page, [item.box for item in bound])
            bound += [gathered] if gathered else []
    free = [item for item in free if all(share_inside(item.box, other.box) < _SAME for other in bound)]
    kept = [_without_title(item, page) for item in free if _stands_alone(item, page)]
    return sorted(bound + kept, key=lambda item: (item.box[1], item.box[0]))


def _is_prose(line: Line, body_size: float) -> bool:
    return line.word_count >= 7 and line.size >= 0.9 * body_size and line.box[2] - line.box[0] > 14 * line.size


# -------------------------------------------------------------------------------------------------- candidates


def _candidates(page: FloatPage, regions: Sequence[Region], tables: Sequence[Box]) -> list[Float]:
    found = [
        Float(
            FigureKind.TABLE if region.kind is RegionKind.TABLE else FigureKind.FIGURE, region.box, None, region.score
        )
        for region in regions
        if region.kind in (RegionKind.TABLE, RegionKind.FIGURE)
    ]
    found = [part for item in found for part in _without_captions(item, page.captions)]
    found = [part for item in found for part in _without_text(item, page, tables)]
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


def _without_text(item: Float, page: FloatPage, tables: Sequence[Box]) -> list[Float]:
    """Cut the headings and sentences off a table's box that stand above, below or between tables of numbers."""
    inside = [table for table in tables if share_inside(table, grown(item.box, _STRETCH)) > _MOSTLY]
    if item.kind is not FigureKind.TABLE or not inside:
        return [item]
    near = any(-beside(caption.box, item.box) < _CAPTION_REACH for caption in page.captions)
    own = [line for line in page.lines if holds_centre(item.box, line.box)]
    suspects = [line for line in page.prose if holds_centre(item.box, line.box)] if near else own
    texts = [line.box for line in suspects if _is_text_beside_tables(line, own, item.box, inside)]
    edges = [item.box[1], *sorted(box[1] for box in texts), item.box[3]]
    tops = [item.box[1], *sorted(box[3] for box in texts)]
    parts = [(item.box[0], top, item.box[2], bottom) for top, bottom in zip(tops, edges[1:], strict=True)]
    return [replace(item, box=part) for part in parts if any(share_inside(table, part) > _MOSTLY for table in inside)]


def _is_text_beside_tables(line: Line, lines: Sequence[Line], box: Box, tables: Sequence[Box]) -> bool:
    if len(line.words) < _FEWEST_TEXT_WORDS or line.box[0] > box[0] + _TEXT_INDENT * (box[2] - box[0]):
        return False
    if any(holds_centre(table, line.box) for table in tables):
        return False
    return not any(other is not line and beside(other.box, line.box) > 0.5 * line.size for other in lines)


def _made_whole(item: Float, page: FloatPage) -> Float:
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
        if inside:
            inside.append(_whole_grid(union(inside), content.rules))
    if not inside:
        return item
    return replace(item, box=off_captions(union(inside), page.captions))


def _whole_grid(box: Box, rules: Sequence[Box]) -> Box:
    """Follow the upright rules that run through a table out of its box: to a row of titles, to the last row."""
    upright = [rule for rule in rules if rule[3] - rule[1] > 2 * (rule[2] - rule[0])]
    while True:
        top, bottom = box[1], box[3]
        touching = [
            rule
            for rule in upright
            if box[0] - 4 < rule[0] < box[2] + 4 and rule[1] < box[3] + 3 and rule[3] > box[1] - 3
        ]
        inner = [rule for rule in touching if box[0] + 4 < rule[0] < box[2] - 4]
        if len(inner) >= 1 and len(touching) >= _FEWEST_UPRIGHT:
            box = (box[0], min([box[1], *(r[1] for r in touching)]), box[2], max([box[3], *(r[3] for r in touching)]))
        if (box[1], box[3]) == (top, bottom):
            return box


def _without_prose_at_ends(inside: Sequence[Box], prose: Sequence[Line]) -> list[Box]:
    """Drop running text that a table's box includes at its top or bottom."""
    texts = {line.box for line in prose}
    kept = sorted(inside, key=lambda box: box[1])
    while kept and kept[0] in texts:
        kept.pop(0)
    while kept and max(kept, key=lambda box: box[3]) in texts:
        kept.remove(max(kept, key=lambda box: box[3]))
    return kept


def _clipped(box: Box, limit: Box) -> Box:
    return max(box[0], limit[0]), max(box[1], limit[1]), min(box[2], limit[2]), min(box[3], limit[3])


# ----------------------------------------------------------------------------------------- pictures without one


def _without_title(item: Float, page: FloatPage) -> Float:
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


def _stands_alone(item: Float, page: FloatPage) -> bool:
    """Whether a box without a caption is a picture or table and no piece of text."""
    box = item.box
    width, height = box[2] - box[0], box[3] - box[1]
    if prose_share(box, page) > MOST_PROSE:
        return False
    if item.kind is FigureKind.TABLE:
        readable = read_cells(page.lines, page.content.rules, box) is not None
        pictured = any(share_inside(box, image) > 0.5 for image in page.content.images)
        return width >= 2 * _SMALLEST and height >= 14 and (readable or pictured)
    drawn = [d for d in page.content.shapes + page.content.images if share_inside(d, grown(box, 2)) > 0.8]
    return item.score >= _SURE and min(width, height) >= _SMALLEST and bool(drawn)
