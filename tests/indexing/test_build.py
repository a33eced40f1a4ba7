"""Builds: what is read and embedded again, and what becomes of documents that change and of indexes that are damaged."""

from __future__ import annotations

import hashlib
import os
import pickle
import sqlite3
import unicodedata
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from headtree.errors import HeadtreeError, IndexDamagedError, IndexMismatchError, IndexMissingError
from headtree.indexing.build import build
from headtree.indexing.index import Index
from headtree.pipeline import OpenIndex, answer, build_index, open_index
from headtree.types import WarningKind
from tests.library import WordEmbedder, make_pictures, make_settings, write

VALVE = """\
# Valve

The valve of the boiler closes at seven bar of pressure.

## Seat

The brass seat is ground by hand.
"""
PUMP = "# Pump\n\nThe pump lifts the water to the tank on the roof in nine minutes.\n"


@pytest.fixture
def settings(tmp_path):
    write(tmp_path / "documents", {"valve.md": VALVE, "pump/pump.md": PUMP})
    return make_settings(tmp_path / "documents")


@pytest.fixture
def embedder():
    return WordEmbedder(["valve", "pump", "water", "seat"])


def run(settings, embedder=None, *, fresh=False):
    return build(settings, embedder, fresh=fresh, progress=lambda step: None)


def opened(settings, embedder=None):
    return OpenIndex(settings, Index(settings.index, space=embedder.name if embedder else ""), embedder)


def files(settings):
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in settings.index.iterdir() if file.is_file()
    }


def cited(settings, question, embedder=None):
    return {citation.doc_id for citation in answer(opened(settings, embedder), question).citations}


# ----------------------------------------------------------------------------------------------------- again and again


def test_a_second_build_embeds_nothing_and_changes_no_byte(settings, embedder):
    first = run(settings, embedder)
    before = files(settings)
    second = run(settings, embedder)
    assert first.documents.added == ("pump", "valve")
    assert first.embedded == len(embedder.texts) == first.chunks == 3
    assert (second.embedded, second.documents.unchanged, second.documents.added) == (0, 2, ())
    assert (second.sections, second.chunks, second.figures) == (first.sections, first.chunks, first.figures)
    assert len(embedder.texts) == 3
    assert files(settings) == before


def test_two_builds_of_the_same_documents_hold_the_same(settings, embedder, tmp_path):
    other = settings.model_copy(update={"index": tmp_path / "other"})
    run(settings, embedder)
    run(other, embedder)

    def content(folder):
        with closing(sqlite3.connect(folder / "index.db")) as connection:
            return {
                table: connection.execute(f"SELECT * FROM {table}").fetchall()
                for table in ("meta", "documents", "sections", "figures", "chunks", "vectors")
            }

    assert content(settings.index) == content(other.index)


def test_only_what_changed_is_embedded(settings, embedder):
    run(settings, embedder)
    write(settings.documents, {"valve.md": VALVE.replace("by hand", "by machine")})
    report = run(settings, embedder)
    assert report.documents.changed == ("valve",)
    assert report.embedded == 1
    assert "by machine" in embedder.texts[-1]
    assert "machine" in answer(opened(settings, embedder), "How is the brass seat ground?").answer
    assert "hand" not in answer(opened(settings, embedder), "How is the brass seat ground?").answer


def test_a_file_that_was_only_touched_is_not_changed(settings, embedder):
    run(settings, embedder)
    os.utime(settings.documents / "valve.md", (1, 1))
    assert run(settings, embedder).documents.unchanged == 2


def test_a_removed_document_is_gone(settings, embedder):
    make_pictures(settings.documents, "figures/valve.png")
    write(settings.documents, {"valve.md": f"{VALVE}\n![the valve](figures/valve.png)\n"})
    run(settings, embedder)
    assert cited(settings, "At which pressure does the valve close?", embedder) == {"valve"}
    (settings.documents / "valve.md").unlink()
    report = run(settings, embedder)
    assert report.documents.removed == ("valve",)
    assert (report.chunks, report.figures, report.documents.unchanged) == (1, 0, 1)
    result = answer(opened(settings, embedder), "At which pressure does the valve close?")
    assert all(citation.doc_id != "valve" for citation in result.citations)
    assert result.figures == ()
    assert all(section.doc_id != "valve" for section in result.sections)
    with closing(sqlite3.connect(settings.index / "index.db", isolation_level=None)) as connection:
        assert connection.execute("SELECT count(*) FROM chunk_search WHERE chunk_search MATCH 'valve'").fetchone() == (
            0,
        )
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (1,)


