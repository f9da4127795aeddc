"""A chat model that replies what you tell it to: for lessons without a key, and for tests.

>>> model = ScriptedChat(replies=["Hello.", {"binary_score": "yes", "confidence": 0.9}])
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr

_CHARACTERS_PER_TOKEN = 4


class ScriptedChat(BaseChatModel):
    """A LangChain chat model with a queue of replies, in the order in which it is asked.

    A reply is text, a dict (a tool call where tools are offered, else JSON text), an AIMessage, an
    exception to raise, or a function of the messages that returns one of these. `then` is the
    reply to every call after the queue; without it, such a call raises IndexError. `asked` keeps
    the messages of every call.
    """

    replies: list[Any] = Field(default_factory=list)
    then: Any = None
    model_name: str = "scripted"
    asked: list[list[BaseMessage]] = Field(default_factory=list)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any) -> Any:
        """Offer tools; a dict reply then comes as a call of the first."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        message = self._message(messages, kwargs.get("tools"))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        whole = self._message(messages, kwargs.get("tools"))
        words = whole.text.split(" ") if whole.text else [""]
        for at, word in enumerate(words):
            last = at == len(words) - 1
            piece = AIMessageChunk(
                content=word if last else word + " ",
                additional_kwargs=whole.additional_kwargs if last else {},
                response_metadata=whole.response_metadata if last else {},
                usage_metadata=whole.usage_metadata if last else None,
                tool_call_chunks=_chunks(whole) if last else [],
            )
            chunk = ChatGenerationChunk(message=piece)
            if run_manager:
                run_manager.on_llm_new_token(piece.text, chunk=chunk)
            yield chunk

    def _message(self, messages: list[BaseMessage], tools: Sequence[Any] | None) -> AIMessage:
        reply = self._next(messages)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, AIMessage):
            return reply
        if isinstance(reply, dict) and tools:
            name = tools[0]["function"]["name"]
            call = {"name": name, "args": reply, "id": f"call_{uuid.uuid4().hex[:8]}"}
            message = AIMessage(content="", tool_calls=[call])
        else:
            message = AIMessage(content=reply if isinstance(reply, str) else json.dumps(reply))
        sent = sum(len(part.text) for part in messages) // _CHARACTERS_PER_TOKEN + 1
        got = len(json.dumps(reply)) // _CHARACTERS_PER_TOKEN + 1
        message.usage_metadata = {
            "input_tokens": sent, "output_tokens": got, "total_tokens": sent + got,
        }  # fmt: skip
        message.response_metadata = {"finish_reason": "stop", "model_name": self.model_name}
        return message

    def _next(self, messages: list[BaseMessage]) -> Any:
        with self._lock:
            self.asked.append(list(messages))
            if not self.replies and self.then is None:
                raise IndexError(f"the script is over: call {len(self.asked)} has no reply")
            reply = self.replies.pop(0) if self.replies else self.then
        return reply(list(messages)) if callable(reply) else reply


def _chunks(message: AIMessage) -> list[dict[str, Any]]:
    return [
        {"name": call["name"], "args": json.dumps(call["args"]), "id": call["id"], "index": at}
        for at, call in enumerate(message.tool_calls)
    ]
