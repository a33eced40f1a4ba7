"""Run as a process of its own by ``test_interruptions``: a build that kills itself at a given place.

Arguments: documents folder, index folder, and ``embedding``, ``writing``, ``vectors`` or ``nothing``.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from headtree.indexing import build as building
from headtree.indexing.vectors import FaissIndex
from tests.library import WordEmbedder, make_settings

WORDS = ["old", "new", "valve", "pump"]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    documents, index, place = sys.argv[1:]

    def progress(step: building.BuildStep) -> None:
        if step.stage == place and step.done >= min(step.total, 2):
            die()

    if place == "vectors":
        FaissIndex.save = lambda self, file: die()  # type: ignore[method-assign]
    report = building.build(
        make_settings(Path(documents), Path(index)), WordEmbedder(WORDS), fresh=False, progress=progress
    )
    print(report.embedded)


if __name__ == "__main__":
    main()
