"""Descriptions of figures: a model looks at each image once, when the index is built, and writes what it shows.

What it writes is found by a search, offered to the model that answers, and shown as words with the enlarged picture. It
decides neither a figure's number nor its caption: these come from the document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel

from headtree.errors import DocumentError, ModelCallError, ModelUnavailableError
from headtree.indexing.documents import PreparedDocument
from headtree.indexing.plain import one_line, printable
from headtree.models.envelopes import estimate_tokens
from headtree.models.estimates import Estimate
from headtree.models.failures import Failure, ServiceError
from headtree.models.paid_results import PaidResults, result_key
from headtree.models.parallel import side_by_side
from headtree.models.pixels import prepare_image
from headtree.models.prompts import DESCRIPTION, DESCRIPTION_SCHEMA, prompt_name
from headtree.models.protocols import ChatModel
from headtree.models.replies import ask_for
from headtree.models.requests import ChatRequest, ImageBlock, TextBlock
from headtree.types import BuildWarning, Figure, FigureKind, WarningKind

_MOST_CHARACTERS = 400
"""Of a description, and of the words that were read: about twice what is asked for."""
_OUTPUT_TOKENS = 3_000
_TYPICAL_OUTPUT = 250
"""Tokens of a reply, a little thinking included: for estimates."""


class _Reply(BaseModel):
    description: str
    visible_text: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """Documents with what was written about their figures, and what was not written."""

    documents: tuple[PreparedDocument, ...]
    """Their chunks are still those of before."""
    warnings: tuple[BuildWarning, ...]


class FigureDescriber:
    """Asks a model about images, one at a time, each image once whatever documents it stands in."""

    def __init__(self, model: ChatModel, paid: PaidResults, documents: Path) -> None:
        """Take a model, what was paid for before, and the documents folder."""
        self._model = model
        self._paid = paid
        self._documents = documents.resolve()

    @property
    def name(self) -> str:
        """The model and the prompt: with either one changed, figures are described anew."""
        return f"{self._model.name} {prompt_name('description')}"

    def missing(self, documents: Sequence[PreparedDocument]) -> list[Figure]:
        """Return one figure for each image that has no description yet."""
        images = {
            result_key(figure.content_hash): figure
            for document in documents
            for figure in document.document.figures
            if _is_described(figure)
        }
        known = self._paid.find(self.name, images)
        return [figure for key, figure in images.items() if key not in known]

    def estimate(self, missing: Sequence[Figure]) -> Estimate | None:
        """Return what describing images will cost; ``None`` for none."""
        if not missing:
            return None
        rules = estimate_tokens(DESCRIPTION)
        side = self._model.capabilities.image_side
        tokens = sum(self._model.image_tokens(*_scaled(figure, side)) + rules for figure in missing)
        return Estimate(
            f"{len(missing)} figures' descriptions",
            self._model.name,
            tokens,
            _TYPICAL_OUTPUT * len(missing),
            requests=len(missing),
        )

    def describe(
        self, documents: Sequence[PreparedDocument], missing: Sequence[Figure], progress: Callable[[int], None]
    ) -> Described:
        """Ask about the missing images, and return the documents with all descriptions that are there.

        An image that the model failed on stays without; the warnings say how many, and why.

        Args:
            documents: as they were read.
            missing: from ``missing``.
            progress: is given how many images are done.
        """
        reasons: dict[str, str] = {}
        for done, (number, reason) in enumerate(side_by_side(self._ask, missing), start=1):
            if reason is not None:
                reasons[missing[number].content_hash] = reason
            progress(done)
        hashes = {figure.content_hash for document in documents for figure in document.document.figures}
        keys = {result_key(content_hash): content_hash for content_hash in hashes}
        found = {keys[key]: value for key, value in self._paid.find(self.name, keys).items()}
        described = [_with_descriptions(document, found) for document in documents]
        warnings = (self._warning(document, reasons) for document in documents)
        return Described(tuple(described), tuple(warning for warning in warnings if warning is not None))

    def _ask(self, figure: Figure) -> str | None:
        """Describe one image and keep what was written; return why there is nothing."""
        try:
            image = prepare_image(self._documents / figure.path, longest_side=self._model.capabilities.image_side)
            # Nothing of the document goes along: the description belongs to the image wherever it stands.
            request = ChatRequest(
                role="description",
                prompt=prompt_name("description"),
                system=DESCRIPTION,
                blocks=(
                    ImageBlock("image", image.data, image.media_type, image.width, image.height),
                    TextBlock("question", "Describe this image."),
                ),
                max_output_tokens=_OUTPUT_TOKENS,
                schema=DESCRIPTION_SCHEMA,
            )
            reply = ask_for(self._model, request, _Reply)
            words = {"description": _clean(reply.description), "visible_text": _clean(reply.visible_text)}
            if not words["description"]:
                raise ServiceError(Failure.EMPTY, "the model wrote nothing")
        except (DocumentError, ModelCallError, ModelUnavailableError) as error:
            return str(error)
        self._paid.keep(self.name, {result_key(figure.content_hash): json.dumps(words).encode()})
        return None

    def _warning(self, document: PreparedDocument, reasons: Mapping[str, str]) -> BuildWarning | None:
        failed = [figure for figure in document.document.figures if figure.content_hash in reasons]
        if not failed:
            return None
        message = (
            f"{len(failed)} figures were indexed without a description by {self._model.name}: "
            f"{reasons[failed[0].content_hash]}; headtree index --fresh asks again for these"
        )
        return BuildWarning(document.document.doc_id, failed[0].line, WarningKind.FALLBACK, message)


def _is_described(figure: Figure) -> bool:
    """Whether a look at an image can add anything: a formula, and a table given as text, say it all themselves."""
    if not figure.exists or not figure.content_hash or figure.kind in {FigureKind.JUNK, FigureKind.FORMULA}:
        return False
    return figure.kind is not FigureKind.TABLE or figure.inside is None


def _scaled(figure: Figure, side: int) -> tuple[int, int]:
    factor = min(1.0, side / max(figure.width, figure.height, 1))
    return max(1, round(figure.width * factor)), max(1, round(figure.height * factor))


def _clean(words: str) -> str:
    """Return a model's words as one line of plain text."""
    return printable(one_line(words))[:_MOST_CHARACTERS].strip()


def _with_descriptions(document: PreparedDocument, found: Mapping[str, bytes]) -> PreparedDocument:
    figures = tuple(
        replace(figure, **json.loads(found[figure.content_hash]))
        if figure.content_hash in found and _is_described(figure)
        else figure
        for figure in document.document.figures
    )
    return replace(document, document=replace(document.document, figures=figures))
