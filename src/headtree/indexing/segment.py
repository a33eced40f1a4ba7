"""Words for the lexical lists: scripts without spaces are split into characters, which FTS5 does not do."""

from __future__ import annotations

import re

_SPACELESS = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f])"
)


def segment(text: str) -> str:
    """Put spaces round characters of scripts that write words together (Chinese, Japanese, Thai ...)."""
    return _SPACELESS.sub(r" \1 ", text) if _SPACELESS.search(text) else text
