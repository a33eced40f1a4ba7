"""An index whose vectors are on a Milvus server; the server is milvus-lite, which speaks the same and needs no machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import closing

import pytest

from headtree.errors import VectorStoreError
from headtree.indexing.build import build
from headtree.indexing.index import Index
from headtree.indexing.milvus import MilvusCollections, _client, vector_store
from headtree.indexing.schema import connect, read_meta
from headtree.indexing.vectors import FAISS_FILES
from headtree.pipeline import OpenIndex, answer
from tests.library import WordEmbedder, make_settings, write

pytest.importorskip("milvus_lite", reason="milvus-lite is not there for this system")

WORDS = ["valve", "pump", "water", "seat", "tank"]
PAGES = {
    "valve.md": "# Valve\n\nThe valve closes at seven bar.\n\n## Seat\n\nThe brass seat is ground by hand.\n",
    "pump.md": "# Pump\n\nThe pump lifts water to the tank.\n",
}
QUESTIONS = ("When does the valve close?", "What lifts the water?", "How is the seat ground?")


@pytest.fixture
def settings(tmp_path):
    write(tmp_path / "documents", PAGES)
    return make_settings(tmp_path / "documents", milvus_uri=str(tmp_path / "vectors.db"))


@pytest.fixture
def client(settings):
    yield _client(settings.milvus_uri, "")
    _client(settings.milvus_uri, "").close()
    _client.cache_clear()


def run(settings):
    return build(settings, WordEmbedder(WORDS), fresh=False, progress=lambda step: None, store=vector_store(settings))


def ask(settings, question, store=None):
    embedder = WordEmbedder(WORDS)
    index = Index(settings.index, space=embedder.name, store=store or vector_store(settings))
    result = answer(OpenIndex(settings, index, embedder), question)
    return result.answer, [(section.doc_id, section.node_id, section.score) for section in result.sections]


def test_answers_are_those_of_the_file(settings, client):
    run(settings)
    assert not list(settings.index.glob("*.faiss"))
    for question in QUESTIONS:
        assert ask(settings, question) == ask(settings, question, FAISS_FILES)


def test_collections_follow_the_database_and_old_ones_go(settings, client):
    seen = []
    for number in range(4):
        write(settings.documents, {"pump.md": f"# Pump\n\nThe pump lifts {number} litres of water to the tank.\n"})
        run(settings)
        seen += [name for name in client.list_collections() if name not in seen]
        assert f"lifts {number} litres" in ask(settings, "What lifts the water?")[0]
    assert len(seen) == 4
    assert set(client.list_collections()) == set(seen[-2:]), "questions under way may still search the one before"
    with closing(connect(settings.index)) as connection:
        kept = json.loads(read_meta(connection, "milvus_collections"))
    assert kept == [seen[-1], seen[-2]]


def test_a_lost_collection_is_made_again_and_a_copy_shares_it(settings, client, tmp_path):
    run(settings)
    (name,) = client.list_collections()
    expected = ask(settings, QUESTIONS[0])
    client.drop_collection(name)
    assert ask(settings, QUESTIONS[0]) == expected
    shutil.copytree(settings.index, tmp_path / "copy")
    assert ask(settings.model_copy(update={"index": tmp_path / "copy"}), QUESTIONS[0]) == expected
    assert client.list_collections() == [name]


def test_a_half_filled_collection_is_never_searched(settings, client, monkeypatch):
    def fail(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(client, "insert", fail)
        with pytest.raises(KeyboardInterrupt):
            run(settings)
    assert client.list_collections() == []
    assert ask(settings, QUESTIONS[0])[1][0][0] == "valve"


def test_a_server_that_is_not_there_is_named(settings):
    # Port 9 is the discard service, which nobody runs.
    away = MilvusCollections("http://127.0.0.1:9", "root:secret")
    build(settings, WordEmbedder(WORDS), fresh=False, progress=lambda step: None)
    with pytest.raises(VectorStoreError, match="MILVUS_URI") as raised:
        ask(settings, QUESTIONS[0], away)
    assert "secret" not in str(raised.value)
    assert ask(settings, QUESTIONS[0], FAISS_FILES)[1]


def test_a_collection_that_goes_away_is_an_error_of_ours(settings, client):
    run(settings)
    embedder = WordEmbedder(WORDS)
    index = Index(settings.index, space=embedder.name, store=vector_store(settings))
    client.drop_collection(client.list_collections()[0])
    with pytest.raises(VectorStoreError):
        answer(OpenIndex(settings, index, embedder), QUESTIONS[0])


def test_without_the_package_its_name_is_said(settings):
    program = (
        "import sys; sys.modules['pymilvus'] = None\n"
        "from headtree.errors import ModelUnavailableError\n"
        "from headtree.indexing.milvus import _client\n"
        "try: _client('http://127.0.0.1:9', '')\n"
        "except ModelUnavailableError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'headtree[milvus]'" in done.stdout
