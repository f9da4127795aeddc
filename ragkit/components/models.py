"""Make chat models by name, and read what is needed from anybody's."""

from __future__ import annotations

import os
from typing import Any

from pydantic import SecretStr

from ragkit.config import ChatConfig
from ragkit.redact import redact

_NO_KEY = (
    "No chat model can be asked. Set OPENAI_API_KEY for OpenAI, or OPENAI_BASE_URL for a server of "
    "your own (Ollama: http://localhost:11434/v1), or pass a LangChain chat model: "
    "chat_kit(model=...). Without any of them everything works offline: offline_kit()."
)


class MissingKey(ValueError):
    """There is neither a key nor an endpoint of one's own."""


def chat_model(name: str, config: ChatConfig) -> Any:
    """Return an OpenAI-protocol chat model by its name, from OPENAI_API_KEY and OPENAI_BASE_URL.

    Raises MissingKey when neither is set.
    """
    key, url = os.environ.get("OPENAI_API_KEY"), os.environ.get("OPENAI_BASE_URL")
    if not key and not url:
        raise MissingKey(_NO_KEY)
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(
        model=name,
        api_key=SecretStr(key or "none"),
        base_url=url,
        max_retries=0,
        timeout=config.call_seconds,
        stream_usage=True,
        use_responses_api=False,
    )


def without_own_retries(model: Any) -> Any:
    """Return the model with its client's retries off: ours are counted, two kinds would multiply.

    Raises TypeError for something that is not a LangChain chat model.
    """
    from langchain_core.language_models import BaseChatModel

    if not isinstance(model, BaseChatModel):
        raise TypeError(
            f"a chat model is needed, not {type(model).__name__}: pass a name such as "
            "'gpt-4o-mini' or a LangChain chat model, without retries or fallbacks around it"
        )
    update: dict[str, Any] = {"max_retries": 0} if hasattr(model, "max_retries") else {}
    for name in ("root_client", "root_async_client"):
        if (client := getattr(model, name, None)) is not None:
            update[name] = client.with_options(max_retries=0)
            update[name.removeprefix("root_")] = update[name].chat.completions
    return model.model_copy(update=update)


def name_of(model: Any) -> str:
    """Return the model's name, as the price table and the cache know it."""
    names = (getattr(model, key, None) for key in ("model_name", "model"))
    return next((str(name) for name in names if name), type(model).__name__)


def endpoint_of(model: Any) -> str:
    """Return the address that a model is asked at, without user or password; "" if it has none."""
    url = getattr(getattr(model, "root_client", None), "base_url", None)
    return redact(str(url)).rstrip("/") if url else ""


def secrets_of(model: Any) -> tuple[str, ...]:
    """Return the keys that a model holds, so that they can be masked wherever they turn up."""
    fields = [value for value in vars(model).values() if isinstance(value, SecretStr)]
    held = [value.get_secret_value() for value in fields]
    held += map(str, (getattr(model, "default_headers", None) or {}).values())
    held += [word for value in held for word in value.split()]
    return tuple(sorted({value for value in held if len(value) >= 6}, key=len, reverse=True))
