"""Build the sample corpus: ``python data/sample/build.py`` writes PDFs, Markdown, gold and the question set.

With ``--out DIR`` everything goes below another folder instead of the repository's root.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

from sample_corpus.assembling import Built, build_document
from sample_corpus.parsing import parse_source
from sample_corpus.questions import write_questions

HERE = Path(__file__).parent


def main() -> int:
    """Build all documents, or those named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="documents to build; default: all, and the question set")
    parser.add_argument("--out", type=Path, default=HERE.parent.parent, help="where data/ and results/ are written")
    parser.add_argument("--markdown-only", action="store_true", help="write no PDF")
    options = parser.parse_args()
    sources = [parse_source(path) for path in sorted((HERE / "sources").glob("*.md"))]
    wanted = [source for source in sources if not options.names or source.name in options.names]
    for source in wanted:
        with tempfile.TemporaryDirectory() as folder:
            built = build_document(source, HERE / "typst", Path(folder))
        _write(built, options.out, with_pdf=not options.markdown_only)
        sizes = f"{len(built.pdf) // 1024} kB PDF, {sum(map(len, built.images.values())) // 1024} kB images"
        print(f"{built.name}: {built.gold['pages']} pages, {len(built.images)} images, {sizes}", flush=True)
    if not options.names:
        count = write_questions(HERE / "questions.yaml", options.out)
        print(f"results/test_queries.json: {count} questions")
    return 0


def _write(built: Built, out: Path, *, with_pdf: bool) -> None:
    """Write one document; its old folder is replaced, so that no stale image stays."""
    folder = out / "data" / "documents" / built.name
    shutil.rmtree(folder, ignore_errors=True)
    for path, data in built.images.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (folder / f"{built.name}.md").write_text(built.markdown, encoding="utf-8", newline="\n")
    gold = out / "data" / "sample" / "gold" / f"{built.name}.json"
    gold.parent.mkdir(parents=True, exist_ok=True)
    gold.write_text(json.dumps(built.gold, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    if with_pdf:
        pdf = out / "data" / "pdf" / f"{built.name}.pdf"
        pdf.parent.mkdir(parents=True, exist_ok=True)
        pdf.write_bytes(built.pdf)


if __name__ == "__main__":
    warnings.simplefilter("error")
    sys.exit(main())
