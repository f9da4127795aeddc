"""The table in the README is made from a kept results file, never typed."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ragkit.evaluation.report import results_markdown

HEADLINES = (
    "answered and supported", "unsupported answers", "correct abstention", "false abstention",
    "groundedness", "citation accuracy", "stale answers", "conflicts handled",
    "correct escalation", "context tokens", "USD a question",
)  # fmt: skip
_BLOCK = re.compile(r"(<!-- ladder -->\n).*?(<!-- /ladder -->)", re.DOTALL)


def readme_table(results: str | Path) -> str:
    """Return the README's table with the line that says what it was measured with."""
    about = json.loads(Path(results).read_text(encoding="utf-8"))["about"]
    said = f"{about['title']} · {about['date']} · seed {about['seed']} · ragkit {about['ragkit']}"
    legend = "▲ clearly better than the first rung, ▼ clearly worse (paired bootstrap, 95 %)"
    return f"{results_markdown(results, HEADLINES)}\n<sub>{said}. {legend}.</sub>\n"


def insert_table(text: str, table: str) -> str:
    """Return a text with the table between its ladder marks.

    Raises ValueError when the text has no marks `<!-- ladder -->` and `<!-- /ladder -->`.
    """
    if not _BLOCK.search(text):
        raise ValueError("no place for the table: add <!-- ladder --> and <!-- /ladder --> lines")
    return _BLOCK.sub(lambda found: found[1] + table + found[2], text)
