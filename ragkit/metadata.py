"""Metadata that a store gives back unchanged, and filters over it.

Chroma drops some values, changes others and rejects the rest; here every value either becomes plain
and safe, or is an error that names the document and the key.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

_RESERVED = ("chroma:", "ragkit:")
_LARGEST = 2**63
_OPERATORS = {"min": "$gte", "max": "$lte", "not": "$ne"}


def to_metadata(values: Mapping[str, Any], document_id: str | None = None) -> dict[str, Any]:
    """Return plain metadata: text, numbers, booleans and lists of one of these kinds.

    A date becomes ISO text, with an integer yyyymmdd beside it under `day_key(key)` so that it can
    be compared; a dict becomes JSON text; None and empty lists are left out. Giving the result
    in again changes nothing.

    Raises:
        ValueError: a value that no store would give back unchanged; names document and key.
    """
    plain: dict[str, Any] = {}
    where = f"document {document_id!r}, " if document_id else ""
    for key, value in values.items():
        if not isinstance(key, str) or not key or key.startswith(_RESERVED):
            raise ValueError(f"{where}metadata key {key!r} cannot be stored")
        try:
            plain.update(_plain_items(key, value))
        except (TypeError, ValueError) as problem:
            raise ValueError(f"{where}metadata {key!r}: {problem}") from None
    return plain


def day_key(key: str) -> str:
    """Return the key that holds the yyyymmdd number of the date under `key`."""
    return key.removesuffix("_date") + "_day"


def day_number(day: date) -> int:
    """Return a date as the integer yyyymmdd."""
    return day.year * 10_000 + day.month * 100 + day.day


def _plain_items(key: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, date):
        return {key: value.isoformat(), day_key(key): day_number(value)}
    if isinstance(value, Mapping):
        return {key: json.dumps(value, ensure_ascii=False, sort_keys=True, default=_iso)}
    if isinstance(value, list | tuple):
        return {key: _plain_list(list(value))} if value else {}
    return {key: _plain_scalar(value)}


def _plain_list(values: list[Any]) -> list[Any]:
    plain = [_plain_scalar(value) for value in values]
    if len({type(value) for value in plain}) > 1:
        raise ValueError(f"a list holds one kind of value only: {values!r}")
    return plain


def _plain_scalar(value: Any) -> str | int | float | bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        value.encode("utf-8")  # half a surrogate pair cannot be stored
        return str(value)
    if isinstance(value, int):
        if not -_LARGEST <= value < _LARGEST:
            raise ValueError(f"{value} does not fit 64 bits; give it as text")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a number that can be stored; leave the key out")
        return float(value)
    raise TypeError(
        f"{type(value).__name__} cannot be stored; use text, a number, True/False, a date, "
        "a list of one of these, or a dict"
    )


def _iso(value: Any) -> str:
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def build_filter(conditions: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return Chroma's filter for simple conditions, or None where there are none.

    A value means "equal", a list means "one of", and `{"min": …, "max": …, "not": …}` bounds it.
    Conditions of None are dropped. Dates are compared as whole days. "not" also matches
    documents without the key.

    Raises:
        ValueError: an empty list (it could match nothing), an unknown bound, an order of things
            that have none, or a value that no metadata can have; names the key.
    """
    clauses: list[dict[str, Any]] = []
    for key, wanted in (conditions or {}).items():
        try:
            clauses.extend(_clauses(key, wanted))
        except (TypeError, ValueError) as problem:
            raise ValueError(f"filter {key!r}: {problem}") from None
    if not clauses:
        return None
    return clauses[0] if len(clauses) == 1 else {"$and": clauses}


def _clauses(key: str, wanted: Any) -> list[dict[str, Any]]:
    if wanted is None:
        return []
    if isinstance(wanted, Mapping):
        if unknown := sorted(set(wanted) - set(_OPERATORS)):
            raise ValueError(f"{unknown[0]!r} is none of {', '.join(_OPERATORS)}")
        bounds = {_OPERATORS[name]: value for name, value in wanted.items() if value is not None}
        return [_clause(key, operator, value) for operator, value in bounds.items()]
    if isinstance(wanted, list | tuple | set | frozenset):
        if not wanted:
            raise ValueError("an empty list matches nothing; drop the condition")
        return [_clause(key, "$in", list(wanted))]
    return [_clause(key, "$eq", wanted)]


def _clause(key: str, operator: str, value: Any) -> dict[str, Any]:
    days = [isinstance(each, date) for each in (value if operator == "$in" else [value])]
    if all(days):
        numbers = [day_number(day) for day in value] if operator == "$in" else day_number(value)
        return {day_key(key): {operator: numbers}}
    plain = _plain_list(value) if operator == "$in" else _plain_scalar(value)
    if operator in ("$gte", "$lte") and type(plain) not in (int, float):
        raise ValueError(f"only numbers and dates have an order, not {value!r}")
    return {key: {operator: plain}}
