"""Whether a line's words and type can be a heading's."""

from __future__ import annotations

import re

from headtree.extraction.numbering import NAMED, Numbering, Scheme, read_numbering
from headtree.extraction.page_values import TextItem, is_unspaced
from headtree.extraction.text_style import BodyText, is_capitals, is_italic

_MOST_WORDS = 26
_MOST_WORDS_ITEM = 50
"""Of the title of an annual report's item, which may name several items at once."""
_MOST_WORDS_NUMBERED = 18
_MOST_WORDS_SENTENCE = 12
"""Of a numbered heading that ends in a full stop."""
_MOST_WORDS_UNNUMBERED, _MOST_WORDS_CAPITALS = 16, 24
_MOST_WORDS_QUIET = 14
"""Of a heading that only its italics or its underline set apart."""
_SMALLEST = 0.92
"""Size of a heading without a number as a share of the running text's, at least."""
_FEWEST_LETTERS = 3
_SET_IN, _OFF_CENTRE = 0.3, 0.12
"""Shares of the column's width by which a heading may be set in or stand beside the middle."""
_KNOWN = re.compile(
    r"(?:abstract|introduction|background|related works?|methods?|methodology|results?|discussion|conclusions?"
    r"|references|bibliography|acknowledge?ments?|appendi(?:x|ces)|contents|table of contents|summary|executive summary"
    r"|impact statement|supplementary material|preface|foreword|glossary|index|signatures?|limitations"
    r"|ethics statement|broader impact|zusammenfassung|einleitung|literatur(?:verzeichnis)?)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[a-z]{2,}[.;,]$|[:;,]$")
_UNENDED = re.compile(r"[^\W\d_]{2,}[;,]$")
_SENTENCE_WITHIN = re.compile(r"[^\W\d_]{3,}\.\s+\S+\s+\S+\s")
_LETTER = re.compile(r"[^\W\d_]")
_CUT_OFF = re.compile(r"(?:^|\s)(?:and|or|of|the|an?|for|in|to|with|by|on|from)$", re.IGNORECASE)
"""How no heading ends that is whole."""
_NO_HEADING = re.compile(
    r"^[(\[•◦▪*†‡§©®]|^\W*$|@|https?://|\bwww\.|^\$|(?:\.\s?){4,}|\.(?:html?|pdf)\b|^(?:Figure|Fig\.|Table|Algorithm)\s*\d",
    re.IGNORECASE,
)


def is_known_title(text: str) -> bool:
    """Whether a heading says "Abstract", "References" or the like, with or without a number."""
    numbering = read_numbering(text)
    words = numbering.rest if numbering and numbering.rest else text
    return _KNOWN.fullmatch(words.strip(" .:")) is not None


def is_never_heading(text: str) -> bool:
    """Whether a text is a caption, an address, a price, an entry of contents or a mere sign."""
    return _NO_HEADING.search(text) is not None


def may_be_heading(
    item: TextItem, text: str, numbering: Numbering | None, body: BodyText, *, alone: bool = False
) -> bool:
    """Whether words and type are a heading's.

    Args:
        item: its first line.
        text: of all its lines.
        numbering: the number it begins with.
        body: what the running text looks like.
        alone: whether it is underlined or in the middle of its column, apart from the text: that suffices for a number.
    """
    letters = len(_LETTER.findall(text)) + sum(map(is_unspaced, text))
    if is_never_heading(text) or letters < _FEWEST_LETTERS:
        return False
    most = _MOST_WORDS_ITEM if numbering and numbering.scheme is Scheme.ITEM else _MOST_WORDS
    if len(text.split()) > most:
        return False
    if numbering is not None:
        apart = body.is_set_apart(item.line) or (alone and (item.line.underlined or is_title_case(numbering.rest)))
        return _is_numbered_heading(item, text, numbering, body, apart=apart)
    if is_known_title(text) and not text.endswith((".", ",")):
        alone = alone and item.line.size >= _SMALLEST * body.size
        return alone or body.is_set_apart(item.line) or item.line.font.name != body.font
    return _is_plain_heading(item, text, body)


def _is_numbered_heading(item: TextItem, text: str, numbering: Numbering, body: BodyText, *, apart: bool) -> bool:
    rest = numbering.rest
    if not rest:
        return apart  # "Section 4.5." on a line of its own may also end a sentence
    if len(_LETTER.findall(rest)) < 2 or _UNENDED.search(text):
        return False
    if _SENTENCE_WITHIN.search(rest) and not body.is_strong(item.line):
        return False  # a title that runs into its text
    if numbering.scheme in NAMED:
        return not rest[0].islower() and (apart or is_title_case(rest))
    words = len(rest.split())
    if words > _MOST_WORDS_NUMBERED or (text.endswith(".") and words > _MOST_WORDS_SENTENCE):
        return False
    if numbering.scheme is Scheme.BRACKET:
        strong = body.is_strong(item.line) or (apart and item.line.underlined)
        return strong and words <= _MOST_WORDS_SENTENCE
    return apart


def is_title_case(text: str) -> bool:
    """Whether a short text is written as a title: its words but for small ones begin with capitals."""
    words = [word for word in re.findall(r"[^\W\d_][\w’'-]*", text) if len(word) > 3]
    return len(text.split()) <= _MOST_WORDS_SENTENCE and all(word[0].isupper() for word in words)


def _begins_title(text: str) -> bool:
    """Whether a text begins with a capital, or a letter of a script that has none."""
    return text[0].isalpha() and not text[0].islower()


def _is_plain_heading(item: TextItem, text: str, body: BodyText) -> bool:
    most = _MOST_WORDS_CAPITALS if is_capitals(text) else _MOST_WORDS_UNNUMBERED
    if len(text.split()) > most or _SENTENCE.search(text) or _CUT_OFF.search(text):
        return False
    if not _begins_title(text) and not text[0].isdigit():
        return False
    if text[0].isdigit() and len(_LETTER.findall(text)) < 0.5 * len(text):
        return False
    large_enough = item.line.size >= _SMALLEST * body.size
    return body.is_strong(item.line) and large_enough and _is_placed_like_heading(item)


def is_quiet_heading(item: TextItem, text: str, body: BodyText) -> bool:
    """Whether a line above running text is a heading by its italics, its underline or as a bold name ("MQ-25")."""
    if is_never_heading(text) or not _begins_title(text) or len(text.split()) > _MOST_WORDS_QUIET:
        return False
    if _SENTENCE.search(text) or text[-1] in ".:;," or _CUT_OFF.search(text):
        return False
    letters = len(_LETTER.findall(text))
    name = letters == _FEWEST_LETTERS - 1 and body.is_strong(item.line) and len(text) > letters
    quiet = letters >= _FEWEST_LETTERS and (item.line.underlined or is_italic(item.line, whole=True))
    return (name or quiet) and item.line.size >= _SMALLEST * body.size and _is_placed_like_heading(item)


def _is_placed_like_heading(item: TextItem) -> bool:
    """Whether a line begins near the left edge of its column or stands in its middle; what else is a column's title."""
    (left, right), box = item.column, item.line.box
    width = right - left
    return box[0] - left < _SET_IN * width or abs((box[0] + box[2]) - (left + right)) < _OFF_CENTRE * width
