"""Contexts of chunks: a model reads a document and writes, for each chunk, a sentence or two that place it there.

After "contextual retrieval" (Anthropic, September 2024): the context is embedded and searched with the chunk. The
document stands first in each request, the same for all of its chunks, so that the service can keep it. A context is
never shown or quoted, for no document says it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel

from headtree.errors import ModelCallError, ModelUnavailableError
from headtree.indexing.chunking import chunk_prefix
from headtree.indexing.documents import PreparedDocument
from headtree.indexing.plain import one_line, plain_text, printable
from headtree.models.envelopes import estimate_tokens
from headtree.models.estimates import Estimate
from headtree.models.paid_results import PaidResults, result_key
from headtree.models.parallel import MOST_AT_ONCE, side_by_side
from headtree.models.prompts import CONTEXT, CONTEXT_SCHEMA, prompt_name
from headtree.models.protocols import ChatModel
from headtree.models.replies import ask_for
from headtree.models.requests import ChatRequest, TextBlock
from headtree.types import BuildWarning, Chunk, Document, LineSpan, WarningKind

CHUNKS_PER_REQUEST = 20
"""The document is sent once for so many: a twentieth of its price for a chunk even where the service keeps nothing."""
_WINDOW_TOKENS = 30_000
"""Of a document that are sent at a time, about 75 pages: a paper is read whole, of an annual report a chapter or two.
Twice as much would cost twice as much where the service keeps nothing."""
_CHARACTERS_PER_TOKEN = 4
_LEAST_KEPT_TOKENS = 4_096
"""What is shorter, some models do not keep (documentation of both providers): counted at full price."""
_MOST_CHARACTERS = 500
"""Of a context: about twice what is asked for."""
_OUTPUT_TOKENS = 8_000
_TYPICAL_OUTPUT = 100
"""Tokens per chunk; 50 to 100 in the article."""


class _Context(BaseModel):
    chunk: int
    context: str


class _Reply(BaseModel):
    contexts: list[_Context]


@dataclass(frozen=True, slots=True)
class Question:
    """One request: some chunks and the part of their document that is read for them."""

    doc_id: str
    reading: str
    """The same for all questions of one part."""
    chunks: tuple[Chunk, ...]
    keys: tuple[bytes, ...]
    kept: bool
    """Whether another question on the same part follows or went before."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Documents whose chunks have their contexts, and what was not written."""

    documents: tuple[PreparedDocument, ...]
    warnings: tuple[BuildWarning, ...]


