"""The command line as scripts use it: keys and types of its JSON, exit codes, one line for an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from headtree.cli import _literal, app, main
from tests.library import ROOT, make_pictures, write

TEXT = """\
# Handbook

## Lamp

The lamp of the signal box burns 2 litres of oil in a night, as Figure 1 shows.

![](figures/lamp.png)

Figure 1: Oil burned by the lamp

## References

Old books.
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write(
        tmp_path,
        {"documents/signal/signal.md": TEXT, "documents/b.md": "# Bell\n\nThe bell rings twice.\n\n![](no.png)\n"},
    )
    make_pictures(tmp_path / "documents" / "signal", "figures/lamp.png")
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("HEADTREE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HEADTREE_DOCUMENTS", "documents")
    monkeypatch.setenv("HEADTREE_INDEX", "index")
    monkeypatch.setenv("HEADTREE_EMBEDDER", "none")
    return tmp_path


def headtree(*arguments, **environment):
    """Run the command as a process of its own."""
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", "from headtree.cli import main; main()", *arguments],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


@pytest.fixture
def command(folder, monkeypatch, capfd):
    """Run the command in this process; returns exit code, output and errors."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["headtree", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return ended.value.code or 0, out, err

    return run


def shape(value):
    """The types of a JSON value, as JSON has them: of a list, those of its first item."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return {bool: "bool", str: "str", int: "number", float: "number"}.get(type(value))


# ----------------------------------------------------------------------------------------------------------- contracts


def test_the_version_is_that_of_the_package(command):
    assert command("--version") == (0, f"headtree {version('headtree')}\n", "")


def test_index(command):
    code, out, err = command("index", "--json")
    report = json.loads(out)
    assert (code, err) == (0, "")
    assert shape(report) == {
        "documents": {"added": ["str"], "changed": [], "removed": [], "unchanged": "number"},
        "sections": "number",
        "chunks": "number",
        "figures": "number",
        "embedded": "number",
        "warnings": [{"doc_id": "str", "line": "number", "kind": "str", "message": "str"}],
        "seconds": "number",
        "usage": {"calls": "number", "input_tokens": "number", "output_tokens": "number", "cost_usd": "number"},
    }
    assert report["documents"]["added"] == ["b", "signal"]
    assert {(w["doc_id"], w["line"], w["kind"]) for w in report["warnings"]} == {
        ("b", 5, "missing-image"),
        ("signal", 11, "section-not-indexed"),
    }
    assert json.loads(command("index", "--json")[1])["documents"] == {
        "added": [], "changed": [], "removed": [], "unchanged": 2,
    }  # fmt: skip
    assert json.loads(command("index", "--json", "--fresh")[1])["documents"]["added"] == ["b", "signal"]


def test_ask(command):
    command("index", "--json")
    code, out, err = command("ask", "How much oil does the lamp of Figure 1 burn?", "--json")
    answer = json.loads(out)
    section = {
        "rank": "number", "doc_id": "str", "node_id": "str", "breadcrumb": ["str"], "first_line": "number", "last_line": "number",
        "score": "number",
    }  # fmt: skip
    assert (code, err) == (0, "")
    assert shape(answer) == {
        "question": "str",
        "answer": "str",
        "answerable": "bool",
        "mode": "str",
        "citations": [
            {"number": "number", "doc_id": "str", "node_id": "str", "breadcrumb": ["str"], "first_line": "number",
             "last_line": "number", "quote": "str", "verified": "bool"}
        ],
        "sections": [section],
        "figures": [
            {"figure_id": "str", "doc_id": "str", "path": "str", "label": "str", "caption": "str", "kind": "str",
             "node_id": "str", "exists": "bool", "reason": "str", "description": "str"}
        ],
        "figure_decisions": [{"figure_id": "str", "shown": "bool", "reason": "str"}],
        "usage": {"calls": "number", "input_tokens": "number", "output_tokens": "number", "cost_usd": "number"},
        "timings": {"recall": "number", "rerank": "number", "synthesis": "number", "vision": "number", "total": "number"},
        "warnings": [],
        "requests": [],
        "fallbacks": [],
    }  # fmt: skip
    assert answer["figures"][0]["path"] == "signal/figures/lamp.png"
    assert (answer["mode"], answer["answerable"]) == ("local", True)


