"""Text of models, documents and people -> Markdown that Streamlit draws and that can do nothing else.

The only way by which outside text reaches the page. A text is parsed and written anew from what was understood:
paragraphs, lists, tables, quotes, code, emphasis and formulas keep their form, every other character is escaped. So
no HTML, picture, link, heading anchor, footnote, colour, icon, emoji code or arrow ever comes from outside text, and a
dollar sign is a formula only where ``mathematics`` says so. Addresses stay readable, as code, and cannot be clicked.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from headtree.chat.mathematics import mathematics
from headtree.types import LineSpan

LONGEST_TEXT = 60_000
"""Characters of one text that are drawn; a page with more would not be read and stalls the browser."""

_ESCAPED = re.compile(r"[\\`*_{}\[\]#+\-!|<>~$:&=^]")
_LIST_NUMBER = re.compile(r"^(\d{1,9})([.)])", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ADDRESS = re.compile(
    r"https?://[^\s<>`]*[^\s<>`.,;:!?)\]}'\"”’]"
    r"|\bwww\.[^\s<>`]*[^\s<>`.,;:!?)\]}'\"”’]"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    re.IGNORECASE,
)
# A word joiner (U+2060) breaks what Streamlit replaces in finished text, where no escape helps.
_SHORTCODE = re.compile(r":(?=[\w+\-/]*[A-Za-z][\w+\-/]*:|[+-]1:|100:|1234:)")
_ARROW = re.compile(r"(?<!\S)(<->|->|<-|--|>=|<=|~=)(?!\S)")
_JOINER = "\u2060"
_ACTIVE_IN_FORMULA = re.compile(
    r"(?<=!)(?=\[)|(?<=\])(?=[(\[:])|(?<=<)(?=[A-Za-z/!?])|(?<=:)(?=[\w/])|(?<=www)(?=\.)|(?<=\w)(?=@)", re.IGNORECASE
)
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")


def _new_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(["table", "strikethrough"])
    # Reference definitions would swallow "[1]: ..." lines and turn citation markers into links.
    parser.disable(["reference", "html_block", "html_inline"])
    return parser.use(mathematics)


_PARSER = _new_parser()


@lru_cache(maxsize=1024)
def render_markdown(text: str) -> str:
    """Return a text as safe Markdown for ``st.markdown``; what is over ``LONGEST_TEXT`` is left out and said so."""
    if len(text) > LONGEST_TEXT:
        return render_markdown(text[:LONGEST_TEXT]) + f"\n\n*{len(text) - LONGEST_TEXT} more characters are not drawn.*"
    tree = SyntaxTreeNode(_PARSER.parse(_clean(text)))
    return "\n".join(_blocks(tree.children))


@lru_cache(maxsize=4096)
def render_line(text: str) -> str:
    """Return a text as one safe line with its emphasis, code and formulas: for captions."""
    tree = SyntaxTreeNode(_PARSER.parseInline(_clean(" ".join(text.split()))))
    return " ".join(_inline(tree.children[0].children, one_line=True).split()) if tree.children else ""


def escape_label(text: str, *, longest: int = 120) -> str:
    """Return a text as one literal line: for buttons, titles and file names.

    Args:
        text: anything.
        longest: characters that are kept; an ellipsis stands for the rest.
    """
    line = " ".join(_clean(text).split())
    return _text(line if len(line) <= longest else line[: longest - 1].rstrip() + "…")


def _escape(text: str) -> str:
    """Return a text so that every character stands for itself, in a paragraph or a label."""
    text = _SHORTCODE.sub(":" + _JOINER, text)
    text = _ARROW.sub(lambda match: _JOINER.join(match.group()), text)
    return _LIST_NUMBER.sub(r"\1\\\2", _ESCAPED.sub(r"\\\g<0>", text))


def numbered_lines(lines: Sequence[str], *, first: int, marked: LineSpan | None = None) -> str:
    """Return lines of a document as HTML for ``st.html``: escaped, numbered, the cited ones marked.

    Args:
        lines: the text.
        first: the number of the first one, 1-based.
        marked: the lines to highlight.
    """
    rows = []
    for number, line in enumerate(lines, start=first):
        cited = marked is not None and number in marked
        colours = ";background:#ffe58a;color:#111" if cited else ""
        rows.append(
            f'<div{" class=cited" if cited else ""} style="padding-left:3.2em;text-indent:-3.2em{colours}">'
            '<span style="display:inline-block;min-width:3.2em;text-indent:0;opacity:.65;user-select:none">'
            f"{number}</span>{html.escape(_clean(line)) or '&nbsp;'}</div>"
        )
    return (
        '<div class="lines" style="font-family:monospace;font-size:.82rem;line-height:1.45;white-space:pre-wrap;'
        f'overflow-wrap:anywhere">{"".join(rows)}</div>'
    )


def _clean(text: str) -> str:
    """Take out control characters and those that change the direction of what follows."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


