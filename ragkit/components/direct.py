"""Answer without retrieval: greetings, thanks, general terms, and what was said a moment ago."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from ragkit.components.answer_types import answer_met, answer_type
from ragkit.components.sentences import sentences
from ragkit.components.text import normalised, stems, word_set
from ragkit.kit import Messages
from ragkit.records import Generation

_GREETING = word_set(
    "hi hello hey hiya howdy greetings morning afternoon evening good day there everyone all team "
    "yo hola folks again"
)
_THANKS = word_set(
    "thanks thank you thx ty cheers a lot so very much many great perfect awesome cool "
    "nice ok okay "
    "that this helped helps was is really super helpful for your the help all it clear now got "
    "understood appreciate appreciated wonderful excellent good"
)
_THANKING = word_set("thanks thank thx ty cheers appreciate appreciated")
_PARTING = word_set(
    "bye goodbye see you later ciao farewell have a nice good day weekend until next time"
)
_SMALL_TALK = re.compile(
    r"^(?:how are you(?: doing)?(?: today)?|who are you|what are you"
    r"|are you (?:a )?(?:bot|robot|human|ai)"
    r"|what can you do|what(?: i|')s up|nice to meet you|can you help me)\W*$",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^\W*(?:(?:hi|hey|hello|please|so|sorry|ok)\W+)*(?:can you (?:tell me|explain) )?"
    r"(?:what(?:'s| is| are| does| do)|define|explain|tell me what)\s+"
    r"(?:(?:is|are|does|do)\s+)?(?:(?:an?|the|term|word|abbreviation|acronym)\s+)*"
    r"[\"'“‘]?([\w +\-/]+?)[\"'”’]?"
    r"(?:\s+(?:is|are|stands? for|means?|mean|short for|in general|in computing|exactly"
    r"|actually))*\W*$",
    re.IGNORECASE,
)
_RECALL = re.compile(
    r"\bagain\b|\byou (?:just )?(?:said|say|mentioned|told|wrote)\b|\bdid you say\b"
    r"|\bremind me\b|\brepeat\b"
    r"|\bso (?:that|it|this) (?:means|is|would)\b|\bso that's\b|\bright\?|\bcorrect\?"
    r"|\bwhat was (?:the|that)\b"
    r"|\b(?:once|one) more\b|\bsay that\b",
    re.IGNORECASE,
)
_HELLO = "Hello! Ask me anything about the documents."
_WELCOME = "You are welcome. Ask again whenever something is unclear."
_GOODBYE = "Goodbye, and come back whenever a question turns up."
_ABOUT_ME = (
    "I answer questions from documents: I search them, check what I find, and quote it with its "
    "source."
)
_UNKNOWN = "I cannot answer that without looking it up."


@dataclass(frozen=True)
class DirectAnswer:
    """An answer that needs no search, and why it needs none."""

    text: str
    reason: str


class DirectAnswerer:
    """A `DirectAnswerer` by rules; quotes the conversation and knows some general terms."""

    def __call__(self, question: str, history: Messages = ()) -> Generation:
        """Answer a greeting, a general term or a follow-up; `answerable` is False for all else."""
        found = self.find(question, history)
        if found is None:
            return Generation(text=_UNKNOWN, answerable=False)
        return Generation(text=found.text, answerable=True)

    def find(self, question: str, history: Messages = ()) -> DirectAnswer | None:
        """Return the direct answer, or None."""
        return _courtesy(question) or _general_term(question) or _recalled(question, history)


def _courtesy(question: str) -> DirectAnswer | None:
    said = set(normalised(question).replace("'", " ").split())
    if not said or len(said) > 10:
        return None
    if said <= _GREETING:
        return DirectAnswer(_HELLO, "a greeting")
    if said & _THANKING and said <= _THANKS | _GREETING:
        return DirectAnswer(_WELCOME, "thanks")
    if said & {"bye", "goodbye", "ciao", "farewell"} and said <= _PARTING | _THANKS:
        return DirectAnswer(_GOODBYE, "a farewell")
    if _SMALL_TALK.match(question.strip()):
        return DirectAnswer(_ABOUT_ME, "small talk")
    return None


@lru_cache(1)
def general_terms() -> dict[str, dict[str, str]]:
    """Return general terms of computing and business by lower-case name, with their meaning."""
    text = files("ragkit.components").joinpath("general_terms.json").read_text(encoding="utf-8")
    return {name.lower(): {"name": name, **entry} for name, entry in json.loads(text).items()}


def _general_term(question: str) -> DirectAnswer | None:
    match = _DEFINITION.match(question.strip())
    if not match:
        return None
    asked = match.group(1).strip().lower()
    entry = general_terms().get(asked) or general_terms().get(asked.removesuffix("s"))
    if entry is None:
        return None
    full = f" stands for {entry['stands_for']}:" if "stands_for" in entry else ":"
    name = entry["name"] if "stands_for" in entry else entry["name"].capitalize()
    return DirectAnswer(f"{name}{full} {entry['meaning']}.", "the definition of a general term")


def _recalled(question: str, history: Messages) -> DirectAnswer | None:
    """Find the answer in what the assistant said, for a question that points back at it."""
    said = [m["content"] for m in history if m.get("role") == "assistant" and m.get("content")]
    if not said:
        return None
    lines = [s.text for text in reversed(said) for s in sentences(text) if s.kind != "heading"]
    own = set(stems(question))
    kind = answer_type(question)
    points_back = bool(_RECALL.search(question))
    for line in lines:
        shared = own & set(stems(line))
        answers = kind in ("what", "yes_no", "how", "why") or answer_met(kind, question, line)
        if answers and (
            points_back or (len(own) > 1 and shared == own and kind not in ("how", "why"))
        ):
            best = max(lines, key=lambda text: len(own & set(stems(text))))
            return DirectAnswer(f"As said before: {best}", "the conversation already answers it")
    return None
