"""Words, stems, names: what the offline components see in a piece of text.

Rules only, no model. Everything works on any text: empty, one word, emoji, 50,000 characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import snowballstemmer

# a word keeps its inner joints: ERROR_302, don't, 99.9, sign-on, ledger.chargeback_booked
_WORD = re.compile(r"\w+(?:[._'’\-/:@]\w+)*")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


STOP_WORDS = word_set(
    "a about above across after again against all almost also although always am among an "
    "and another any anybody anyone anything are aren't as ask at away back be because been "
    "before being below between both but by can can't cannot could couldn't did didn't do "
    "does doesn't doing don't done down during each either else ever every everyone exactly "
    "few for from further get gets getting give go goes going got had has hasn't have "
    "haven't having he hello help her here hers hey hi him his how however i i'd i'll i'm "
    "i've if in instead into is isn't it it's its itself just know let let's like me might "
    "mine more most much must my myself need needs neither no nor not now of off ok okay on "
    "once one only onto or other our ours out over own per please possible quite rather "
    "really same see shall she should shouldn't since so some somebody someone something "
    "still such sure tell than thank thanks that that's the their theirs them then there "
    "there's these they they're this those though through thus to too toward towards under "
    "until up upon us very via want wants was wasn't way we we're were weren't what what's "
    "when when's where where's whether which while who who's whom whose why will with "
    "within without won't would wouldn't yes yet you you'd you'll you're you've your yours "
    "yourself"
)

_QUOTED = re.compile(
    r"\"([^\"\n]{1,120})\"|“([^”\n]{1,120})”|«([^»\n]{1,120})»|`([^`\n]{1,120})`"
    r"|(?<!\w)['‘]([^'’\n]{2,120})['’](?!\w)"
)
_ADDRESS = re.compile(
    r"https?://[^\s)>\]]+|(?<![\w.])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w.])/[\w/.-]+\w"
)
_NUMBER = re.compile(r"(?<![\w.])[vV]?\d[\d.,:/-]*\d(?![\w])|(?<![\w.])[vV]?\d+(?![\w])")
_CAPITALISED = re.compile(r"[A-ZÀ-ÖØ-Þ][\w’'&-]*")
_JOINTS = re.compile(r"[\s_\-–—/]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s+|\n\s*|[\"“(*]\s*)$")


def words(text: str) -> list[str]:
    """Return the words of a text in order, lower case, codes and versions whole."""
    return [match.lower().replace("’", "'") for match in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """Return the words that carry meaning: no stop words, in order, with repeats."""
    return [word for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word; anything else comes back as it is."""
    word = word.removesuffix("'s")
    return word if len(word) > 40 or not word.isalpha() else _stemmer().stemWord(word)


@cache
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


def stems(text: str) -> list[str]:
    """Return the stems of the content words, in order; a joined word also gives its parts.

    So "ERROR_302" in a page meets "error 302" in a question.
    """
    found: list[str] = []
    for word in content_words(text):
        found.append(stem(word))
        parts = re.split(r"[\W_]+", word)
        if len(parts) > 1 and not word.replace(".", "").isdigit():
            found += [stem(part) for part in parts if part and part not in STOP_WORDS]
    return found


def normalised(query: str) -> str:
    """Return the form in which two queries count as the same: case, spaces, end marks aside."""
    folded = unicodedata.normalize("NFKC", query).casefold()
    return " ".join(re.findall(r"[\w$€£%#+]+", folded))


def entities(text: str) -> list[str]:
    """Return what a rewrite must keep, as written, in order, without repeats (E1).

    Quoted text, addresses, codes (ERROR_302, AES-256), versions and numbers, ALL-CAPS words, proper
    names. A capital at the start of a sentence proves nothing and is not taken for a name, unless
    more capitals follow; a text written all in capitals has no ALL-CAPS words. Compatibility
    characters ("２", "㉠") are read as what they stand for.
    """
    text = unicodedata.normalize("NFKC", text)
    spans = _quoted_spans(text)
    spans += [(m.start(), m.end()) for m in _ADDRESS.finditer(text)]
    spans += _code_spans(text)
    spans += [(m.start(), m.end()) for m in _NUMBER.finditer(text)]
    spans += _name_spans(text)
    return _outermost(text, spans)


def _quoted_spans(text: str) -> list[tuple[int, int]]:
    spans = []
    for match in _QUOTED.finditer(text):
        group = next(i for i, part in enumerate(match.groups(), 1) if part is not None)
        if match.group(group).strip():
            spans.append(match.span(group))
    return spans


def _code_spans(text: str) -> list[tuple[int, int]]:
    spans = []
    for match in _WORD.finditer(text):
        word = match.group()
        mixed = any(c.isdigit() for c in word) and any(c.isalpha() for c in word)
        dotted = "_" in word.strip("_") or bool(re.search(r"[a-z]\.[a-z]", word))
        if (mixed and not _is_ordinal(word)) or dotted:
            spans.append(match.span())
    return spans


def _is_ordinal(word: str) -> bool:
    return bool(re.fullmatch(r"\d+(?:st|nd|rd|th|s)", word.lower()))


def _name_spans(text: str) -> list[tuple[int, int]]:
    shouted = _is_shouted(text)
    spans: list[tuple[int, int]] = []
    run: list[re.Match[str]] = []
    for match in [*_WORD.finditer(text), None]:
        if match is not None and _may_be_name(match.group()):
            if run and text[run[-1].end() : match.start()] != " ":
                spans += _close_run(text, run, shouted)
                run = []
            run.append(match)
            continue
        spans += _close_run(text, run, shouted)
        run = []
    return spans


def _is_shouted(text: str) -> bool:
    alphabetic = [word for word in _WORD.findall(text) if word.isalpha() and len(word) > 1]
    capitals = sum(word.isupper() for word in alphabetic)
    return len(alphabetic) > 3 and capitals > len(alphabetic) / 2


def _may_be_name(word: str) -> bool:
    if len(word) < 2 or not _CAPITALISED.fullmatch(word):
        return False
    return word.isupper() or word.lower() not in STOP_WORDS


def _close_run(text: str, run: Sequence[re.Match[str]], shouted: bool) -> list[tuple[int, int]]:
    if not run or shouted:
        return []
    if _SENTENCE_START.search(text[max(0, run[0].start() - 8) : run[0].start()]):
        first = run[0].group()
        acronym = first.isupper() and first.isalpha()
        if not acronym and (len(run) == 1 or first.lower() in _OPENERS):
            run = run[1:]
    return [(run[0].start(), run[-1].end())] if run else []


_OPENERS = word_set(
    "are can compare could define describe did do does explain find give how is list please "
    "regarding show summarise summarize tell what when where which who whose why will"
)


def _outermost(text: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    chosen: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, end))
    found = [text[start:end].strip(" .,;:") for start, end in chosen]
    return list({entity_key(name): name for name in reversed(found) if name}.values())[::-1]


def entity_key(text: str) -> str:
    """Return the form in which entities are compared: "ERROR_302" and "error 302" are one."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _JOINTS.sub(" ", folded).strip()


def holds_entity(text_key: str, entity: str) -> bool:
    """Tell whether a text, given as its `entity_key`, holds an entity as whole words."""
    key = entity_key(entity)
    return bool(re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text_key)) if key else True


def missing_entities(question: str, candidate: str) -> list[str]:
    """Return the entities of the question that the candidate dropped (audited-rollback, E1)."""
    text_key = entity_key(candidate)
    return [name for name in entities(question) if not holds_entity(text_key, name)]
