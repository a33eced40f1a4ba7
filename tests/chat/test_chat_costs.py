"""Who may take a question's steps and what that costs, said before it is asked; keys are never shown nor written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from headtree.chat.costs import choose, list_choices, missing, question_cost
from headtree.chat.history import AnswerOptions, ChatStore
from headtree.models.catalogue import CLAUDE, GEMINI, find_card
from headtree.models.registry import AUTO, LOCAL, Registry, Role
from headtree.settings import Settings
from tests.chat.test_chat_page import APP, _fresh_caches, ask, run, texts
from tests.library import make_settings

__all__ = ["_fresh_caches"]

SECRET = "sk-a-key-that-nobody-may-see"


def models(**values: object) -> tuple[Settings, Registry]:
    settings = make_settings(Path("documents"), **values)
    return settings, Registry(settings)


def test_without_keys_all_stays_on_this_machine_and_says_why() -> None:
    settings, registry = models()
    options = AnswerOptions.from_settings(settings)
    assert [(c.value, c.model, c.price) for c in list_choices(Role.SYNTHESIS, options, settings, registry)] == [
        (AUTO, LOCAL, 0.0),
        (LOCAL, LOCAL, 0.0),
    ]
    assert question_cost(options, settings, registry) == "No cost: everything happens on this machine."
    gemini, claude = missing(registry)
    assert "GEMINI_API_KEY is not set" in gemini
    assert "ANTHROPIC_API_KEY is not set" in claude


def test_a_key_opens_the_models_of_its_provider_only() -> None:
    settings, registry = models(gemini_api_key=SECRET)
    choices = list_choices(Role.VISION, AnswerOptions.from_settings(settings), settings, registry)
    assert re.fullmatch(r"\$0\.\d+, auto: gemini-3\.8-flash", choices[0].label)
    assert {choice.value.partition("/")[0] for choice in choices} == {AUTO, LOCAL, GEMINI}
    assert all(find_card(*c.model.split("/")).capabilities.images for c in choices if c.model != LOCAL)
    assert [line.split()[0] for line in missing(registry)] == ["Claude"]


def test_prices_are_those_of_the_catalogue() -> None:
    settings, registry = models(anthropic_api_key=SECRET)
    options = replace(AnswerOptions.from_settings(settings), sections=4, max_figures=2, image_side=560)
    card = find_card(CLAUDE, "claude-sonnet-5-5")
    price = card.price()
    assert price is not None
    written = choose(card.name, Role.SYNTHESIS, options, settings, registry)
    assert written.price == pytest.approx((5_000 * price.input + 1_000 * price.output) / 1e6)
    looked = choose(card.name, Role.VISION, options, settings, registry)
    assert registry.image_tokens(CLAUDE, 560, 560) == 400
    assert looked.price == pytest.approx((1_800 * price.input + 300 * price.output) / 1e6)


def test_more_costs_more() -> None:
    settings, registry = models(anthropic_api_key=SECRET)
    options = replace(AnswerOptions.from_settings(settings), vision_filter=True)

    def dollars(**values: Any) -> float:
        words = question_cost(replace(options, **values), settings, registry)
        return float(words.partition("$")[2].split()[0])

    assert dollars(sections=2) < dollars(sections=5) < dollars(sections=20)
    assert dollars(image_side=512) < dollars(image_side=1568)
    assert dollars(vision_filter=False) < dollars(vision_filter=True)
    assert dollars(max_figures=0, vision_filter=True) == dollars(vision_filter=False)
    assert dollars(synthesis_model=LOCAL) < dollars()


def test_model_without_a_known_price_is_said_to_have_none() -> None:
    settings, registry = models(gemini_api_key=SECRET, synthesis_model="gemini/my-own")
    options = AnswerOptions.from_settings(settings)
    assert "price not known, my-own" in [c.label for c in list_choices(Role.SYNTHESIS, options, settings, registry)]
    assert "what models without a known price cost" in question_cost(options, settings, registry)


def test_page_offers_models_with_prices_and_never_shows_or_writes_the_key(
    workspace: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADTREE_GEMINI_API_KEY", SECRET)
    app = run(AppTest.from_file(APP))
    writer = app.selectbox(key="synthesis_model")
    assert any("auto: gemini-3.8-flash" in option for option in writer.options)
    assert "About \\$" in texts(app)
    app.toggle(key="vision_filter").set_value(True)
    run(app)
    app.select_slider(key="image_side").set_value(768)
    for role in ("rerank_model", "synthesis_model", "vision_model"):
        app.selectbox(key=role).set_value(LOCAL)
    run(app)
    assert "everything happens on this machine." in texts(app)
    ask(app, "When are hedges cut?")
    (file,) = (home / "chats").glob("*.json")
    chat = ChatStore(home / "chats").load(file.stem)
    assert chat is not None
    options = chat.turns[0].options
    assert (options.synthesis_model, options.vision_filter, options.image_side) == (LOCAL, True, 768)
    assert chat.turns[0].answer is not None
    assert chat.turns[0].answer.requests == ()
    assert SECRET not in texts(app) + "".join(str(element) for element in app.main)
    assert all(SECRET.encode() not in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_asking_again_begins_with_the_settings_of_the_answer(workspace: Any, home: Path) -> None:
    app = run(AppTest.from_file(APP))
    app.slider(key="sections").set_value(3)
    app.multiselect(key="documents").set_value(["Garden"])
    ask(app, "When are roses pruned?")
    app.slider(key="sections").set_value(9)
    (file,) = (home / "chats").glob("*.json")
    chat = ChatStore(home / "chats").load(file.stem)
    assert chat is not None
    key = chat.turns[0].turn_id[:12]
    app.button(key=f"otherwise-{key}").click()
    run(app)
    assert app.slider(key=f"{key}-sections").value == 3
    assert app.multiselect(key=f"{key}-documents").value == ["Garden"]
