"""Lines -> running text: hyphens at line ends joined, links kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headtree.extraction.blocks import Link
from headtree.extraction.lines import line_pieces
from headtree.extraction.page_values import Line, is_unspaced

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_END_HYPHEN = re.compile(r"[^\W\d_]-$")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that a document writes without a line's end in them."""

    counts: Counter[str]

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Vocabulary:
        """Collect the words of lines."""
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(word.casefold() for word in _WORD.findall(line.text))
        return cls(counts)

    def join(self, first: str, second: str) -> str:
        """Return a word that was broken after ``first``, with its hyphen where the document writes it with one.

        Where the document has the word nowhere else, it is joined: in running text most hyphens at a line's end
        only mark the break.
        """
        head = re.search(r"[^\W_]+(?:-[^\W_]+)*$", first)
        tail = re.match(r"[^\W_]+", second)
        if head is None or tail is None:
            return f"{first}-{second}"
        left, right = head.group().casefold(), tail.group().casefold()
        hyphened, joined = self.counts[f"{left}-{right}"], self.counts[f"{left}{right}"]
        if joined > hyphened:
            return first + second
        if right.isdigit() or left[-1].isdigit() or second[0].isupper() or hyphened:
            return f"{first}-{second}"
        return first + second


def join_lines(lines: Sequence[Line], vocabulary: Vocabulary) -> tuple[str, tuple[Link, ...]]:
    """Return the text of lines that follow each other, and the links in it."""
    pieces: list[tuple[str, str]] = []
    broken = False
    for line in lines:
        own = line_pieces(line.words, line.baseline, line.size)
        if not own:
            continue
        if pieces:
            if broken:
                before = pieces.pop()
                joined = vocabulary.join(before[0].rstrip("-"), own[0][0])
                own[0] = (joined, before[1] or own[0][1])
            else:
                unspaced = is_unspaced(pieces[-1][0][-1:]) and is_unspaced(own[0][0][:1])
                goes_on = bool(pieces[-1][1]) and pieces[-1][1] == own[0][1]
                if not unspaced:
                    pieces.append((" ", own[0][1] if goes_on else ""))
        pieces += own
        broken = line.words[-1].hyphen or _END_HYPHEN.search(line.words[-1].text) is not None
    if broken and lines[-1].words[-1].hyphen:
        pieces.append(("-", ""))
    return _with_links(pieces)


def _with_links(pieces: Sequence[tuple[str, str]]) -> tuple[str, tuple[Link, ...]]:
    """Put pieces together, with single spaces; pieces in a row that lead to one address are one link."""
    text = ""
    links: list[Link] = []
    for words, address in pieces:
        cleaned = re.sub(r"\s+", " ", words)
        if text.endswith(" ") or not text:
            cleaned = cleaned.lstrip()
        if not cleaned:
            continue
        if address and links and links[-1].address == address and links[-1].end == len(text):
            links[-1] = Link(links[-1].start, len(text) + len(cleaned), address)
        elif address and cleaned.strip():
            links.append(Link(len(text), len(text) + len(cleaned), address))
        text += cleaned
    return text.rstrip(), tuple(Link(link.start, min(link.end, len(text.rstrip())), link.address) for link in links)
