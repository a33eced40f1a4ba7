"""Printed labels at the beginning of captions, "Fig. 3:", and their one spelling, the same for every engine."""

from __future__ import annotations

import re
from dataclasses import dataclass

from headtree.types import FigureKind

_WORDS = {
    FigureKind.FIGURE: ("Figure", r"Figure|Fig\.?|Chart|Scheme|Plate|Abbildung|Abb\."),
    FigureKind.TABLE: ("Table", r"Table|Tab\.|Tabelle"),
    FigureKind.ALGORITHM: ("Algorithm", r"Algorithm|Alg\.|Listing"),
}
_NUMBER = r"(?:[A-Z]{0,2}\.?\d{1,3}(?:[.\-]\d{1,3})*[a-z]?|[IVXLC]{1,6})"
_START = re.compile(
    rf"(?P<qualifier>(?:Supplementary|Supplemental|Extended Data)\s+)?"
    rf"(?P<word>{'|'.join(words for _, words in _WORDS.values())})\s*"
    rf"(?P<number>{_NUMBER})(?![\w-])\s*(?P<sign>[.:|—–]?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PrintedLabel:
    """The label with which a line begins."""

    kind: FigureKind
    text: str
    """``Figure 3``, whatever the document calls it in short."""
    end: int
    """Character at which the label, with its sign, ends."""
    signed: bool
    """Whether a sign follows the number: ``Figure 3:``."""


def printed_label(line: str) -> PrintedLabel | None:
    """Return the label with which a line begins, a caption's or a sentence's ("Figure 3 shows"), else ``None``."""
    match = _START.match(line)
    if match is None:
        return None
    kind = next(kind for kind, (_, words) in _WORDS.items() if re.fullmatch(words, match["word"], re.IGNORECASE))
    text = f"{(match['qualifier'] or '').title()}{_WORDS[kind][0]} {match['number']}"
    return PrintedLabel(kind, text, match.end(), bool(match["sign"]))
