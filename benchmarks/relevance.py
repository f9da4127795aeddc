"""Measure the offline grader beside two baselines, on the company's questions and on public sets.

    python benchmarks/relevance.py [--half exam] [--data DIR]

Prints a table: set, pairs, AUROC with its interval (by question), balanced accuracy, calibration
error (mean gap of stated probability and share of relevant texts, in ten bins), and the AUROC of
plain word overlap and of the plain cosine. DIR holds the public labelled sets; absent sets are
left out. The public sets are practice: the grader was fitted on them too, see
benchmarks/fit_grader.py for figures out of fold. Strips have precision and recall.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragkit.components.graders import RelevanceGrader, offline_graders
from ragkit.embedding import default_embedder
from ragkit.evaluation.stats import auroc, balanced_accuracy, calibration_error

PUBLIC = ("rgb_fact_en", "clapnq", "ramdocs", "dynamicqa")
STRIPS = ("clapnq", "wice", "fm2")


@dataclass(frozen=True)
class Pair:
    """A question, a text, whether the text answers it, and the question's name."""

    question: str
    text: str
    relevant: bool
    group: str


def read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def company(half: str) -> tuple[Any, list[Pair]]:
    from ragkit.evaluation.components import _gradable, judge_pools, prepare
    from ragkit.evaluation.questions import load_questions
    from ragkit.kit import offline_kit

    kit = offline_kit()
    shelf = {document["id"]: document["content"] for document in kit.retriever.documents()}
    pairs = [
        Pair(question.question, shelf[judged.document_id], judged.relevant, question.id)
        for question in _gradable(prepare(kit, load_questions(None, half)))
        for judged in judge_pools(kit, [question])
    ]
    return kit.grader, pairs


def row(name: str, grader: RelevanceGrader, pairs: Sequence[Pair]) -> str:
    labels = [pair.relevant for pair in pairs]
    groups = [pair.group for pair in pairs]
    scores = [grader.probability(pair.question, pair.text)[0] for pair in pairs]
    said = [score >= grader.config.threshold for score in scores]
    plain = [baselines(grader, pair) for pair in pairs]
    figures = [
        str(auroc(labels, scores, groups)),
        f"{balanced_accuracy(labels, said, groups).value:.3f}",
        f"{calibration_error(labels, scores):.3f}",
        f"{auroc(labels, [overlap for overlap, _ in plain], groups).value:.3f}",
        f"{auroc(labels, [cosine for _, cosine in plain], groups).value:.3f}",
    ]
    return f"| {name} | {len(pairs)} | {' | '.join(figures)} |"


def baselines(grader: RelevanceGrader, pair: Pair) -> tuple[float, float]:
    from ragkit.components.features import covered

    asked, read = grader.reader.ask(pair.question), grader.reader.read(pair.text)
    return covered(asked, read.stems), float(read.vector @ asked.vector)


def strip_rows(grader: RelevanceGrader, folder: Path, limit: int) -> Iterator[str]:
    for name in STRIPS:
        kept = right = wanted = total = 0
        for record in read_lines(folder / "strips" / f"{name}.jsonl")[:limit]:
            for place, strip in enumerate(record["strips"]):
                text = f"# {record['title']}\n\n{strip}"
                score = grader.probability(record["query"], text)[0] if strip.strip() else 0.0
                chosen, keep = score >= grader.config.threshold, place in record["keep"]
                kept, wanted, total = kept + chosen, wanted + keep, total + 1
                right += chosen and keep
        if total:
            yield (
                f"| {name} | {total} | {right}/{kept} = {right / max(1, kept):.3f} "
                f"| {right}/{wanted} = {right / max(1, wanted):.3f} | {1 - kept / total:.0%} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("practice", "exam"), default="exam")
    parser.add_argument("--data", type=Path, help="folder of the public labelled sets")
    parser.add_argument("--strips", type=int, default=60, help="records of each strip set")
    options = parser.parse_args()
    folder = options.data or Path("nowhere")
    print("| set | pairs | AUROC | balanced accuracy | ECE | word overlap | cosine |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    grader, pairs = company(options.half)
    print(row(f"company, {options.half}", grader, pairs), flush=True)
    general, strip_grader = offline_graders(default_embedder())
    for name in PUBLIC:
        records = read_lines(folder / "relevance" / f"{name}.jsonl")
        pairs = [Pair(r["question"], r["text"], bool(r["relevant"]), r["group"]) for r in records]
        if pairs:
            print(row(name, general, pairs), flush=True)
    print("\n| strips of | strips | precision | recall | left out |")
    print("| --- | --- | --- | --- | --- |")
    for line in strip_rows(strip_grader, folder, options.strips):
        print(line, flush=True)


if __name__ == "__main__":
    main()