def test_a_renamed_document_keeps_no_old_name(settings, embedder):
    run(settings, embedder)
    (settings.documents / "valve.md").rename(settings.documents / "stopcock.md")
    report = run(settings, embedder)
    assert (report.documents.added, report.documents.removed) == (("stopcock",), ("valve",))
    assert cited(settings, "At which pressure does the valve close?", embedder) == {"stopcock"}


def test_a_replaced_picture_counts_as_a_change(settings):
    write(settings.documents, {"valve.md": f"{VALVE}\n![the valve](v.png)\n"})
    make_pictures(settings.documents, "v.png", size=(50, 50))
    run(settings)
    make_pictures(settings.documents, "v.png", size=(90, 60))
    assert run(settings).documents.changed == ("valve",)
    (settings.documents / "v.png").unlink()
    report = run(settings)
    assert report.documents.changed == ("valve",)
    assert [w.kind for w in report.warnings] == [WarningKind.MISSING_IMAGE]
    make_pictures(settings.documents, "v.png")
    report = run(settings)
    assert report.documents.changed == ("valve",)
    assert report.warnings == ()


@pytest.mark.parametrize(
    "changed",
    [{"chunk_characters": 200}, {"noise_titles": ("seat",)}, {"noise_filter": False}, {"heading_repair": False}],
)
def test_changed_settings_read_every_document_again(settings, embedder, changed):
    run(settings, embedder)
    report = run(settings.model_copy(update=changed), embedder)
    assert report.documents.changed == ("pump", "valve")
    fresh = settings.model_copy(update={**changed, "index": settings.index.parent / "fresh"})
    assert report.chunks == run(fresh, embedder).chunks


def test_settings_of_the_search_read_nothing_again(settings, embedder):
    run(settings, embedder)
    assert run(settings.model_copy(update={"sections": 2, "max_figures": 1}), embedder).documents.unchanged == 2


def test_fresh_forgets_the_old_index(settings, embedder):
    run(settings, embedder)
    report = run(settings, embedder, fresh=True)
    assert report.documents.added == ("pump", "valve")
    assert report.embedded == 3


def test_warnings_are_told_again_by_the_next_build(settings):
    write(settings.documents, {"valve.md": f"{VALVE}\n![the valve](none.png)\n"})
    first, second = run(settings), run(settings)
    assert second.warnings == first.warnings
    assert [(w.doc_id, w.line, w.kind) for w in first.warnings] == [("valve", 9, WarningKind.MISSING_IMAGE)]


# --------------------------------------------------------------------------------------------------------- bad input


def test_a_missing_folder(tmp_path):
    with pytest.raises(HeadtreeError, match=r"no documents folder at .*nowhere.*--documents"):
        run(make_settings(tmp_path / "nowhere"))


def test_a_folder_without_documents(tmp_path):
    write(tmp_path / "documents", {"notes.txt": "no Markdown", ".hidden/x.md": "# H", ".x.md": "# H"})
    with pytest.raises(HeadtreeError, match=r"holds no Markdown.*headtree extract"):
        run(make_settings(tmp_path / "documents"))


def test_a_document_that_cannot_be_read_stops_no_other(settings):
    (settings.documents / "broken.md").symlink_to(settings.documents / "nowhere.md")
    (settings.documents / "folder.md").mkdir()
    report = run(settings)
    assert report.documents.added == ("pump", "valve")
    assert [(w.doc_id, w.kind) for w in report.warnings] == [("broken", WarningKind.UNREADABLE)]


