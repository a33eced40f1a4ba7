"""The noise filter by rules: sections that answer no question but match many.

Contents, references, glossaries and boilerplate lists repeat the words of everything else; as pointers they only
point away. They stay in the tree and can be read; they are not indexed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from headtree.types import LineSpan, Section

_TITLES = {
    "a table of contents": r"(?:table of )?contents|inhaltsverzeichnis|index to (?:the )?(?:form|financial|exhibits).*",
    "a list of figures or tables": r"list of (?:figures|tables|illustrations|exhibits|algorithms)",
    "an index": r"(?:subject |author |keyword |alphabetical )?index|stichwortverzeichnis",
    "a glossary": r"glossary(?: of terms)?|glossar",
    "a list of abbreviations": r"(?:list of )?(?:abbreviations|acronyms|nomenclature)(?: and (?:acronyms|symbols))?",
    "acknowledgements": r"acknowledge?ments?|danksagung",
    "a foreword": r"foreword|preface|vorwort",
    "references": r"references(?: cited)?|bibliography|works cited|literature cited|literaturverzeichnis",
    "boilerplate": r"(?:legal )?(?:disclaimer|notices?)|signatures?|exhibit index|(?:copyright|trademark)s?(?: notice)?"
    r"|power of attorney|(?:item \d+\. )?exhibits?(?:,? and)? financial statement schedules",
    "author information": r"(?:author contributions?|conflicts? of interest|competing interests?|funding"
    r"|about the authors?|author information)",
}
_RULES = {reason: re.compile(rf"(?:{pattern})", re.IGNORECASE) for reason, pattern in _TITLES.items()}
_NUMBERING = re.compile(r"^(?:[\dIVXLC]+(?:\.\d+)*|[A-Z])[.)]\s+")
_DOT_LEADER = re.compile(r"(?:\.\s?){4,}\s*\d+\s*$|\|\s*\d{1,3}\s*\|?\s*$")
_LEADER_SHARE = 0.6
"""Share of lines that end in dots and a page number above which a section is a table of contents."""

_WHOLE_DOCUMENT = 0.5
"""A section over this share of its document is what the document is about: a page that is a glossary is kept."""


def filter_noise(
    sections: Sequence[Section],
    lines: Sequence[str],
    *,
    noise_titles: Sequence[str] = (),
    keep_titles: Sequence[str] = (),
) -> tuple[Section, ...]:
    """Set ``noise`` on sections that are not worth indexing; a section below such a one is left out with it.

    Args:
        sections: of one document, in reading order.
        lines: of that document.
        noise_titles: the user's own regular expressions for titles to leave out, matched whole.
        keep_titles: the user's own for titles to keep; they win over every rule.
    """
    reasons: dict[str, str] = {}
    for section in sections:
        if _matches(section.title, keep_titles):
            continue
        reason = _reason(section, lines, noise_titles)
        if reason is None and section.parent in reasons:
            reason = reasons[section.parent].removesuffix(" (above)") + " (above)"
        if reason is not None:
            reasons[section.node_id] = reason
    return tuple(replace(section, noise=reasons.get(section.node_id)) for section in sections)


def _reason(section: Section, lines: Sequence[str], noise_titles: Sequence[str]) -> str | None:
    if section.level == 0:
        return None
    if _matches(section.title, noise_titles):
        return "the settings leave this title out"
    if len(section.span) > _WHOLE_DOCUMENT * len(lines):
        return None
    title = _NUMBERING.sub("", section.title).strip(" *_:.")
    for reason, pattern in _RULES.items():
        if pattern.fullmatch(title):
            return reason
    return "a table of contents" if _looks_like_contents(section.body, lines) else None


def _matches(title: str, patterns: Sequence[str]) -> bool:
    return any(re.fullmatch(pattern, title, re.IGNORECASE) for pattern in patterns)


def _looks_like_contents(body: LineSpan, lines: Sequence[str]) -> bool:
    text = [line for line in lines[body.first : body.last] if line.strip()]
    leaders = sum(1 for line in text if _DOT_LEADER.search(line) and "..." in line.replace(" ", ""))
    return len(text) >= 5 and leaders >= _LEADER_SHARE * len(text)
