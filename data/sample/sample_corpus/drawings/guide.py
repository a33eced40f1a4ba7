"""The product guide has no drawings: its pictures are screens, typeset (``typst/screens``)."""

from __future__ import annotations

from sample_corpus.drawing import Draw

FIGURES: dict[str, Draw] = {}
