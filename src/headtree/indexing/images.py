"""Image references -> files inside the documents folder, and what Pillow says about them.

A document is untrusted: nothing outside the documents folder is ever opened, whatever a path, a symbolic link or a
percent sign says, and nothing is fetched.
"""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from PIL import Image, UnidentifiedImageError

_SCHEME = re.compile(r"^(?:[a-zA-Z][a-zA-Z0-9+.-]+:)?//|^[a-zA-Z][a-zA-Z0-9+.-]+:(?!\\)", re.ASCII)
_FILE_SCHEME = re.compile(r"^file:(?://[^/]*)?", re.IGNORECASE)
_DRIVE = re.compile(r"^/?[a-zA-Z]:/")
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg", ".bmp", ".tif", ".tiff")
# Folders from which documentation sites serve "/img/a.png" (Docusaurus, Next.js, VitePress, MyST).
_SERVED_FOLDERS = ("", "static", "public", "_static")

MISSING = "the file is missing"
REMOTE = "the image is on another server; headtree fetches nothing"
OUTSIDE = "the path leads outside the documents folder"
EMBEDDED = "the image is embedded in the text; save it as a file to have it shown"


@dataclass(frozen=True, slots=True)
class FoundImage:
    """Where an image reference leads."""

    path: str
    """Below the documents folder; the reference itself where it leads nowhere."""
    filename: str
    """As the document's folder sees it."""
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What the file says."""

    width: int = 0
    height: int = 0
    content_hash: str = ""
    problem: str | None = None


@dataclass(slots=True)
class ImageFinder:
    """Resolves the image references of documents below one folder."""

    documents: Path
    _root: Path = field(init=False)
    _listings: dict[Path, tuple[str, ...]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._root = self.documents.resolve()

    def find(self, source: str, document_path: str) -> FoundImage:
        """Resolve an image as referenced in ``document_path`` (below the documents folder).

        Tried in this order: as written relative to the document; percent-decoded; without a fragment or query; from
        the roots of a documentation site (``/img/a.png``); by the longest tail that exists in the document's own
        folder (an absolute path of the machine that made the document); with lost separators.
        """
        folder = PurePosixPath(document_path).parent
        if source.lower().startswith("data:"):
            return FoundImage(source, source, EMBEDDED)
        local = _FILE_SCHEME.sub("", source)
        if local == source and _SCHEME.match(source):
            return FoundImage(source, source, REMOTE)
        outside = False
        for candidate in self._candidates(local, folder):
            path = _normalised(candidate)
            if path is None:
                outside = True
            elif self._is_file(path):
                if not self._is_inside(path):
                    outside = True
                    continue
                return FoundImage(path, _relative(path, folder))
        if outside:
            return FoundImage(source, source, OUTSIDE)
        path = _normalised(folder / unquote(local).lstrip("/")) or source
        return FoundImage(path, _relative(path, folder), MISSING)

    def absolute(self, path: str) -> Path:
        """Return the file of a path that ``find`` has given."""
        return self._root / path

    def _candidates(self, source: str, folder: PurePosixPath) -> Iterator[PurePosixPath]:
        spellings = _spellings(source)
        for spelling in spellings:
            if not spelling.startswith("/"):
                yield folder / spelling
        for spelling in spellings:
            if spelling.startswith("/"):
                for root in (folder, *folder.parents):
                    for served in _SERVED_FOLDERS:
                        yield root / served / spelling.lstrip("/")
                parts = PurePosixPath(spelling).parts[1:]
                yield from (folder / PurePosixPath(*parts[start:]) for start in range(1, len(parts)))
        squeezed = spellings[-1].replace("/", "")
        yield from (folder / name for name in self._names_below(folder) if name.replace("/", "") == squeezed)

    def _names_below(self, folder: PurePosixPath) -> tuple[str, ...]:
        """List image files in a document's folder and one level below, for separators that Markdown swallowed."""
        start = self._root / folder
        if start not in self._listings:
            names = (child.relative_to(start).as_posix() for pattern in ("*", "*/*") for child in start.glob(pattern))
            self._listings[start] = tuple(sorted(name for name in names if name.lower().endswith(IMAGE_SUFFIXES)))
        return self._listings[start]

    def _is_file(self, path: str) -> bool:
        try:
            return (self._root / path).is_file()
        except (OSError, ValueError):  # a name that is too long, or holds a NUL
            return False

    def _is_inside(self, path: str) -> bool:
        return (self._root / path).resolve().is_relative_to(self._root)


def inspect_image(file: Path) -> ImageFacts:
    """Read an image's size and check that it is whole; the pixels of a PNG are not decoded for that.

    A damaged, oversized or foreign file is a stated ``problem``, never an error.
    """
    try:
        raw = file.read_bytes()
    except OSError as error:
        return ImageFacts(problem=f"the file cannot be read: {error.strerror}")
    digest = hashlib.sha256(raw).hexdigest()[:16]
    if b"<svg" in raw[:1000]:
        return ImageFacts(content_hash=digest)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            width, height = _check_image(file)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        return ImageFacts(content_hash=digest, problem="the image claims more pixels than can be shown safely")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        return ImageFacts(content_hash=digest, problem=f"the file is no readable image ({type(error).__name__})")
    return ImageFacts(width, height, digest)


def _check_image(file: Path) -> tuple[int, int]:
    with Image.open(file) as image:
        size = image.size
        if image.format == "JPEG":
            # A JPEG's structure says nothing about its end; decoding an eighth of it does, and is quick.
            image.draft("L", (size[0] // 8, size[1] // 8))
            image.load()
        else:
            image.verify()
    return size


def _spellings(source: str) -> list[str]:
    """Return ways to read a path: as written, decoded, without fragment or query, with a suffix for ``.*``."""
    decoded = unquote(source)
    spellings = [source, decoded]
    spellings += [spelling.replace("\\", "/") for spelling in (source, decoded) if "\\" in spelling]
    spellings += [re.split(r"[?#]", spelling)[0] for spelling in tuple(spellings) if re.search(r"[?#]", spelling)]
    spellings = [_DRIVE.sub("/", spelling) for spelling in spellings]
    if source.endswith(".*"):
        spellings += [spelling[:-2] + suffix for spelling in tuple(spellings) for suffix in IMAGE_SUFFIXES]
    return list(dict.fromkeys(spellings))


def _normalised(path: PurePosixPath) -> str | None:
    """Return a path without ``..``; ``None`` where it leaves the documents folder."""
    normal = os.path.normpath(path.as_posix()).replace(os.sep, "/")
    return None if normal == ".." or normal.startswith(("../", "/")) else normal


def _relative(path: str, folder: PurePosixPath) -> str:
    return os.path.relpath(path, folder.as_posix()).replace(os.sep, "/")
