"""Long texts cut into windows that the small model can read whole, the best few kept."""

from __future__ import annotations

from collections.abc import Sequence

from ragkit.components.text import stems
from ragkit.splitting import split_markdown, split_text

QUESTION_CHARACTERS = 1_500


def windows(question: str, text: str, tokens: int, limit: int) -> list[str]:
    """Return the windows of a text that may answer the question, in reading order.

    A text of up to `tokens` is one window. Of a longer text, at most `limit` windows with the most
    words of the question are kept, so that an answer in the middle of a book is found.
    """
    if len(text) <= tokens * 3:
        return [text] if text.strip() else []
    pieces = split_markdown(text, tokens) or split_text(text, tokens)
    cut = [_with_path(piece.path, piece.text) for piece in pieces if piece.text.strip()]
    if len(cut) <= limit:
        return cut or [text[: tokens * 6]]
    asked = set(stems(question))
    return _best(cut, asked, limit)


def shortened(question: str) -> str:
    """Return a question of sane length: of an endless one its first and last words."""
    question = question.replace("\x00", " ")
    if len(question) <= QUESTION_CHARACTERS:
        return question
    half = QUESTION_CHARACTERS // 2
    return f"{question[:half]} {question[-half:]}"


def _best(cut: Sequence[str], asked: set[str], limit: int) -> list[str]:
    found = [asked & set(stems(window)) for window in cut]
    spread = {stem: sum(stem in have for have in found) for stem in asked}
    weight = [sum(1 / spread[stem] for stem in have) for have in found]
    best = sorted(range(len(cut)), key=lambda place: (-weight[place], place))[:limit]
    return [cut[place] for place in sorted(best)]


def _with_path(path: Sequence[str], text: str) -> str:
    return f"# {' > '.join(path)}\n\n{text}" if path else text
