"""Uploaded files -> the documents folder: checked, bounded, and put in place whole or not at all.

A ZIP is untrusted: its names decide nothing outside of its own new folder, its sizes are those that come out of it and
not those that it claims, links and everything that is neither Markdown nor a picture stay out.
"""

from __future__ import annotations

import io
import re
import shutil
import stat
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from headtree.errors import DocumentError
from headtree.indexing.documents import MARKDOWN_SUFFIXES

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".svg")
_KEPT_SUFFIXES = (*MARKDOWN_SUFFIXES, *PICTURE_SUFFIXES, ".json")
UPLOAD_TYPES = ("pdf", "zip", *(suffix[1:] for suffix in MARKDOWN_SUFFIXES))
MOST_UPLOAD_BYTES = 200_000_000
MOST_MARKDOWN_BYTES = 20_000_000
MOST_UNPACKED_BYTES = 1_000_000_000
MOST_ENTRIES = 20_000
_BLOCK = 1 << 20
_LONGEST_NAME = 100
_RESERVED = re.compile(r"^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came in."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """What an upload became."""

    path: str
    """Below the documents folder; for a PDF, its file's name."""
    pdf: Path | None = None
    """The PDF that is still to be extracted."""
    left_out: tuple[str, ...] = ()
    """Entries of a ZIP that were not taken, each with why."""


def store_upload(upload: Upload, documents: Path, *, replace: bool = False) -> Stored:
    """Check an upload and put it in place.

    A Markdown file becomes ``<name>/<name>.md``, a ZIP the folder ``<name>``, a PDF a file in ``pdf`` beside the
    documents folder, to be extracted.

    Args:
        upload: the file.
        documents: the documents folder; made where there is none.
        replace: whether it takes the place of one of the same name, which is moved to ``.removed``.

    Raises:
        DocumentError: it is no such file, too large, unsafe or there already; the message says what to do.
    """
    suffix = PurePosixPath(upload.name.replace("\\", "/")).suffix.lower()
    name = safe_name(PurePosixPath(upload.name.replace("\\", "/")).stem)
    if len(upload.data) > MOST_UPLOAD_BYTES:
        raise DocumentError(
            f"{upload.name} has over {MOST_UPLOAD_BYTES // 1_000_000} MB; copy it to {documents} by hand"
        )
    if suffix == ".pdf":
        return _store_pdf(upload, documents.parent / "pdf" / f"{name}.pdf", replace=replace)
    if suffix != ".zip" and suffix not in MARKDOWN_SUFFIXES:
        raise DocumentError(f"{upload.name}: only PDF, Markdown and ZIP files can be read")
    documents.mkdir(parents=True, exist_ok=True)
    target = documents / name
    if target.exists() and not replace:
        raise DocumentError(f"there is a document {name} already; rename the file, or choose to replace it")
    # A hidden folder is no document, so that a build at work meanwhile does not see half of one.
    with tempfile.TemporaryDirectory(dir=documents, prefix=".upload-") as temporary:
        staged = Path(temporary, name)
        staged.mkdir()
        if suffix == ".zip":
            left_out = _unpack(upload, staged)
        else:
            left_out = ()
            _check_markdown(upload)
            (staged / f"{name}{suffix}").write_bytes(upload.data)
        if target.exists():
            set_aside(documents, target)
        staged.rename(target)
    return Stored(name, left_out=left_out)


def set_aside(documents: Path, target: Path) -> Path:
    """Move a file or folder to ``.removed`` in the documents folder, from where it can be taken back."""
    bin_folder = documents / ".removed"
    bin_folder.mkdir(exist_ok=True)
    place = Path(tempfile.mkdtemp(dir=bin_folder, prefix=f"{target.stem}-"))
    return Path(shutil.move(target, place / target.name))


def safe_name(name: str) -> str:
    """Return a file's or folder's name that is safe on every system.

    Raises:
        DocumentError: nothing is left of it.
    """
    text = unicodedata.normalize("NFC", name)
    text = re.sub(r"[^\w .()+-]", "_", text).strip(" .")[:_LONGEST_NAME].strip(" .")
    if not re.search(r"\w", text) or _RESERVED.match(text):
        raise DocumentError(f"{name!r} cannot be a document's name; rename the file")
    return text


def _store_pdf(upload: Upload, target: Path, *, replace: bool) -> Stored:
    if b"%PDF-" not in upload.data[:1024]:
        raise DocumentError(f"{upload.name} is no PDF: it does not begin like one")
    if target.exists() and not replace:
        raise DocumentError(f"there is a PDF {target.name} already; rename the file, or choose to replace it")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".upload-", delete=False) as file:
        file.write(upload.data)
    Path(file.name).replace(target)
    return Stored(target.name, pdf=target)


