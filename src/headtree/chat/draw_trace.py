"""How an answer was found, on the page."""

from __future__ import annotations

import streamlit as st

from headtree.chat.history import Turn
from headtree.chat.safe_text import counted, escape_label, text_table
from headtree.chat.trace import Trace, TracedFigure
from headtree.types import Answer, RequestBlock

_ROWS_AT_ONCE = 6
_TABLE_HEIGHT = 420
"""Pixels; a longer table is moved within."""


def trace_title(turn: Turn) -> str:
    """Return the line that stands for the whole: sections, pictures, seconds."""
    answer, trace = turn.answer, turn.trace
    if answer is None or trace is None:
        return "How this was found"
    sections = counted(len(answer.sections), "section")
    pictures = f"{len(answer.figures)} of {counted(len(trace.figures), 'picture')}"
    return f"How this was found: {sections}, {pictures}, {answer.timings.total:.1f} s"


def draw_trace(turn: Turn) -> None:
    """Draw candidates, sections read, pictures offered and refused, what was sent, timings and warnings."""
    answer, trace = turn.answer, turn.trace
    if answer is None or trace is None:
        st.caption("Nothing was recorded.")
        return
    _draw_sections(trace)
    _draw_figures(trace)
    _draw_sent(answer)
    _draw_settings(turn, trace)
    for warning in answer.warnings:
        st.caption(f":material/info: {escape_label(warning, longest=400)}")


def _draw_sections(trace: Trace) -> None:
    st.markdown("**Sections found**, best first, and the number under which some were read")
    st.dataframe(
        {
            "rank": [c.rank for c in trace.candidates],
            "section": [" > ".join((c.doc_id.rsplit("/", 1)[-1], *c.breadcrumb[1:][-2:])) for c in trace.candidates],
            "read as": ["" if c.read_as is None else str(c.read_as) for c in trace.candidates],
            "score": [round(c.score, 2) for c in trace.candidates],
            "why": [c.reason for c in trace.candidates],
        },
        hide_index=True,
        height=240,
        column_config={"section": st.column_config.TextColumn(width="large")},
    )


def _draw_figures(trace: Trace) -> None:
    if not trace.figures:
        st.caption("No picture was offered: none stands in these sections or is mentioned there.")
        return
    st.markdown("**Pictures offered**, and what was decided")
    ordered = sorted(trace.figures, key=lambda figure: not figure.shown)
    rows = [(_picture(f), f"{'Shown' if f.shown else 'Left out'}: {f.decision}", f.offered) for f in ordered]
    with st.container(height=_TABLE_HEIGHT if len(rows) > _ROWS_AT_ONCE else "content", border=False):
        st.markdown(text_table(("picture", "decision", "offered because"), rows))


def _picture(figure: TracedFigure) -> str:
    return ": ".join(filter(None, (figure.label, figure.caption)))[:120] or figure.path


def _draw_sent(answer: Answer) -> None:
    usage = answer.usage
    if not usage.calls:
        st.markdown("**Sent to a model**: nothing. The answer was made on this machine.")
        return
    st.markdown(
        f"**Sent to a model**: {counted(usage.calls, 'call')}, {usage.input_tokens:,} tokens in, "
        f"{usage.output_tokens:,} tokens out, {_dollars(usage.cost_usd)}"
    )
    st.dataframe(
        {
            "for": [request.role for request in answer.requests],
            "model": [request.model for request in answer.requests],
            "blocks": [", ".join(map(_block, request.blocks)) for request in answer.requests],
            "tokens in": [request.input_tokens for request in answer.requests],
            "tokens out": [request.output_tokens for request in answer.requests],
            "US dollars": [request.cost_usd for request in answer.requests],
            "seconds": [request.seconds for request in answer.requests],
            "outcome": [request.outcome for request in answer.requests],
        },
        hide_index=True,
        column_config={"blocks": st.column_config.TextColumn(width="large")},
    )


def _block(block: RequestBlock) -> str:
    """Return what kind of thing was sent, for a table: ``F3 (image, 640 x 480)``."""
    size = f"{block.width} x {block.height}" if block.kind == "image" else f"{block.tokens} tokens"
    return f"{block.label} ({block.kind}, {size})"


def _dollars(amount: float) -> str:
    """Return a price for Markdown: its sign must not begin a formula."""
    return f"\\${amount:.4f}"


def _draw_settings(turn: Turn, trace: Trace) -> None:
    answer, options = turn.answer, turn.options
    if answer is None:
        return
    times = answer.timings
    st.caption(
        f"Seconds: search {times.recall:.2f}, ranking {times.rerank:.2f}, answer {times.synthesis:.2f}, "
        f"looking at pictures {times.vision:.2f}"
    )
    st.caption(
        f"Asked with: {escape_label(options.words, longest=400)}, {counted(len(trace.searched), 'document')} searched; "
        f"answered by {escape_label(answer.mode)}; index state {escape_label(turn.generation)}"
    )
    if trace.named_documents:
        st.caption(f"Documents that the question names: {escape_label(', '.join(trace.named_documents), longest=300)}")
    if trace.absent_terms:
        st.caption(f"Found nowhere: {escape_label(', '.join(trace.absent_terms), longest=300)}")
