"""The project's pages, their links, code and commands, as the tests of the documentation read them."""

from __future__ import annotations

import inspect
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import run_test_suite
import typer
from markdown_it import MarkdownIt
from markdown_it.token import Token
from typer.models import OptionInfo

from headtree.cli import app

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))
IDS = [page.name for page in PAGES]


@dataclass(frozen=True, slots=True)
class Command:
    """A command line in a page."""

    line: str
    words: tuple[str, ...]


def tokens(page: Path) -> list[Token]:
    """Parse a page; tables are not in CommonMark."""
    return MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))


def _inline(page: Path) -> Iterator[Token]:
    for token in tokens(page):
        yield from token.children or ()


def targets(page: Path) -> list[str]:
    """Return where links and pictures of a page lead."""
    found = [str(token.attrs.get("href") or token.attrs.get("src") or "") for token in _inline(page)]
    return [target for target in found if target]


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of a page's headings."""
    parsed = tokens(page)
    titles = [parsed[i + 1].content for i, token in enumerate(parsed) if token.type == "heading_open"]
    return {_slug(title) for title in titles}


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFC", title).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def python_blocks(page: Path) -> list[str]:
    """Return the Python code of a page, in order."""
    return [token.content for token in tokens(page) if token.type == "fence" and token.info == "python"]


def commands(page: Path, program: str) -> list[Command]:
    """Return the command lines of a page that call a program, in code blocks and in code within text."""
    texts = [token.content for token in tokens(page) if token.type == "fence" and token.info in {"", "sh", "bash"}]
    texts += [token.content for token in _inline(page) if token.type == "code_inline"]
    found = []
    for line in "\n".join(texts).splitlines():
        words = _words(line)
        first = program.split()
        if words[: len(first)] == first:
            found.append(Command(line, tuple(words[len(first) :])))
    return found


def _words(line: str) -> list[str]:
    """Split a line as a shell does, without the variables that are set for it alone."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return []
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    return words


# ---------------------------------------------------------------------------------------------------- commands


def cli_options() -> dict[str, set[str]]:
    """Return the options of each ``headtree`` command by its words: ``questions new`` -> ``--count`` ..."""
    return dict(_options(app, ""))


def _options(commands: typer.Typer, prefix: str) -> Iterator[tuple[str, set[str]]]:
    for command in commands.registered_commands:
        assert command.callback is not None
        yield f"{prefix}{command.name or command.callback.__name__}", options_of(command.callback)
    for group in commands.registered_groups:
        assert group.typer_instance is not None
        yield from _options(group.typer_instance, f"{prefix}{group.name} ")


def benchmark_options() -> set[str]:
    """Return the options of ``run_test_suite.py``."""
    return options_of(run_test_suite.run)


def options_of(callback: Callable[..., Any]) -> set[str]:
    """Return the options that Typer makes of a function's signature."""
    found = {"--help"}
    for parameter in inspect.signature(callback, eval_str=True).parameters.values():
        info = get_args(parameter.annotation)[1]
        if isinstance(info, OptionInfo):
            declared = [info.default, *(info.param_decls or ())]
            names = {name for name in declared if isinstance(name, str) and name.startswith("-")}
            found |= names or {f"--{parameter.name.replace('_', '-')}"}
    return found
