"""What a model is asked to fill in, in each of the three ways of asking."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


class Form(Generic[T]):
    """A pydantic schema, and how its fields become a value.

    `read` takes the reply's JSON object and raises ValueError where it does not fit; without it
    the value is the schema's own record.
    """

    def __init__(self, schema: type[BaseModel], read: Callable[[Any], T] | None = None) -> None:
        self.schema = schema
        self.read: Callable[[Any], Any] = read or schema.model_validate

    @cached_property
    def tool(self) -> dict[str, Any]:
        """The schema as an OpenAI tool."""
        from langchain_core.utils.function_calling import convert_to_openai_tool

        return convert_to_openai_tool(self.schema)

    @cached_property
    def response_format(self) -> dict[str, Any]:
        """The schema as an OpenAI response format, strict."""
        from langchain_core.utils.function_calling import convert_to_openai_function

        strict = convert_to_openai_function(self.schema, strict=True)
        described = {"name": strict["name"], "strict": True, "schema": strict["parameters"]}
        return {"type": "json_schema", "json_schema": described}

    @cached_property
    def as_text(self) -> str:
        """The schema as compact JSON text."""
        return json.dumps(self.tool["function"]["parameters"], separators=(",", ":"))

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool["function"]["name"]
