"""Every link leads somewhere, every command and setting in a page exists, and generated pages are up to date."""

from __future__ import annotations

import datetime
import importlib.util
import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest
from docs.generate import DOCS, pages

from headtree.models.catalogue import CARDS, find_card
from headtree.models.registry import DEFAULT_MODELS
from headtree.settings import Settings
from headtree.types import WarningKind
from tests.docs.pages import (
    IDS,
    PAGES,
    ROOT,
    anchors,
    benchmark_options,
    cli_options,
    commands,
    targets,
)

ANY_PAGE = pytest.mark.parametrize("page", PAGES, ids=IDS)


@pytest.mark.parametrize("name", ["configuration.md", "cli.md"])
def test_generated_page_is_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == pages()[name], "run: make docs"


def test_every_setting_and_every_command_has_its_row() -> None:
    configuration, cli = pages()["configuration.md"], pages()["cli.md"]

    assert set(re.findall(r"^\| `(\w+)` \|", configuration, re.M)) == {name.upper() for name in Settings.model_fields}
    for command, options in cli_options().items():
        section = cli.split(f"## `headtree {command}`\n")[1].split("\n## ")[0]
        assert options - {"--help"} == set(
            re.findall(r"--[\w-]+", " ".join(re.findall(r"^\| `(-[^`]+)`", section, re.M)))
        )


@ANY_PAGE
def test_local_links_lead_somewhere(page: Path) -> None:
    for target in targets(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(file), f"{page.name} links to {target}"


def test_every_page_is_reachable_from_the_readme() -> None:
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        local = [target.partition("#")[0] for target in targets(page) if not re.match(r"[a-z]+:|#", target)]
        waiting += [(page.parent / path).resolve() for path in local]

    assert set(PAGES) <= seen


@ANY_PAGE
def test_headtree_commands_and_options_exist(page: Path) -> None:
    known = cli_options()
    groups = {name.split()[0] for name in known if " " in name}
    for command in commands(page, "headtree"):
        words = [word for word in command.words if not word.startswith("-")]
        name = " ".join(words[: 2 if words and words[0] in groups else 1])
        assert name in known or name in groups or not words, f"{page.name}: {command.line}"
        options = {word.partition("=")[0] for word in command.words if word.startswith("--")}
        assert options <= known.get(name, {"--help", "--version"}), f"{page.name}: {command.line}"


@ANY_PAGE
def test_benchmark_options_exist(page: Path) -> None:
    for command in commands(page, "python run_test_suite.py"):
        options = {word.partition("=")[0] for word in command.words if word.startswith("--")}
        assert options <= benchmark_options(), f"{page.name}: {command.line}"


@ANY_PAGE
def test_modules_that_are_run_exist(page: Path) -> None:
    for command in commands(page, "python -m"):
        assert importlib.util.find_spec(command.words[0]) is not None, command.line


@ANY_PAGE
def test_make_targets_exist(page: Path) -> None:
    known = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for command in commands(page, "make"):
        assert set(command.words) <= known, f"{page.name}: {command.line}"


@ANY_PAGE
def test_extras_exist(page: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    text = page.read_text("utf-8")
    named = {name for group in re.findall(r"headtree\[([\w,-]+)\]", text) for name in group.split(",")}
    named |= set(re.findall(r"extra `(\w+)`", text))

    assert named <= set(project["optional-dependencies"])


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "cli.md"])
def test_settings_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    named = set(re.findall(r"\bHEADTREE_([A-Z_]+[A-Z])\b", text)) | set(
        re.findall(r"`([A-Z_]{4,})(?: = [^`]+)?`", text)
    )
    aliases = {"google_api_key", "headtree_gemini_api_key", "headtree_anthropic_api_key", "headtree_"}
    of_adobe = {"pdf_services_client_id", "pdf_services_client_secret"}

    assert {name.lower() for name in named} <= {*Settings.model_fields, *aliases, *of_adobe}


def test_kinds_of_warnings_exist() -> None:
    text = (ROOT / "docs" / "your-own-documents.md").read_text("utf-8")
    kinds = re.findall(r"^\| `([\w-]+)` \|", text, re.M)

    assert len(kinds) > 10
    assert set(kinds) <= {kind.value for kind in WarningKind}


def test_package_carries_its_data() -> None:
    package = ROOT / "src" / "headtree"

    assert (package / "py.typed").is_file()
    assert (package / "models" / "data" / "vocab.txt").stat().st_size == 231_508
    assert (package / "models" / "data" / "NOTICE.md").is_file()


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "providers.md"], ids=lambda page: page.name)
def test_price_tables_say_what_the_catalogue_says(page: Path) -> None:
    text = page.read_text("utf-8")
    day = datetime.date(2026, 12, 1)
    rows = re.findall(r"^\| `(gemini|claude)/([\w.-]+)` \| ([\d.]+) \| ([\d.]*) ?\|", text, re.M)

    assert len(rows) == len(re.findall(r"^\| `(?:gemini|claude)/", text, re.M)) >= 4
    for provider, model, price_in, price_out in rows:
        price = find_card(provider, model).price(day)
        assert price is not None, model
        assert (price.input, price.output) == (float(price_in), float(price_out or 0)), model
    if page.name == "providers.md":
        assert {f"{provider}/{model}" for provider, model, _, _ in rows} == {card.name for card in CARDS}


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "providers.md"], ids=lambda page: page.name)
def test_role_tables_say_what_auto_takes(page: Path) -> None:
    rows = [line for line in page.read_text("utf-8").splitlines() if re.match(r"\|.*`\w+_MODEL`", line)]
    for (provider, role), model in DEFAULT_MODELS.items():
        row = next((line for line in rows if f"`{role.value.upper()}`" in line), None)
        if row is None:
            assert page.name == "README.md", f"{page.name} says nothing on {role}"
            continue
        assert f"`{model}`" in row.split("|")[4 if provider == "gemini" else 5], role
