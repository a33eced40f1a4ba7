"""Printed numbers in captions and in running text: "Figure 3", "Scheme 1", "TABLE IV", "Table S1", "Eq. (5)"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class LabelKind(StrEnum):
    """What a label says its figure is; each is numbered for itself: Scheme 1 of an article is not its Figure 1."""

    FIGURE = "Figure"
    CHART = "Chart"
    SCHEME = "Scheme"
    PLATE = "Plate"
    EXHIBIT = "Exhibit"
    TABLE = "Table"
    ALGORITHM = "Algorithm"
    LISTING = "Listing"
    EQUATION = "Equation"


@dataclass(frozen=True, slots=True, order=True)
class Label:
    """A printed number; two spellings of one number are equal ("Fig. 3" and "FIGURE 3")."""

    kind: LabelKind
    number: str
    """Upper case but for a panel letter: ``3``, ``S1``, ``IV``, ``A.2``, ``6a``."""

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"

    @property
    def whole(self) -> Label:
        """The figure of which this may be a panel: ``Table 6`` for ``Table 6a``."""
        return Label(self.kind, re.sub(r"(?<=\d)[a-z]$", "", self.number))


@dataclass(frozen=True, slots=True)
class CaptionStart:
    """The beginning of a caption within a line."""

    label: Label
    start: int
    """Character at which the label begins."""
    end: int
    """Character at which the words of the caption begin."""
    sure: bool
    """Whether a sign follows the number ("Table 3: ..."), or nothing; "Table 3 Results" may begin a sentence, and
    "Exhibit 21" alone may head a document that a filing encloses."""


@dataclass(frozen=True, slots=True)
class LabelMention:
    """Numbers that running text names together: "Figs. 2-4" names three."""

    labels: tuple[Label, ...]
    start: int
    end: int
    text: str


_WORDS = {
    LabelKind.FIGURE: r"figures?|figs?\.?|abb(?:ildung(?:en)?)?\.?",
    LabelKind.CHART: r"charts?",
    LabelKind.SCHEME: r"schemes?",
    LabelKind.PLATE: r"plates?",
    LabelKind.EXHIBIT: r"exhibits?",
    LabelKind.TABLE: r"tables?|tabs?\.|tab|tabellen?",
    LabelKind.ALGORITHM: r"algorithms?|algs?\.",
    LabelKind.LISTING: r"listings?",
    LabelKind.EQUATION: r"equations?|eqn?s?\.?",
}
_KIND_OF_WORD = {kind: re.compile(rf"(?:{words})\Z", re.IGNORECASE) for kind, words in _WORDS.items()}
_ANY_WORD = "|".join(f"(?:{words})" for words in _WORDS.values())
_QUALIFIER = r"(?:supplementary|supplemental|supp\.|extended data|appendix)\s+"
# A number: 3, 3a, S1, A.2, 3-1, IV. Roman numbers in capitals only, or every "I" would count.
_NUMBER = (
    r"(?:[A-Z]{0,2}\.?\d{1,3}(?:[.\-‑–]\d{1,3})*[a-z]?(?![\w%])"
    r"|(?-i:[IVXLC]{1,6})(?![\w’'])|(?-i:[A-Z])(?=[.:\s]*$|:))"
)
_CAPTION = re.compile(
    rf"(?:{_QUALIFIER})?(?<![\w-])(?P<word>{_ANY_WORD})[\s~ ]*(?P<number>{_NUMBER})(?P<panel>\s?\([a-z]\))?"
    r"[*_]*(?P<sign>\s*[.:|—]\s*[*_]*|\s+[–-]\s+|\s*$|(?=\s+(?-i:[A-Z]|[“\"(])))",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = rf"\(?(?:{_NUMBER})\)?(?:\s?\([a-z](?:\s?[-–,]\s?[a-z])?\))?"
_JOIN = r"(?:\s*,\s*(?:and\s+|or\s+)?|\s*(?:and|or|to|through|&|und|bis)\s+|\s*[-–—]\s*)"
_MENTION = re.compile(
    rf"(?<![\w-])(?:{_QUALIFIER})?(?P<word>{_ANY_WORD})[\s~ ]*(?P<items>{_ITEM}(?:{_JOIN}{_ITEM})*)", re.IGNORECASE
)
_BARE_EQUATION = re.compile(r"(?<=\s)\((?P<number>[A-Z]?\d{1,3}(?:\.\d{1,3})?)\)(?=[\s,.;:]|$)")
_NUMBER_ALONE = re.compile(r"\(([A-Z]{0,2}\.?\d{1,3}(?:[.\-]\d{1,3})*[a-z]?)\)\s*$")
_REFERRING = re.compile(r"\b(?:in|see|of|and|or|from|by|with|to|the|as|on)$", re.IGNORECASE)
_ROMAN = re.compile(r"[IVXLCivxlc]+\Z")


def caption_label(text: str) -> Label | None:
    """Return the label with which a line begins as a caption does, or ``None``."""
    start = caption_start(text)
    return start.label if start else None


def caption_start(text: str) -> CaptionStart | None:
    """Return the caption at the beginning of a line (after quotation marks, stars or a bullet), or ``None``."""
    lead = len(text) - len(text.lstrip(' \t>*_#-[(“"'))
    match = _CAPTION.match(text, lead)
    return _start(match, text) if match else None


def caption_starts(text: str, *, loose: bool = False) -> list[CaptionStart]:
    """Return every caption that begins in a line: extractors join the captions of neighbours.

    ``loose`` takes a caption after any words, for a line that holds the words of a picture.
    """
    starts = []
    first = caption_start(text)
    if first is not None:
        starts.append(first)
    for match in _CAPTION.finditer(text, first.end if first else 0):
        before = text[: match.start()].rstrip()
        found = _start(match, text)
        ended = loose or not before or before.endswith((".", "”", '"', ")", "]"))
        if found and found.sure and ended and not _REFERRING.search(before):
            starts.append(found)
    return starts


def _start(match: re.Match[str], text: str) -> CaptionStart | None:
    label = _label(match["word"], match["number"])
    if label is None or label.kind is LabelKind.EQUATION:
        return None
    alone = match.end() >= len(text.rstrip()) and label.kind is not LabelKind.EXHIBIT
    sure = alone or bool(match["sign"].strip(" *_\t"))
    if not match["number"][:1].isdigit() and match["number"].islower():
        return None
    return CaptionStart(label, match.start(), match.end(), sure)


def mentions(text: str) -> Iterator[LabelMention]:
    """Yield the places that name figures by number: "Fig. 2", "Figs. 2-4", "Tables 1 and 3", "Eqs. (3), (4)"."""
    for match in _MENTION.finditer(text):
        numbers = list(_numbers(match["items"]))
        labels = [label for number in numbers if (label := _label(match["word"], number)) is not None]
        if labels:
            unique = tuple(dict.fromkeys(labels))
            yield LabelMention(unique, match.start(), match.end(), " ".join(match.group().split()))


def bare_equations(text: str) -> Iterator[LabelMention]:
    """Yield "(5)" in running text; only a number that the document prints beside a formula means one."""
    for match in _BARE_EQUATION.finditer(text):
        label = Label(LabelKind.EQUATION, match["number"].upper())
        yield LabelMention((label,), match.start(), match.end(), match.group())


def equation_number(text: str) -> str | None:
    """Return the number at the end of a displayed formula's line: ``5`` of ``x = y (5)``."""
    match = _NUMBER_ALONE.search(text)
    return match[1] if match else None


