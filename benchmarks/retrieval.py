"""Recall of the three search strategies on the company's questions: python benchmarks/retrieval.py

A question is found at k when the chunks that hold its gold quotes, as far as they are among the
first k, state every gold fact between them. A follow-up is searched in its self-contained form.
"Same words" leaves out the questions of the trap `vocabulary`, which ask in words that the pages do
not use. Tuned on `practice`; `exam` is only scored.
"""

from __future__ import annotations

import argparse
from typing import get_args

from ragkit.components.follow_ups import self_contained
from ragkit.config import IndexConfig, Strategy
from ragkit.corpus import company_corpus
from ragkit.evaluation.gold import relevant_ids, stated
from ragkit.evaluation.questions import Question, load_questions
from ragkit.evaluation.stats import wilson
from ragkit.index import Index, build_index

CUTS = (1, 4, 6, 10)
SEARCHES = (*get_args(Strategy), "fusion")


def found_at(index: Index, question: Question, strategy: Strategy) -> int | None:
    """Return the smallest k at which the question is found, None above the largest cut."""
    relevant = relevant_ids(question, index.documents())
    facts: set[int] = set()
    query = self_contained(question.question, question.history)
    for rank, document in enumerate(index.search(query, max(CUTS), strategy), start=1):
        if document["id"] in relevant:
            facts.update(stated(document["content"], question.facts))
            if len(facts) == len(question.facts):
                return rank
    return None


def main() -> None:
    """Print recall at several k for both halves."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--half", choices=["practice", "exam"], action="append")
    parser.add_argument("--misses", action="store_true", help="list what hybrid misses at 6")
    options = parser.parse_args()
    documents = company_corpus().documents
    index = build_index(documents)
    # the same without the last step, late interaction
    fusion = build_index(documents, config=IndexConfig(rerank_pool=0))
    for half in options.half or ["practice", "exam"]:
        questions = [q for q in load_questions(half=half) if q.answered_by == "kb"]
        print(f"{half}: {len(questions)} questions with an answer in {len(index)} chunks")
        for search in SEARCHES:
            searched, strategy = (fusion, "hybrid") if search == "fusion" else (index, search)
            ranks = [found_at(searched, question, strategy) for question in questions]
            print(f"  {search:10}", *(_cell(ranks, cut) for cut in CUTS), sep="  ")
            if search == "hybrid":
                same = [r for r, q in zip(ranks, questions, strict=True) if q.trap != "vocabulary"]
                print(f"  {'same words':10}", *(_cell(same, cut) for cut in CUTS), sep="  ")
            if options.misses and search == "hybrid":
                for question, rank in zip(questions, ranks, strict=True):
                    if rank is None or rank > 6:
                        print(f"    missed {question.id} ({question.trap}): {question.question}")


def _cell(ranks: list[int | None], cut: int) -> str:
    found = sum(rank is not None and rank <= cut for rank in ranks)
    low, high = wilson(found, len(ranks))
    return f"@{cut} {found}/{len(ranks)} = {found / len(ranks):.3f} ({low:.2f} to {high:.2f})"


if __name__ == "__main__":
    main()
