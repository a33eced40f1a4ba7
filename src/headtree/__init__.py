"""headtree: answers over your documents, with citations and the right pictures.

::

    from headtree import ask, open_index

    index = open_index("data/documents")
    print(ask(index, "What torque do the screws of the separator lid need?"))

The sub-packages stand in the order of the data's way: ``extraction`` -> ``indexing`` (and ``models``) ->
``retrieval`` -> ``synthesis``; ``pipeline`` tells the two stories, ``build_index`` and ``answer``; ``api`` is what
stands above, and is loaded when it is first used, so that ``import headtree`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["AnswerView", "ask", "open_index"]

if TYPE_CHECKING:
    from headtree.api import AnswerView, ask, open_index
else:

    def __getattr__(name: str) -> object:
        if name in __all__:
            from headtree import api

            return getattr(api, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
