"""What the corpus calls things: its own definitions turn a user's word into its term.

"**Statement**: the invoice for one cycle" says that who asks for an invoice means a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ragkit.components.text import content_words, stem, stems
from ragkit.records import Document

_DEFINED = re.compile(r"^[\s>*-]*\*\*([^*\n]{2,40})\*\*\s*(?::|–|—| - )\s*(\S.*)$", re.MULTILINE)
_ARTICLE = re.compile(r"(?:the|an?|one|any|each|every)\s+", re.IGNORECASE)
# where the first noun phrase of a definition ends
_END = re.compile(
    r"[^\w\s'’/-]|\b(?:that|which|who|whose|where|with|without|of|for|from|by|to|in|on|at|until|up"
    r"|during|and|or|is|are|was|were|has|have|may|can|must|left|normally)\b",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"\b(?:also (?:called|known as)|(?:many|most|some) [\w ]{3,20} call|known elsewhere as)"
    r"\s+(?:an?\s+|the\s+)?([\w'’-]+(?: [\w'’-]+)?)(?=[\s,.;)])",
    re.IGNORECASE,
)
# a word by itself, no part of a code, a name with a hyphen or an address
_WORD = re.compile(r"(?<![\w@/.-])[^\W\d_]+(?![\w@/]|[.-]\w)")


class Glossary:
    """A corpus's terms, by the words that its definitions explain them with.

    Read are lines such as `**Term**: the definition`; the last word of the noun phrase it begins
    with, and what is "also called" so, stand for the term. A word that the corpus uses itself,
    in more than the share `foreign` of the documents that have the term, is no translation: "line"
    does not mean every line there is.
    """

    def __init__(self, documents: Iterable[Document], foreign: float) -> None:
        texts = list(dict.fromkeys(document["content"] for document in documents))
        said = [frozenset(stems(text)) for text in texts]
        self._terms: dict[str, str] = {}
        for text in texts:
            for term, word in definitions(text):
                uses = sum(stem(word) in some for some in said)
                if uses <= foreign * sum(set(stems(term)) <= some for some in said):
                    self._terms.setdefault(stem(word), term)

    def translations(self, question: str) -> dict[str, str]:
        """Return the words of a question that the corpus has a term for, and the terms.

        A term that the question already uses is left out.
        """
        asked = set(stems(question))
        found = {word: self._terms.get(stem(word.lower())) for word in _WORD.findall(question)}
        return {word: term for word, term in found.items() if term and not set(stems(term)) & asked}

    def translated(self, question: str) -> str:
        """Return the question with the corpus's term in brackets after each word it translates."""
        terms, said = self.translations(question), set[str]()

        def explained(match: re.Match[str]) -> str:
            term = terms.get(match[0])
            if term is None or term in said:
                return match[0]
            said.add(term)
            return f"{match[0]} ({term})"

        return _WORD.sub(explained, question)


def definitions(text: str) -> Iterator[tuple[str, str]]:
    """Give each term that a text defines with each word that stands for it."""
    for match in _DEFINED.finditer(text):
        term, meaning = match[1].strip(), match[2]
        found = [content_words(also[1]) for also in _ALSO.finditer(meaning)]
        if article := _ARTICLE.match(meaning):
            found.append(content_words(_END.split(meaning[article.end() :], maxsplit=1)[0]))
        for words in found:
            if words and stem(words[-1]) not in stems(term):
                yield term, words[-1]
