"""The drawings: a module for each document with ``FIGURES``, from file name to the function that draws."""