def _check_markdown(upload: Upload) -> None:
    if len(upload.data) > MOST_MARKDOWN_BYTES:
        raise DocumentError(
            f"{upload.name} has over {MOST_MARKDOWN_BYTES // 1_000_000} MB; split it into several files"
        )
    if b"\0" in upload.data[:4096] and not upload.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(f"{upload.name} is no text file")


def _unpack(upload: Upload, folder: Path) -> tuple[str, ...]:
    """Unpack what may be taken; the sizes that count are those of the bytes that come out."""
    try:
        with zipfile.ZipFile(io.BytesIO(upload.data)) as archive:
            left_out = tuple(_unpack_entries(upload.name, archive, folder))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        # RuntimeError: an encrypted entry; NotImplementedError: a compression that Python does not know.
        raise DocumentError(f"{upload.name} cannot be unpacked: {error}") from error
    if not any(path.suffix.lower() in MARKDOWN_SUFFIXES for path in folder.rglob("*")):
        raise DocumentError(f"{upload.name} holds no Markdown file")
    return left_out


def _unpack_entries(name: str, archive: zipfile.ZipFile, folder: Path) -> Iterator[str]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST_ENTRIES:
        raise DocumentError(f"{name} holds {len(entries)} files; {MOST_ENTRIES} is the most")
    shared = _shared_folder(entries)
    left = MOST_UNPACKED_BYTES
    for entry in entries:
        path, problem = _entry_path(entry, shared)
        if path is None:
            yield f"{entry.filename}: {problem}"
            continue
        target = folder / path
        if target.exists() or any(parent.is_file() for parent in target.parents):
            yield f"{entry.filename}: its name is there twice"
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        left -= _copy(archive, entry, target, left)
        if left < 0:
            raise DocumentError(
                f"{name} unpacks to over {MOST_UNPACKED_BYTES // 1_000_000} MB; copy the folder by hand"
            )


def _shared_folder(entries: list[zipfile.ZipInfo]) -> str | None:
    """Return the one folder that all entries lie in, as most programs pack it."""
    tops = {entry.filename.split("/", 1)[0] for entry in entries if not entry.filename.startswith("__MACOSX/")}
    nested = all("/" in entry.filename for entry in entries)
    return next(iter(tops)) if len(tops) == 1 and nested else None


def _entry_path(entry: zipfile.ZipInfo, shared: str | None) -> tuple[Path | None, str]:
    """Return where an entry goes below the new folder, or why it stays out."""
    name = entry.filename
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or ":" in name or "\0" in name or ".." in parts:
        return None, "its name leads out of the folder"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return None, "it is a link"
    if parts[0] == "__MACOSX" or any(part.startswith(".") or not part.strip() for part in parts):
        return None, "hidden files are not taken"
    if len(name) > 400 or any(
        len(part.encode()) > 200 or _RESERVED.match(part) or not part.isprintable() for part in parts
    ):
        return None, "its name is not safe on every system"
    if not name.lower().endswith(_KEPT_SUFFIXES):
        return None, "neither Markdown nor a picture"
    return Path(*(parts[1:] if shared is not None and parts[0] == shared else parts)), ""


def _copy(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Write an entry; stops right after ``most`` bytes, whatever the entry claimed."""
    written = 0
    with archive.open(entry) as source, target.open("wb") as file:
        while written <= most and (block := source.read(_BLOCK)):
            written += len(block)
            file.write(block)
    return written
