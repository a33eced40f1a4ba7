"""Builds the sample corpus: six invented documents as PDF, as Markdown with images, and as gold for tests.

The order of work: ``parsing`` (source text to blocks), ``drawings`` (figures), ``typesetting`` (blocks to a
PDF, tables and formulas to images), ``markdown`` (blocks to the Markdown document), ``gold`` (what an
extractor should find) and ``questions`` (the question set with its gold lines).
"""