def test_ask_some_documents(command):
    command("index", "--json")
    answer = json.loads(command("ask", "How much oil is burned? How often does it ring?", "--docs", "b", "--json")[1])
    assert {section["doc_id"] for section in answer["sections"]} == {"b"}
    answer = json.loads(command("ask", "How much oil is burned?", "--docs", " b, signal ", "--json")[1])
    assert {section["doc_id"] for section in answer["sections"]} == {"signal"}
    code, out, err = command("ask", "What?", "--docs", "nowhere", "--json")
    assert (code, out) == (1, "")
    assert "nowhere" in err


def test_tree_and_figures(command):
    code, out, err = command("tree", "signal", "--json")
    tree = json.loads(out)
    assert (code, err) == (0, "")
    assert (tree["title"], tree["node_id"], tree["line_num"]) == ("signal", "0000", 1)
    (handbook,) = tree["nodes"]
    lamp, references = handbook["nodes"]
    assert (lamp["title"], lamp["node_id"], lamp["line_num"], lamp["nodes"]) == ("Lamp", "0002", 3, [])
    (figure,) = lamp["figures"]
    assert (figure["fig_id"], figure["filename"], figure["label"]) == ("fig_1", "figures/lamp.png", "Figure 1")
    assert figure["mentions"] == [{"line_num": 5, "node_id": "0002", "text": "Figure 1"}]
    assert references["noise"] == "references"

    code, out, err = command("figures", "signal", "--json")
    listing = json.loads(out)
    assert (code, err, listing["doc_id"]) == (0, "", "signal")
    assert [(f["fig_id"], f["kind"], f["caption"], f["exists"]) for f in listing["figures"]] == [
        ("fig_1", "figure", "Oil burned by the lamp", True)
    ]


def test_info(command):
    code, out, _ = command("info", "--json")
    before = json.loads(out)
    assert (code, before["index"]) == (0, None)
    assert "headtree index" in before["problem"]
    command("index", "--json")
    info = json.loads(command("info", "--json")[1])
    assert info["index"]["documents"] == [
        {"doc_id": "b", "path": "b.md", "sections": 2, "figures": 1, "chunks": 1},
        {"doc_id": "signal", "path": "signal/signal.md", "sections": 4, "figures": 1, "chunks": 2},
    ]
    assert info["settings"]["embedder"] == "none"
    assert info["version"]


def test_the_words_for_people(command):
    code, out, _ = command("index")
    assert code == 0
    assert "2 documents" in out
    assert "missing-image" in out
    assert "b:5" in out
    assert "section-not-indexed" not in out
    assert "section-not-indexed" in command("index", "--details")[1]
    out = command("ask", "How much oil does the lamp of Figure 1 burn?")[1]
    assert "Sources" in out
    assert "Oil burned by the lamp" in out
    assert "1 figure" in command("tree", "signal")[1]
    assert "Figure 1" in command("figures", "signal")[1]
    assert '"embedder": "none"' in command("info")[1]


# ---------------------------------------------------------------------------------------------------------- exit codes


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ask", "What is it?"], "headtree index"),
        (["ask", ""], "headtree index"),
        (["index", "--documents", "nowhere"], "--documents"),
        (["tree", "sig"], "signal"),
        (["figures", "nothing like it"], "there is: b, signal"),
    ],
)
def test_work_that_fails_is_one_line_and_code_1(command, arguments, says):
    for extra in ([], ["--json"]):
        code, out, err = command(*arguments, *extra)
        assert code == 1
        assert out == ""
        assert says in err
        assert len(err.strip().splitlines()) == 1
        assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [["ask"], ["index", "--nonsense"], ["dance"], ["tree"]])
