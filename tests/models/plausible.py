"""What a sensible model would say, worked out from the request itself: for whole runs against the stub."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.models.stub_service import Cite, Received, Say


def plausible(request: Received) -> Say:
    """Answer a request by its kind."""
    tokens = (len(request.text) // 4 if request.kind != "embed" else 10, 50)
    return {
        "embed": lambda: Say(),
        "noise": lambda: _json({"noise": []}, tokens),
        "context": lambda: _json({"contexts": _contexts(request)}, tokens),
        "description": lambda: _json({"description": "A coloured plate.", "visible_text": ""}, tokens),
        "rerank": lambda: _json({"sections": [{"index": i, "reason": "fits"} for i in (0, 1)]}, tokens),
        "synthesis": lambda: _json(_answer(request), tokens),
        "figures": lambda: _json({"figures": _first_figure(request), "missing": [], "answerable": True}, tokens),
        "judge": lambda: _json({"reason": "it says so", "grade": "right"}, tokens),
        "vision": lambda: _json({"verdicts": _verdicts(request)}, tokens),
        "text": lambda: Say([Cite(f"{first_sentence(request)} ", ((0, 0, 0),)), Cite("That is all.")], tokens=tokens),
    }[request.kind]()


def _json(value: dict[str, Any], tokens: tuple[int, int]) -> Say:
    return Say(json.dumps(value), tokens=tokens)


def _answer(request: Received) -> dict[str, Any]:
    sentence = first_sentence(request)
    return {
        "answer": f"It says: {sentence} [1]",
        "citations": [{"section": 1, "quote": sentence}],
        "figures": _first_figure(request),
        "missing": [],
        "answerable": True,
    }


def first_sentence(request: Received) -> str:
    """Return the first line of the first section that has words, without handles."""
    body = request.text[request.text.index("[1] ") :]
    lines = [line for line in body.split("\n")[1:] if re.search(r"[a-z]{3}", line) and not line.startswith("#")]
    return re.sub(r"\s*\[F\d+\]", "", lines[0]).strip()[:80].strip()


def _contexts(request: Received) -> list[dict[str, Any]]:
    numbers = re.findall(r"^\[(\d+)\] ", request.text.split("Chunks:\n")[1], re.MULTILINE)
    return [{"chunk": int(number), "context": "Of a machine."} for number in dict.fromkeys(numbers)]


def _first_figure(request: Received) -> list[dict[str, str]]:
    handle = re.search(r"^(F\d+) \| ", request.text, re.MULTILINE)
    return [{"handle": handle.group(1), "reason": "it shows it"}] if handle else []


def _verdicts(request: Received) -> list[dict[str, str]]:
    handles = re.findall(r"^(F\d+): ", request.text, re.MULTILINE)
    return [{"handle": handle, "verdict": "keep", "reason": "as captioned"} for handle in handles]
