"""The figure registry of one document: which images it has, what each is, and who speaks of it.

Image references become figures with a home section; captions give them their printed number; mentions link every
place that names the number. No image is looked at: what is known comes from the text and from the image's size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from headtree.indexing.binding import Binding, bind_captions
from headtree.indexing.captions import Caption, find_captions
from headtree.indexing.images import EMBEDDED, MISSING, OUTSIDE, REMOTE, ImageFinder, inspect_image
from headtree.indexing.labels import Label, bare_equations, mentions
from headtree.indexing.markdown import BlockKind, ImageReference, ParsedMarkdown
from headtree.indexing.surroundings import Surroundings, is_prose
from headtree.indexing.tree import SectionFinder
from headtree.types import BuildWarning, Figure, FigureKind, LineSpan, Mention, Section, WarningKind

_WARNINGS = {
    MISSING: WarningKind.MISSING_IMAGE,
    REMOTE: WarningKind.REMOTE_IMAGE,
    OUTSIDE: WarningKind.OUTSIDE_IMAGE,
    EMBEDDED: WarningKind.EMBEDDED_IMAGE,
}


@dataclass(frozen=True, slots=True)
class Registry:
    """The figures of a document, in reading order, and what is doubtful about them."""

    figures: tuple[Figure, ...]
    warnings: tuple[BuildWarning, ...]


def register_figures(
    doc_id: str,
    document_path: str,
    parsed: ParsedMarkdown,
    lines: Sequence[str],
    sections: Sequence[Section],
    finder: ImageFinder,
) -> Registry:
    """Make the registry of one document.

    Args:
        doc_id: the document.
        document_path: its Markdown file below the documents folder.
        parsed: its headings, images and blocks.
        lines: its visible lines.
        sections: its tree.
        finder: resolves image references.
    """
    tree = SectionFinder(sections)
    images, warnings = _collect(doc_id, document_path, parsed.images, tree, finder)
    skipped = frozenset(_lines_without_captions(parsed))
    image_lines = frozenset(image.line for image in parsed.images)
    captions = find_captions(lines, skipped, image_lines)
    around = Surroundings(
        lines,
        image_lines,
        frozenset(line for caption in captions for line in range(caption.line, caption.last_line + 1)),
        frozenset(section.line for section in sections if section.level),
    )
    bindings = bind_captions(images, captions, around, sections)
    figures = [
        replace(_labelled(image, bindings.by_image.get(image.fig_id)), inside=_inside(image, around))
        for image in images
    ]
    figures = _link_mentions(figures, captions, lines, skipped, tree)
    warnings += [BuildWarning(doc_id, line, WarningKind.FIGURE_DOUBT, message) for line, message in bindings.doubts]
    return Registry(tuple(figures), tuple(warnings))


# ------------------------------------------------------------------------------------------------------ images


def _collect(
    doc_id: str, document_path: str, references: Sequence[ImageReference], tree: SectionFinder, finder: ImageFinder
) -> tuple[list[Figure], list[BuildWarning]]:
    """Resolve references; a file that is referenced again stays one figure, at home where it came first."""
    figures: dict[str, Figure] = {}
    warnings = []
    for reference in references:
        if reference.source.startswith("#"):  # a document part that is embedded by its label, no image
            continue
        found = finder.find(reference.source, document_path)
        if found.problem == EMBEDDED:
            warnings.append(BuildWarning(doc_id, reference.line, WarningKind.EMBEDDED_IMAGE, f"{EMBEDDED}"))
            continue
        if known := figures.get(found.path):
            figures[found.path] = replace(known, also_at=(*known.also_at, reference.line))
            continue
        facts = inspect_image(finder.absolute(found.path)) if found.problem is None else None
        problem = found.problem or (facts.problem if facts else None)
        figures[found.path] = Figure(
            doc_id=doc_id,
            path=found.path,
            fig_id=f"fig_{len(figures) + 1}",
            filename=found.filename,
            node_id=tree.at(reference.line).node_id,
            line=reference.line,
            caption=reference.caption,
            alt=reference.alt,
            context=reference.context or reference.title,
            exists=found.problem is None,
            problem=problem,
            width=facts.width if facts else 0,
            height=facts.height if facts else 0,
            content_hash=facts.content_hash if facts else "",
        )
        if problem:
            kind = _WARNINGS.get(problem, WarningKind.BROKEN_IMAGE)
            warnings.append(BuildWarning(doc_id, reference.line, kind, f"{reference.source}: {problem}"))
    return list(figures.values()), warnings


def _lines_without_captions(parsed: ParsedMarkdown) -> Iterator[int]:
    for block in parsed.blocks:
        if block.kind in {BlockKind.CODE, BlockKind.ROW, BlockKind.HEADER_ROW}:
            yield from range(block.first, block.last + 1)
    for heading in parsed.headings:
        yield from range(heading.line, heading.last_line + 1)
    for image in parsed.images:
        yield image.line


# ------------------------------------------------------------------------------------------------------ labels


def _inside(image: Figure, around: Surroundings) -> LineSpan | None:
    """Return the lines of an image's content; an author who writes alternative text writes none of that."""
    return None if image.alt else around.inside(image.line)


