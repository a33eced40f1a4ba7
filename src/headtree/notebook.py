"""An answer -> what a notebook shows. Text of documents is escaped, and nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from headtree.evaluation.thumbnails import Thumbnails
from headtree.types import Answer, Citation, ShownFigure

_SIDE = (720, 540)
"""Largest width and height of a picture in pixels: a table is readable, and six pictures keep a notebook small."""
# What makes HTML, a picture or a link; an escape that is there already counts as one.
_ACTIVE = re.compile(r"(\\.)|([<>!\[\]&])", re.DOTALL)
_MARKER = re.compile(r"\\\[(\d+)\\\](?![(\[:\\])")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|&~$-])")


def answer_html(answer: Answer, documents: Path) -> str:
    """Return an answer with its sources and its pictures, which are data URIs, as one piece of HTML."""
    thumbnails = Thumbnails(documents, side=_SIDE)
    parts = [_parser().render(answer.answer)]
    parts += [_figure_html(figure, thumbnails.data_uri(figure.path)) for figure in answer.figures]
    if answer.citations:
        sources = "".join(f"<li>{escape(_source(citation))}</li>" for citation in answer.citations)
        parts.append(f"<p><b>Sources</b></p><ol>{sources}</ol>")
    parts += [f"<p><i>{escape(warning)}</i></p>" for warning in answer.warnings]
    return f"<div>{''.join(parts)}</div>"


def answer_markdown(answer: Answer) -> str:
    """Return an answer with its sources and the names of its pictures as Markdown."""
    return "\n\n".join(_markdown_parts(answer))


def _markdown_parts(answer: Answer) -> Iterator[str]:
    yield _MARKER.sub(r"[\1]", _ACTIVE.sub(lambda match: match[1] or f"\\{match[2]}", answer.answer))
    if answer.figures:
        yield "**Pictures**"
        yield "\n".join(f"- {_literal(_caption(f))} ({_literal(f.path)})" for f in answer.figures)
    if answer.citations:
        yield "**Sources**"
        yield "\n".join(f"{c.number}. {_literal(_source(c))}" for c in answer.citations)
    for warning in answer.warnings:
        yield f"*{_literal(warning)}*"


def _parser() -> MarkdownIt:
    """Return a parser that makes neither links nor pictures, and takes HTML for text."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return parser.disable(["image", "link", "autolink", "reference"])


def _figure_html(figure: ShownFigure, picture: str | None) -> str:
    caption = escape(_caption(figure))
    if picture is None:
        return f"<p>{caption} <i>(cannot be shown: {escape(figure.path)})</i></p>"
    return f'<figure><img src="{picture}" alt="{caption}"><figcaption>{caption}</figcaption></figure>'


def _caption(figure: ShownFigure) -> str:
    return ": ".join(part for part in (figure.label, figure.caption) if part) or figure.path


def _source(citation: Citation) -> str:
    return f"{' > '.join(citation.breadcrumb)} (lines {citation.first_line}-{citation.last_line})"


def _literal(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
