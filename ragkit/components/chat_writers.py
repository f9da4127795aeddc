"""Rewrite, route and answer with a chat model."""

from __future__ import annotations

from collections.abc import Sequence

from ragkit.components.endpoint import Chat, OnText
from ragkit.components.fences import Fence, restored
from ragkit.components.forms import Form
from ragkit.components.generators import NO_ANSWER
from ragkit.components.query_text import clean_query
from ragkit.components.replies import Remark, Wire, one_of, read_answer
from ragkit.components.text import missing_entities
from ragkit.prompts import ANSWER, CAREFUL, DIRECT, NOT_IN_DOCUMENTS, REWRITE, ROUTE, Prompt
from ragkit.records import Document, Generation, Rewrite, Route


class RouteReply(Wire):
    """Where the question goes."""

    route: one_of("direct", "vector_search", "web_search")  # type: ignore[valid-type]
    rewritten_query: Remark = ""
    reasoning: Remark = ""


class ChatRewriter:
    """Turn the question into a new query, from what failed and the words of what it found.

    A name, code or number of the question that the reply drops is put back at its end.
    """

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    def __call__(
        self, question: str, failed_queries: Sequence[str], documents: Sequence[Document]
    ) -> Rewrite:
        config = self.chat.config
        excerpts = [_cut(document, config.excerpt_characters) for document in documents]
        fence = Fence.around(question, *(document["content"] for document in excerpts))
        content = "\n".join(
            [
                fence.documents(excerpts, "d{}"),
                fence.block("queries", "\n".join(failed_queries)),
                fence.block("question", question),
            ]
        )
        reply = self.chat.say(REWRITE, content, config.rewrite_temperature)
        if reply.value is None:
            return Rewrite(
                query="", explanation=reply.detail, outcome=reply.outcome, usage=reply.usage
            )
        query = clean_query(reply.value, config.query_characters)
        if not query:
            said = "the reply held no query"
            return Rewrite(query="", explanation=said, outcome="missing", usage=reply.usage)
        dropped = missing_entities(question, query)
        said = f"written by {self.chat.name}" + (f"; {', '.join(dropped)} kept" if dropped else "")
        return Rewrite(query=" ".join([query, *dropped]), explanation=said, usage=reply.usage)


class ChatGenerator:
    """Answer from the documents, citing document n as `[n]`.

    A retry is asked for more care, at the next of `answer_temperatures`. `on_text` gets the text
    so far as it is written; a graph's own message stream shows it as well.
    """

    def __init__(
        self, chat: Chat, *, prompt: Prompt = ANSWER, on_text: OnText | None = None
    ) -> None:
        self.chat = chat
        self.prompt = prompt
        self.on_text = on_text

    def __call__(
        self, question: str, documents: Sequence[Document], attempt: int = 0
    ) -> Generation:
        fence = Fence.around(*(document["content"] for document in documents))
        parts = [fence.documents(documents), fence.block("question", question)]
        content = "\n".join([*parts, CAREFUL] if attempt else parts)
        settings = self.chat.config.answer_temperatures
        temperature = settings[min(attempt, len(settings) - 1)]
        reply = self.chat.say(self.prompt, content, temperature, read_answer, self.on_text)
        text = reply.value or ""
        if not text or _says_no(text):
            return Generation(
                text=text and NO_ANSWER, answerable=False, outcome=reply.outcome, usage=reply.usage
            )
        return Generation(text=restored(text), answerable=True, usage=reply.usage)


class ChatRouter:
    """Decide where a question goes; a reply that cannot be read goes to the vector search (B1)."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self._form: Form[RouteReply] = Form(RouteReply)

    def __call__(self, question: str, history: Sequence[dict[str, str]] = ()) -> Route:
        config = self.chat.config
        content = _with_history(question, history)
        reply = self.chat.ask(ROUTE, content, self._form, config.judge_temperature)
        if reply.value is None:
            return Route(
                route="vector_search", reasoning=f"no readable route: {reply.detail}",
                outcome=reply.outcome, usage=reply.usage,
            )  # fmt: skip
        query = clean_query(reply.value.rewritten_query, config.query_characters)
        searches = reply.value.route != "direct"
        return Route(
            route=reply.value.route, reasoning=reply.value.reasoning,
            rewritten_query=(query or question) if searches else None, usage=reply.usage,
        )  # fmt: skip


class ChatDirect:
    """Answer without retrieval: a greeting, a definition, a follow-up."""

    def __init__(self, chat: Chat, *, on_text: OnText | None = None) -> None:
        self.chat = chat
        self.on_text = on_text

    def __call__(self, question: str, history: Sequence[dict[str, str]] = ()) -> Generation:
        temperature = self.chat.config.answer_temperatures[0]
        content = _with_history(question, history)
        reply = self.chat.say(DIRECT, content, temperature, read_answer, self.on_text)
        text = reply.value or ""
        return Generation(
            text=text, answerable=bool(text), outcome=reply.outcome, usage=reply.usage
        )


def _with_history(question: str, history: Sequence[dict[str, str]]) -> str:
    fence = Fence.around(question)
    said = [f"{message.get('role', '')}: {message.get('content', '')}" for message in history]
    talk = [fence.block("conversation", "\n".join(said))] if said else []
    return "\n".join([*talk, fence.block("question", question)])


def _cut(document: Document, limit: int) -> Document:
    return {**document, "content": document["content"][:limit]}


def _says_no(text: str) -> bool:
    return text.lstrip(" \n\"'*`(").upper().startswith(NOT_IN_DOCUMENTS)
