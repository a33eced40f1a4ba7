"""Small result archives and PDFs as the Adobe engine meets them, made here."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from PIL import Image

PDF = b"%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
PAGE = {"page_number": 0, "width": 612, "height": 792, "is_scanned": False, "rotation": 0}


def png(width: int = 60, height: int = 40, colour: str = "navy") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, "PNG")
    return out.getvalue()


def element(path: str, text: str | None = None, *, page: int = 0, **more: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"Path": f"//Document/{path}", "Page": page}
    if text is not None:
        entry["Text"] = f"{text} "
    return {**entry, **more}


def structure(*elements: dict[str, Any], pages: int = 1) -> dict[str, Any]:
    return {
        "version": {"schema": "1.1.0"},
        "extended_metadata": {"page_count": pages},
        "elements": list(elements),
        "pages": [{**PAGE, "page_number": number} for number in range(pages)],
    }


def archive(content: dict[str, Any] | bytes, files: dict[str, bytes] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("structuredData.json", content if isinstance(content, bytes) else json.dumps(content))
        for name, data in (files or {}).items():
            target.writestr(name, data)
    return out.getvalue()


SMALL = archive(structure(element("H1", "One"), element("P", "Text of one.")))
