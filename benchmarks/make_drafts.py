"""Make data/drafts.jsonl: faulty drafts with clean twins. `--check` only compares with the file."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from ragkit import data_dir
from ragkit.corpus import company_corpus
from ragkit.evaluation.drafts import load_drafts, make_drafts, write_drafts
from ragkit.evaluation.questions import load_questions


def main() -> int:
    """Write the drafts, or tell whether the file holds just what would be written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=data_dir() / "drafts.jsonl")
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if it differs")
    options = parser.parse_args()
    drafts = make_drafts(company_corpus(), load_questions())
    if options.check:
        same = load_drafts(options.out) == drafts
        print("up to date" if same else f"{options.out} differs: run benchmarks/make_drafts.py")
        return 0 if same else 1
    write_drafts(drafts, options.out)
    for (half, kind), count in sorted(Counter((d.half, d.kind) for d in drafts).items()):
        print(f"{half:9} {kind:18} {count:4}")
    print(f"{len(drafts)} drafts written to {options.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
