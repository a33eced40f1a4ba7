"""Words -> terms: lower case, stemmed as the lexical lists are, without words that carry no meaning."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from functools import lru_cache

import Stemmer

from headtree.indexing.segment import segment

_WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")
_STEMMER = Stemmer.Stemmer("porter")
_STEMMER_LOCK = threading.Lock()
"""A stemmer works on its own fields: two threads at once give wrong stems or an error."""

_STOP_WORDS = """
a about above after again all also am an and any are as at be because been before being below between both
but by can could did do does doing down during each few for from further give given had has have having he her
here hers him his how i if in into is it its itself just let like many may me might more most much must my name
no nor not now of off on once one only or other our out over own per please same shall she should show shows so
some such tell than that the their them then there these they this those through to too under until up use used
uses using very via was we were what when where which while who whom whose why will with within without would
you your describe explain compare specific specifically different way ways walk work works versus vs
according mean means happen happens kind kinds
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English function words and the words with which questions are put."""


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order; characters of spaceless scripts are words."""
    return [word.lower() for word in _WORD.findall(segment(text))]


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return a word's Porter stem, the one that FTS5's ``porter`` tokenizer makes."""
    with _STEMMER_LOCK:
        return str(_STEMMER.stemWord(word.split("’")[0].split("'")[0]))


def stems(text: str) -> list[str]:
    """Return the stems of all words of a text, in order."""
    return [stem(word) for word in words(text)]


@lru_cache(maxsize=20_000)
def stem_set(text: str) -> frozenset[str]:
    """Return the distinct stems of a text; kept, for the same sentences and captions are read for many questions."""
    return frozenset(stems(text))


def content_words(text: str) -> list[str]:
    """Return a text's meaningful words in lower case, in order."""
    return [word for word in words(text) if word not in STOP_WORDS]


def content_terms(text: str) -> tuple[str, ...]:
    """Return the distinct stems of a text's meaningful words, in order of their first place."""
    return tuple(dict.fromkeys(map(stem, content_words(text))))


def match_expression(words_of_text: Iterable[str]) -> str:
    """Return an FTS5 expression that any of the words matches; empty where there are none.

    It takes words and no stems: FTS5 stems what it is given, and a stem's stem is another one ("diffusion",
    "diffus", "diffu").
    """
    quoted = ('"' + word.replace('"', '""') + '"' for word in dict.fromkeys(words_of_text))
    return " OR ".join(quoted)