# ------------------------------------------------------------------------------------------------------- blocks


def _blocks(nodes: Iterable[SyntaxTreeNode]) -> Iterator[str]:
    """Yield the lines of blocks, with an empty line between two."""
    for position, node in enumerate(nodes):
        if position:
            yield ""
        yield from _BLOCKS[node.type](node)


def _paragraph(node: SyntaxTreeNode) -> list[str]:
    return _inline(node.children[0].children).split("\n")


def _heading(node: SyntaxTreeNode) -> list[str]:
    """Write a heading as a bold line: a real one would get an anchor that collides between messages."""
    text = _inline(node.children[0].children, one_line=True, strong=True).strip() if node.children else ""
    return [f"**{text}**"] if text else [""]


def _quote(node: SyntaxTreeNode) -> list[str]:
    return [f"> {line}".rstrip() for line in _blocks(node.children)]


def _list(node: SyntaxTreeNode) -> list[str]:
    start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    loose = any(child.type == "paragraph" and not child.hidden for item in node.children for child in item.children)
    lines: list[str] = []
    for position, item in enumerate(node.children):
        marker = "- " if start is None else f"{start + position}. "
        content = list(_item(item, loose=loose)) or [""]
        lines += [""] if loose and position else []
        lines += [(marker if number == 0 else " " * len(marker)) + line for number, line in enumerate(content)]
    return [line.rstrip() for line in lines]


def _item(item: SyntaxTreeNode, *, loose: bool) -> Iterator[str]:
    for position, child in enumerate(item.children):
        if position and (loose or child.type not in {"bullet_list", "ordered_list"}):
            yield ""
        yield from _BLOCKS[child.type](child)


def _code(node: SyntaxTreeNode) -> list[str]:
    fence = "`" * max(3, _longest_run(node.content) + 1)
    language = _LANGUAGE.match(node.info or "")
    return [fence + (language.group() if language else "text"), *node.content.rstrip("\n").split("\n"), fence]


def _table(node: SyntaxTreeNode) -> list[str]:
    rows = [row for part in node.children for row in part.children]
    lines = ["| " + " | ".join(_cell(cell) for cell in row.children) + " |" for row in rows]
    aligned = [str(cell.attrs.get("style", "")) for cell in rows[0].children]
    rule = ["--:" if "right" in style else ":-:" if "center" in style else "---" for style in aligned]
    return [lines[0], "| " + " | ".join(rule) + " |", *lines[1:]]


def _cell(node: SyntaxTreeNode) -> str:
    text = _inline(node.children[0].children, one_line=True) if node.children else ""
    # A bar inside code or a formula would end the cell; text has its bars escaped already.
    return re.sub(r"(?<!\\)\|", r"\\|", text.replace("\n", " "))


def _display_block(node: SyntaxTreeNode) -> list[str]:
    return ["$$", *_formula(node.content, one_line=False).split("\n"), "$$"]


