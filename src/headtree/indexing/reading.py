"""Bytes of a Markdown file -> its lines as they may be shown, and its front matter.

Line numbers stay those of the file: whatever is taken out leaves its line breaks behind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import orjson
import yaml
from charset_normalizer import from_bytes

_LINE_END = re.compile(r"\r\n|\r")
_FRONT_MATTER = re.compile(r"\A\s*?---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+[;,][^\s)\"'>\]]*", re.IGNORECASE)
_NO_METADATA: Mapping[str, Any] = MappingProxyType({})


class _PlainLoader(yaml.SafeLoader):
    """Reads YAML without aliases: a few of them can stand for billions of values."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse an alias, compose everything else."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


@dataclass(frozen=True, slots=True)
class SourceText:
    """A decoded file."""

    text: str
    """Newlines are ``\\n``, no byte order mark; front matter and data URIs are blanked, lines kept."""
    metadata: Mapping[str, Any]
    """The front matter as JSON values."""
    encoding: str | None
    """The encoding that was guessed where the file is not UTF-8, else ``None``."""
    data_uri_lines: tuple[int, ...]
    """1-based lines from which embedded data was taken."""


def read_source(raw: bytes) -> SourceText:
    """Decode a file's bytes; never fails, says in ``encoding`` where it had to guess."""
    text, guessed = _decode(raw)
    text = _LINE_END.sub("\n", text)
    metadata, text = _take_front_matter(text)
    lines = tuple(text.count("\n", 0, match.start()) + 1 for match in _DATA_URI.finditer(text))
    return SourceText(_DATA_URI.sub("data:", text), metadata, guessed, lines)


def keep_line_breaks(text: str) -> str:
    """What remains of a piece that is taken out: its line breaks."""
    return "\n" * text.count("\n")


def _decode(raw: bytes) -> tuple[str, str | None]:
    try:
        return raw.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        best = from_bytes(raw).best()
        if best is None:
            return raw.decode("utf-8-sig", errors="replace"), "utf-8 with replaced bytes"
        return str(best).removeprefix("\ufeff"), best.encoding


def _take_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """Split off YAML between two rules at the very top; anything that is no mapping stays text."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return _NO_METADATA, text
    try:
        loaded = yaml.load(match.group(1) or "", _PlainLoader)
        metadata = orjson.loads(orjson.dumps(loaded or {}, default=str, option=orjson.OPT_NON_STR_KEYS))
    # ValueError: a date such as 2024-13-45; TypeError: what JSON cannot carry, such as half a surrogate pair
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return _NO_METADATA, text
    if not isinstance(metadata, dict):
        return _NO_METADATA, text
    return MappingProxyType(metadata), keep_line_breaks(match.group()) + text[match.end() :]
