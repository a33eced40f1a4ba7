r"""Formulas in Markdown: ``$x$``, ``\(x\)``, ``$$x$$``, ``\[x\]`` and LaTeX environments, told apart from money.

A plugin for markdown-it-py. Tokens ``math_inline`` and ``math_display`` hold the LaTeX in ``content``.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST_FORMULA = 2000
"""Characters; anything longer is no formula but a missing end, and would be slow to draw."""

_ENVIRONMENTS = r"(?:equation|align|gather|multline|eqnarray|displaymath)\*?"
_DISPLAY = re.compile(
    rf"\$\$(?P<dollars>.{{1,{LONGEST_FORMULA}}}?)\$\$|\\\[(?P<brackets>.{{1,{LONGEST_FORMULA}}}?)\\\]|"
    rf"(?P<environment>\\begin\{{(?P<name>{_ENVIRONMENTS})\}}(?P<body>.{{1,{LONGEST_FORMULA}}}?)\\end\{{(?P=name)\}})",
    re.DOTALL,
)
_CLOSERS = ("$$", "\\]", "}")
_BLOCK_START = re.compile(rf"\$\$|\\\[|\\begin\{{{_ENVIRONMENTS}\}}")
_PARENTHESES = re.compile(rf"\\\((?P<content>.{{1,{LONGEST_FORMULA}}}?)\\\)", re.DOTALL)
# The rules of Pandoc: no space inside the dollars, no digit or letter after the last one.
_DOLLARS = re.compile(r"\$(?P<content>(?![\s$])(?:\\.|[^$\\])*?(?<!\s))\$(?![\w$])", re.DOTALL)
_COMMAND = re.compile(r"\\(?:text|mathrm|mathbf|operatorname|mbox|label|tag)\*?\{[^}]*\}|\\[A-Za-z]+")
_PROSE = re.compile(r"[A-Za-z]{3,}")
_OPERATOR = re.compile(r"[\\^_=+<>{}*|]")


def mathematics(parser: MarkdownIt) -> None:
    """Add formulas to a parser, inline and as blocks of their own; ``2*3*4`` stays a product."""
    parser.inline.ruler.before("emphasis", "product", _product_rule)
    parser.inline.ruler.before("escape", "mathematics", _inline_rule)
    parser.block.ruler.before(
        "fence", "mathematics", _block_rule, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _product_rule(state: StateInline, silent: bool) -> bool:
    """An asterisk between digits multiplies; Markdown would take it for emphasis."""
    around = state.src[max(0, state.pos - 1) : state.pos + 2]
    if not re.fullmatch(r"\d\*\d", around):
        return False
    if not silent:
        state.pending += "*"
    state.pos += 1
    return True


def _inline_rule(state: StateInline, silent: bool) -> bool:
    source, start = state.src, state.pos
    if source[start] not in "$\\":
        return False
    display = _DISPLAY.match(source, start)
    match = display or _PARENTHESES.match(source, start) or _DOLLARS.match(source, start)
    if match is None or len(match.group()) > LONGEST_FORMULA:
        return False
    content = _display_content(match) if display else match["content"].strip()
    if not _may_be_formula(content) or (match.re is _DOLLARS and not _single_dollars(source, match, content)):
        return False
    if not silent:
        state.push("math_display" if display else "math_inline", "math", 0).content = content
    state.pos = match.end()
    return True


def _block_rule(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A formula that begins a line and ends one, so that its own lines are no lists or rules."""
    if state.is_code_block(first):
        return False
    lines: list[str] = []
    size = 0
    for line in range(first, last):
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()
        size += len(text) + 1
        if not text or size > LONGEST_FORMULA or state.sCount[line] < state.blkIndent:
            return False
        if line == first and not _BLOCK_START.match(text):
            return False
        lines.append(text)
        # The first line that may end the formula decides: later ones would be tried for every unclosed start.
        if text.endswith(_CLOSERS) and (match := _DISPLAY.match(source := "\n".join(lines))):
            content = _display_content(match)
            if match.end() != len(source) or not _may_be_formula(content):
                return False
            if not silent:
                token = state.push("math_display", "math", 0)
                token.content, token.map, token.block = content, [first, line + 1], True
                state.line = line + 1
            return True
    return False


def _display_content(match: re.Match[str]) -> str:
    environment = match["environment"]
    if environment is not None:
        name = match["name"]
        if name.startswith(("equation", "displaymath")):
            return match["body"].strip()
        inner = "gathered" if name.startswith(("gather", "multline")) else "aligned"
        return f"\\begin{{{inner}}}{match['body']}\\end{{{inner}}}"
    return (match["dollars"] or match["brackets"]).strip()


def _may_be_formula(content: str) -> bool:
    """Whether a formula can be drawn from this: some text, no dollar sign, no empty line, not too long."""
    return (
        bool(content) and len(content) <= LONGEST_FORMULA and "$" not in content and not re.search(r"\n\s*\n", content)
    )


def _single_dollars(source: str, match: re.Match[str], content: str) -> bool:
    """Whether single dollars mean a formula rather than money or shell variables."""
    before = source[match.start() - 1 : match.start()]
    if before.isalnum() or before == "$":
        return False
    words = _PROSE.findall(_COMMAND.sub(" ", content))
    if content[0].isdigit() or content[0] in ".,(":
        # "$5$", "$10\%$" and "$2x$" are formulas; "$5 to 10$" and "$5/month, $" are not.
        return not words and (bool(_OPERATOR.search(content)) or not re.search(r"[\s,;/]", content))
    return len(words) < 2 or bool(re.search(r"[\\^_={}]", content))
