"""The drawings of each document: a module per document with ``FIGURES``, from file name to the function that draws."""
