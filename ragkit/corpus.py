"""A folder -> pages -> chunks with stable ids, heading paths, dates and parent sections."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragkit import data_dir
from ragkit.config import ChunkConfig
from ragkit.metadata import to_metadata
from ragkit.parents import group_sections, parent_sections
from ragkit.readers import Page, Unreadable, read_page
from ragkit.records import Document
from ragkit.splitting import Piece, estimate_tokens, split_markdown, split_text

Origin = Literal["kb", "web", "own"]


@dataclass(frozen=True)
class Skipped:
    """A file or folder that was left out, and why."""

    source: str
    reason: str


@dataclass(frozen=True)
class Corpus:
    """What a folder gave: chunks in reading order, their parent sections by id, what was left out.

    `notes` holds (source, note) for pages that were kept with something guessed or unknown.
    """

    documents: list[Document]
    parents: dict[str, Document]
    skipped: list[Skipped]
    notes: list[tuple[str, str]]
    pages: int


def load_pages(folder: Path | str, name: str | None = None) -> tuple[list[Page], list[Skipped]]:
    """Read every file below a folder, in the order of their paths.

    Sources are `<name>/<path below the folder>`; `name` is the folder's own name unless given.
    Nothing stops at a bad file: it is in the second list with the reason.

    Raises:
        FileNotFoundError, NotADirectoryError: there is no such folder.
    """
    if not str(folder).strip():
        raise FileNotFoundError("the folder's name is empty; “.” is the working directory")
    root = Path(folder).expanduser()
    if not root.exists():
        raise FileNotFoundError(f"there is no folder {root}")
    if not root.is_dir():
        raise NotADirectoryError(f"{root} is a file; give the folder it is in")
    prefix = name or root.resolve().name
    pages: list[Page] = []
    skipped: list[Skipped] = []
    for path, reason in _walk(root, frozenset()):
        source = f"{prefix}/{path.relative_to(root).as_posix()}"
        readable = source.encode("utf-8", "replace").decode()
        try:
            if readable != source:
                source, reason = readable, "its name is not valid Unicode"
            if reason:
                raise Unreadable(reason)
            pages.append(read_page(path, source))
        except Unreadable as problem:
            skipped.append(Skipped(source, str(problem)))
    return pages, skipped


def split_page(
    page: Page,
    max_tokens: int | None = None,
    *,
    origin: Origin = "own",
    config: ChunkConfig | None = None,
) -> list[Document]:
    """Split a page into chunks of about `max_tokens`, tables and code kept whole.

    The content of a chunk begins with its heading path as a Markdown heading, so that what is
    found, shown and embedded is one text. Its id is `<file>#<position>-<hash of source, position
    and text>`.
    """
    config = config or ChunkConfig()
    size = max_tokens or config.max_tokens
    title = page.metadata.get("title") or _title(page)
    pieces = list(_pieces(page, size))
    contents = [_content(title, piece) for piece in pieces]
    tokens = [estimate_tokens(content) for content in contents]
    sized = [(piece.path, count) for piece, count in zip(pieces, tokens, strict=True)]
    chunks: list[Document] = []
    for number, section in enumerate(group_sections(sized, config.parent_tokens)):
        for row in section:
            values = {
                **page.metadata,
                "source": page.source,
                "title": title,
                "heading_path": " > ".join(pieces[row].path),
                "position": row,
                "parent_id": _parent_id(page.source, number),
                "kind": origin,
                "repeated_lines": pieces[row].repeated or None,
                "oversize": tokens[row] > size or None,
            }
            chunks.append(_chunk(page.source, row, contents[row], values))
    return chunks


def load_corpus(
    folder: Path | str,
    *,
    name: str | None = None,
    origin: Origin = "own",
    config: ChunkConfig | None = None,
) -> Corpus:
    """Read and split everything below a folder."""
    pages, skipped = load_pages(folder, name)
    documents: list[Document] = []
    kept = 0
    for page in pages:
        try:
            documents.extend(split_page(page, origin=origin, config=config))
            kept += 1
        except ValueError as problem:  # e.g. metadata that cannot be stored
            skipped.append(Skipped(page.source, str(problem)))
    notes = [(page.source, note) for page in pages for note in page.notes]
    return Corpus(documents, parent_sections(documents), skipped, notes, kept)


def company_corpus() -> Corpus:
    """Return the company's knowledge base, split."""
    return load_corpus(data_dir() / "kb", origin="kb")


def web_corpus() -> Corpus:
    """Return the recorded web pages, split."""
    return load_corpus(data_dir() / "web", origin="web")


def chunk_id(source: str, position: int, text: str) -> str:
    """Return the readable, stable id of a chunk; another text gets another id."""
    digest = hashlib.sha256(f"{source}\n{position}\n{text}".encode()).hexdigest()
    return f"{_stem(source)}#{position}-{digest[:8]}"


def _chunk(source: str, position: int, content: str, values: dict[str, Any]) -> Document:
    identity = chunk_id(source, position, content)
    metadata = to_metadata({**values, "id": identity}, identity)
    return Document(id=identity, content=content, metadata=metadata)


def _pieces(page: Page, size: int) -> Iterator[Piece]:
    if page.sections:
        for heading, text in page.sections:
            for piece in split_text(text, size):
                yield Piece((heading,), piece.text)
    elif page.markdown:
        yield from split_markdown(page.text, size)
    else:
        yield from split_text(page.text, size)


def _content(title: str, piece: Piece) -> str:
    path = list(piece.path)
    if not path or path[0].casefold() != title.casefold():
        path.insert(0, title)
    head = "# " + " > ".join(path)
    return f"{head}\n\n{piece.text}" if piece.text else head


def _title(page: Page) -> str:
    headings = (piece.path[0] for piece in _pieces(page, 10_000) if piece.path)
    own = next(headings, None) if page.markdown else None
    return own or re.sub(r"[-_]+", " ", Path(page.source).stem).strip() or page.source


def _parent_id(source: str, number: int) -> str:
    return f"{_stem(source)}#section-{number}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"


def _stem(source: str) -> str:
    return re.sub(r"[^\w.-]+", "-", Path(source).stem).strip("-") or "page"


def _walk(folder: Path, above: frozenset[Any]) -> Iterator[tuple[Path, str]]:
    """Yield every file with a reason to leave it out, or ""; links are followed once."""
    try:
        here = os.stat(folder)
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as problem:
        yield folder, f"cannot be opened: {problem.strerror}"
        return
    above = above | {(here.st_dev, here.st_ino)}
    for path in entries:
        if path.name.startswith("."):
            yield path, "hidden"
        elif not path.exists():
            yield path, "a link to nothing"
        elif not path.is_dir():
            yield path, "" if path.is_file() else "not a regular file"
        elif ((found := os.stat(path)).st_dev, found.st_ino) in above:
            yield path, "a link back to a folder above it"
        else:
            yield from _walk(path, above)
