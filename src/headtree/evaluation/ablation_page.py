"""An ablation as a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import headtree
from headtree.evaluation.ablation import Ablation
from headtree.evaluation.compare import Difference
from headtree.evaluation.gold import Suite
from headtree.evaluation.record import corpus_hash, git_state, questions_hash
from headtree.evaluation.scorecard import is_share, value_text
from headtree.evaluation.verdicts import cost_line
from headtree.settings import Settings


def ablation_page(suite: Suite, settings: Settings, ablation: Ablation, *, command: str) -> str:
    """Return the page: what was measured, by which command, and the table."""
    commit, dirty = git_state(Path(headtree.__file__).parent)
    return f"""\
# {suite.name}: what each part is worth

Commit {commit or "unknown"}{" with changes" if dirty else ""};
documents {corpus_hash(settings.documents)}, questions {questions_hash(suite)}.

Means over the questions with gold. In brackets the difference to the bold row above, paired by question, with its 95 %
bootstrap interval; a value without brackets is the same for every question. {cost_line(asdict(ablation.usage))}

```sh
{command}
```

{ablation_table(ablation)}
"""


def ablation_table(ablation: Ablation, measures: Sequence[str] = ()) -> str:
    """Return a Markdown table: per row the means, with the paired difference to the baseline above and its interval."""
    known = dict.fromkeys(name for row in ablation.rows for name in row.means)
    names = [name for name in (measures or known) if name in known]
    lines = [f"| search | {' | '.join(names)} | |", f"|---|{'---|' * len(names)}---|"]
    for row in ablation.rows:
        by_name = {item.measure: item for item in row.differences}
        cells = [_cell(name, row.means.get(name), by_name.get(name)) for name in names]
        name = f"**{row.name}**" if row.means and not row.differences else row.name
        lines.append(f"| {name} | {' | '.join(cells)} | {row.note} |")
    return "\n".join(lines)


def _cell(name: str, mean: float | None, item: Difference | None) -> str:
    if mean is None:
        return ""
    text = value_text(name, mean)
    if item is None or not (item.better or item.worse):
        return text
    digits = 3 if is_share(name) else 0
    return f"{text} ({item.change:+.{digits}f} [{item.low:+.{digits}f}, {item.high:+.{digits}f}])"
