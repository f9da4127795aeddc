"""Where the sentences of a draft end, by position, with the markers after a stop kept before it.

Rules for English with a little German, and for languages that put no space after 。！？.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_STOP = re.compile(r"[.!?…]+|[。！？]+|(?:\r\n?|\n)")
_SPACE = re.compile(r"\s*")
_BLANKS = re.compile(r"[ \t]*")
_CLOSERS = "\"'”’»)*_~」』）"
_OPENERS = "\"'“‘«([*_~.-"
_NEXT_WORD = re.compile(r"\s*[\"'“‘«(*_~\[]*([\w'’]*)")
_DOTTED = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_NUMBERED = re.compile(r"\W*(?:\d{1,3}|[a-zA-Z])\Z")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NEVER_FINAL = _set(
    "dr mr mrs ms prof st gen gov sen rep capt lt col sgt rev hon messrs e.g eg i.e ie cf vs "
    "viz approx ca incl excl resp ed eds ver bzw z.b d.h vgl evtl ggf inkl"
)
BEFORE_NUMBERS = _set(
    "no nos nr art ch chap eq fig figs max min op p pp par para sec secs sect v vol vols abs "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
SELDOM_FINAL = _set("al etc inc ltd corp co dept jr sr a.m p.m u.s u.k e.u usw")
STARTERS = _set(
    "a all an and as at but by each every for from he here how however i if in it its no none "
    "on once one otherwise our she so some such that the their then there these they this "
    "those to we when where while with yes you your"
)
_LOOK_BACK = 40
_WHOLE_WORD = 4


def sentence_ends(text: str, start: int, end: int, markers: dict[int, int]) -> Iterator[int]:
    """Yield the end of each sentence in text[start:end], spaces included; the last one is `end`.

    `markers` maps where a citation marker starts to where it ends. Code in `text` should be masked
    (same length, no stops), so that nothing inside it ends a sentence.
    """
    begin, position = start, start
    while match := _STOP.search(text, position, end):
        position = match.end()
        after, cited = position, False
        if match[0][0] in "\r\n":
            final = _line_ends(text, begin, match)
        else:
            after, cited = _past_markers(text, position, end, markers)
            final = _is_final(text, begin, match, after, end, cited)
        if final:
            begin = position = _SPACE.match(text, after, end).end()
            if begin < end:
                yield begin
    yield end


def _past_markers(text: str, position: int, end: int, markers: dict[int, int]) -> tuple[int, bool]:
    """Step over the closing quotes and the markers right after a stop."""
    cited = False
    while position < end:
        if text[position] in _CLOSERS:
            position += 1
            continue
        ahead = _BLANKS.match(text, position, end).end()
        if ahead not in markers:
            break
        position, cited = markers[ahead], True
    return min(position, end), cited


def _line_ends(text: str, begin: int, match: re.Match[str]) -> bool:
    """Tell whether a line break ends a sentence: after a marker and before a capital."""
    line = text[max(begin, match.start() - _LOOK_BACK) : match.start()].rstrip(' \t*_."”')
    return line[-1:] in ("]", "］", "】") and _NEXT_WORD.match(text, match.end())[1][:1].isupper()


def _is_final(
    text: str, begin: int, match: re.Match[str], after: int, end: int, cited: bool
) -> bool:
    stop = match[0]
    if stop[0] in "。！？":
        return True
    word = _NEXT_WORD.match(text, after, end)[1]
    if after < end and not text[after].isspace():
        return cited and not word[:1].islower()
    if cited and not (word[:1].islower() and _is_short_form(text, begin, match, word)):
        return True
    if stop != ".":
        return not word[:1].islower()
    return not _is_short_form(text, begin, match, word)


def _is_short_form(text: str, begin: int, match: re.Match[str], following: str) -> bool:
    """Tell whether the full stop belongs to an abbreviation, an initial or a list number."""
    head = text[max(begin, match.start() - _LOOK_BACK) : match.start()]
    if match.start() - begin < _LOOK_BACK and _NUMBERED.fullmatch(head):
        return True
    last = head[-1:].strip() and head.split()[-1].lstrip(_OPENERS)
    word = last.lower()
    anew = following.lower() in STARTERS and following[:1].isupper()
    if word in NEVER_FINAL:
        return True
    if word in BEFORE_NUMBERS and following[:1].isdigit():
        return True
    if word in SELDOM_FINAL or _DOTTED.fullmatch(last) or _is_initial(head, last):
        return not anew
    return following[:1].islower() and word.isalpha() and len(word) < _WHOLE_WORD


def _is_initial(head: str, last: str) -> bool:
    """Tell "J." in "Dr. J. Smith" from the letter in "plan B."."""
    if len(last) != 1 or not last.isupper():
        return False
    before = head[: -len(last)].split()
    return not before or before[-1][:1].isupper()
