"""Table lookups by rules: the row whose key a question names, with a column that it names too."""

from __future__ import annotations

from functools import lru_cache

from ragkit.components.answer_types import ANSWER_TYPES, answer_met, answer_type
from ragkit.components.sentences import Sentence
from ragkit.components.text import content_words, stem, stems, word_set

# what only says which kind of answer is wanted
_ASKING = frozenset(
    stem(word)
    for word in word_set(
        "many much long often cost costs price pay fee charge expensive exactly today"
    )
)
_TYPED = frozenset(ANSWER_TYPES) - {"why", "how", "yes_no", "what"}


def looks_up(question: str, row: Sentence) -> bool:
    """Tell whether a table row answers: it is named, and one of its columns is all else asked for.

    "How many seats does Growth include?" names the row Growth and the column "Seats included",
    whose cell must hold the kind of answer that is wanted. "How much is Growth?" names no column;
    the only one with an amount of money is meant.
    """
    if row.kind != "row" or len(row.cells) < 2 or len(row.columns) != len(row.cells):
        return False
    asked, kind = _asked(question), answer_type(question)
    key = frozenset(stems(row.cells[0]))
    if not key or not key <= asked:
        return False
    rest = asked - key - frozenset(stems(row.columns[0])) - _ASKING
    fits = [
        answer_met(kind, question, cell) if kind in _TYPED else 1.0
        for column, cell in zip(row.columns[1:], row.cells[1:], strict=True)
        if rest <= frozenset(stems(column))
    ]
    if not rest:
        return kind == "money" and fits.count(1.0) > 0
    return 1.0 in fits


@lru_cache(4096)
def _asked(question: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words(question[:400]))
