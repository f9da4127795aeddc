"""Files -> pages: Markdown, plain text, HTML and PDF, each by the library that knows it."""

from __future__ import annotations

import codecs
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

from ragkit.dates import find_effective_date, parse_date
from ragkit.metadata import to_metadata

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_FIELD = re.compile(r"-{3,}[ \t]*\r?\n\w[\w -]*:[ \t]")
_UNCLOSED = "front matter left out: no line of --- ends it, so it was read as text"
_DATE_KEY = re.compile(r"(?:.*_)?date|published|retrieved|updated")
_TEXT_KEYS = ("title", "product", "version", "audience", "url")
_RESERVED = ("id", "source", "position", "heading_path", "parent_id", "kind", "effective_day")


class Unreadable(Exception):
    """A file that cannot become a page; the text says why."""


@dataclass(frozen=True)
class Page:
    """One file as text. `sections` is set where the pages of a PDF are kept apart.

    `notes` says what was guessed or could not be understood on the way.
    """

    source: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    markdown: bool = True
    sections: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def read_page(path: Path, source: str) -> Page:
    """Read one file.

    Raises:
        Unreadable: no text can be had from it; says why in a few words.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise Unreadable(f"not one of {', '.join(READERS)}")
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise Unreadable(f"cannot be read: {problem.strerror}") from None
    if not data.strip():
        raise Unreadable("empty")
    try:
        return reader(data, source)
    except RecursionError:
        raise Unreadable("nested too deeply") from None


def _read_markdown(data: bytes, source: str) -> Page:
    text, notes = _decode(data)
    values, body, unclosed = _front_matter(text)
    return _page(source, body, values, (*notes, *unclosed))


def _read_text(data: bytes, source: str) -> Page:
    text, notes = _decode(data)
    return _page(source, text, {}, notes, markdown=False)


def _read_html(data: bytes, source: str) -> Page:
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(data, "html.parser")
    values = {"title": soup.title.get_text(" ", strip=True) if soup.title else None}
    for name in ("date", "article:published_time", "dcterms.date"):
        tag = soup.find("meta", attrs={"name": name}) or soup.find("meta", property=name)
        values.setdefault("published", tag.get("content") if tag else None)
    for tag in soup(["head", "script", "style", "noscript", "template", "svg", "iframe"]):
        tag.decompose()
    converter = MarkdownConverter(
        heading_style="ATX", bullets="-", table_infer_header=True,
        escape_asterisks=False, escape_underscores=False, escape_misc=False,
        strip=["img"],
    )  # fmt: skip
    text = converter.convert_soup(soup)
    if _CONTROL.search(text):
        raise Unreadable("binary, not text")
    return _page(source, text, values, ())


def _read_pdf(data: bytes, source: str) -> Page:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logger = logging.getLogger("pypdf")
    logger.disabled = True  # what is broken is told once, as the reason
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("a PDF with a password")
        texts = [page.extract_text() for page in reader.pages]
        title = reader.metadata.title if reader.metadata else None
    except Unreadable:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise Unreadable(f"a broken PDF: {problem}") from None
    finally:
        logger.disabled = False
    texts = [_CONTROL.sub(" ", text.encode("utf-8", "replace").decode()) for text in texts]
    sections = tuple(
        (f"Page {number}", text) for number, text in enumerate(texts, start=1) if text.strip()
    )
    if not sections:
        raise Unreadable("a PDF without text (scanned pages need OCR first)")
    text = "\n\n".join(text for _, text in sections)
    return _page(source, text, {"title": title}, (), markdown=False, sections=sections)


READERS: dict[str, Callable[[bytes, str], Page]] = {
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".txt": _read_text,
    ".text": _read_text,
    ".html": _read_html,
    ".htm": _read_html,
    ".pdf": _read_pdf,
}


def _page(source: str, text: str, values: dict[str, Any], notes: Any, **more: Any) -> Page:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise Unreadable("no text in it")
    metadata, unread = _understood(values, text)
    return Page(source, text, metadata, notes=(*notes, *unread), **more)


def _decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")
    notes: tuple[str, ...] = ()
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8":
            raise Unreadable(f"broken {encoding.upper()} text") from None
        text, notes = _decode_legacy(data), ("not UTF-8, read as Windows-1252",)
    if _CONTROL.search(text):
        raise Unreadable("binary, not text")
    return text, notes


def _decode_legacy(data: bytes) -> str:
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        raise Unreadable("neither UTF-8, UTF-16 nor Windows-1252 text") from None


def _front_matter(text: str) -> tuple[dict[str, Any], str, tuple[str, ...]]:
    """Return the fields, the text below them, and what is to be told of them."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    handler = YAMLHandler()
    if not handler.detect(text.lstrip()):
        return {}, text, ()
    try:
        head, body = handler.split(text.lstrip())
        values = handler.load(head, Loader=_loader())
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        what = getattr(problem, "problem", None) or "unreadable"
        raise Unreadable(f"its front matter is not valid YAML{where}: {what}") from None
    except ValueError:  # a rule on top, or fields that never end
        return {}, text, (_UNCLOSED,) if _FIELD.match(text.lstrip()) else ()
    if not isinstance(values, dict):
        return {}, body if values is None else text, ()
    return {_key(key): value for key, value in values.items()}, body, ()


def _key(name: Any) -> str:
    """Return a field's name as it is known: `Effective Date` is `effective_date`."""
    return re.sub(r"[\s-]+", "_", str(name).strip().casefold())


def _loader() -> type:
    """Return a safe YAML loader that keeps 4.10 as text, and refuses a field set twice.

    As a number 4.10 would be 4.1; of two values YAML's own loader silently takes the last.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers: ClassVar = {
            first: [rule for rule in rules if rule[0] != "tag:yaml.org,2002:float"]
            for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            names = [_key(key.value) for key, _ in node.value]
            for (key, _), name in zip(node.value, names, strict=True):
                if names.count(name) > 1:
                    problem = f"{name} is set twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            return super().construct_mapping(node, deep)

    return Loader


def _understood(values: dict[str, Any], text: str) -> tuple[dict[str, Any], list[str]]:
    """Make dates of dates and text of names; say which could not be understood."""
    metadata: dict[str, Any] = {}
    notes: list[str] = []
    for key, value in values.items():
        if value is None or value == "" or key in _RESERVED:
            continue
        if key in _TEXT_KEYS:
            metadata[key] = str(value).strip()
        elif _DATE_KEY.fullmatch(key):
            metadata[key] = parse_date(value)
            if metadata[key] is None:
                notes.append(f"{key} {value!r} names no certain day, so it is unknown")
        else:
            try:
                metadata.update(to_metadata({key: value}))
            except ValueError as problem:
                notes.append(f"front matter left out: {problem}")
    if "effective_date" not in values:
        metadata["effective_date"] = _stated_day(metadata, text)
    return {key: value for key, value in metadata.items() if value is not None}, notes


def _stated_day(metadata: dict[str, Any], text: str) -> date | None:
    return metadata.get("published") or metadata.get("date") or find_effective_date(text)
