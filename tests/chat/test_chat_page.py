"""The pages as Streamlit's own test harness sees them: states, texts, settings, history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from headtree.chat.history import ChatStore
from headtree.chat.session import SHOWN_TURNS
from tests.chat.corpus import ROOT, wait_until

APP = str(ROOT / "app.py")


@pytest.fixture(autouse=True)
def _fresh_caches() -> Iterator[None]:
    import streamlit as st

    st.cache_resource.clear()
    st.cache_data.clear()
    yield
    st.cache_resource.clear()


def run(app: AppTest) -> AppTest:
    app.run(timeout=30)
    assert not app.exception, app.exception
    return app


def ask(app: AppTest, question: str) -> AppTest:
    """Ask and poll the page until the job has ended, as the page itself does."""
    app.chat_input[0].set_value(question)
    run(app)
    wait_until(lambda: not [button for button in run(app).button if button.key == "stop"])
    return app


def texts(app: AppTest) -> str:
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.title]
    return "\n".join(str(part.value) for part in parts)


def alts(app: AppTest) -> list[str]:
    return [image.alt for element in app.image for image in element.proto.imgs]


@pytest.fixture
def app(workspace: Any) -> AppTest:
    return run(AppTest.from_file(APP))


def test_first_visit_shows_counts_and_examples_that_vanish(app: AppTest) -> None:
    assert "2 documents, 13 sections, 6 pictures" in texts(app)
    starter = next(button for button in app.button if str(button.key).startswith("starter-"))
    starter.click()
    run(app)
    wait_until(lambda: not [button for button in run(app).button if button.key == "stop"])
    assert not [button for button in app.button if str(button.key).startswith("starter-")]
    assert len(app.chat_message) == 2


def test_answer_has_picture_with_its_label_and_sources(app: AppTest) -> None:
    ask(app, "What does Figure 1 of the pump show?")
    assert "Figure 1" in alts(app)
    assert app.chat_message[0].text[0].value == "What does Figure 1 of the pump show?"
    assert app.get("popover")
    assert [button for button in app.button if button.label == "Figure 1"]


def test_settings_and_filter_are_stored_with_the_answer(app: AppTest, home: Path) -> None:
    app.slider(key="sections").set_value(3)
    app.slider(key="max_figures").set_value(0)
    app.multiselect(key="documents").set_value(["Garden"])
    ask(app, "When are roses pruned?")
    (file,) = (home / "chats").glob("*.json")
    chat = ChatStore(home / "chats").load(file.stem)
    assert chat is not None
    options = chat.turns[0].options
    assert (options.sections, options.max_figures, options.documents) == (3, 0, ("Garden",))
    assert alts(app) == []


def test_filter_that_finds_nothing_says_where_it_searched(app: AppTest) -> None:
    app.multiselect(key="documents").set_value(["Garden"])
    ask(app, "What is the torque of the XR-9000 flange?")
    assert "The documents do not answer this" in texts(app)
    assert "Searched only: Garden." in texts(app)
    assert alts(app) == []


def test_history_comes_back_by_its_address_only(app: AppTest) -> None:
    ask(app, "When are hedges cut?")
    chat_id = app.query_params["chat"][0] if isinstance(app.query_params["chat"], list) else app.query_params["chat"]
    again = AppTest.from_file(APP)
    again.query_params["chat"] = chat_id
    run(again)
    assert again.chat_message[0].text[0].value == "When are hedges cut?"
    other = run(AppTest.from_file(APP))
    assert len(other.chat_message) == 0


def test_two_sessions_share_nothing(workspace: Any) -> None:
    """D-U05: questions and pictures of one visitor are not seen by the other."""
    one, two = run(AppTest.from_file(APP)), run(AppTest.from_file(APP))
    ask(one, "What does Figure 1 of the pump show?")
    ask(two, "When are hedges cut?")
    assert "hedges" not in texts(one)
    assert "Figure 1" not in alts(two)
    assert [len(app.chat_message) for app in (one, two)] == [2, 2]


def test_picture_that_is_gone_becomes_a_card(app: AppTest, home: Path) -> None:
    """D-U03: the old message still draws, with a placeholder."""
    ask(app, "What does Figure 1 of the pump show?")
    (home / "documents" / "Pump" / "figures" / "normal.png").unlink()
    ask(app, "When are hedges cut?")
    assert "Not shown: the file is missing." in texts(app)
    assert "**Figure 1**" in texts(app)


def test_rebuild_while_the_page_is_open(app: AppTest, home: Path) -> None:
    """D-U06: the next question is answered from the new index; an older answer says that its source has changed."""
    from headtree.pipeline import build_index
    from headtree.settings import load_settings

    ask(app, "When are roses pruned?")
    garden = home / "documents" / "Garden.md"
    text = garden.read_text(encoding="utf-8").replace("pruned in March, when the forsythia blossoms", "pruned in April")
    garden.write_text(f"{text}\n## Lawns\n\nLawns are mown every week.\n", encoding="utf-8")
    build_index(load_settings())
    ask(app, "When are roses pruned?")
    again = AppTest.from_file(APP)
    again.query_params["chat"] = app.query_params["chat"]
    for page in (app, run(again)):  # before and after a reload
        (file,) = (home / "chats").glob("*.json")
        chat = ChatStore(home / "chats").load(file.stem)
        assert chat is not None
        old, new = chat.turns
        assert old.answer is not None
        assert new.answer is not None
        assert "March" in old.answer.answer
        assert "April" in new.answer.answer
        assert old.generation != new.generation
        for turn in (old, new):
            page.session_state[f"source-{turn.turn_id[:12]}-1"] = True
        drawn = texts(run(page))
        assert drawn.count("The section changed since this answer and no longer says this") == 1


def test_hostile_caption_and_file_name_stay_text(home: Path) -> None:
    """D-U04: text only, no link, no HTML, whatever a document says."""
    from headtree.pipeline import build_index
    from headtree.settings import load_settings

    figures = home / "documents" / "Pump" / "figures"
    (figures / "normal.png").rename(figures / "a<b>.png")
    text = (home / "documents" / "Pump" / "Pump.md").read_text(encoding="utf-8")
    hostile = "</figcaption><script>1</script> [x](javascript:alert(1)) costs $5 to $6"
    text = text.replace("figures/normal.png", "<figures/a<b>.png>").replace("figures/a<b>", "figures/a\\<b\\>")
    text = text.replace("Housing of the pump with its eight screws", hostile)
    (home / "documents" / "Pump" / "Pump.md").write_text(text, encoding="utf-8")
    build_index(load_settings())
    app = ask(run(AppTest.from_file(APP)), "What does Figure 1 of the pump show?")
    drawn = texts(app)
    assert "script" in drawn
    assert "<script>" not in drawn
    assert not re.search(r"(?<!\\)\[x\]\(", drawn)
    assert not re.search(r"(?<!\\)\$5", drawn)
    assert "Figure 1" in alts(app)


def test_no_index_offers_to_build_and_builds(home: Path) -> None:
    app = run(AppTest.from_file(APP))
    assert "The documents are not indexed yet" in texts(app)
    assert app.chat_input[0].disabled
    app.button(key="build").click()
    run(app)
    wait_until(lambda: "Ask the documents" in texts(run(app)))


@pytest.mark.parametrize("raw", [b"garbage" * 1000, b"SQLite format 3\0" + b"x" * 5000])
def test_damaged_index_says_so_and_is_built_anew(home: Path, raw: bytes) -> None:
    (home / "index").mkdir()
    (home / "index" / "index.db").write_bytes(raw)
    app = run(AppTest.from_file(APP))
    assert "The index cannot be used" in texts(app)
    assert "damaged" in texts(app)
    app.button(key="build").click()
    run(app)
    wait_until(lambda: "Ask the documents" in texts(run(app)))


def test_empty_folder_offers_to_upload(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADTREE_DOCUMENTS", str(tmp_path / "nothing"))
    app = run(AppTest.from_file(APP))
    assert "No documents yet" in texts(app)
    assert app.get("file_uploader")


def test_upload_is_checked_stored_and_indexed(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEADTREE_DOCUMENTS", str(tmp_path / "nothing"))
    app = run(AppTest.from_file(APP))
    app.file_uploader(key="files").set_value([("../evil.md", b"# Turbines\n\nTurbines turn.\n", "text/markdown")])
    next(button for button in app.button if button.label == "Add and index").click()
    run(app)
    wait_until(lambda: "Ask the documents" in texts(run(app)))
    assert [path.name for path in (tmp_path / "nothing").iterdir()] == ["evil"]


def test_visitors_may_be_kept_from_changing_documents(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADTREE_CHAT_UPLOADS", "false")
    app = run(AppTest.from_file(APP))
    assert not [button for button in app.button if button.key == "build"]
    assert not app.get("file_uploader")


def test_index_of_another_embedder_says_what_to_do(workspace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADTREE_EMBEDDER", "local")
    app = run(AppTest.from_file(APP))
    assert "The index cannot be used" in texts(app)
    assert [button for button in app.button if button.key == "build"]


def test_wrong_setting_is_a_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADTREE_MAX_FIGURES", "77")
    app = run(AppTest.from_file(APP))
    assert "MAX" in texts(app)
    assert "load the page again" in texts(app)


def test_stopped_server_leaves_a_note(app: AppTest, home: Path) -> None:
    ask(app, "When are hedges cut?")
    (file,) = (home / "chats").glob("*.json")
    raw = file.read_text(encoding="utf-8").replace('"state":"answered"', '"state":"answering"')
    file.write_text(raw, encoding="utf-8")
    run(app)
    assert "Interrupted: the server was stopped." in texts(app)


def test_trace_is_drawn_when_it_is_opened(app: AppTest) -> None:
    ask(app, "What does Figure 1 of the pump show?")
    assert not app.dataframe
    label = next(e for e in app.get("expander") if "How this was found" in e.label)
    assert re.search(r"\d sections?, \d of \d pictures, \d\.\d s", label.label)


def test_earlier_answers_are_whole_when_they_are_asked_for(app: AppTest, home: Path) -> None:
    """A long chat: the last answers are whole; earlier ones come with text and pictures, the rest by a button."""
    ask(app, "What does Figure 1 of the pump show?")
    (file,) = (home / "chats").glob("*.json")
    store = ChatStore(home / "chats")
    chat = store.load(file.stem)
    assert chat is not None
    for number in range(12):
        store.begin(chat.chat_id, "", replace(chat.turns[0], turn_id=f"{number:032x}"[::-1]))
    run(app)
    assert len(app.chat_message) == 2 * SHOWN_TURNS
    assert len(app.get("popover")) >= SHOWN_TURNS
    app.button(key="earlier").click()
    run(app)
    assert len(app.chat_message) == 2 * 13
    assert len(alts(app)) == 13 * len(set(alts(app)))
    earlier, later = app.chat_message[1], app.chat_message[-1]
    assert [part.value for part in earlier.markdown] == [part.value for part in later.markdown]
    assert not earlier.get("popover")
    assert not earlier.get("feedback")
    (rest,) = [button for button in earlier.button if str(button.key).startswith("rest-")]
    assert re.fullmatch(r"\d+ sources? and more", rest.label)
    rest.click()
    run(app)
    assert len(app.chat_message[1].get("popover")) == len(app.chat_message[-1].get("popover"))
    assert app.chat_message[1].get("feedback")


def _draw_sent_requests() -> None:
    from dataclasses import replace

    from headtree.chat.draw_trace import draw_trace
    from headtree.chat.trace import Trace
    from headtree.types import ModelRequest, RequestBlock, Usage
    from tests.chat.test_chat_history import make_answer, make_turn

    blocks = (
        RequestBlock("section 1", "text", 700, 2800),
        RequestBlock("F3", "image", 258, 9000, 640, 480, "image/png"),
    )
    request = ModelRequest("gemini/x", "synthesis", "answer-1", blocks, 958, 90, 0, 0.0125, 1.5, 1, "done")
    answer = replace(make_answer(), usage=Usage(1, 958, 90, 0.0125), requests=(request,))
    draw_trace(replace(make_turn(), answer=answer, trace=Trace()))


def test_trace_shows_what_was_sent() -> None:
    app = run(AppTest.from_function(_draw_sent_requests))
    assert "1 call, 958 tokens in, 90 tokens out, \\$0.0125" in texts(app)
    sent = next(frame.value for frame in app.dataframe if "blocks" in frame.value)
    assert list(sent["blocks"]) == ["section 1 (text, 700 tokens), F3 (image, 640 x 480)"]
    assert list(sent["model"]) == ["gemini/x"]
