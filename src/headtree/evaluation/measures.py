"""One question's result and its gold -> scores. Per question first; means are made of these and of nothing else.

A result is a row of the run's log. A score is ``None`` where the gold does not speak of it: it is not counted then.
The measures stand by what they look at: what was found, what was read, what was shown, what was said. A need is met by
lines, of which one section may cover several; where each need is one section, the values are those of trec_eval (test).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from headtree.evaluation.gold import FigureGold, GoldSpan, Need, SuiteQuestion
from headtree.indexing.figures import parse_label
from headtree.settings import MAX_FIGURES
from headtree.types import LineSpan

Scores = dict[str, float | None]
Row = Mapping[str, Any]

CUTOFFS = (1, 3)
"""Section recall is given at these ranks and at the number of sections that are read."""

LOWER_IS_BETTER = frozenset({"wrong_document_figures", "false_abstention", "context_lines"})


def score(question: SuiteQuestion, row: Row, *, k: int) -> Scores:
    """Score one result.

    Args:
        question: with its gold.
        row: a result; one with an ``error`` scores 0 wherever the gold asks for something.
        k: the number of sections that are read.

    Returns:
        By measure: a share in [0, 1], or a count (``context_lines``, ``wrong_document_figures``).
    """
    figures, offered = row.get("figures", ()), row.get("offered")
    scores = {
        **search_scores(question, row, k=k),
        **figure_scores(question, figures),
        "wrong_document_figures": wrong_document_figures(
            question, figures, could_show=offered is None or bool(offered)
        ),
        **citation_scores(question, row),
        **abstention_scores(question, row),
    }
    return _zeroed(scores) if row.get("error") else scores


def _zeroed(scores: Scores) -> Scores:
    """Return the scores of a question without an answer: 0 where the gold asks for something, costs unknown."""
    unknown = LOWER_IS_BETTER | {"figure_precision", "label_accuracy", "citations_verified", "numbers_cited"}
    return {name: None if value is None or name in unknown else 0.0 for name, value in scores.items()}


# ------------------------------------------------------------------------------------------------ sections


def search_scores(question: SuiteQuestion, row: Row, *, k: int, name_k: str = "") -> Scores:
    """Score what was found, read and offered, before any answer is written.

    Args:
        question: with its gold.
        row: ``sections`` that were read, best first; ``candidates`` and ``offered`` where they are known.
        k: the number of sections that are read.
        name_k: how k is written in the measures' names; as a number where empty.
    """
    sections, candidates, offered = row.get("sections", ()), row.get("candidates"), row.get("offered")
    cutoffs = [cutoff for cutoff in CUTOFFS if cutoff < k]
    return {
        "candidate_recall": None if candidates is None else section_recall(question, candidates),
        **{f"section_recall@{cutoff}": section_recall(question, sections[:cutoff]) for cutoff in cutoffs},
        f"section_recall@{name_k or k}": section_recall(question, sections[:k]),
        "mrr": reciprocal_rank(question, sections),
        f"ndcg@{name_k or k}": ndcg(question, sections, k=k),
        "context_lines": float(sum(section["last_line"] - section["first_line"] + 1 for section in sections)),
        "figure_offered": None if offered is None else figure_recall(question.figures, _paths(offered)),
    }


def section_recall(question: SuiteQuestion, sections: Sequence[Row]) -> float | None:
    """Return the share of needs that the sections meet; 1 or 0 where one need is enough."""
    if not question.needs:
        return None
    met = [any(meets(section, need) for section in sections) for need in question.needs]
    return float(any(met)) if question.any_need else sum(met) / len(met)


def meets(section: Row, need: Need) -> bool:
    """Whether a section's text covers one of a need's spans."""
    return any(_covers(section, gold) for gold in need)


def _covers(section: Row, gold: GoldSpan) -> bool:
    lines = LineSpan(section["first_line"], section["last_line"])
    return section["doc_id"] == gold.doc_id and lines.covers(gold.span)


def reciprocal_rank(question: SuiteQuestion, sections: Sequence[Row]) -> float | None:
    """Return 1 / rank of the first section that meets a need; 0 where none does."""
    if not question.needs:
        return None
    for rank, section in enumerate(sections, start=1):
        if any(meets(section, need) for need in question.needs):
            return 1.0 / rank
    return 0.0


def ndcg(question: SuiteQuestion, sections: Sequence[Row], *, k: int) -> float | None:
    """Return the normalised discounted cumulative gain of the first k sections.

    A section's gain is the number of needs that it is the first to meet, so that a repeat gains nothing (the novelty
    gain of Clarke et al., SIGIR 2008). The ideal meets one need per rank; where one section meets several, the value
    is held at 1.
    """
    if not question.needs:
        return None
    wanted = 1 if question.any_need else len(question.needs)
    left = list(question.needs)
    gain, found = 0.0, 0
    for rank, section in enumerate(sections[:k], start=1):
        new = [need for need in left if meets(section, need)][: wanted - found]
        left = [need for need in left if need not in new]
        found += len(new)
        gain += len(new) / math.log2(rank + 1)
    ideal = sum(1.0 / math.log2(rank + 1) for rank in range(1, min(wanted, k) + 1))
    return min(1.0, gain / ideal)


# ------------------------------------------------------------------------------------------------- figures


def _paths(figures: Sequence[Row]) -> tuple[str, ...]:
    """Return the distinct pictures, in order: one that is shown twice counts once."""
    return tuple(dict.fromkeys(figure["path"] for figure in figures))


def figure_scores(question: SuiteQuestion, figures: Sequence[Row]) -> Scores:
    """Score the pictures that were shown, in their order. One after the sixth earns nothing and can be wrong."""
    gold, shown = question.figures, _paths(figures)
    recall = figure_recall(gold, shown[:MAX_FIGURES])
    precision = figure_precision(gold, shown)
    return {
        "figure_recall": recall,
        "figure_precision": precision,
        "figure_f1": _f1(recall, precision),
        "perfect": perfect(gold, shown),
        "figure_reciprocal_rank": _first_right(gold, shown),
        "label_accuracy": label_accuracy(question, figures),
    }


def figure_recall(gold: FigureGold | None, shown: Sequence[str]) -> float | None:
    """Return the share of needed pictures and groups that are shown; ``None`` where none is needed."""
    needs = gold.needs() if gold else ()
    return sum(1 for need in needs if need & set(shown)) / len(needs) if needs else None


def figure_precision(gold: FigureGold | None, shown: Sequence[str]) -> float | None:
    """Return the share of shown pictures that may be shown; ``None`` where none is shown."""
    if gold is None or not shown:
        return None
    return sum(1 for path in shown if path in gold.right()) / len(shown)


def _f1(recall: float | None, precision: float | None) -> float | None:
    if recall is None:
        return None
    precision = precision or 0.0
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def perfect(gold: FigureGold | None, shown: Sequence[str]) -> float | None:
    """Return 1 where every needed picture and group is shown and no wrong one, at most six; else 0."""
    if gold is None:
        return None
    complete = all(need & set(shown) for need in gold.needs())
    return float(complete and set(shown) <= gold.right() and len(shown) <= MAX_FIGURES)


def _first_right(gold: FigureGold | None, shown: Sequence[str]) -> float | None:
    """Return 1 / position of the first needed picture; 0 where none is shown."""
    if gold is None or not gold.needs():
        return None
    needed = frozenset[str]().union(*gold.needs())
    return next((1.0 / place for place, path in enumerate(shown, start=1) if path in needed), 0.0)


def wrong_document_figures(question: SuiteQuestion, figures: Sequence[Row], *, could_show: bool = True) -> float | None:
    """Count the pictures of documents that the answer does not come from; ``None`` where none could be shown.

    A picture that several documents share is not wrong where the gold accepts it.
    """
    if not question.docs or not (figures or could_show):
        return None
    right = question.figures.right() if question.figures else frozenset()
    return float(len({f["path"] for f in figures if f["doc_id"] not in question.docs and f["path"] not in right}))


def label_accuracy(question: SuiteQuestion, figures: Sequence[Row]) -> float | None:
    """Return the share of shown pictures whose printed number is the gold's; ``None`` where the gold has none."""
    checked = {f["path"]: f["label"] for f in figures if f["path"] in question.labels}
    if not checked:
        return None
    return sum(1 for path, label in checked.items() if same_label(label, question.labels[path])) / len(checked)


