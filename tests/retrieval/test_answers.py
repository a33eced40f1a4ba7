"""Questions over a small library: which sections are read, what is quoted, which pictures are shown."""

from __future__ import annotations

import re
import threading

import pytest

from headtree.errors import Cancelled, HeadtreeError
from headtree.pipeline import Watcher, answer, answer_with_evidence, build_index, open_index
from headtree.retrieval.question import read_question
from headtree.retrieval.recall import recall
from headtree.synthesis.citations import fold, quote_stands_in
from headtree.types import AnswerStage
from tests.library import make_pictures, make_settings, write
from tests.retrieval.conftest import FILLER


@pytest.fixture(params=["words", "vectors"])
def either(request):
    """By words alone, and with the vectors of the shipped model."""
    return request.getfixturevalue(request.param)


def homes(result):
    return [section.breadcrumb[-1] for section in result.sections]


def shown(result):
    return [figure.path.split("/")[-1] for figure in result.figures]


def check_contract(opened, result):
    """What holds for every answer."""
    with opened.index.snapshot() as view:
        for citation in result.citations:
            document = view.document(citation.doc_id)
            assert citation.verified
            assert quote_stands_in(citation.quote, document.lines[citation.first_line - 1 : citation.last_line])
            assert citation.first_line in document.sections[citation.node_id].body
            assert citation.breadcrumb == document.sections[citation.node_id].breadcrumb
        for figure in result.figures:
            assert figure.exists
            assert figure.figure_id == f"{figure.doc_id}#{figure.path}"
            assert figure.doc_id in {section.doc_id for section in result.sections}
    assert [citation.number for citation in result.citations] == list(range(1, len(result.citations) + 1))
    assert set(map(int, re.findall(r"(?<!\\)\[(\d+)\]", result.answer))) == {c.number for c in result.citations}
    assert [section.rank for section in result.sections] == list(range(1, len(result.sections) + 1))
    assert len(result.sections) <= opened.settings.sections
    assert len(result.figures) <= 6
    decided = {decision.figure_id: decision.shown for decision in result.figure_decisions}
    assert {figure.figure_id for figure in result.figures} == {name for name, is_shown in decided.items() if is_shown}
    assert all(decision.reason for decision in result.figure_decisions)
    if not result.answerable:
        assert (result.citations, result.figures) == ((), ())


