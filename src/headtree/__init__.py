"""headtree: answers over your documents, with citations and the right pictures.

The sub-packages stand in the order of the data's way: ``extraction`` -> ``indexing`` (and ``models``) ->
``retrieval`` -> ``synthesis``; ``pipeline`` tells the two stories, ``build_index`` and ``answer``.
"""

__version__ = "0.1.0"
