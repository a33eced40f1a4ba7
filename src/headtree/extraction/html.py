"""HTML files -> Markdown with their images; nothing is ever fetched, and no markup of theirs is passed on."""

from __future__ import annotations

import base64
import binascii
import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from charset_normalizer import from_bytes
from PIL import Image as PillowImage

from headtree.errors import ModelUnavailableError
from headtree.extraction.blocks import ExtractedDocument, Image
from headtree.extraction.html_cleaning import clean_page, image_source, make_regular
from headtree.extraction.markdown_text import escape_heading, one_line
from headtree.extraction.rendering import ImageFile, RenderedDocument
from headtree.types import FigureKind

ENGINE = "html"
ENGINE_VERSION = "2"
INSTALL = 'pip install "headtree[html]"'
_SCHEMES = frozenset({"http", "https", "mailto"})
_FORMATS = {"PNG": ".png", "JPEG": ".jpg", "GIF": ".gif", "WEBP": ".webp"}
_LARGEST = 32 << 20
"""Bytes of an image at most."""
_DATA = re.compile(r"data:image/[\w.+-]+;base64,(?P<data>[A-Za-z0-9+/=\s]+)", re.IGNORECASE)


def convert_html(path: Path, *, root: Path) -> tuple[RenderedDocument, ExtractedDocument]:
    """Convert a file; images are kept if they lie below ``root`` or in the file itself.

    Raises:
        ModelUnavailableError: the converter is not installed.
        OSError: the file cannot be read.
    """
    try:
        from bs4 import BeautifulSoup
        from markdownify import MarkdownConverter
    except ImportError as error:
        raise ModelUnavailableError(f"reading HTML needs the package markdownify: {INSTALL}") from error
    soup = BeautifulSoup(_decode(path.read_bytes()), "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    clean_page(soup)
    keeper = _Keeper(path, root)
    for image in soup("img"):
        keeper.keep(image, soup)
    for link in soup("a"):
        if urlsplit(str(link.get("href") or "")).scheme.lower() not in _SCHEMES:
            link.unwrap()
    for table in soup("table"):
        make_regular(table, soup)
    body = soup.find("main") or soup.find("article") or soup.body or soup
    converter = MarkdownConverter(
        heading_style="ATX", bullets="-", escape_misc=True, strip_pre=None, code_language_callback=_language
    )
    markdown = re.sub(r"\n{3,}", "\n\n", converter.convert_soup(body)).strip() + "\n"
    if title and not body.find("h1"):
        markdown = f"# {escape_heading(one_line(title))}\n\n{markdown}"
    rendered = RenderedDocument(markdown, tuple(keeper.files), ())
    return rendered, ExtractedDocument(ENGINE, ENGINE_VERSION, (), (), tuple(keeper.warnings))


def _language(block: Any) -> str:
    """Return the language of a listing, as its class names it."""
    code = block.find("code") or block
    names = [str(name) for tag in (code, block) for name in tag.get("class") or ()]
    found = next((name for name in names if name.startswith(("language-", "lang-"))), "")
    return re.sub(r"\W.*", "", found.split("-", 1)[-1])


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        best = from_bytes(raw).best()
        return str(best) if best else raw.decode("utf-8", errors="replace")


@dataclass(slots=True)
class _Keeper:
    """Collects the images of one file."""

    path: Path
    root: Path
    files: list[ImageFile] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)

    def keep(self, image: Any, soup: Any) -> None:
        """Point an image at its copy; one that cannot be kept becomes its alternative text."""
        source = image_source(image)
        name = self._names.get(source) or self._copy(source)
        if name:
            self._names[source] = name
            image["src"] = name
            return
        image.replace_with(soup.new_string(str(image.get("alt") or "")))

    def _copy(self, source: str) -> str | None:
        data = self._read(source)
        if data is None:
            return None
        suffix = _suffix(data)
        if suffix is None:
            self.warnings.append(f"an image was left out, it is no PNG, JPEG, GIF or WebP: {source[:80]}")
            return None
        name = f"figures/figure-{len(self.files) + 1:03d}{suffix}"
        self.files.append(ImageFile(name, Image(FigureKind.FIGURE, data, suffix=suffix)))
        return name

    def _read(self, source: str) -> bytes | None:
        if match := _DATA.fullmatch(source):
            try:
                return base64.b64decode(match["data"], validate=False)[:_LARGEST]
            except binascii.Error:
                return None
        parts = urlsplit(source)
        if parts.scheme or parts.netloc:
            self.warnings.append(f"an image on the web was not fetched: {source[:80]}")
            return None
        target = (self.path.parent / unquote(parts.path)).resolve()
        if not parts.path or not target.is_relative_to(self.root.resolve()) or not target.is_file():
            self.warnings.append(f"an image was left out, it is not in {self.root.name}: {source[:80]}")
            return None
        return target.read_bytes() if target.stat().st_size <= _LARGEST else None


def _suffix(data: bytes) -> str | None:
    """Return the ending for an image, ``None`` where its bytes are none; it is opened, not decoded."""
    try:
        with PillowImage.open(io.BytesIO(data)) as image:
            return _FORMATS.get(image.format or "")
    except (OSError, ValueError, PillowImage.DecompressionBombError, PillowImage.DecompressionBombWarning):
        return None
