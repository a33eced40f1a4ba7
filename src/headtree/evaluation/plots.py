"""Small plots as SVG text, drawn by hand: a report needs three, and no plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_LEFT, _RIGHT, _ROW = 190, 60, 22
_WIDTH = 560


def interval_plot(means: Mapping[str, float], intervals: Mapping[str, Sequence[float]]) -> str:
    """Draw each share as a dot with its interval on an axis from 0 to 1."""
    rows = []
    for position, (name, mean) in enumerate(means.items()):
        y = _middle(position)
        low, high = intervals.get(name, (mean, mean))
        rows.append(
            f"{_name(name, y)}"
            f'<line x1="{_x(low)}" x2="{_x(high)}" y1="{y}" y2="{y}" class="whisker"/>'
            f'<circle cx="{_x(mean)}" cy="{y}" r="4"/>{_value(f"{mean:.2f}", y)}'
        )
    return _svg("Means with 95 % intervals", _grid(len(means)) + "".join(rows), len(means))


def bar_plot(title: str, counts: Mapping[str, float], *, unit: str = "") -> str:
    """Draw one bar per name; the longest fills the width."""
    most = max(counts.values(), default=0) or 1
    rows = []
    for position, (name, count) in enumerate(counts.items()):
        y = _middle(position)
        width = (_WIDTH - _LEFT - _RIGHT) * count / most
        number = f"{count:.{3 if count < 1 else 2}f}" if isinstance(count, float) else str(count)
        rows.append(
            f'{_name(name, y)}<rect x="{_LEFT}" y="{y - 7}" width="{width:.1f}" height="14"/>'
            f"{_value(f'{number} {unit}'.strip(), y)}"
        )
    return _svg(title, "".join(rows), len(counts))


def _middle(position: int) -> float:
    return position * _ROW + _ROW / 2 + 4


def _x(share: float) -> str:
    return f"{_LEFT + (_WIDTH - _LEFT - _RIGHT) * share:.1f}"


def _name(text: str, y: float) -> str:
    return f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(text)}</text>'


def _value(text: str, y: float) -> str:
    return f'<text x="{_WIDTH - _RIGHT + 10}" y="{y + 4}">{escape(text)}</text>'


def _grid(rows: int) -> str:
    bottom = rows * _ROW + 8
    return "".join(
        f'<line x1="{_x(share)}" x2="{_x(share)}" y1="0" y2="{bottom}" class="grid"/>'
        for share in (0, 0.25, 0.5, 0.75, 1)
    )


def _svg(title: str, content: str, rows: int) -> str:
    height = rows * _ROW + 12
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>{content}</svg>'
    )
