"""Who does what to whom: the same words, with two of them exchanged, say something else.

"The bank pays the customer" has every word of "The customer pays the bank"; so has "from 10 to 5"
of "from 5 to 10". A rule of the citation checker (audited-rollback article, section 5).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ragkit.components.statements import Statement, Token, canonical
from ragkit.components.text import word_set

_LONGEST_PART = 3
_MOST_WORDS = 40
# words that tell how the words around them hang together
_RELATING = word_set(
    "from to into before after above below over under than by via through until first then more "
    "less fewer"
)
_BE = word_set("is are was were be been being gets got")
# what holds either way round
_SYMMETRIC = frozenset(
    canonical(word).stem
    for word in word_set(
        "same identical equal equals equivalent alike similar between both together versus meet "
        "met marry married merge merged border match differ share shared sibling tie tied either"
    )
)
_LIST = re.compile(r"\s*(?:,|/|\band\b|\bor\b|&)\s*")
_ITEM_WORDS = 2

Words = tuple[Token, ...]


def swapped_roles(claim: Statement, said: Statement) -> list[str]:
    """Name the two parts that the claim has exchanged, [] if it keeps the order of the source.

    Only a claim whose words all stand in the source is looked at. Items of one list, and the two
    sides of "same", "between" and the like, may change places.
    """
    for left, right, turned in _exchanges(claim, said):
        if turned == 0 and not _listed(claim, left, right):
            pair = (" ".join(token.text for token in part) for part in (left, right))
            return [f"roles: “{'” and “'.join(pair)}” have changed places"]
    return []


def is_converse(claim: Statement, said: Statement) -> bool:
    """Tell whether parts are exchanged and one word turned: "B after A" is "A before B"."""
    return any(turned == 1 for *_, turned in _exchanges(claim, said))


def _exchanges(claim: Statement, said: Statement) -> Iterator[tuple[Words, Words, int]]:
    """Yield the two parts of each exchange that makes the claim what the source says.

    The last value counts the words that stand in the claim as their opposite.
    """
    claimed, source = _active(_words(claim)), _active(_words(said))
    if claim.stems & _SYMMETRIC or not 3 <= len(claimed) <= _MOST_WORDS:
        return
    if Counter(t.stem for t in claimed) - Counter(t.stem for t in source):
        return
    if any(_turned(_words(claim), said) is not None for said in (source, _words(said))):
        return
    if _turned(claimed, source) is not None:
        return
    for exchanged, left, right in _each_exchange(claimed):
        if (turned := _turned(exchanged, source)) is not None:
            yield left, right, turned


def _words(statement: Statement) -> Words:
    """Return the words that carry the statement: content, what relates it, and "is"."""
    kept = _RELATING | _BE
    return tuple(t for t in statement.tokens if t.content or t.text.lower() in kept)


def _active(words: Words) -> Words:
    """Turn the first "X is replaced by Y" round, to "Y replaced X"; leave out "is" and "was"."""
    plain = tuple(token for token in words if token.text.lower() not in _BE)
    for index, token in enumerate(words[:-3]):
        verb, by = words[index + 1], words[index + 2]
        if index and token.text.lower() in _BE and by.text.lower() == "by":
            if verb.text.lower() in _RELATING:
                continue
            start = _clause_start(words, index)
            end = _agent_end(words, index + 3)
            agent, subject = words[index + 3 : end], words[start:index]
            turned = (*words[:start], *agent, verb, *subject, *words[end:])
            return tuple(t for t in turned if t.text.lower() not in _BE)
    return plain


def _clause_start(words: Words, index: int) -> int:
    start = index
    while start and words[start - 1].clause == words[index].clause:
        start -= 1
    return start


def _agent_end(words: Words, start: int) -> int:
    """Return where the words after "by" end: at the next relating word or the clause's end."""
    end = start
    while end < len(words) and words[end].clause == words[start].clause:
        if words[end].text.lower() in _RELATING:
            break
        end += 1
    return end


def _turned(claimed: Sequence[Token], source: Sequence[Token]) -> int | None:
    """Count the words turned into their opposite, None if the source has another order."""
    count, place = 0, 0
    for token in claimed:
        if token.text.lower() in _BE:
            continue
        while place < len(source) and source[place].stem != token.stem:
            place += 1
        if place == len(source):
            return None
        count += source[place].opposite != token.opposite
        place += 1
    return count


def _each_exchange(words: Words) -> Iterator[tuple[Words, Words, Words]]:
    """Yield the words with two parts exchanged that do not touch: up to three words of content."""
    size = len(words)
    content = [token.text.lower() not in _RELATING for token in words]
    for start in range(size):
        for end in range(start + 1, min(start + _LONGEST_PART, size) + 1):
            for other in range(end + 1, size):
                for stop in range(other + 1, min(other + _LONGEST_PART, size) + 1):
                    if not all((*content[start:end], *content[other:stop])):
                        continue
                    left, right = words[start:end], words[other:stop]
                    rest = words[end:other]
                    yield (*words[:start], *right, *rest, *left, *words[stop:]), left, right


def _listed(claim: Statement, left: Words, right: Words) -> bool:
    """Tell whether two parts are items of one list: commas, "and", "or" and short items between."""
    first, last = sorted((left, right), key=lambda part: part[0].start)
    between = claim.text[first[-1].start + len(first[-1].text) : last[0].start]
    head, *items = (part.lower().split() for part in _LIST.split(between))
    short = all(len(item) <= _ITEM_WORDS and not _RELATING & {*item} for item in items)
    return not head and bool(items) and short
