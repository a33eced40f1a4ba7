"""What speaks against an answer: a name, number or acronym of the question that stands nowhere in its documents."""

from __future__ import annotations

import re

from headtree.indexing.index import Snapshot
from headtree.retrieval.question import Question
from headtree.retrieval.terms import words

_DISTINCTIVE = re.compile(r"\d|[a-z][A-Z]|[A-Z]{3}")
_TOKEN = re.compile(r"[^\s,;:!?()\[\]\"“”/]+")
_AMOUNT = re.compile(r"[%~$€£]")
_PERIOD = re.compile(r"(?:FY|CY)[’']?(\d{2,4})")


def absent_terms(question: Question, view: Snapshot) -> tuple[str, ...]:
    """Return the distinctive terms of a question that stand nowhere in the documents that it asks about.

    Distinctive is what holds a digit, an inner capital or three capitals ("13B", "VideoGLUE", "MS-COCO"). An amount
    is none: a question may reckon with numbers of its own. It is looked for in the documents that the question
    names, or in all where it names none.
    """
    absent = []
    for match in _TOKEN.finditer(question.text):
        token = re.sub(r"[’']s$", "", match.group().strip(".'’*-–"))
        token = _PERIOD.sub(r"\1", token)
        if not _DISTINCTIVE.search(token) or _AMOUNT.search(token):
            continue
        phrase = " ".join(words(token))
        if phrase and not view.has_match(f'"{phrase}"', question.documents):
            absent.append(token)
    return tuple(dict.fromkeys(absent))