def _labelled(figure: Figure, binding: Binding | None) -> Figure:
    if binding is None:
        return figure
    return replace(
        figure,
        kind=binding.kind,
        label=binding.label,
        caption=binding.caption or figure.caption,
        group=binding.group,
        context=figure.context or binding.context,
    )


# ---------------------------------------------------------------------------------------------------- mentions


def _link_mentions(
    figures: Sequence[Figure],
    captions: Sequence[Caption],
    lines: Sequence[str],
    skipped: frozenset[int],
    tree: SectionFinder,
) -> list[Figure]:
    """Link every place that names a figure's number; a caption is not its own mention."""
    by_label = _by_label(figures)
    found: dict[str, list[Mention]] = defaultdict(list)
    caption_labels: Mapping[int, set[Label]] = defaultdict(set)
    for caption in captions:
        caption_labels[caption.line].add(caption.label.whole)
    equations = any(label.kind == "Equation" for label in by_label)
    formula_lines = set(_formula_lines(figures, lines)) if equations else set()
    for number, text in enumerate(lines, start=1):
        if number in skipped or not any(character.isdigit() or character.isupper() for character in text):
            continue
        own = caption_labels.get(number, set())
        for place in (*mentions(text), *(bare_equations(text) if equations and number not in formula_lines else ())):
            for label in place.labels:
                if label.whole in own:
                    continue
                for fig_id in by_label.get(label, by_label.get(label.whole, [])):
                    found[fig_id].append(Mention(number, tree.at(number).node_id, place.text))
    return [replace(figure, mentions=tuple(dict.fromkeys(found[figure.fig_id]))) for figure in figures]


def _formula_lines(figures: Sequence[Figure], lines: Sequence[str]) -> Iterator[int]:
    """Yield lines that hold a formula's own text and number: what is printed there is no mention of it."""
    for figure in figures:
        if figure.kind is FigureKind.FORMULA and figure.inside:
            span = range(figure.inside.first, figure.inside.last + 1)
            yield from (number for number in span if not is_prose(lines[number - 1].strip()))


def _by_label(figures: Sequence[Figure]) -> dict[Label, list[str]]:
    """Figures by printed number, and panels also by the number of their whole."""
    by_label: dict[Label, list[str]] = defaultdict(list)
    for figure in figures:
        for label in parse_label(figure.label):
            for key in dict.fromkeys((label, label.whole)):
                by_label[key].append(figure.fig_id)
    return by_label


def has_number(figure: Figure, labels: Iterable[Label]) -> bool:
    """Whether a figure carries one of some printed numbers; a panel counts as its whole: 3a as 3."""
    return bool({label.whole for label in labels} & {label.whole for label in parse_label(figure.label)})


def parse_label(label: str | None) -> tuple[Label, ...]:
    """Return the labels of a registry entry: two for "Equations 3 and 4"."""
    return tuple(label for place in mentions(label or "") for label in place.labels)
