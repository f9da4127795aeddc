"""Live web searches. Their libraries are imported only when one is made."""

from __future__ import annotations

import os
from typing import Any

from ragkit.components.web import adapt
from ragkit.config import WebConfig
from ragkit.kit import WebSearch


def duckduckgo(config: WebConfig | None = None) -> WebSearch:
    """Return a search by DuckDuckGo, through langchain-community; it needs no key.

    Raises ImportError that names the packages when they are missing.
    """
    try:
        from langchain_community.utilities import DuckDuckGoSearchAPIWrapper
    except ImportError as error:
        raise ImportError("duckduckgo() needs: pip install langchain-community ddgs") from error
    wrapper = DuckDuckGoSearchAPIWrapper()
    return adapt(lambda query, k: wrapper.results(query, k), config, "DuckDuckGo")


def tavily(api_key: str | None = None, config: WebConfig | None = None) -> WebSearch:
    """Return a search by Tavily, through langchain-community.

    The key is `api_key` or the variable TAVILY_API_KEY. Raises ValueError when there is none and
    ImportError that names the package when it is missing.
    """
    key = api_key or os.environ.get("TAVILY_API_KEY", "")
    if not key:
        raise ValueError("tavily() needs a key: pass api_key or set TAVILY_API_KEY")
    try:
        from langchain_community.utilities.tavily_search import TavilySearchAPIWrapper
    except ImportError as error:
        raise ImportError("tavily() needs: pip install langchain-community") from error
    wrapper = TavilySearchAPIWrapper(tavily_api_key=key)

    def search(query: str, k: int) -> Any:
        return wrapper.results(query, max_results=k)

    return adapt(search, config, "Tavily")
