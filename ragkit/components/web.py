"""Web search as a component: found, empty or failed, and never an error that looks like a page.

The default is a recorded search over a folder of pages; live searches are in `web_live`. Whatever
comes back is untrusted text: it is marked `kind: "web"`, graded like any document, and shown with
its address.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from ragkit.config import WebConfig
from ragkit.dates import parse_date
from ragkit.deadlines import within
from ragkit.kit import WebSearch
from ragkit.records import Document, WebResult
from ragkit.redact import describe, redact

_TEXT_KEYS = ("content", "raw_content", "snippet", "body", "text", "page_content")
_URL_KEYS = ("url", "link", "href", "source")
_ERROR = re.compile(
    r"^\W*(\w*(error|exception)\b|http\s*(error)?\s*[45]\d\d|[45]\d\d\s|(request\s+)?timed?\s?out"
    r"|rate\s?limit|unauthori[sz]ed|forbidden|invalid api key|access denied|too many requests)",
    re.IGNORECASE,
)


class RecordedWeb:
    """Search recorded pages: any retriever over them, e.g. an index of `data/web`."""

    def __init__(self, retriever: Callable[..., list[Document]]) -> None:
        self._retriever = retriever

    def __call__(self, query: str, k: int) -> WebResult:
        documents = [as_page(document) for document in self._retriever(query, k, "hybrid")]
        return WebResult(outcome="found" if documents else "empty", documents=tuple(documents))


@lru_cache(maxsize=1)
def recorded_web() -> RecordedWeb:
    """Return the search over the recorded pages that come with the package."""
    from ragkit.corpus import web_corpus
    from ragkit.index import build_index

    return RecordedWeb(build_index(web_corpus().documents, name="recorded-web"))


def adapt(
    search: Callable[[str, int], Any], config: WebConfig | None = None, name: str = "web search"
) -> WebSearch:
    """Return a web component around any search function `search(query, k)`.

    The function may return a list of records, one record, JSON text, or text; it may raise, hang,
    or return an error as text. Only records with text become documents.
    """
    settings = config or WebConfig()

    def component(query: str, k: int) -> WebResult:
        try:
            found = within(settings.timeout_s, lambda: search(query, k))
        except Exception as error:
            return WebResult(outcome="failed", detail=f"{name}: {describe(error)}")
        return read_results(found, k, settings)

    return component


def read_results(found: Any, k: int, config: WebConfig | None = None) -> WebResult:
    """Return what a search tool brought as documents, or say that it brought none or failed."""
    settings = config or WebConfig()
    records, problem = _records(found)
    if problem:
        return WebResult(outcome="failed", detail=redact(problem)[:200])
    pages = [page for record in records if (page := _page(record, settings)) is not None]
    unique = {page["id"]: page for page in pages}
    if not unique:
        return WebResult(outcome="empty", detail="no page with text")
    return WebResult(outcome="found", documents=tuple(unique.values())[: max(k, 0)])


def as_page(document: Document) -> dict[str, Any]:
    """Return a document marked as coming from the web, dated by when it was published."""
    metadata = dict(document.get("metadata", {}))
    published = parse_date(metadata.get("effective_date") or metadata.get("published"))
    dated = {"effective_date": published.isoformat()} if published else {}
    return {
        "id": document["id"],
        "content": document["content"],
        "metadata": {**metadata, **dated, "kind": "web"},
    }


def _records(found: Any) -> tuple[list[Any], str]:
    if found is None or found == "":
        return [], ""
    if isinstance(found, (bytes, bytearray)):
        found = bytes(found).decode("utf-8", "replace")
    if isinstance(found, str):
        return _from_text(found)
    if isinstance(found, Mapping):
        if problem := found.get("error"):
            return [], f"the search answered with an error: {problem}"
        nested = found.get("results", found.get("organic", found.get("items")))
        return (list(nested), "") if isinstance(nested, list) else ([found], "")
    if isinstance(found, Iterable):
        records = list(found)
        errors = [r for r in records if isinstance(r, str) and _ERROR.match(r)]
        return ([], f"the search answered with an error: {errors[0]}") if errors else (records, "")
    return [], f"the search returned {type(found).__name__}, not results"


def _from_text(text: str) -> tuple[list[Any], str]:
    stripped = text.strip()
    if stripped[:1] in "[{":
        try:
            return _records(json.loads(stripped))
        except ValueError:
            pass
    if _ERROR.match(stripped):
        return [], f"the search answered with an error: {stripped}"
    if re.match(r"<(!doctype|html|head|body)\b", stripped, re.IGNORECASE):
        return [], "the search answered with an HTML page instead of results"
    return [{"content": stripped}], ""


def _page(record: Any, config: WebConfig) -> dict[str, Any] | None:
    if hasattr(record, "page_content"):
        record = {"content": record.page_content, **record.metadata}
    if isinstance(record, str):
        record = {"content": record}
    if not isinstance(record, Mapping):
        return None
    text = _first(record, _TEXT_KEYS)
    url = _first(record, _URL_KEYS)
    if not text or (not url and _ERROR.match(text)):
        return None
    content = _plain(text)[: config.max_characters].strip()
    if not content:
        return None
    title = _plain(str(record.get("title") or url or "web page"))
    digest = hashlib.sha256(f"{url}\n{content}".encode("utf-8", "replace")).hexdigest()
    published = record.get("published") or record.get("published_date") or record.get("date")
    metadata = {"title": title, "source": url or "web", "url": url, "published": published}
    known = {key: str(value) for key, value in metadata.items() if value}
    return as_page({"id": f"web#{digest[:12]}", "content": content, "metadata": known})


def _first(record: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next(
        (record[k] for k in keys if isinstance(record.get(k), str) and record[k].strip()), ""
    )


def _plain(text: str) -> str:
    """Return text without HTML tags, scripts and entities."""
    if not re.search(r"<[a-zA-Z/!]", text):
        return html.unescape(text)
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(text, "html.parser")
    for tag in soup(["script", "style", "noscript", "template"]):
        tag.decompose()
    return re.sub(r"\n{3,}", "\n\n", soup.get_text("\n")).strip()