_BLOCKS: dict[str, Callable[[SyntaxTreeNode], list[str]]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "blockquote": _quote,
    "bullet_list": _list,
    "ordered_list": _list,
    "fence": _code,
    "code_block": _code,
    "table": _table,
    "hr": lambda node: ["***"],
    "math_display": _display_block,
}


# ------------------------------------------------------------------------------------------------------- inline


def _inline(nodes: Iterable[SyntaxTreeNode], *, one_line: bool = False, strong: bool = False) -> str:
    """Write the inside of a paragraph.

    Args:
        nodes: what it is made of.
        one_line: for headings, cells and captions, where a line break or a displayed formula has no place.
        strong: whether the whole is bold already.
    """
    parts: list[str] = []
    before = ""
    for node in nodes:
        part = _span(node, one_line, strong)
        # Streamlit takes no dollar sign before a letter or digit for the end of a formula.
        parts += [_JOINER if before == "math_inline" and part[:1].isalnum() else "", part]
        before = node.type
    return "".join(parts)


def _span(node: SyntaxTreeNode, one_line: bool, strong: bool) -> str:
    match node.type:
        case "text":
            return _text(node.content)
        case "code_inline":
            return _code_span(node.content)
        case "softbreak" | "hardbreak":
            return " " if one_line else "\n" if node.type == "softbreak" else "\\\n"
        case "math_inline":
            return f"${_formula(node.content, one_line=True)}$"
        case "math_display":
            formula = _formula(node.content, one_line=one_line)
            return f"$\\displaystyle {formula}$" if one_line else f"\n$$\n{formula}\n$$\n"
        case "strong" if strong:
            return _inline(node.children, one_line=one_line, strong=True)
        case "strong" | "em" | "s":
            mark = {"strong": "**", "em": "*", "s": "~~"}[node.type]
            inner = _inline(node.children, one_line=one_line, strong=strong or node.type == "strong")
            return f"{mark}{inner}{mark}"
        case "link":
            return _link(node, one_line, strong)
        case "image":
            return _text(f"[picture: {node.content}]" if node.content else "[picture]")
        case _:
            return _text(node.content)


def _formula(content: str, *, one_line: bool) -> str:
    """Return LaTeX that is nothing but text should a reader not see the formula in it.

    TeX ignores spaces, Markdown does not: one between the characters takes pictures, links and directives apart.
    """
    lines = [" ".join(line.split()) for line in content.split("\n")]
    return _ACTIVE_IN_FORMULA.sub(" ", (" " if one_line else "\n").join(lines)).replace("`", "‘")


def _link(node: SyntaxTreeNode, one_line: bool, strong: bool) -> str:
    """Write a link as its words; an address elsewhere is added, for it says where the words come from."""
    words = _inline(node.children, one_line=one_line, strong=strong)
    address = str(node.attrs.get("href", ""))
    shown = "".join(child.content for child in node.walk() if child.type == "text")
    if not re.match(r"(?:https?:)?//", address) or shown.strip("/") in address:
        return words
    return f"{words} ({_code_span(address)})"


def _text(text: str) -> str:
    """Escape a text and write the addresses in it as code, so that they neither link nor change when copied."""
    parts: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text):
        parts += [_escape(text[end : match.start()]), _code_span(match.group())]
        end = match.end()
    return "".join((*parts, _escape(text[end:])))


def _code_span(text: str) -> str:
    text = " ".join(text.split()) or " "
    mark = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{mark}{pad}{text}{pad}{mark}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def counted(number: int, noun: str) -> str:
    """Return a number of things, for a label or a line.

    >>> counted(1, "section"), counted(18613, "section")
    ('1 section', '18,613 sections')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table for Markdown whose cells are literal text and wrap, unlike those of a data frame."""
    lines = [header, ["---"] * len(header), *([escape_label(cell, longest=300) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
