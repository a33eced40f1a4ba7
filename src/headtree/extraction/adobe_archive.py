"""Reads the archive that Adobe PDF Extract returns; it is untrusted, as any file that a user was given.

Nothing is ever unpacked by its name: an entry is read by name into memory, and only ``structuredData.json`` and plain
files in ``figures/`` and ``tables/`` have names that can be read.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from headtree.errors import ExtractionError
from headtree.extraction.adobe_failures import DAMAGED_ARCHIVE

STRUCTURE = "structuredData.json"
_RENDITION = re.compile(r"(?:figures|tables)/\w[\w-]*(?:\.[\w-]+)*\.(?:png|jpe?g|csv|xlsx)", re.ASCII | re.IGNORECASE)
"""``figures/fileoutpart0.png``: one folder deep, no part that begins with a dot."""

MAX_ENTRIES = 20_000
"""400 pages, the service's limit, with fifty renditions a page."""
MAX_ENTRY_BYTES = 128 * 1024 * 1024
"""One image or the structure: a page of 17.5 inches at 300 dpi is 83 MB as raw pixels."""
MAX_TOTAL_BYTES = 2 * 1024 * 1024 * 1024

_PIECE = 1024 * 1024
"""Bytes read at a time: read whole, an entry that claims 10 bytes is still inflated to its true gigabytes first."""
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)
"""What ``zipfile`` raises for a damaged, encrypted or strangely compressed entry."""


class AdobeArchive:
    """An open result archive."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive = archive
        self._name = name
        self._entries = _check_directory(archive, name)
        self.refused = tuple(
            sorted({entry.filename for entry in archive.infolist() if not _is_welcome(entry)}),
        )
        """Names of entries that are never read: with a path out of the folder, and of unknown kinds."""

    def structure(self) -> dict[str, Any]:
        """Return the parsed ``structuredData.json``.

        Raises:
            ExtractionError: it is absent, damaged or no JSON object.
        """
        if STRUCTURE not in self._entries:
            raise ExtractionError(
                f"{self._name}: there is no {STRUCTURE} in it, so it is no result of Adobe PDF Extract",
                code="NO_STRUCTURE",
            )
        try:
            content = orjson.loads(self.read(STRUCTURE).removeprefix(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            raise ExtractionError(
                f"{self._name}: {STRUCTURE} is not valid JSON: {error}", code=DAMAGED_ARCHIVE
            ) from error
        if not isinstance(content, dict) or not isinstance(content.get("elements"), list):
            raise ExtractionError(f"{self._name}: {STRUCTURE} holds no list of elements", code="NO_STRUCTURE")
        return content

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def read(self, name: str) -> bytes:
        """Return the bytes of an entry.

        Raises:
            KeyError: there is no such entry, or its name is refused.
            ExtractionError: its bytes are damaged.
        """
        entry = self._entries[name]
        try:
            with self._archive.open(entry) as stream:
                return b"".join(iter(lambda: stream.read(_PIECE), b""))
        except _UNREADABLE as error:
            raise ExtractionError(f"{self._name}: {name} in it is damaged: {error}", code=DAMAGED_ARCHIVE) from error


@contextmanager
def open_archive(source: Path) -> Iterator[AdobeArchive]:
    """Open a result archive on disk.

    Raises:
        ExtractionError: it is no ZIP, cut short, encrypted, or larger than any real result.
    """
    with _open(source) as archive:
        yield AdobeArchive(archive, source.name)


def _open(source: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(source)
    except FileNotFoundError as error:
        raise ExtractionError(f"{source}: there is no such file") from error
    except _UNREADABLE as error:
        raise _damaged(source.name, error) from error


class ArchivedImages:
    """Reads images when they are written; the archive is opened once, with the first, and closed with this object."""

    def __init__(self, source: Path) -> None:
        self._source = source
        self._archive: AdobeArchive | None = None

    def read(self, name: str) -> bytes:
        """Return the bytes of one image.

        Raises:
            ExtractionError: the archive has changed since it was read.
        """
        if self._archive is None:
            self._archive = AdobeArchive(_open(self._source), self._source.name)
        if name not in self._archive:
            raise ExtractionError(f"{self._source.name}: there is no {name} in it any more; run it again")
        return self._archive.read(name)


def check_archive(data: bytes) -> None:
    """Make sure that bytes are a whole result archive, every entry with its right checksum.

    Raises:
        ExtractionError: they are not; ``code`` is ``DAMAGED_ARCHIVE`` where loading again may help.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            content = AdobeArchive(archive, "the downloaded archive")
            bad = archive.testzip()
            if bad is None:
                content.structure()
    except _UNREADABLE as error:
        raise _damaged("the downloaded archive", error) from error
    if bad is not None:
        raise _damaged("the downloaded archive", f"{bad} has a wrong checksum")


def _check_directory(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """Return the entries that may be read by their names, after a look at what the archive claims to hold.

    The claims bind: read in pieces, ``zipfile`` never inflates more of an entry than its directory says.
    """
    entries = archive.infolist()
    if any(entry.compress_type not in _COMPRESSIONS for entry in entries):
        raise _damaged(name, "it is compressed in a way that Adobe does not use")
    if len(entries) > MAX_ENTRIES:
        raise _too_large(name, f"{len(entries):,} files, {MAX_ENTRIES:,} are allowed")
    largest = max((entry.file_size for entry in entries), default=0)
    if largest > MAX_ENTRY_BYTES:
        raise _too_large(name, f"a file of {largest:,} bytes unpacked, {MAX_ENTRY_BYTES:,} are allowed")
    total = sum(entry.file_size for entry in entries)
    if total > MAX_TOTAL_BYTES:
        raise _too_large(name, f"{total:,} bytes unpacked, {MAX_TOTAL_BYTES:,} are allowed")
    return {entry.filename: entry for entry in entries if _is_welcome(entry)}


def _is_welcome(entry: zipfile.ZipInfo) -> bool:
    name = entry.filename
    return name in {STRUCTURE, "figures/", "tables/"} or _RENDITION.fullmatch(name) is not None


def _too_large(name: str, what: str) -> ExtractionError:
    return ExtractionError(f"{name}: the archive holds {what}; it is refused", code="ARCHIVE_TOO_LARGE")


def _damaged(name: str, reason: object) -> ExtractionError:
    return ExtractionError(f"{name}: not a whole ZIP archive ({reason}); download it again", code=DAMAGED_ARCHIVE)
