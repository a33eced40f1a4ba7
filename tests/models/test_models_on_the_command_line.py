"""What a user sees of models: prices before and after, and what was sent."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headtree.cli import app
from headtree.errors import HeadtreeError
from tests.models.corpus import write_corpus
from tests.models.plausible import plausible
from tests.models.stub_service import KEY, Stub

QUESTION = "How many bar is the pump rated?"


@pytest.fixture
def run(stub: Stub, provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Run a command with a key in the environment and the stub behind it."""
    write_corpus(tmp_path / "data" / "documents", more_sections=8)
    stub.answer = plausible
    monkeypatch.setenv({"gemini": "GEMINI_API_KEY", "claude": "ANTHROPIC_API_KEY"}[provider], KEY)
    monkeypatch.setenv("HEADTREE_GEMINI_BASE_URL", stub.url)
    monkeypatch.setenv("HEADTREE_CLAUDE_BASE_URL", stub.url)
    monkeypatch.setenv("HEADTREE_EMBEDDING_DIMENSIONS", "128")
    monkeypatch.setenv("HEADTREE_RETRY_SECONDS", "0.01")
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments: str) -> str:
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        command.before = done.stderr  # type: ignore[attr-defined]
        return done.stdout

    return command


def test_prices_and_requests_are_printed(run, provider: str, stub: Stub) -> None:  # type: ignore[no-untyped-def]
    built = run("index")
    assert "models: " in built
    assert " tokens in" in built
    before = run.before.splitlines()
    assert [line.split(" with ")[0] for line in before] == ["noise filter"] + ["embedding"] * (provider == "gemini")
    assert all(re.search(r"about [\d,]+ tokens in.* at most \$", line) for line in before)
    plain = run("ask", QUESTION)
    before = run.before.splitlines()
    assert len(before) == 2, "one price for choosing sections, one for the answer"
    assert all(re.search(rf"^[\d,]+ tokens to {provider}/\S+, about \$0", line) for line in before)
    assert f"{provider}/" in plain
    assert "$0." in plain
    assert "question" not in plain
    shown = run("ask", QUESTION, "--show-request")
    assert "section 1" in shown
    assert "rerank/1" in shown
    assert "attempts: 1, done" in shown
    assert KEY not in shown
    assert not stub.refused


def test_json_is_one_document_with_the_requests(run, provider: str) -> None:  # type: ignore[no-untyped-def]
    built = json.loads(run("index", "--json"))
    assert built["usage"]["calls"] >= 1
    answer = json.loads(run("ask", QUESTION, "--json"))
    assert answer["mode"].startswith(f"{provider}/")
    assert answer["usage"]["calls"] == len(answer["requests"])
    assert answer["usage"]["cost_usd"] > 0
    assert answer["requests"][-1]["blocks"][0]["label"] == "rules"
    assert KEY not in json.dumps(answer)


def test_info_does_not_show_a_key(run) -> None:  # type: ignore[no-untyped-def]
    run("index")
    assert KEY not in run("info", "--json")


def test_without_a_key_nothing_is_sent(run, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    for name in ("GEMINI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "models:" not in run("index")
    shown = run("ask", QUESTION, "--show-request")
    assert "nothing was sent to a model" in shown
    assert "local, " in shown
    assert not stub.received


def test_what_costs_much_is_asked_for(run, provider: str, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("HEADTREE_CONTEXTUAL_CHUNKS", "true")
    monkeypatch.setenv("HEADTREE_DESCRIBE_FIGURES", "true")
    refused = CliRunner().invoke(app, ["index"])
    assert refused.exit_code == 1
    assert isinstance(refused.exception, HeadtreeError)
    assert re.search(r"nobody agreed to its price \(at most \$0.*headtree index --yes", str(refused.exception))
    assert not stub.of_kind("context")
    assert not stub.of_kind("description")
    built = run("index", "--yes")
    assert "models: " in built
    named = [line.split(" with ")[0] for line in run.before.splitlines()]
    assert named[1:3] == ["3 figures' descriptions", "contexts of 12 chunks"]
    assert stub.of_kind("context")
    assert len(stub.of_kind("description")) == 3
    assert run("index")
    assert "with " not in run.before, "what was paid for is not asked for again"


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("reply", ["n", "y"])
def test_a_person_is_asked(run, stub: Stub, monkeypatch: pytest.MonkeyPatch, reply: str) -> None:  # type: ignore[no-untyped-def]
    import pty

    monkeypatch.setenv("HEADTREE_CONTEXTUAL_CHUNKS", "true")
    monkeypatch.setenv("HEADTREE_EMBEDDER", "none")
    person, terminal = pty.openpty()
    os.write(person, f"{reply}\n".encode())
    command = [sys.executable, "-c", "from headtree.cli import main; main()", "index"]
    done = subprocess.run(command, stdin=terminal, capture_output=True, text=True, timeout=120, check=False)
    for end in (person, terminal):
        os.close(end)
    assert re.search(r"contexts of 12 chunks with \S+: about [\d,]+ tokens in, [\d,]+ out, at most \$", done.stderr)
    assert "Spend at most $" in done.stderr
    assert done.returncode == (0 if reply == "y" else 1), done.stderr
    assert bool(stub.of_kind("context")) == (reply == "y")