def _numbers(items: str) -> Iterator[str]:
    """Yield the numbers of a list; a range gives its ends and what lies between."""
    previous, joined_by = "", ""
    position = 0
    for match in re.finditer(_NUMBER, items, re.IGNORECASE):
        number = match.group()
        joined_by = items[position : match.start()].strip(" ()").lower()
        yield from _spelled(number)
        if joined_by in {"to", "through", "bis", "-", "–", "—"} and previous.isdigit() and number.isdigit():
            yield from map(str, range(int(previous) + 1, min(int(number), int(previous) + 30)))
        previous, position = number, match.end()


def _spelled(number: str) -> Iterator[str]:
    """Yield a number, and where it may be a range ("2-4") all numbers between as well."""
    yield number
    ends = re.fullmatch(r"(\d+)[-–‑](\d+)", number)
    if ends and int(ends[1]) < int(ends[2]) <= int(ends[1]) + 30:
        yield from map(str, range(int(ends[1]), int(ends[2]) + 1))


def _label(word: str, number: str) -> Label | None:
    kind = next((kind for kind, pattern in _KIND_OF_WORD.items() if pattern.match(word)), None)
    if kind is None:
        return None
    if _ROMAN.match(number) and not number.isupper():
        return None
    panel = number[-1] if number[-1].islower() and number[-1].isalpha() and len(number) > 1 else ""
    stem = number[: len(number) - len(panel)].upper().replace("–", "-").replace("‑", "-")
    return Label(kind, stem + panel)