def test_a_file_name_that_is_not_utf8_stops_no_other(settings):
    try:
        Path(os.fsdecode(os.fsencode(settings.documents) + b"/caf\xe9.md")).write_text("# Cafe\n", "utf-8")
    except OSError:
        pytest.skip("the file system knows no such name")
    report = run(settings)
    assert report.documents.added == ("pump", "valve")
    assert [(w.doc_id, w.kind) for w in report.warnings] == [("caf\\udce9", WarningKind.UNREADABLE)]


@pytest.mark.parametrize(
    "matter", ["1: one\n2024-01-02: day", "n: 123456789012345678901234567890", 'title: "\\ud800"', "a: &x [1]\nb: *x",
               "a: &x [*x]", "a: !!binary aGk=", "s: !!set {x}", f"deep: {'[' * 1200}", "title: [a, b]", "title:"],
)  # fmt: skip
def test_odd_front_matter_stops_no_build(settings, matter):
    write(settings.documents, {"odd.md": f"---\n{matter}\n---\n\n# Odd\n\nThe odd words of this page.\n"})
    assert "odd" in run(settings).documents.added
    assert cited(settings, "What are the odd words?") == {"odd"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_document_without_permission(settings):
    (settings.documents / "valve.md").chmod(0)
    assert [w.kind for w in run(settings).warnings] == [WarningKind.UNREADABLE]


def test_a_document_that_is_not_utf8(settings):
    write(
        settings.documents,
        {"koch.md": "# Küche\n\nDer Kessel steht über dem Ofen in der großen Küche.\n".encode("cp1252")},
    )
    report = run(settings)
    assert [(w.doc_id, w.kind) for w in report.warnings] == [("koch", WarningKind.ENCODING)]
    assert cited(settings, "Wo steht der Kessel?") == {"koch"}


def test_a_link_out_of_the_documents_is_not_followed(settings, tmp_path):
    write(tmp_path, {"outside/secret.md": "# Secret\n\nsecret words"})
    (settings.documents / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (settings.documents / "linked").symlink_to(tmp_path / "outside")
    report = run(settings)
    assert report.documents.added == ("pump", "valve")
    assert [(w.doc_id, w.kind) for w in report.warnings] == [
        ("link.md", WarningKind.OUTSIDE_DOCUMENT),
        ("linked", WarningKind.OUTSIDE_DOCUMENT),
    ]


def test_five_megabytes_under_one_heading(tmp_path):
    line = "The log of the boiler house notes the pressure and the level of the water every minute. " * 10
    lines = "\n".join(f"Entry {number}: {line}" for number in range(6000))
    write(tmp_path / "documents", {"log.md": f"# Log\n```\n{lines}\n```\n"})
    settings = make_settings(tmp_path / "documents")
    assert (settings.documents / "log.md").stat().st_size > 5_000_000
    report = run(settings)
    assert report.sections == 2
    assert report.chunks > 1000
    result = answer(opened(settings), "What does entry 5900 note?")
    assert sum(s.last_line - s.first_line + 1 for s in result.sections) < 100
    assert any(s.first_line <= 5902 <= s.last_line for s in result.sections)
    assert any("in part" in warning for warning in result.warnings)


def test_very_many_headings(tmp_path):
    write(tmp_path / "documents", {"list.md": "\n".join(f"## Item {n}\n\nThe part {n}.\n" for n in range(3_000))})
    settings = make_settings(tmp_path / "documents")
    assert run(settings).sections == 3_001
    assert answer(opened(settings), "What is part 2321?").sections[0].node_id == "2322"


# -------------------------------------------------------------------------------------------------- names of documents


def test_identities_of_documents(tmp_path):
    names = {"a/a.md": "a", "b.md": "b", "c/d/e.markdown": "c/d/e", "c/d/d.mdx": "c/d", "F.MD": "F"}
    write(tmp_path / "documents", dict.fromkeys(names, "# T\n\nwords of some text\n"))
    settings = make_settings(tmp_path / "documents")
    assert set(run(settings).documents.added) == set(names.values())


def test_two_files_that_would_share_an_identity(tmp_path):
    write(
        tmp_path / "documents",
        {"a/a.md": "# One\n\nx", "a.md": "# Two\n\ny", "b.md": "# Three\n\nz", "b.mdx": "# Four\n\nv"},
    )
    added = run(make_settings(tmp_path / "documents")).documents.added
    assert len(set(added)) == 4


def test_names_outside_ascii(tmp_path):
    documents = tmp_path / "報告 (1) & Ünïcode"
    composed, decomposed = (unicodedata.normalize(form, "Zählér") for form in ("NFC", "NFD"))
    for name, word in ((composed, "gas"), (decomposed, "water")):
        make_pictures(documents / name, "figures/ü 1.png")
        write(
            documents,
            {f"{name}/a.md": f"# Meter\n\nThe {word} meter turns {word} wheels.\n\n![{word}](figures/ü%201.png)\n"},
        )
    settings = make_settings(documents, tmp_path / "インデックス")
    embedder = WordEmbedder(["gas", "water"])
    report = run(settings, embedder)
    assert set(report.documents.added) == {f"{composed}/a", f"{decomposed}/a"}
    assert report.warnings == ()
    result = answer(opened(settings, embedder), "What does the gas meter turn?", documents=[f"{composed}/a"])
    assert {citation.doc_id for citation in result.citations} == {f"{composed}/a"}
    assert [f.path for f in result.figures] in ([], [f"{composed}/figures/ü 1.png"])
    assert run(settings, embedder).embedded == 0


# ---------------------------------------------------------------------------------------------------- unusable indexes


def test_no_index(settings):
    with pytest.raises(IndexMissingError, match="headtree index"):
        opened(settings)


@pytest.mark.parametrize("content", [b"", b"x"])
def test_an_empty_database_is_no_index_and_is_filled_by_the_next_build(settings, content):
    run(settings)
    (settings.index / "index.db").write_bytes(content)
    with pytest.raises(IndexMissingError, match="headtree index"):
        opened(settings)
    assert run(settings).documents.added == ("pump", "valve")


def test_a_damaged_database_names_the_cure_and_is_built_anew(settings):
    run(settings)
    for file in settings.index.glob("index.db*"):
        file.write_bytes(b"no database at all, but long enough to have a header of its own " * 100)
    with pytest.raises(IndexDamagedError, match="--fresh"):
        opened(settings)
    with pytest.raises(IndexDamagedError, match="--fresh"):
        run(settings)
    assert run(settings, fresh=True).documents.added == ("pump", "valve")
    assert cited(settings, "At which pressure does the valve close?") == {"valve"}


def test_a_database_damaged_in_the_middle(tmp_path):
    write(tmp_path / "documents", {"log.md": "\n".join(f"# Head {n}\n\nWords {n} of a log.\n" for n in range(500))})
    settings = make_settings(tmp_path / "documents")
    run(settings)
    database = settings.index / "index.db"
    raw = bytearray(database.read_bytes())
    raw[8192:-4096] = os.urandom(len(raw) - 12288)
    database.write_bytes(raw)
    with pytest.raises(IndexDamagedError, match="--fresh"):
        answer(opened(settings), "What is in the log?")
    run(settings, fresh=True)
    assert cited(settings, "What is in the log 77?")


def test_an_index_of_another_format(settings):
    run(settings)
    with closing(sqlite3.connect(settings.index / "index.db", isolation_level=None)) as connection:
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'format_version'")
    for use in (opened, run):
        with pytest.raises(IndexMismatchError, match="--fresh"):
            use(settings)


def test_an_index_of_the_format_before_is_brought_up_to_date_whoever_opens_it(settings, embedder):
    run(settings, embedder)
    expected = cited(settings, "At which pressure does the valve close?", embedder)
    with closing(sqlite3.connect(settings.index / "index.db", isolation_level=None)) as connection:
        connection.execute("ALTER TABLE chunks DROP COLUMN context")
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'format_version'")
    assert cited(settings, "At which pressure does the valve close?", embedder) == expected
    report = run(settings, embedder)
    assert (report.documents.unchanged, report.embedded) == (2, 0)


def test_an_index_of_another_embedder_is_refused_and_can_be_brought_up_to_date(settings, embedder):
    run(settings, embedder)
    other = WordEmbedder(["valve", "pump", "water", "seat"], name="other words")
    with pytest.raises(IndexMismatchError, match=r"words.*other words.*headtree index"):
        opened(settings, other)
    report = run(settings, other)
    assert report.embedded == 3
    assert opened(settings, other).index is not None
    with pytest.raises(IndexMismatchError):
        opened(settings, embedder)


def test_an_index_with_vectors_is_still_searched_by_words(settings, embedder):
    run(settings, embedder)
    assert cited(settings, "At which pressure does the valve close?") == {"valve"}


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "noise", "of another generation", "of fewer chunks"])
def test_the_vector_file_is_made_again(settings, embedder, damage, tmp_path):
    run(settings, embedder)
    (file,) = settings.index.glob("vectors-*.faiss")
    whole = file.read_bytes()
    if damage == "missing":
        file.unlink()
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "cut":
        file.write_bytes(whole[: len(whole) // 2])
    elif damage == "noise":
        file.write_bytes(os.urandom(500))
    elif damage == "of another generation":
        file.rename(settings.index / "vectors-99.faiss")
    else:
        other = make_settings(settings.documents / "pump", tmp_path / "small")
        run(other, embedder)
        file.write_bytes((tmp_path / "small" / "vectors-1.faiss").read_bytes())
    assert cited(settings, "At which pressure does the valve close?", embedder) == {"valve"}
    assert file.read_bytes() == whole
    assert [f.name for f in settings.index.glob("vectors-*")] == [file.name]


def test_no_pickle_is_read_or_written(settings, embedder, tmp_path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "pwned",))

    run(settings, embedder)
    for name in ("index.pkl", "vectors-0.pkl", "docs.pickle"):
        (settings.index / name).write_bytes(pickle.dumps(Trap()))
    (file,) = settings.index.glob("vectors-*.faiss")
    file.write_bytes(pickle.dumps(Trap()))
    cited(settings, "At which pressure does the valve close?", embedder)
    run(settings, embedder)
    assert not (tmp_path / "pwned").exists()


# ------------------------------------------------------------------------------------------------- vectors of no use


class BadEmbedder(WordEmbedder):
    """Gives zeros for the pump and no number for the seat."""

    def embed_documents(self, texts):
        vectors = super().embed_documents(texts)
        for row, text in enumerate(texts):
            if "pump lifts" in text:
                vectors[row] = 0
            if "brass seat" in text:
                vectors[row] = np.nan
        return vectors

    def embed_query(self, text):
        return np.zeros((1, self.dimensions), dtype=np.float32)


def test_vectors_of_no_use_are_refused_by_name(settings):
    embedder = BadEmbedder(["valve", "pump", "water", "seat"])
    report = run(settings, embedder)
    refused = [w for w in report.warnings if w.kind is WarningKind.REFUSED_VECTOR]
    assert {(w.doc_id, w.line) for w in refused} == {("pump", 3), ("valve", 7)}
    assert report.embedded == 1
    with closing(sqlite3.connect(settings.index / "index.db", isolation_level=None)) as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (1,)


def test_a_question_without_direction_finds_by_words_or_nothing(settings):
    embedder = BadEmbedder(["valve", "pump", "water", "seat"])
    run(settings, embedder)
    assert cited(settings, "How long does the pump take to lift the water?", embedder) == {"pump"}
    result = answer(opened(settings, embedder), "Zxqv?")
    assert (result.citations, result.figures) == ((), ())


def test_fewer_chunks_than_are_asked_for(settings, embedder):
    run(settings, embedder)
    with opened(settings, embedder).index.snapshot() as view:
        found = view.vectors.search(embedder.embed_query("water"), 200)
        assert len(found) == 3
        assert all(chunk_id > 0 for chunk_id, _ in found)
        assert found[0][0] in view.chunk_ids(["pump"])
        assert len(view.vectors.search(embedder.embed_query("water"), 200, view.chunk_ids(["valve"]))) == 2
        assert view.vectors.search(embedder.embed_query("water"), 200, []) == []


def test_the_whole_way_with_the_settings_alone(settings):
    assert build_index(settings).chunks == 3
    assert answer(open_index(settings), "How long does the pump take?").citations[0].doc_id == "pump"
