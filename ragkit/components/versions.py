"""Editions of one logical document, ordered by effective date and then by version (E3).

Dates and versions are compared as such, never as text. An edition without a date is neither the
oldest nor the newest: it supersedes nothing and nothing supersedes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cmp_to_key
from typing import Any

from packaging.version import Version

from ragkit.components.text import word_set
from ragkit.dates import parse_date, parse_version
from ragkit.records import Document

_EDITION_MARK = re.compile(
    r"[\s_.\-–—(\[]*(?:v(?:ersion)?[\s._-]?\d[\d.]*|(?:19|20)\d\d(?:[-_.]\d{1,2}){0,2}|\d+(?:\.\d+)+"
    r"|rev(?:ision)?[\s._-]?\d+|(?:old|new|draft|final|copy|archived?|superseded))[\s)\]]*",
    re.IGNORECASE,
)
_SMALL = word_set("the a an of and for to in on with")
_SUFFIX = re.compile(r"\.[a-z]{2,4}$", re.IGNORECASE)


@dataclass(frozen=True)
class Edition:
    """The chunks of one edition of a logical document, with its date and version if known."""

    documents: tuple[Document, ...]
    date: date | None
    version: Version | None

    @property
    def label(self) -> str:
        """Say which edition it is, for people."""
        if self.date:
            return self.date.isoformat()
        return f"version {self.version}" if self.version else "undated"


@dataclass(frozen=True)
class VersionGroup:
    """A logical document: its `editions`, newest first, and those that cannot be ordered."""

    name: str
    editions: tuple[Edition, ...]
    unordered: tuple[Edition, ...] = ()

    @property
    def newest(self) -> Edition | None:
        """The edition in force; None where none can be ordered."""
        return self.editions[0] if self.editions else None

    @property
    def superseded(self) -> tuple[Edition, ...]:
        """The editions that a newer one replaced."""
        first = self.editions[:1]
        return tuple(e for e in self.editions[1:] if all(precedes(e, newest) for newest in first))


def group_versions(documents: Iterable[Document]) -> list[VersionGroup]:
    """Group documents that are editions of one another; one group a logical document.

    Two chunks belong together when title and product agree once years and versions are taken out of
    the title; without a title the name of the source counts. Order and repeats do not matter.
    """
    by_name: dict[str, dict[str, Document]] = {}
    for document in documents:
        by_name.setdefault(logical_name(document), {})[document["id"]] = document
    return [
        _group(name, [chunks[key] for key in sorted(chunks)])
        for name, chunks in sorted(by_name.items())
    ]


def logical_name(document: Document) -> str:
    """Return what names a document whatever its edition: product and title without years."""
    meta = document.get("metadata") or {}
    title = str(meta.get("title") or "")
    if not title.strip():
        source = str(meta.get("source") or document["id"].partition("#")[0])
        title = _SUFFIX.sub("", source)
    bare = _EDITION_MARK.sub(" ", title.casefold())
    words = [word for word in re.findall(r"\w+", bare) if word not in _SMALL]
    product = str(meta.get("product") or "").casefold()
    return " ".join([product, *words]).strip() or document["id"]


def effective_date(document: Document) -> date | None:
    """Return the day from which a document is in force, None when it is unknown."""
    return parse_date((document.get("metadata") or {}).get("effective_date"))


def version_of(document: Document) -> Version | None:
    """Return a document's version, None when it is unknown."""
    return parse_version((document.get("metadata") or {}).get("version"))


def precedes(older: Edition, newer: Edition) -> bool:
    """Tell whether an edition is surely older than another: by date, then by version."""
    if older.date and newer.date and older.date != newer.date:
        return older.date < newer.date
    same_day = older.date == newer.date
    if same_day and older.version and newer.version:
        return older.version < newer.version
    return False


def _group(name: str, documents: Sequence[Document]) -> VersionGroup:
    found: dict[Any, list[Document]] = {}
    for document in documents:
        meta = document.get("metadata") or {}
        source = meta.get("source") or document["id"].partition("#")[0]
        found.setdefault((source, effective_date(document), version_of(document)), []).append(
            document
        )
    editions = [Edition(tuple(chunks), day, version) for (_, day, version), chunks in found.items()]
    if len(editions) == 1:
        return VersionGroup(name, tuple(editions))
    dated = [edition for edition in editions if edition.date]
    if not dated:
        dated = [edition for edition in editions if edition.version]
    rest = [edition for edition in editions if edition not in dated]
    return VersionGroup(name, tuple(sorted(dated, key=cmp_to_key(_newest_first))), tuple(rest))


def _newest_first(one: Edition, other: Edition) -> int:
    if precedes(one, other):
        return 1
    if precedes(other, one):
        return -1
    return -1 if one.documents[0]["id"] < other.documents[0]["id"] else 1
