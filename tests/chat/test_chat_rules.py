"""Rules that hold for all of the chat's code and its configuration."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat.corpus import ROOT
from tests.chat.visitor import contrast

CHAT = ROOT / "src" / "headtree" / "chat"
DRAWING = sorted([*CHAT.glob("draw_*.py"), *CHAT.glob("page_*.py"), ROOT / "app.py"])
# What Streamlit reads as Markdown in its first argument.
MARKDOWN_CALLS = {
    "markdown", "caption", "title", "header", "subheader", "write", "info", "warning", "error", "success", "button",
    "popover", "expander", "dialog", "status", "toggle", "checkbox", "toast", "badge", "download_button", "text_input",
    "selectbox", "multiselect", "slider", "progress", "tabs", "form_submit_button", "file_uploader", "chat_input",
}  # fmt: skip
SAFE_CALLS = {"render_markdown", "render_line", "escape_label", "counted", "text_table", "len", "int"}


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "st":
                yield node.func.attr, node


def safe(node: ast.expr, local: dict[str, list[ast.expr]]) -> bool:
    """Whether an expression is text of ours, a number, or has been through the one way in."""
    match node:
        case ast.Constant():
            return True
        case ast.JoinedStr():
            return all(safe(part, local) for part in node.values)
        case ast.FormattedValue():
            return node.format_spec is not None or safe(node.value, local)
        case ast.Call(func=ast.Name(id=name)):
            return name in SAFE_CALLS or name in TEXT_OF_OURS
        case ast.Call(func=ast.Attribute(attr="get", value=ast.Name(id=name)), args=[_, fallback]):
            return name.isupper() and safe(fallback, local)
        case ast.BinOp():
            return safe(node.left, local) and safe(node.right, local)
        case ast.IfExp():
            return safe(node.body, local) and safe(node.orelse, local)
        case ast.List():
            return all(safe(part, local) for part in node.elts)
        case ast.Subscript(value=ast.Name(id=name)):
            return name.isupper() or name in NUMBERS
        case ast.Subscript(value=inner) | ast.Attribute(value=inner):
            return ast.unparse(node) in NUMBERS or (isinstance(inner, ast.Attribute) and ast.unparse(node) in NUMBERS)
        case ast.Name(id=name):
            return name in NUMBERS or (name in local and all(safe(value, local) for value in local[name]))
    return ast.unparse(node) in NUMBERS


# Helpers that return safe text, each tested or built of the above in the same module.
TEXT_OF_OURS = {"_step_line", "overview_line", "trace_title", "_dollars"}
NUMBERS = {
    "overview.sections", "overview.figures", "changes.unchanged", "span.first", "span.last", "shown.span.first",
    "shown.span.last", "section.span.first", "section.span.last", "citation.number", "hidden", "left_out", "waiting",
    "places[0].page", "drawn.natural[0]", "drawn.natural[1]", "options.sections", "options.max_figures", "usage.calls",
    "row.below", "section.level", "seconds",
    "button_label",  # of _ask_again, whose callers pass constants
}  # fmt: skip


@pytest.mark.parametrize("file", DRAWING, ids=lambda file: file.name)
def test_outside_text_has_one_way_in(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        local: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                local.setdefault(node.targets[0].id, []).append(node.value)
            if isinstance(node, ast.For) and ast.unparse(node.iter).startswith("_known_about("):
                local.setdefault(ast.unparse(node.target), []).append(ast.Constant(""))
        for name, call in calls(function):
            if name not in MARKDOWN_CALLS:
                continue
            words = [keyword.value for keyword in call.keywords if keyword.arg in {"label", "text", "help"}]
            for argument in (*(call.args[:1] if name != "progress" else ()), *words):
                assert safe(argument, local), f"{file.name}:{call.lineno} {ast.unparse(argument)}"


@pytest.mark.parametrize("file", sorted([*CHAT.glob("*.py"), ROOT / "app.py"]), ids=lambda file: file.name)
def test_no_switch_that_trusts_html(file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    assert "unsafe_allow" not in source
    for name, call in calls(ast.parse(source)):
        if name == "html":
            assert ast.unparse(call.args[0]).startswith("numbered_lines(")
        if name == "image":
            assert any(keyword.arg == "alt" for keyword in call.keywords)
            assert not ast.unparse(call.args[0]).endswith("path")


def test_only_drawing_modules_know_streamlit() -> None:
    drawing = {"browser.py", "session.py", *(file.name for file in DRAWING)}
    for file in CHAT.glob("*.py"):
        if file.name not in drawing:
            assert "streamlit" not in [
                alias.name
                for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                if isinstance(node, ast.Import)
                for alias in node.names
            ]


def configuration() -> dict[str, dict[str, object]]:
    return tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def test_server_is_closed() -> None:
    config = configuration()
    assert config["server"]["enableStaticServing"] is False
    assert config["server"]["address"] == "localhost"
    assert config["client"]["showErrorDetails"] == "none"
    assert config["browser"]["gatherUsageStats"] is False


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
@pytest.mark.parametrize("text", ["textColor", "primaryColor"])
def test_contrast(theme: str, ground: str, text: str) -> None:
    colours = configuration()["theme"][theme]
    assert isinstance(colours, dict)
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
def test_contrast_of_captions(theme: str, ground: str) -> None:
    """Streamlit draws captions in the colour of text at 60 %."""
    colours = configuration()["theme"][theme]
    assert isinstance(colours, dict)
    pairs = [
        (int(colours["textColor"][start : start + 2], 16), int(colours[ground][start : start + 2], 16))
        for start in (1, 3, 5)
    ]
    blended = "#" + "".join(f"{round(0.6 * text + 0.4 * behind):02x}" for text, behind in pairs)
    assert contrast(blended, colours[ground]) >= 4.5