def same_label(shown: str, gold: str) -> bool:
    """Whether two labels name one number ("Fig. 3" and "Figure 3"); a panel is its whole."""
    return {label.whole for label in parse_label(shown)} == {label.whole for label in parse_label(gold)}


def figure_tally(question: SuiteQuestion, row: Row) -> dict[str, int]:
    """Count what pooled shares are made of: needs and pictures instead of questions."""
    gold, shown = question.figures, _paths(row["figures"])
    labelled = {figure["path"]: figure["label"] for figure in row["figures"] if figure["path"] in question.labels}
    needs = gold.needs() if gold else ()
    return {
        "figure_needs": len(needs),
        "figure_needs_met": sum(1 for need in needs if need & set(shown[:MAX_FIGURES])),
        "figures_judged": len(shown) if gold else 0,
        "figures_right": sum(1 for path in shown if gold and path in gold.right()),
        "labels_judged": len(labelled),
        "labels_right": sum(1 for path, label in labelled.items() if same_label(label, question.labels[path])),
    }


# ------------------------------------------------------------------------------------------------ the answer


def citation_scores(question: SuiteQuestion, row: Row) -> Scores:
    """Score whether what is said is supported, and whether the numbers that are asked for are said."""
    citations, answer = row.get("citations", ()), str(row.get("response", ""))
    said = numbers_in(re.sub(r"\[\d+\]", "", answer)) if row.get("answerable") else set()
    cited = row.get("cited_numbers")
    return {
        "citations_verified": _share([bool(citation["verified"]) for citation in citations]),
        "numbers_cited": len(said & set(cited)) / len(said) if said and cited is not None else None,
        "numbers_read": _numbers_found(question.numbers, row.get("read_numbers")),
        "numbers_found": _numbers_found(question.numbers, said),
        "computed_found": _numbers_found(question.computed, said),
    }


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _numbers_found(wanted: Sequence[str], found: Sequence[str] | set[str] | None) -> float | None:
    if found is None:
        return None
    numbers = [numbers_in(text) for text in wanted]
    return _share([number <= set(found) for number in numbers if number])


_NUMBER = re.compile(r"\d+(?:[,\u202f\u00a0]\d{3})*(?:\.\d+)?|\.\d+")


def numbers_in(text: str) -> set[str]:
    """Return the numbers of a text without signs, units and separators of thousands: ``$1,402.50`` is ``1402.5``."""
    found = set()
    for match in _NUMBER.finditer(text):
        number = re.sub(r"[,\u202f\u00a0]", "", match.group())
        whole, _, decimals = number.partition(".")
        decimals = decimals.rstrip("0")
        found.add(f"{whole.lstrip('0') or '0'}.{decimals}" if decimals else whole.lstrip("0") or "0")
    return found


def abstention_scores(question: SuiteQuestion, row: Row) -> Scores:
    """Score whether "not in the documents" was said where it is so, and where it is not."""
    abstained = float(not row.get("answerable", False))
    return {
        "abstention": abstained if question.answerable is False else None,
        "false_abstention": abstained if question.answerable is True else None,
    }
