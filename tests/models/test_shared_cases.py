"""Every case of a model that went wrong elsewhere, as the shared cases list them, has its test here."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

CASES = Path(__file__).parents[3] / "shared" / "cases" / "cases.json"


@pytest.mark.shared
@pytest.mark.skipif(not CASES.is_file(), reason="the shared cases are not there")
def test_every_case_has_its_test() -> None:
    wanted = {case["id"] for case in json.loads(CASES.read_text("utf-8")) if case["area"] == "llm"}
    named: set[str] = set()
    for file in Path(__file__).parent.glob("test_*.py"):
        named |= set(re.findall(r"\bD-L\d\d\b", file.read_text("utf-8")))
    assert len(wanted) == 13
    assert wanted == named