class ContextWriter:
    """Asks a model for the contexts of chunks."""

    def __init__(self, model: ChatModel, paid: PaidResults) -> None:
        """Take a model, and what was paid for before."""
        self._model = model
        self._paid = paid

    @property
    def name(self) -> str:
        """The model and the prompt: with either one changed, contexts are written anew."""
        return f"{self._model.name} {prompt_name('context')}"

    def missing(self, documents: Sequence[PreparedDocument]) -> list[list[Question]]:
        """Return what has to be asked, by part of a document, in order."""
        limit = min(_WINDOW_TOKENS, self._model.capabilities.context_tokens // 2) * _CHARACTERS_PER_TOKEN
        parts: list[list[Question]] = []
        for document in documents:
            keys = _keys(document)
            known = self._paid.find(self.name, keys.values())
            wanted = [chunk for chunk in document.chunks if chunk.ordinal in keys and keys[chunk.ordinal] not in known]
            spans = _windows(document.document, limit) if wanted else []
            for span in spans:
                chunks = [chunk for chunk in wanted if chunk.first_line in span]
                if chunks:
                    reading = _reading(document.document, span, whole=len(spans) == 1)
                    parts.append(list(_questions(document.document.doc_id, reading, chunks, keys)))
        return parts

    def estimate(self, parts: Sequence[Sequence[Question]]) -> Estimate | None:
        """Return what asking will cost; ``None`` for nothing."""
        questions = [question for part in parts for question in part]
        if not questions:
            return None
        rules = estimate_tokens(CONTEXT)
        keeps = self._model.capabilities.told_to_keep
        tokens = written = cached = 0
        for part in parts:
            reading = estimate_tokens(part[0].reading)
            tokens += sum(rules + reading + _chunk_tokens(question) for question in part)
            if keeps and reading >= _LEAST_KEPT_TOKENS and len(part) > 1:
                written += reading
                cached += reading * (len(part) - 1)
        count = sum(len(question.chunks) for question in questions)
        return Estimate(
            f"contexts of {count} chunks",
            self._model.name,
            tokens,
            _TYPICAL_OUTPUT * count,
            cached_tokens=cached,
            cache_written_tokens=written,
            requests=len(questions),
        )

    def write(
        self,
        documents: Sequence[PreparedDocument],
        parts: Sequence[Sequence[Question]],
        progress: Callable[[int], None],
    ) -> Placed:
        """Ask for the missing contexts, and return the documents with all contexts that are there.

        A chunk that the model failed on stays without; the warnings say how many, and why.

        Args:
            documents: as they were read.
            parts: from ``missing``.
            progress: is given how many requests are done.
        """
        failures: dict[str, list[str]] = defaultdict(list)
        for done, (question, reason) in enumerate(self._ask_in_order(parts), start=1):
            if reason is not None:
                failures[question.doc_id].append(reason)
            progress(done)
        placed = []
        warnings = []
        for document in documents:
            keys = _keys(document)
            found = self._paid.find(self.name, keys.values())
            contexts = {place: found[key].decode() for place, key in keys.items() if key in found}
            chunks = (replace(chunk, context=contexts.get(chunk.ordinal, "")) for chunk in document.chunks)
            placed.append(replace(document, chunks=tuple(chunks)))
            reasons = failures.get(document.document.doc_id, ())
            if reasons and len(contexts) < len(keys):
                warnings.append(self._warning(document.document.doc_id, len(keys) - len(contexts), reasons[0]))
        return Placed(tuple(placed), tuple(warnings))

    def _ask_in_order(self, parts: Sequence[Sequence[Question]]) -> Iterator[tuple[Question, str | None]]:
        """Ask the first question of each part before the others, so that the service has the part when they come."""
        for start in range(0, len(parts), MOST_AT_ONCE):
            group = parts[start : start + MOST_AT_ONCE]
            for questions in ([part[0] for part in group], [question for part in group for question in part[1:]]):
                for number, reason in side_by_side(self._ask, questions):
                    yield questions[number], reason

    def _ask(self, question: Question) -> str | None:
        """Ask one question and keep what was written; return why something is lacking."""
        chunks = "\n\n".join(
            f"[{number}] {chunk_prefix(chunk.breadcrumb)}\n{chunk.text}" for number, chunk in enumerate(question.chunks)
        )
        request = ChatRequest(
            role="context",
            prompt=prompt_name("context"),
            system=CONTEXT,
            blocks=(TextBlock("document", question.reading), TextBlock("chunks", f"Chunks:\n\n{chunks}")),
            max_output_tokens=_OUTPUT_TOKENS,
            schema=CONTEXT_SCHEMA,
            kept_blocks=1 if question.kept else 0,
        )
        try:
            reply = ask_for(self._model, request, _Reply)
        except (ModelCallError, ModelUnavailableError) as error:
            return str(error)
        written = {
            question.keys[item.chunk]: context.encode("utf-8", "replace")
            for item in reply.contexts
            if 0 <= item.chunk < len(question.chunks) and (context := _clean(item.context))
        }
        self._paid.keep(self.name, written)
        return None if len(written) == len(question.chunks) else "the model left some out"

    def _warning(self, doc_id: str, count: int, reason: str) -> BuildWarning:
        message = (
            f"{count} chunks were indexed without a context by {self._model.name}: {reason}; "
            "headtree index --fresh asks again for these"
        )
        return BuildWarning(doc_id, 0, WarningKind.FALLBACK, message)


def _keys(document: PreparedDocument) -> Mapping[int, bytes]:
    """Return the keys of the contexts of a document's chunks of text, by ordinal.

    A document that is a single chunk has nothing to be placed in, and a figure's chunk is its caption.
    """
    chunks = [chunk for chunk in document.chunks if chunk.figure_path is None]
    if len(chunks) < 2:
        return {}
    content = document.document.content_hash
    return {chunk.ordinal: result_key(content, chunk_prefix(chunk.breadcrumb), chunk.text) for chunk in chunks}


def _questions(doc_id: str, reading: str, chunks: Sequence[Chunk], keys: Mapping[int, bytes]) -> Iterator[Question]:
    for start in range(0, len(chunks), CHUNKS_PER_REQUEST):
        asked = tuple(chunks[start : start + CHUNKS_PER_REQUEST])
        wanted = tuple(keys[chunk.ordinal] for chunk in asked)
        yield Question(doc_id, reading, asked, wanted, kept=len(chunks) > CHUNKS_PER_REQUEST)


def _windows(document: Document, characters: int) -> list[LineSpan]:
    """Cut a document into parts of at most so many characters, between sections where that is possible."""
    starts = {section.line for section in document.sections}
    spans: list[LineSpan] = []
    first = border = 1
    size = 0
    for number, line in enumerate(document.lines, start=1):
        if number in starts:
            border = number
        while size + len(line) > characters and number > first:
            cut = border if border > first else number
            spans.append(LineSpan(first, cut - 1))
            size = sum(len(document.lines[known - 1]) + 1 for known in range(cut, number))
            first = cut
        size += len(line) + 1
    return [*spans, LineSpan(first, len(document.lines))]


def _reading(document: Document, span: LineSpan, *, whole: bool) -> str:
    """Write a document, or a part of it with the titles of all of it, as the model reads it."""
    text = plain_text(document.text(span))
    if whole:
        return f"Document: {document.title}\n\n{text}"
    titles = "\n".join(f"{'  ' * section.level}{section.title[:160]}" for section in document.sections[1:])
    return f"Document: {document.title}\nIts sections:\n{titles}\n\nA part of it:\n\n{text}"


def _chunk_tokens(question: Question) -> int:
    return sum(estimate_tokens(chunk_prefix(chunk.breadcrumb) + chunk.text) + 4 for chunk in question.chunks)


def _clean(words: str) -> str:
    """Return a model's words as one line of plain text."""
    return printable(one_line(words))[:_MOST_CHARACTERS].strip()
