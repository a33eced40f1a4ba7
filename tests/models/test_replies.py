"""Replies are untrusted text: what is read from each, and what is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from headtree.models.failures import ServiceError
from headtree.models.replies import find_object, partial_string, read_form, read_numbers
from headtree.models.requests import ChatReply, ReplyPiece
from headtree.synthesis.figure_picks import Pick, take_show_tags

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('Sure!\n{"images": [0, 2], "note": None}\nHope it helps {x}', {"images": [0, 2], "note": None}),  # D-L02
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("{'a': 'None', 'b': True}", {"a": "None", "b": True}),
        ('{"a": "None is left", "b": None}', {"a": "None is left", "b": None}),
        ('{"a": "a } in a string"}', {"a": "a } in a string"}),
        ('see {x} and then {"a": {"b": []}}', {"a": {"b": []}}),
    ],
)
def test_an_object_is_found_in_what_stands_round_it(text: str, value: object) -> None:
    assert find_object(text) == value


@pytest.mark.parametrize("text", ["", "no", "[1, 2]", '{"a": [1, 2', "{" * 100_000, '{"images":[' + "1," * 5000])
def test_what_has_no_end_is_no_object_and_costs_no_time(text: str) -> None:
    """Case D-L08."""
    started = time.process_time()
    with pytest.raises(ValueError, match="no complete JSON object"):
        find_object(text)
    assert time.process_time() - started < 5


@given(st.dictionaries(st.text(max_size=6), JSON_VALUES, min_size=1, max_size=4), st.text("ab \n.", max_size=20))
def test_any_object_is_found_between_sentences(value: dict[str, object], prose: str) -> None:
    import json

    assert find_object(f"{prose}{json.dumps(value)}{prose}") == value


@pytest.mark.parametrize(
    "text", ["4. 12. 0", "4\n12\n0", "Top 5: 4, 12, 0", "[4, 12, 0]", "The best are: 4, 12 and 0."]
)
def test_rank_lists_in_other_shapes(text: str) -> None:
    """Case D-L03."""
    assert read_numbers(text, 50) == (4, 12, 0)


@pytest.mark.parametrize(("text", "kept"), [("0, 2, 2, 7", (0, 2)), ("NONE of these but 2", (2,)), ("none", ())])
def test_numbers_out_of_range_and_repeats(text: str, kept: tuple[int, ...]) -> None:
    """Case D-L04."""
    assert read_numbers(text, 4) == kept


def test_show_tags_with_awkward_captions() -> None:
    """Case D-L01."""
    text, picks = take_show_tags("It wins. [SHOW: a.png | Table 2 [ours] vs base]")
    assert text == "It wins."
    assert picks == (Pick("a.png", "Table 2 [ours] vs base"),)
    assert take_show_tags("[SHOW: F2]") == ("", (Pick("F2", ""),))


@given(st.text())
def test_a_string_is_read_while_it_is_written(answer: str) -> None:
    import json

    whole = json.dumps({"answer": answer, "more": 1})
    for end in range(len(whole) + 1):
        so_far = partial_string(whole[:end], "answer")
        assert answer.startswith(so_far)
        so_far.encode()
    assert partial_string(whole, "answer") == answer


def test_another_form_is_a_failure() -> None:
    class Form(BaseModel):
        a: int

    with pytest.raises(ServiceError):
        read_form(ChatReply((ReplyPiece('{"a": "x"}'),), 1, 1), Form)
    assert read_form(ChatReply((ReplyPiece('so: {"a": 3, "b": 4}'),), 1, 1), Form).a == 3
