"""Model replies -> values; a reply is untrusted text, whatever form was asked for."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from headtree.models.failures import Failure, ServiceError
from headtree.models.protocols import ChatModel
from headtree.models.requests import ChatReply, ChatRequest

_LITERALS = re.compile(r'"(?:[^"\\]|\\.)*"|\b(?:None|True|False)\b')
_PYTHON_WORDS = {"None": "null", "True": "true", "False": "false"}
_BRACKETS = {"{": "}", "[": "]"}
_MOST_STARTS = 20
"""Opening braces that are tried in a reply that is mostly prose."""
_LIST_LEAD = re.compile(r"^[^\n:]{0,80}:\s*")
_COUNTED_LEAD = re.compile(r"\b(?:top|best|first|last)\s+\d+\b", re.IGNORECASE)

_UNFINISHED_ESCAPE = re.compile(
    r"(?<!\\)((?:\\\\)*)(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[0-9a-fA-F]{0,3})?|\\u[0-9a-fA-F]{0,3})$"
)
"""An escape that ends with what has come so far, or the first half of a pair."""

Form = TypeVar("Form", bound=BaseModel)
Outcome = TypeVar("Outcome")


def ask_for(
    model: ChatModel, request: ChatRequest, form: type[Form], *, on_text: Callable[[str], None] | None = None
) -> Form:
    """Ask for a reply of a form, once more where the first is empty, cut or of another form.

    The second request is the same as the first: a bad reply pasted back is repeated more often than it is mended.

    Raises:
        ModelCallError: both were unusable, or the service failed.
    """
    asked = fit_to(model, request)
    return try_twice(lambda: read_form(model.ask(asked, on_text=on_text), form))


def try_twice(ask: Callable[[], Outcome]) -> Outcome:
    """Ask once more where a reply is empty, cut or of another form."""
    try:
        return ask()
    except ServiceError as failure:
        if failure.kind not in {Failure.EMPTY, Failure.CUT}:
            raise
    return ask()


def fit_to(model: ChatModel, request: ChatRequest) -> ChatRequest:
    """Return the request as the model takes it: without structured output, the schema is put in words."""
    if request.schema is None or model.capabilities.structured_output:
        return request
    words = f"Reply with one JSON object and nothing else, of this JSON schema:\n{json.dumps(dict(request.schema))}"
    return replace(request, schema=None, system=f"{request.system}\n\n{words}")


def read_form(reply: ChatReply, form: type[Form]) -> Form:
    """Read a reply as a form.

    Raises:
        ServiceError: of kind ``CUT``, where it is not of that form.
    """
    try:
        return form.model_validate(find_object(reply.text))
    except (ValueError, ValidationError) as error:
        raise ServiceError(Failure.CUT, "the model's reply does not have the form that was asked for") from error


def find_object(text: str) -> dict[str, Any]:
    """Return the JSON object in a text: alone, in a fence or between sentences, with Python's words for literals.

    Raises:
        ValueError: there is none, or it has no end.
    """
    starts = [match.start() for match in re.finditer(r"\{", text)]
    for start in starts[:_MOST_STARTS]:
        end = _end_of(text, start)
        if end is None:
            continue
        value = _parse(text[start:end])
        if isinstance(value, dict):
            return value
    raise ValueError("no complete JSON object")


def _end_of(text: str, start: int) -> int | None:
    """Return the position after the bracket that closes the one at ``start``, minding strings."""
    open_brackets: list[str] = []
    in_string = escaped = False
    for position in range(start, len(text)):
        character = text[position]
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            in_string = True
        elif character in _BRACKETS:
            open_brackets.append(_BRACKETS[character])
        elif open_brackets and character == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return position + 1
    return None


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_LITERALS.sub(lambda match: _PYTHON_WORDS.get(match.group(), match.group()), text))
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def read_numbers(text: str, count: int) -> tuple[int, ...]:
    """Return the numbers below ``count`` that a reply in words lists, each once, in order.

    ``4. 12. 0``, ``Top 5: 4, 12, 0`` and ``[4, 12, 0]`` all give 4, 12, 0.
    """
    body = _COUNTED_LEAD.sub("", _LIST_LEAD.sub("", text.strip()))
    found = (int(number) for number in re.findall(r"(?<![\w.-])\d{1,6}(?!\w)", body))
    return tuple(dict.fromkeys(number for number in found if number < count))


def partial_string(text: str, key: str) -> str:
    """Return the value of a string property of a JSON object that is still being written; empty before it begins."""
    match = re.search(rf'"{re.escape(key)}"\s*:\s*"((?:[^"\\]|\\.)*)', text, re.DOTALL)
    if match is None:
        return ""
    written = _UNFINISHED_ESCAPE.sub(r"\1", match.group(1))
    try:
        return str(json.loads(f'"{written}"', strict=False))
    except ValueError:
        return ""
