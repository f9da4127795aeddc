"""A draft taken apart into claims, each with the citation markers that belong to it.

A claim is a sentence, a list item's sentence or a table body row. Headings, table heads, code,
questions, "I do not know" and lead-ins of lists are not claims. Nothing is lost: the segments of a
text, joined again, are the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ragkit.components.blocks import Block, cell_spans, split_blocks
from ragkit.components.markers import Marker, Span, code_spans, parse_markers
from ragkit.components.stops import sentence_ends

SegmentKind = Literal[
    "claim", "heading", "head", "question", "no_answer", "lead_in", "remark", "code", "rule",
    "sources", "blank",
]  # fmt: skip

_PREFIX = re.compile(
    r"(?:\s*>)*\s*(?:(?:[-*+•◦▪‣·–—]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[A-Z]\))\s+)?(?:\[[ xX]\]\s+)?"
)
_QUOTE_MARK = re.compile(r"(?m)^(?:[ \t]*>)+[ \t]?")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*\)")
_LINK_TARGET = re.compile(r"(?<=\])(\([^()\s]*\))")
_REFERENCE = re.compile(r"(?<=\])\[[^\[\]\n]*\]")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,80}>|<!--")
_EMPHASIS = re.compile(
    r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`+"
)
_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?。，；：！？)])")
_AND = r"(?:and|but|while|whereas|or|und|aber|sowie)"
_JOINT = re.compile(rf"\s*(?:[;；]|[,，、]?\s*{_AND}\b|[,，、])", re.IGNORECASE)
_LEADING_JOINT = re.compile(rf"^[\s,;，；、.]*(?:{_AND}\s+)?", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?:it|its|they|their|them|this|these|those|that|he|she|both|which)\b", re.IGNORECASE
)
_UNFINISHED = re.compile(
    r"\b(?:to|in|by|from|of|per|see|with|the|a|an|and|as|on)\W*$", re.IGNORECASE
)
_OPENING = re.compile(
    r"^(?:(?:please )?note that|in (?:short|summary|brief|other words)|to sum up|as documented"
    r"|overall|(?:according to|as (?:stated|described|shown|documented) (?:in|by)|per|in|from)"
    r"(?: the (?:documentation|documents?|docs|sources?|pages?|context|text|evidence))?(?=,))"
    r"[,:]?\s*",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？][\s\"'”’»)*_~]*$")
_NO_ANSWER = re.compile(
    r"^(?:(?:sorry|unfortunately)\W+)?(?:"
    r"i (?:do not|don't|cannot|can't|could not|couldn't|am not able)\b.{0,60}"
    r"\b(?:know|find|answer|tell|say|determine|confirm)"
    r"|(?:the|these|this|no) .{0,40}"
    r"\b(?:documents?|sources?|evidence|context|pages?|information|answer)\b.{0,40}"
    r"\b(?:do(?:es)? not|don't|doesn't|cannot|did not|was found|is available|not enough|found)"
    r"|there is (?:no|not enough) (?:information|evidence|answer)"
    r"|not enough information|no answer)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"^(?:sure|certainly|of course|great question|happy to help|hello|hi|hey|thanks?|thank you"
    r"|yes|no|note|in (?:summary|short)|you(?:'| a)re welcome|here (?:is|are)\b.*|here's\b.*"
    r"|let me know\b.*|i hope (?:this|that)\b.*|please (?:let|rephrase|ask)\b.*)[\s.!:,]*$",
    re.IGNORECASE,
)
_FACT = re.compile(r"\d|[$€£%]|\b(?:but|however|although|except)\b", re.IGNORECASE)
_STATES = re.compile(r"[$€£]|\b(?:is|are|was|has|have|can|must|may|will|costs?|includes?)\b", re.I)
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"[^\W_]+")
_WIDE = re.compile(r"[⺀-鿿가-힯぀-ヿ]")
_MARKER_LIKE = re.compile(r"[\[【［][^\[\]]*[\]】］]")
_ENDED = re.compile(r"[.!?。！？\r\n][\s\"'”’»)*_~」\[\]【】^\d,–-]*\Z")
_BREAKS = ("blank", "heading", "code", "rule")
_LOOK_BACK = 60
_MANY_WORDS = 8


@dataclass(frozen=True)
class Segment:
    """A piece of the text: its kind, its place, and what a reader takes from it (`clean`)."""

    kind: SegmentKind
    start: int
    end: int
    clean: str = ""
    markers: tuple[Marker, ...] = ()
    context: str = ""


@dataclass(frozen=True)
class Claim:
    """One statement to be judged.

    `text` is free of markers and Markdown; `context` is what it leans on (the heading above, the
    lead-in of its list, the sentence before a pronoun), "" if nothing; `start` and `end` are its
    place in the draft.
    """

    text: str
    markers: tuple[Marker, ...]
    start: int
    end: int
    context: str = ""

    @property
    def labels(self) -> list[int]:
        """The labels that name a shown document, each once, in reading order."""
        return list(dict.fromkeys(m.label for m in self.markers if m.status == "ok" and m.label))


def split_claims(text: str, documents: int | None = None) -> list[Claim]:
    """Return the claims of a draft in reading order; `documents` is how many labels exist."""
    return [
        Claim(part.clean, part.markers, part.start, part.end, part.context)
        for part in split_segments(text, documents)
        if part.kind == "claim"
    ]


def split_segments(text: str, documents: int | None = None) -> list[Segment]:
    """Cut a text into segments that cover it without gap or overlap. Never raises."""
    reader = _Reader(text, documents)
    blocks = split_blocks(text)
    for index, block in enumerate(blocks):
        following = next((b.kind for b in blocks[index + 1 :] if b.kind != "blank"), None)
        reader.read(block, leads=following in ("item", "row", "head", "code"))
    return reader.segments


class _Reader:
    """Reads blocks in order and keeps what the next claim may lean on."""

    def __init__(self, text: str, documents: int | None) -> None:
        self.text = text
        self.markers = parse_markers(text, documents)
        self.starts = [marker.start for marker in self.markers]
        self.spans = {marker.start: marker.end for marker in self.markers}
        self.code = code_spans(text)
        self.masked = _masked(text, self.code)
        self.segments: list[Segment] = []
        self.heading = self.lead_in = ""
        self.inherited: tuple[Marker, ...] = ()

    def read(self, block: Block, leads: bool) -> None:
        """Append the segments of one block; `leads` tells that a list, table or code follows."""
        afresh = not self.segments or self.segments[-1].kind in _BREAKS
        if block.kind in ("heading", "bold") or (block.kind == "prose" and afresh):
            self.lead_in, self.inherited = "", ()
        if block.kind == "row":
            self._row(block)
        elif block.kind in ("prose", "item", "bold"):
            self._sentences(block, leads)
        else:
            self._other(block)

    def marked(self, start: int, end: int) -> tuple[Marker, ...]:
        """Return the markers that start within a span."""
        return tuple(self.markers[bisect_left(self.starts, start) : bisect_left(self.starts, end)])

    def clean(self, start: int, end: int) -> str:
        """Return what a reader takes from a span: no markers, no Markdown, single spaces."""
        cuts = [(m.start, m.end, False) for m in self.marked(start, end)]
        first = bisect_left(self.code, start, key=lambda span: span[1])
        for left, right in self.code[first:]:
            if left >= end:
                break
            cuts.append((max(left, start), min(right, end), True))
        parts, position = [], start
        for left, right, is_code in sorted(cuts):
            parts.append(_plain(self.text[position : max(left, position)]))
            parts.append(self.text[left:right].strip("`") if is_code else "")
            position = max(right, position)
        parts.append(_plain(self.text[position:end]))
        return _BEFORE_STOP.sub("", " ".join("".join(parts).split()))

    def _add(self, kind: SegmentKind, start: int, end: int, clean: str, context: str = "") -> None:
        markers = self.marked(start, end)
        if kind == "claim" and not markers and self.inherited and self.lead_in:
            markers = self.inherited
        self.segments.append(Segment(kind, start, end, clean, markers, context))

    def _other(self, block: Block) -> None:
        clean = self.clean(block.start, block.end) if block.kind in ("heading", "head") else ""
        clean = clean.lstrip("# ")
        self._add(block.kind, block.start, block.end, clean)
        if block.kind == "heading":
            self.heading = clean
        elif block.kind == "head" and (markers := self.segments[-1].markers):
            self.lead_in, self.inherited = self.lead_in or clean, markers

    def _sentences(self, block: Block, leads: bool) -> None:
        start = block.start
        for sentence in sentence_ends(self.masked, block.start, block.end, self.spans):
            for end in self._clause_ends(start, sentence):
                self._sentence(block, start, end, leads and end == block.end)
                start = end

    def _sentence(self, block: Block, start: int, end: int, leads: bool) -> None:
        prefix = _PREFIX.match(self.text, start, end).end() if start == block.start else start
        clean = _OPENING.sub("", _LEADING_JOINT.sub("", self.clean(prefix, end)))
        kind = _kind(clean, bool(self.marked(start, end)), leads, block.kind == "bold")
        self._add(kind, start, end, clean, self._context(block, start, clean))
        if kind == "heading":
            self.heading, self.lead_in = clean, ""
        elif kind == "lead_in":
            self.lead_in, self.inherited = clean, self.segments[-1].markers

    def _context(self, block: Block, start: int, clean: str) -> str:
        leaning = [self.heading, self.lead_in if block.kind == "item" else ""]
        before = self.segments[-1] if self.segments else None
        if before and before.kind == "claim" and start > block.start:
            half = not _ENDED.search(self.text, max(before.start, start - _LOOK_BACK), start)
            leaning.append(before.clean if half or _PRONOUN.match(clean) else "")
        return " ".join(part for part in leaning if part)

    def _clause_ends(self, start: int, end: int) -> Iterator[int]:
        """Cut a sentence after a marker where "and", a comma or ";" joins a claim with its own."""
        marked = self.marked(start, end)
        for before, after in pairwise(marked):
            joined = _JOINT.match(self.masked, before.end, after.start)
            if (
                joined
                and _says_something(self.text[start : before.start])
                and _says_something(self.text[joined.end() : after.start])
            ):
                yield before.end
                start = before.end
        yield end

    def _row(self, block: Block) -> None:
        """Add a table row as one claim, or as one for each cell that has markers of its own."""
        spans = cell_spans(self.text, block.start, block.end)
        cited = [index for index, span in enumerate(spans) if self.marked(*span)]
        last_cells = cited if len(cited) > 1 else [len(spans) - 1]
        last_cells = [*last_cells[:-1], len(spans) - 1]
        start, first, subject = block.start, 0, ""
        for last in last_cells:
            end = block.end if last == len(spans) - 1 else spans[last][1]
            clean = self._cells_text(block, spans, first, last)
            context = " ".join(part for part in (self.heading, self.lead_in, subject) if part)
            self._add("claim" if _WORD.search(clean) else "blank", start, end, clean, context)
            subject = subject or self._cells_text(block, spans, 0, 0)
            start, first = end, last + 1

    def _cells_text(self, block: Block, spans: list[Span], first: int, last: int) -> str:
        named = []
        for index in range(first, last + 1):
            cell = self.clean(*spans[index])
            name = _plain(block.header[index]).strip() if index < len(block.header) else ""
            named.append(f"{name}: {cell}" if name and cell else cell)
        return "; ".join(cell for cell in named if cell)


def _kind(clean: str, marked: bool, leads: bool, bold: bool) -> SegmentKind:
    if not _WORD.search(clean):
        return "blank"
    if leads and clean.endswith((":", "：")):
        return "lead_in"
    if marked:
        return "claim"
    if bold and not _STATES.search(clean) and len(clean.split()) <= _MANY_WORDS:
        return "heading" if clean[-1] not in ".!?。！？" else "claim"
    if _QUESTION.search(clean):
        return "question"
    if not _FACT.search(clean):
        if _NO_ANSWER.search(clean):
            return "no_answer"
        if _REMARK.search(clean):
            return "remark"
    return "claim"


def _masked(text: str, code: list[Span]) -> str:
    """Hide code and link targets from the search for full stops, keeping every position."""
    links = [match.span(1) for match in _LINK_TARGET.finditer(text)]
    parts, position = [], 0
    for start, end in sorted([*code, *links]):
        if start >= position:
            parts += [text[position:start], "x" * (end - start)]
            position = end
    return "".join([*parts, text[position:]])


def _plain(text: str) -> str:
    text = _LINK.sub(r"\1", _QUOTE_MARK.sub("", text))
    text = _TAG.sub(" ", _REFERENCE.sub("", text))
    return _EMPHASIS.sub("", text)


def _says_something(text: str) -> bool:
    """Tell whether a half of a sentence is more than a name: two words, or four wide letters."""
    plain = _MARKER_LIKE.sub("", text)
    if _UNFINISHED.search(plain):
        return False
    return len(_WORDS.findall(plain)) >= 2 or len(_WIDE.findall(plain)) >= 4