def test_wrong_usage_is_code_2(command, arguments):
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert err


def test_a_damaged_index_is_one_line(command, folder):
    command("index", "--json")
    for file in (folder / "index").glob("index.db*"):
        file.write_bytes(b"nonsense " * 1000)
    for arguments in (["ask", "What?", "--json"], ["index", "--json"]):
        code, out, err = command(*arguments)
        assert (code, out) == (1, "")
        assert "--fresh" in err
        assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("HEADTREE_MAX_FIGURES", "9", "MAX_FIGURES"),
        ("HEADTREE_SECTIONS", "many", "SECTIONS"),
        ("HEADTREE_EMBEDDER", "magic", "EMBEDDER"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_it(command, monkeypatch, variable, value, says):
    monkeypatch.setenv(variable, value)
    code, out, err = command("info", "--json")
    assert (code, out) == (1, "")
    assert says in err
    assert value in err
    assert len(err.strip().splitlines()) == 1


def test_as_a_process(folder):
    indexed = headtree("index", "--json")
    assert (indexed.returncode, indexed.stderr) == (0, "")
    assert json.loads(indexed.stdout)["chunks"] == 3
    asked = headtree("ask", "How much oil does the lamp burn?", "--json")
    assert json.loads(asked.stdout)["answerable"]
    failed = headtree("ask", "What?", "--index", "nowhere")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "Traceback" not in failed.stderr
    assert headtree("--help").returncode == 0


def test_a_terminal_without_unicode(folder):
    write(folder, {"documents/方法.md": "# 方法 ✓\n\nThe “kettle” boils → at 100 °C.\n"})
    indexed = headtree("index", PYTHONIOENCODING="ascii")
    assert indexed.returncode == 0
    asked = headtree("ask", "At what does the kettle boil?", PYTHONIOENCODING="ascii")
    assert (asked.returncode, "Traceback" in asked.stderr) == (0, False)
    assert headtree("tree", "方法", PYTHONIOENCODING="ascii").returncode == 0


# ---------------------------------------------------------------------------------------------- names and the terminal


def test_control_characters_are_shown_escaped():
    assert _literal("a\u202eb") == "a\\u202eb"
    assert _literal("a\x1b[31mb") == "a\\x1b[31mb"
    assert _literal("größe 方法") == "größe 方法"


def test_a_name_that_turns_the_text_round(command, folder):
    write(
        folder,
        {"documents/in\u202egnp.md": "# Trick\n\nThe trick is old.\n\n![](no.png)\n\n![](\u202e[red]x[/].png)\n"},
    )
    for arguments in (
        ["index"],
        ["ask", "What is old about the trick?"],
        ["tree", "in\u202egnp"],
        ["figures", "in\u202egnp"],
    ):
        code, out, err = command(*arguments)
        assert code == 0
        assert "\u202e" not in out + err
    assert "in\u202egnp" in json.loads(command("info", "--json")[1])["index"]["documents"][1]["doc_id"]


def test_headings_and_answers_send_nothing_to_the_terminal(command, folder):
    write(
        folder,
        {"documents/x.md": "# Evil \x1b[31m[bold]title[/]\n\nThe evil word \x1b]0;owned\x07 is [link=x]here[/] now.\n"},
    )
    for arguments in (["index", "--details"], ["ask", "What is the evil word?"], ["tree", "x"], ["figures", "x"]):
        code, out, err = command(*arguments)
        assert code == 0
        assert "\x1b" not in out + err
        assert "\x07" not in out + err


def test_help_names_every_command(command):
    out = command("--help")[1]
    assert all(name in out for name in ("index", "ask", "tree", "figures", "info"))
    assert app.info.help
