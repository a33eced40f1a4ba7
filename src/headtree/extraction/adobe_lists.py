"""The items of a list or a table of contents that Adobe found, with their depth and label."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from headtree.extraction.adobe_structure import Element, Group, Step
from headtree.extraction.adobe_text import join_text

_BULLET = re.compile(r"[•◦▪‣●○■□⁃∙·➢➤✓*–—-]\s+")
_LABEL = re.compile(r"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\])\s+")
_ITEM_STEPS = frozenset({"li", "toci"})
_LIST_STEPS = frozenset({"l", "toc"})


@dataclass(frozen=True, slots=True)
class Item:
    """One item."""

    depth: int
    """0 for the outermost list."""
    label: str
    """As printed: ``1.``, ``(a)``, ``[12]``; empty for a bullet."""
    text: str
    elements: tuple[Element, ...]


@dataclass(slots=True)
class _Parts:
    label: list[Element] = field(default_factory=list)
    body: list[Element] = field(default_factory=list)


def list_items(group: Group) -> list[Item]:
    """Return the items in reading order, nested ones after the item that holds them."""
    parts: dict[tuple[Step, ...], _Parts] = {}
    for element in group.elements:
        end = _item_end(group, element)
        item = parts.setdefault(element.path[:end], _Parts())
        is_label = any(step.name == "lbl" for step in element.path[end:])
        (item.label if is_label else item.body).append(element)
    items = [_item(group, key, item) for key, item in parts.items()]
    return [item for item in items if item.text or item.label]


def _item_end(group: Group, element: Element) -> int:
    """Return how many steps of the path lead to the innermost item; text right in a list is one of its own."""
    names = [step.name for step in element.path]
    ends = [n + 1 for n in range(group.depth, len(names)) if names[n] in _ITEM_STEPS]
    return ends[-1] if ends else min(group.depth + 1, len(names))


def _item(group: Group, key: tuple[Step, ...], parts: _Parts) -> Item:
    depth = sum(step.name in _LIST_STEPS for step in key[group.depth :])
    label, text = join_text(parts.label), join_text(parts.body)
    if not label:
        match = _LABEL.match(text)
        label, text = (match.group().strip(), text[match.end() :]) if match else ("", text)
    text = _BULLET.sub("", text, count=1) if _BULLET.match(text) else text
    label = "" if _BULLET.match(f"{label} ") else label
    return Item(depth, label, text, (*parts.label, *parts.body))
