"""The company's pages and questions, read plainly and without the package's own parsers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

import yaml

import ragkit

DATA = ragkit.data_dir()
DATE_FORMS = ("%d %B %Y", "%d %b %Y", "%B %d, %Y")


@dataclass(frozen=True)
class Page:
    source: str
    meta: dict[str, Any]
    text: str

    @property
    def logical(self) -> tuple[str, str]:
        """Editions of one page carry the same title and product."""
        return self.meta["title"], self.meta["product"]

    @property
    def day(self) -> date | None:
        value = self.meta.get("effective_date")
        if value is None or isinstance(value, date):
            return value
        for form in DATE_FORMS:
            try:
                return datetime.strptime(value, form).date()
            except ValueError:
                continue
        raise ValueError(f"{self.source}: effective_date {value!r} is in no known form")


@cache
def pages(folder: str) -> dict[str, Page]:
    found = {}
    for path in sorted((DATA / folder).glob("*.md")):
        text = path.read_text(encoding="utf-8")
        _, front, _ = text.split("---\n", 2)
        found[f"{folder}/{path.name}"] = Page(f"{folder}/{path.name}", yaml.safe_load(front), text)
    return found


@cache
def questions() -> tuple[dict[str, Any], ...]:
    lines = (DATA / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def page_of(source: str) -> Page:
    return {**pages("kb"), **pages("web")}[source]


def states(text: str, spelling: str) -> bool:
    """Tell whether the text states the fact, so that $49 is not found in $499 or $49.50."""
    exact = re.escape(spelling)
    before = r"(?<![\d.,])" if spelling[0].isdigit() else r"(?<!\w)"
    after = r"(?!\d|[.,]\d)" if spelling[-1].isdigit() else r"(?!\w)"
    return re.search(before + exact + after, text, re.IGNORECASE) is not None


def states_any(text: str, spellings: list[str]) -> bool:
    return any(states(text, spelling) for spelling in spellings)


def of_trap(*traps: str) -> list[dict[str, Any]]:
    return [question for question in questions() if question["trap"] in traps]