QUESTIONS = [
    "How much coal does Bertha burn on a trip?",
    "When do trains leave Lowmoor?",
    "How many arches has the viaduct over the Arn?",
    "What voltage do the electric cars of the Shoreway take?",
    "What does a ticket for the day cost?",
    "May dogs travel in the last car?",
    "How are bicycles carried?",
    "What does Table 3 of Hilline list?",
    "What does Figure 1 show?",
    "Compare Hilline and Shoreway: what pulls the trains?",
    "Who wrote the memoir of the locomotives?",
    "railway",
    "???",
    "What is XR-9000?",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_holds_for_every_answer(either, question):
    check_contract(either, answer(either, question))


@pytest.mark.parametrize(
    ("question", "section", "told"),
    [
        ("How much coal does Bertha burn on a trip?", "Locomotives", "310 kg"),
        ("When do trains leave Lowmoor?", "Timetable", "7:30"),
        ("How many arches has the viaduct over the Arn?", "Viaduct", "eleven arches"),
        ("What does a ticket for the day cost?", "Tickets", "6.10 crowns"),
        ("May dogs travel in the last car?", "Dogs", "muzzle"),
    ],
)
def test_the_section_that_answers_is_read_and_quoted(either, question, section, told):
    result = answer(either, question)
    assert result.answerable
    assert result.mode == "local"
    best = {citation.breadcrumb[-1] for citation in result.citations}
    assert section in best
    assert told in "".join(citation.quote for citation in result.citations)
    assert "no language model" in result.answer


# -------------------------------------------------------------------------------------------- documents that are named


def test_a_named_document_is_read_first(either):
    for name in ("Hilline", "Shoreway"):
        result = answer(either, f"What does Figure 1 of {name} show?")
        assert result.sections[0].doc_id == name
        assert {figure.doc_id for figure in result.figures} == {name}


def test_a_named_document_is_read_though_the_question_says_more_of_the_other(words):
    question = "What does the locomotive Bertha of Hilline weigh, how much coal does it burn on a trip, and Shoreway?"
    assert {section.doc_id for section in answer(words, question).sections} == {"Hilline", "Shoreway"}


def test_both_named_documents_are_read(either):
    result = answer(either, "What pulls the trains of Hilline and what do the cars of Shoreway take?")
    assert {"Hilline", "Shoreway"} <= {section.doc_id for section in result.sections}


def test_an_everyday_word_names_no_document(words):
    with words.index.snapshot() as view:
        assert read_question("What are the rules of the log?", view).documents == ()
        assert read_question("What is a Hilline train?", view).documents == ("Hilline",)
        assert read_question("What is the length of the hilline-viaduct?", view).named == {"Hilline": 1}


def test_chosen_documents_are_the_only_ones(either):
    result = answer(either, "What does Figure 1 show?", documents=["Shoreway"])
    assert {section.doc_id for section in result.sections} == {"Shoreway"}
    assert {citation.doc_id for citation in result.citations} <= {"Shoreway"}
    assert shown(result) == ["power.png"]
    result = answer(either, "How much coal does a locomotive burn?", documents=["Shoreway", "rules"])
    assert {section.doc_id for section in result.sections} <= {"Shoreway", "rules"}


def test_a_chosen_document_that_is_not_there_is_an_error(words):
    with pytest.raises(HeadtreeError, match=r"not in the index: Nowhere; `headtree info`"):
        answer(words, "What is shown?", documents=["Nowhere"])


def test_an_empty_question_is_an_error(words):
    with pytest.raises(HeadtreeError, match="empty"):
        answer(words, " \n")


# ------------------------------------------------------------------------------------------------------------ pictures


def test_a_table_that_is_asked_for_by_number_is_shown_alone(either):
    result, evidence = answer_with_evidence(either, "What does Table 3 of Hilline list?")
    assert shown(result) == ["stations.png"]
    assert result.figures[0].label == "Table 3"
    assert result.figures[0].caption == "Stations of the railway and minutes between them"
    assert "Stations" in homes(result) or "Hilline" in homes(result)
    offered = {offer.figure.filename for offer in evidence.figures}
    assert not {"figures/power.png", "tables/fleet.png"} & offered or result.figures[0].doc_id == "Hilline"


def test_a_section_whose_title_is_quoted_is_quoted(either):
    result = answer(either, "What does Shoreway say about “Tickets”?")
    assert any("2.40 crowns" in citation.quote for citation in result.citations)
    assert shown(answer(either, "What does Hilline say about “Viaduct”?")) == ["viaduct.png"]


def test_a_table_that_is_asked_for_by_number_is_quoted_first(tmp_path):
    tasks = "".join(f"| {hours} | List the stations of line {hours} |\n" for hours in (8, 50, 500))
    joints = "".join(f"| Joint {letter} | {number} |\n" for letter, number in zip("ABC", (22, 52, 190), strict=True))
    write(
        tmp_path / "documents",
        {
            "manual/manual.md": "# Manual\n\n## Intervals\n\nTable 4 lists all planned work.\n\n![](t/4.png)\n\n"
            f"Table 4: Planned work\n\n| Hours | Task |\n|---|---|\n{tasks}\n## Torques\n\n{FILLER}\n\n"
            f"Table 5: Torques\n\n![](t/5.png)\n\n| Joint | Torque |\n|---|---|\n{joints}"
        },
    )
    make_pictures(tmp_path / "documents" / "manual", "t/4.png", "t/5.png")
    settings = make_settings(tmp_path / "documents")
    build_index(settings)
    result = answer(open_index(settings), "What does Table 5 list?")
    assert "Table 5: Torques" in {citation.quote for citation in result.citations}
    assert {"22", "52", "190"} <= set(re.findall(r"\d+", result.answer))


def test_a_mention_offers_the_figure_of_another_section(words):
    settings = words.settings.model_copy(update={"sections": 1})
    narrow = type(words)(settings, words.index, words.embedder)
    result, evidence = answer_with_evidence(
        narrow, "When do trains leave Lowmoor at 16:40, and which table lists minutes?"
    )
    assert homes(result) in (["Timetable"], ["Hilline"])
    reasons = {offer.figure.filename: offer.reason for offer in evidence.figures}
    assert "tables/stations.png" in reasons


def test_figures_that_stand_or_are_mentioned_say_so(tmp_path):
    filler = "\n\n".join(f"{'Other words fill this place of the book with nothing. ' * 12}" for _ in range(30))
    write(
        tmp_path / "documents",
        {"book.md": f"# Book\n\n## Weights\n\nThe anvil weighs 90 kg, see Fig. 7.\n\n## Other\n\n{filler}\n\n## Drawings\n\n"
         f"{filler}\n\n![](anvil.png)\n\nFigure 7: A side view\n"},
    )  # fmt: skip
    make_pictures(tmp_path / "documents", "anvil.png")
    settings = make_settings(tmp_path / "documents", sections=1)
    build_index(settings)
    result, evidence = answer_with_evidence(open_index(settings), "What does the anvil weigh?")
    assert homes(result) == ["Weights"]
    (offer,) = evidence.figures
    assert (offer.handle, offer.section_rank) == ("F1", 1)
    assert offer.reason == "mentioned in section 1 (Fig. 7, line 5)"


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_figure_of_a_document_that_is_not_asked_about(either, question):
    named = {name for name in ("Hilline", "Shoreway") if name in question}
    result = answer(either, question)
    if named:
        assert {figure.doc_id for figure in result.figures} <= named
    else:
        assert {figure.doc_id for figure in result.figures} <= {result.sections[0].doc_id} if result.sections else True


def test_a_screenshot_is_found_by_its_alternative_text(vectors):
    assert shown(answer(vectors, "What does the bicycle rack of the last car look like from behind?")) == ["rack.png"]


def test_at_most_six_pictures_and_fewer_where_the_user_says_so(tmp_path):
    text = "\n\n".join(f"![Step {n} of folding the paper kite](kite{n}.png)" for n in range(12))
    write(
        tmp_path / "documents",
        {"kite.md": f"# Kite\n\n## Folding\n\nFold the paper kite in twelve steps like this.\n\n{text}\n"},
    )
    make_pictures(tmp_path / "documents", *(f"kite{n}.png" for n in range(12)))
    settings = make_settings(tmp_path / "documents")
    build_index(settings)
    question = "What does folding the paper kite look like, step by step?"
    counts = [
        len(answer(open_index(settings.model_copy(update={"max_figures": most})), question).figures)
        for most in (6, 2, 0)
    ]
    assert counts == [6, 2, 0]


def test_a_missing_picture_is_not_shown(tmp_path):
    write(
        tmp_path / "documents",
        {"a.md": "# Gear\n\nThe gear has 44 teeth, see Figure 1.\n\n![](none.png)\n\nFigure 1: A side view\n"},
    )
    settings = make_settings(tmp_path / "documents")
    assert len(build_index(settings).warnings) == 1
    result = answer(open_index(settings), "How many teeth has the gear in Figure 1?")
    assert result.figures == ()
    assert "44 teeth" in result.answer


def test_small_decoration_does_not_crowd_out_the_chart(tmp_path):
    dots = "\n".join(f"![](dot{n}.png)" for n in range(100))
    write(
        tmp_path / "documents",
        {
            "a.md": f"# Sales\n\nThe sales of kites rose, see Figure 1.\n\n{dots}\n\n![](chart.png)\n\nFigure 1: Sales of kites\n"
        },
    )
    make_pictures(tmp_path / "documents", *(f"dot{n}.png" for n in range(100)), size=(3, 3))
    make_pictures(tmp_path / "documents", "chart.png")
    settings = make_settings(tmp_path / "documents")
    build_index(settings)
    result, evidence = answer_with_evidence(open_index(settings), "What does Figure 1 say about the sales of kites?")
    assert [offer.figure.filename for offer in evidence.figures] == ["chart.png"]
    assert shown(result) == ["chart.png"]


# -------------------------------------------------------------------------------------------------------- no answer


@pytest.mark.parametrize("term", ["XR-9000", "VideoGLUE", "Hilline-88", "QPZ"])
def test_a_distinctive_term_that_stands_nowhere_is_not_answered(either, term):
    result, evidence = answer_with_evidence(either, f"How much coal does the locomotive {term} burn?")
    assert not result.answerable
    assert "do not answer" in result.answer
    assert term in result.answer
    assert evidence.absent_terms == (term,)
    check_contract(either, result)


def test_a_term_is_looked_for_in_the_named_document(words):
    assert answer(words, "What is P399?").answerable
    assert not answer(words, "What does Shoreway say about P399?").answerable


def test_an_amount_of_the_question_is_no_term(words):
    assert answer(words, "Is a ticket for 99% of a crown or $77 sold?").answerable


def test_words_that_stand_nowhere_find_nothing(words):
    result = answer(words, "Zebra quagga okapi?")
    assert not result.answerable
    assert result.sections == ()


@pytest.fixture(scope="module")
def long_report(tmp_path_factory):
    """A report of thirty sections, beside a page on something else."""
    folder = tmp_path_factory.mktemp("long")
    parts = "\n\n".join(f"## Siding {n}\n\nSiding {n} holds {n} wagons of coal." for n in range(30))
    write(
        folder / "documents",
        {"Railway.md": f"# Railway\n\n{parts}\n", "shop.md": "# Shop\n\nThe price of a purchase.\n"},
    )
    settings = make_settings(folder / "documents")
    build_index(settings)
    return open_index(settings)


def test_a_question_whose_words_mostly_stand_nowhere_is_not_answered(long_report):
    result = answer(long_report, "What is the purchase price of a wagon of the Railway?")
    assert not result.answerable
    assert "“purchase”, “price”" in result.answer


@pytest.mark.parametrize(
    "question",
    [
        "How many coal wagons fit on siding 7 of the Railway?",  # one of four words
        "What is the purchase price of a wagon?",  # not of the Railway: the shop's page has them
        "Which truck capacity has Siding 7 of the Railway for coal and wagons?",  # two of six
    ],
)
def test_a_few_words_may_be_said_otherwise(long_report, question):
    assert answer(long_report, question).answerable


def test_short_documents_are_read_whatever_the_words(either):
    assert answer(either, "Are hounds admitted at Shoreway?").answerable


@pytest.mark.parametrize("word", ["diffusion", "responses", "expenses", "provisions", "releases", "generalization"])
def test_a_word_is_found_whose_stem_has_a_stem_of_its_own(tmp_path, word):
    write(tmp_path / "documents", {"a.md": f"# A\n\nMore on {word} here.\n", "b.md": "# B\n\nMore on tea here.\n"})
    settings = make_settings(tmp_path / "documents")
    build_index(settings)
    result = answer(open_index(settings), f"What about {word}?")
    assert [section.doc_id for section in result.sections] == ["a"]


def test_what_is_noise_is_not_found(words):
    assert "References" not in homes(answer(words, "Who printed the memoir of two locomotives at Lowmoor Press?"))


# ----------------------------------------------------------------------------------------------- long and odd sections


def test_a_huge_section_is_cut_round_the_hit_and_says_so(words):
    result, evidence = answer_with_evidence(words, "What did the gauge show in entry 3900?")
    (section,) = [s for s in result.sections if s.doc_id == "log"]
    assert section.first_line <= 3902 <= section.last_line
    (read,) = [s for s in evidence.sections if s.doc_id == "log"]
    assert read.cut
    assert "Entry 3900: the gauge stood at 11700 units." in read.text
    assert any(f"lines {section.first_line}-{section.last_line}" in warning for warning in result.warnings)
    assert sum(len(s.text) for s in evidence.sections) <= words.settings.evidence_characters
    assert "11700" in result.answer


@pytest.mark.parametrize("budget", [2000, 5000, 60_000])
def test_the_budget_of_text_holds(words, budget):
    opened = type(words)(words.settings.model_copy(update={"evidence_characters": budget}), words.index, words.embedder)
    for question in ("What did the gauge say in entry 77?", "What is the limit of P12?", "How are trains pulled?"):
        _, evidence = answer_with_evidence(opened, question)
        assert sum(len(section.text) for section in evidence.sections) <= max(budget, 1000 * len(evidence.sections))


def test_sections_are_read_once(either):
    for question in QUESTIONS:
        _, evidence = answer_with_evidence(either, question)
        for section in evidence.sections:
            others = [s for s in evidence.sections if s is not section and s.doc_id == section.doc_id]
            assert not any(other.span.covers(section.span) for other in others)


def test_a_row_far_down_a_table_is_found_with_its_header(words):
    result = answer(words, "What is the limit of P399?")
    assert "2793" in result.answer
    assert "| id | limit |" in result.answer
    assert any("P399" in citation.quote for citation in result.citations)


def test_a_row_is_quoted_from_the_table_that_the_question_names(words):
    result = answer(words, "What did labour cost in the workshop in 2024?", documents=["budget"])
    (quote,) = [c for c in result.citations if c.breadcrumb[-1] == "Workshop" and "Labour" in c.quote]
    assert "10,040" in quote.quote


@pytest.mark.parametrize("place", ["workshop", "stations"])
def test_rows_of_equal_name_stay_with_their_table(words, place):
    result = answer(words, f"What did labour cost in the {place} in 2024?", documents=["budget"])
    assert result.citations
    for citation in result.citations:
        assert ("10,040" in citation.quote) <= (citation.breadcrumb[-1] == "Workshop")
        assert ("3,390" in citation.quote) <= (citation.breadcrumb[-1] == "Stations")


def test_text_without_spaces_is_found(words):
    result = answer(words, "桥梁由什么建造？")
    assert result.sections[0].doc_id == "方法"
    assert result.sections[0].breadcrumb[-1] == "方法"


# -------------------------------------------------------------------------------------------------- order and watching


def test_the_same_question_has_the_same_answer(either):
    one, two = (answer(either, "How is the locomotive Bertha fired?") for _ in range(2))
    assert (one.answer, one.citations, one.sections, one.figures) == (
        two.answer,
        two.citations,
        two.sections,
        two.figures,
    )


def test_recall_gives_each_section_once(words):
    with words.index.snapshot() as view:
        question = read_question("How many tonnes does the locomotive weigh?", view)
        found = recall(question, None, view, chunks=200, sections=50)
    assert len({entry.key for entry in found}) == len(found)
    assert [entry.fused for entry in found] == sorted((entry.fused for entry in found), reverse=True)
    assert found[0].lexical == 1.0


def test_an_answer_is_watched_and_stopped(words):
    events, stop = [], threading.Event()
    answer(words, "When do trains leave?", watcher=Watcher(events.append))
    assert [event.stage for event in events] == [
        AnswerStage.SEARCHING, AnswerStage.RANKING, AnswerStage.READING, AnswerStage.WRITING,
    ]  # fmt: skip
    stop.set()
    with pytest.raises(Cancelled):
        answer(words, "When do trains leave?", watcher=Watcher(stop=stop))


def test_questions_are_data(words):
    for question in [
        '"',
        "' OR 1=1 --",
        "a AND NOT b NEAR(c)",
        "*",
        "x" * 5000,
        "\x00 trains \ud800",
        "(((",
        "body : dogs",
    ]:
        check_contract(words, answer(words, question))


# -------------------------------------------------------------------------------------------------------------- quotes


@pytest.mark.parametrize(
    ("quote", "lines", "stands"),
    [
        ("two words", ["these two words here"], True),
        ("over two lines", ["it goes over", "two lines"], True),
        ("a “curly” quote", ['a "curly" quote'], True),
        ("1–2", ["1-2"], True),
        ("see the guide", ["see [the guide](x.md)"], True),
        ("a | b", ["| a | b |"], True),
        ("two other words", ["these two words here"], False),
        ("Two words", ["two words"], False),
        ("", ["two words"], False),
        ("word 3", ["word 4"], False),
    ],
)
def test_a_quote_stands_in_its_lines_or_not(quote, lines, stands):
    assert quote_stands_in(quote, lines) is stands


def test_folding():
    assert fold("  A — “b”\n|c|  ") == 'A - "b" c'
