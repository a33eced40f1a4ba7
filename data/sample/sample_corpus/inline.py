"""Inline markup of the sources, written for the typesetter and for Markdown."""

from __future__ import annotations

import re

_INLINE = re.compile(r"\*\*(?P<bold>.+?)\*\*|\*(?P<italic>.+?)\*|`(?P<code>.+?)`|\$(?P<math>.+?)\$")
_TYPST_SPECIAL = re.compile(r"([\\#$*_`<>@\[\]~\"'/])")
_LINE_START = re.compile(r"^(?=[-+=/])|^(?P<number>\d+)\.")
_SUBSCRIPT = re.compile(r"_\(([^)]*)\)")


def to_typst(text: str) -> str:
    """Return typesetter markup for a text with inline markup."""
    parts: list[str] = []
    position = 0
    for match in _INLINE.finditer(text):
        parts.append(_escape(text[position : match.start()]))
        parts.append(_typst_span(match))
        position = match.end()
    parts.append(_escape(text[position:]))
    return _LINE_START.sub(lambda found: (found["number"] or "") + ("\\." if found["number"] else "\\"), "".join(parts))


def to_markdown(text: str) -> str:
    """Return Markdown: bold, italic and code stay as they are, a formula becomes plain letters."""
    return _INLINE.sub(lambda match: _plain_math(match["math"]) if match["math"] else match[0], text)


def to_plain(text: str) -> str:
    """Return the text as it is read, without any markup."""
    return _INLINE.sub(
        lambda match: (
            _plain_math(match["math"]) if match["math"] else match["bold"] or match["italic"] or match["code"]
        ),
        text,
    )


def _escape(text: str) -> str:
    return _TYPST_SPECIAL.sub(r"\\\1", text)


def _typst_span(match: re.Match[str]) -> str:
    if match["bold"]:
        return f"#strong[{to_typst(match['bold'])}]"
    if match["italic"]:
        return f"#emph[{to_typst(match['italic'])}]"
    if match["code"]:
        return '#raw("' + match["code"].replace("\\", "\\\\").replace('"', '\\"') + '")'
    return f"${match['math']}$"


def _plain_math(source: str) -> str:
    """Read a short formula as a text extractor would: its letters, signs and underscores."""
    joined = _SUBSCRIPT.sub(lambda match: "_" + match[1].replace(" ", ""), source)
    return " ".join(joined.replace('"', "").split())
