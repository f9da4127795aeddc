"""Ask one chat model: in the best way it can do, under a cap, until a deadline, once more at most.

Nothing here raises for what a model or server does: every question ends as a Reply.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from ragkit.components.abilities import abilities_of
from ragkit.components.failures import Failure, explain
from ragkit.components.forms import Form
from ragkit.components.models import endpoint_of, name_of, secrets_of, without_own_retries
from ragkit.components.replies import Reply, read_structured, read_text
from ragkit.components.usage import tokens
from ragkit.config import ChatConfig
from ragkit.deadlines import Deadline, within
from ragkit.prompts import AS_JSON, Prompt
from ragkit.records import Usage
from ragkit.redact import redact

T = TypeVar("T")
Messages = list[dict[str, str]]
OnText = Callable[[str], None]
# verdicts are not for the reader's eyes when a graph streams its messages
_QUIET = {"tags": ["nostream"]}


class Chat:
    """A chat model as ragkit asks it. Its repr and its replies hold no key."""

    def __init__(self, model: Any, config: ChatConfig | None = None) -> None:
        self.config = config or ChatConfig()
        self.model = without_own_retries(model)
        self.name = name_of(model)
        self.endpoint = endpoint_of(model)
        self.abilities = abilities_of(self.endpoint, self.name)
        self._secrets = secrets_of(model)
        self._slots = threading.BoundedSemaphore(self.config.max_concurrency)
        # a cut JSON object, repaired on its way through a stream, would look whole
        self._unstreamed = self.model.model_copy(update={"disable_streaming": True})

    def __repr__(self) -> str:
        return f"Chat({self.name!r}, endpoint={self.endpoint!r})"

    def ask(self, prompt: Prompt, content: str, form: Form[T], temperature: float) -> Reply[T]:
        """Ask for a filled-in form; what the endpoint cannot do is learned on the way."""
        call = _Call(self, temperature, self.config.verdict_tokens)
        modes = self.config.modes
        with self.abilities.first_contact(call.deadline):
            while True:
                mode = self.abilities.mode(modes)
                reply, failure = self._once(
                    call,
                    _messages(prompt, content, form if mode == "json_prompt" else None),
                    lambda sent, settings, mode=mode: self._fill(mode, form, sent, settings),
                    lambda message: read_structured(message, form.read),
                )
                if not (self._learns(mode, call, failure) or call.again(failure)):
                    return replace(reply, usage=call.usage)

    def say(
        self,
        prompt: Prompt,
        content: str,
        temperature: float,
        read: Callable[[Any], Reply[str]] = read_text,
        on_text: OnText | None = None,
    ) -> Reply[str]:
        """Ask for text. `on_text` gets all the text so far as it grows; a retry starts over."""
        call = _Call(self, temperature, self.config.answer_tokens)
        while True:
            reply, failure = self._once(
                call,
                _messages(prompt, content),
                lambda sent, settings: self._speak(on_text, sent, settings),
                read,
            )
            if not (self._learns_setting(call, failure) or call.again(failure)):
                text = reply.value and _masked(reply.value, self._secrets)
                return replace(reply, value=text, usage=call.usage)

    def _once(
        self,
        call: _Call,
        sent: Messages,
        send: Callable[[Messages, dict[str, Any]], Any],
        read: Callable[[Any], Reply[Any]],
    ) -> tuple[Reply[Any], Failure]:
        call.settings = {k: v for k, v in call.wanted.items() if k not in self.abilities.lacking}
        if not call.deadline.left or not self._slots.acquire(timeout=call.deadline.left):
            failure = Failure("transport", "no time left to ask")
            return Reply(failure.outcome, detail=failure.detail), failure
        try:
            message = within(call.deadline.left, lambda: send(sent, call.settings))
        except Exception as error:
            call.count(sent, getattr(error, "completion", None))
            failure = explain(error, self._secrets)
            return Reply(failure.outcome, detail=failure.detail), failure
        finally:
            self._slots.release()
        call.count(sent, message)
        reply = read(message)
        reply = replace(reply, detail=redact(reply.detail, self._secrets))
        return reply, Failure(reply.outcome, reply.detail, again=reply.outcome == "invalid")

    def _fill(self, mode: str, form: Form[Any], sent: Messages, settings: dict[str, Any]) -> Any:
        model = self._unstreamed
        if mode == "function_calling":
            model = model.bind_tools([form.tool], tool_choice=form.name)
        elif mode == "json_schema":
            model = model.bind(response_format=form.response_format)
        return model.invoke(sent, _QUIET, **settings)

    def _speak(self, on_text: OnText | None, sent: Messages, settings: dict[str, Any]) -> Any:
        model = self.model
        if "stream_options" in self.abilities.lacking and hasattr(model, "stream_usage"):
            model = model.model_copy(update={"stream_usage": False})
        if on_text is None:
            return model.invoke(sent, **settings)
        whole: Any = None
        for chunk in model.stream(sent, **settings):
            whole = chunk if whole is None else whole + chunk
            on_text(whole.text)
        return whole

    def _learns(self, mode: str, call: _Call, failure: Failure) -> bool:
        """Learn from a reply; True when another way of asking is worth a try at once."""
        if self._learns_setting(call, failure):
            return True
        refused = failure.lacks in ("function_calling", "json_schema")
        ignored = failure.outcome == "missing" and mode not in self.abilities.proven
        if refused or ignored:
            return self.abilities.move_on(mode, self.config.modes, failure.detail)
        if failure.outcome in ("ok", "invalid"):
            self.abilities.proven.add(mode)
        return False

    def _learns_setting(self, call: _Call, failure: Failure) -> bool:
        known = failure.lacks in self.abilities.lacking
        if failure.lacks in call.settings or (failure.lacks == "stream_options" and not known):
            self.abilities.drop(failure.lacks, failure.detail)
            return True
        return False


class _Call:
    """What one question may use and has used."""

    def __init__(self, chat: Chat, temperature: float, max_tokens: int) -> None:
        self.wanted = {"temperature": temperature, "max_tokens": max_tokens}
        self.settings: dict[str, Any] = {}
        self.deadline = Deadline(chat.config.call_seconds)
        self.usage = Usage(model=chat.name, calls=0)
        self._retries = chat.config.retries
        self._backoff = chat.config.backoff_seconds

    def again(self, failure: Failure) -> bool:
        """Wait as long as the server asked; False when no retry is left or it comes too late."""
        wait = self._backoff if failure.wait is None else failure.wait
        wait = 0.0 if failure.outcome == "invalid" else wait
        if not failure.again or not self._retries or wait >= self.deadline.left:
            return False
        self._retries -= 1
        time.sleep(wait)
        return True

    def count(self, sent: Messages, message: Any) -> None:
        """Add one request to the usage."""
        new = tokens(message, sum(len(part["content"]) for part in sent))
        self.usage = self.usage.model_copy(
            update={name: getattr(self.usage, name) + more for name, more in new.items()}
        )


def _messages(prompt: Prompt, content: str, form: Form[Any] | None = None) -> Messages:
    system = f"{prompt.system}\n{AS_JSON} {form.as_text}" if form else prompt.system
    return [{"role": "system", "content": system}, {"role": "user", "content": content}]


def _masked(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return text
