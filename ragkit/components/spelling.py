"""Put misspelt words right: towards the corpus's own words first, then towards common English."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from ragkit.components.frequency import common_words, ranks
from ragkit.components.text import STOP_WORDS, entities, word_set

_WORD = re.compile(r"[^\W\d_]{3,30}")
_ANY_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE = 4  # so many words without a function word are no English
_SIMILAR = 0.7
_LONG = 8
_OWN_WORD = 0.1
_SAME_LETTERS = 0.05
_RARITY = 0.02
_MOSTLY = 0.7  # the share of known words from which a corrected text is English
_FREQUENT = 4_000  # ranks below this are everyday words
# words of software support that are in no English word list
_FAMILIAR = word_set(
    "admin admins analytics api apis backend browser checkout config dashboard dashboards dataset "
    "dropdown faq firewall frontend invoice invoices invoiced kubernetes login logins "
    "logout malware "
    "metadata middleware offline online overage payload plugin plugins proxy refund "
    "refunded refunds "
    "reseller rollback runtime saas sandbox sdk signin signup smtp sso subdomain timeout timeouts "
    "timestamp tutorial unsubscribe uptime username vpn webhook webhooks website workflow workspace"
)


@lru_cache(1)
def english_words() -> frozenset[str]:
    """Return about 160,000 English words in lower case, inflected forms among them."""
    from spellchecker import SpellChecker

    return frozenset(SpellChecker(language="en").word_frequency.words())


class Speller:
    """Corrects single words; `counts` are the corpus's words with their document counts.

    A word that the corpus or common English knows stays, and so do codes, names and quoted text.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = {word: count for word, count in counts.items() if word.isalpha()}
        self.known = english_words() | common_words() | STOP_WORDS | _FAMILIAR | self.counts.keys()
        everyday = {word for word in common_words() if len(word) > 3 and ranks()[word] < _FREQUENT}
        self._by_length: dict[int, list[str]] = {}
        for word in sorted(everyday | self.counts.keys() | STOP_WORDS):
            self._by_length.setdefault(len(word), []).append(word)
        self.word = lru_cache(8192)(self._word)

    def corrected(self, text: str) -> str:
        """Return the text with its misspelt words put right; unchanged where nothing is close.

        A text of another language stays: one that has no English function word, or whose words
        would mostly be no English words after all.
        """
        said = [word.lower() for word in _ANY_WORD.findall(text)]
        if len(said) >= _SENTENCE and not STOP_WORDS & set(said):
            return text
        kept = {part.lower() for name in entities(text) for part in _WORD.findall(name)}
        right = {word: self.word(word) for word in _WORD.findall(text) if word.lower() not in kept}
        english = [self._is_word(word.lower()) for word in right.values()]
        if sum(english) < _MOSTLY * len(english):
            return text
        return _WORD.sub(lambda match: right.get(match[0], match[0]), text)

    def _word(self, written: str) -> str:
        word = written.lower()
        if self._is_word(word):
            return written
        allowed = 1 if len(word) < _LONG else 2
        near = [w for n in range(len(word) - 2, len(word) + 3) for w in self._by_length.get(n, ())]
        found = process.extract(
            word, near, scorer=OSA.normalized_similarity, score_cutoff=_SIMILAR, limit=30
        )
        close = [
            (self._likely(word, other, similar), other)
            for other, similar, _ in found
            if OSA.distance(word, other) <= allowed
            and (other[0] == word[0] or OSA.distance(word, other) == 1)
        ]
        return max(close)[1] if close else written

    def _is_word(self, word: str) -> bool:
        """Tell whether a word is known, or made of two known ones ("downgrade")."""
        if word in self.known or (word.endswith("s") and word[:-1] in self.known):
            return True
        cuts = range(4, len(word) - 3)
        return any(word[:cut] in self.known and word[cut:] in self.known for cut in cuts)

    def _likely(self, word: str, other: str, similar: float) -> float:
        own = _OWN_WORD if other in self.counts else 0.0
        turned = _SAME_LETTERS if sorted(other) == sorted(word) else 0.0
        rank = ranks().get(other, len(ranks()))
        return similar + own + turned - _RARITY * math.log(rank + 1)
