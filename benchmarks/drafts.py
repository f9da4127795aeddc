"""Measure the citation checker on the labelled drafts: escapes by kind of fault, false alarms.

    python benchmarks/drafts.py [--half practice] [--missed]

An escape is a faulty draft that passes, a false alarm a clean twin that does not. `--missed` prints
them; leave it off on the half that is only scored.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from tqdm import tqdm

from ragkit.components.citations import OfflineChecker
from ragkit.corpus import company_corpus
from ragkit.evaluation.drafts import LabelledDraft, load_drafts
from ragkit.evaluation.figures import Figure, table
from ragkit.evaluation.stats import Share


@dataclass(frozen=True)
class Checked:
    """A draft with what the checker said of it and of its clean twin."""

    draft: LabelledDraft
    escaped: bool
    alarmed: bool


def check(drafts: Sequence[LabelledDraft], checker: OfflineChecker) -> list[Checked]:
    """Check every draft and its twin over the documents that were shown for both."""
    pages = {document["id"]: document for document in company_corpus().documents}

    def passes(draft: LabelledDraft, text: str) -> bool:
        records = checker(draft.question, text, [pages[key] for key in draft.documents])
        return bool(records) and not any(record.fix_required for record in records)

    return [
        Checked(draft, passes(draft, draft.draft), not passes(draft, draft.clean))
        for draft in tqdm(drafts, desc="drafts", disable=None)
    ]


def figures(checked: Sequence[Checked]) -> list[Figure]:
    """Return escapes by kind and over all, and false alarms on each distinct clean twin."""
    found = []
    for kind in dict.fromkeys(one.draft.kind for one in checked):
        hits = [one.escaped for one in checked if one.draft.kind == kind]
        found.append(Figure("escapes", kind.replace("_", " "), Share(sum(hits), len(hits))))
    found.append(
        Figure("escapes", "all kinds", Share(sum(c.escaped for c in checked), len(checked)))
    )
    twins = {(one.draft.clean, one.draft.documents): one.alarmed for one in checked}
    found.append(Figure("clean twins", "false alarms", Share(sum(twins.values()), len(twins))))
    return found


def main() -> None:
    """Print the table, and what was missed if asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("practice", "exam"), default="exam")
    parser.add_argument("--missed", action="store_true", help="print escapes and false alarms")
    options = parser.parse_args()
    checked = check(load_drafts(half=options.half), OfflineChecker())
    Console().print(table(figures(checked), f"labelled drafts · {options.half}"))
    for one in checked if options.missed else ():
        if one.escaped:
            print(f"escaped: {one.draft.kind}, {one.draft.fault}: {one.draft.draft}")
        if one.alarmed:
            print(f"false alarm: {one.draft.clean}")


if __name__ == "__main__":
    main()
