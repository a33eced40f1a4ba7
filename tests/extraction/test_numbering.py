"""The numbers in front of headings."""

from __future__ import annotations

import pytest

from headtree.extraction.numbering import Scheme, read_numbering


@pytest.mark.parametrize(
    ("text", "scheme", "parts", "rest"),
    [
        ("1 Introduction", Scheme.DECIMAL, ("1",), "Introduction"),
        ("2. Related Works", Scheme.DECIMAL, ("2",), "Related Works"),
        ("3.1.2 Data", Scheme.DECIMAL, ("3", "1", "2"), "Data"),
        ("5.1. Comparison", Scheme.DECIMAL, ("5", "1"), "Comparison"),
        ("IV. EVALUATION", Scheme.ROMAN, ("IV",), "EVALUATION"),
        ("A. Proofs", Scheme.LETTER, ("A",), "Proofs"),
        ("B.2. Gradient", Scheme.LETTER, ("B", "2"), "Gradient"),
        ("Appendix C: Tables", Scheme.APPENDIX, ("C",), "Tables"),
        ("ARTICLE IX", Scheme.CHAPTER, ("IX",), ""),
        ("PART II", Scheme.PART, ("II",), ""),
        ("Item 7A. Market Risk", Scheme.ITEM, ("7A",), "Market Risk"),
        ("ITEM 1.    BUSINESS", Scheme.ITEM, ("1",), "BUSINESS"),
        ("Note 12 – Leases", Scheme.NOTE, ("12",), "Leases"),
        ("Section 2.01 Definitions", Scheme.SECTION, ("2", "01"), "Definitions"),
        ("(a) Scope", Scheme.BRACKET, ("a",), "Scope"),
    ],
)
def test_number_and_words(text: str, scheme: Scheme, parts: tuple[str, ...], rest: str) -> None:
    numbering = read_numbering(text)
    assert numbering is not None
    assert (numbering.scheme, numbering.parts, numbering.rest) == (scheme, parts, rest)


@pytest.mark.parametrize(
    "text", ["Introduction", "Items of interest", "Partial results", "2022", "Section 6.1(E) below"]
)
def test_no_number(text: str) -> None:
    assert read_numbering(text) is None
