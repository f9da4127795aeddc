"""Metadata that a store gives back as it was, and filters that mean what they say."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.metadata import build_filter, to_metadata

DAY = date(2026, 2, 1)

scalars = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
values = st.one_of(
    scalars,
    st.none(),
    st.dates(),
    st.lists(st.integers(0, 9), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


def test_every_kind_of_value_becomes_plain() -> None:
    assert to_metadata(
        {
            "text": "½", "whole": 3, "half": 0.5, "yes": True, "list": ["a", "b"],
            "pair": (1, 2), "none": None, "empty": [], "nothing": {}, "dict": {"b": DAY, "a": [1]},
            "effective_date": DAY, "published": datetime(2026, 2, 1, 12, 30),
        }
    ) == {
        "text": "½", "whole": 3, "half": 0.5, "yes": True, "list": ["a", "b"], "pair": [1, 2],
        "nothing": "{}", "dict": '{"a": [1], "b": "2026-02-01"}',
        "effective_date": "2026-02-01", "effective_day": 20260201,
        "published": "2026-02-01T12:30:00", "published_day": 20260201,
    }  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        float("nan"), float("inf"), 2**63, -(2**63) - 1, [1, "two"], [1, True], [[1]], {1, 2},
        object(), np.float32(0.5), np.int64(3), b"bytes", "half a pair \ud83d", [None],
        {"deep": object()},
    ],
)  # fmt: skip
def test_what_would_not_come_back_names_document_and_key(value) -> None:
    with pytest.raises(ValueError, match=r"document 'pricing#0'.*'rate'"):
        to_metadata({"fine": 1, "rate": value}, "pricing#0")


@pytest.mark.parametrize("key", [3, "", None, "chroma:document", "ragkit:lists"])
def test_a_key_that_cannot_be_one_is_named(key) -> None:
    with pytest.raises(ValueError, match="metadata key"):
        to_metadata({key: "x"}, "pricing#0")


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), values, max_size=5))
def test_plain_metadata_stays_as_it_is(metadata) -> None:
    plain = to_metadata(metadata)
    assert to_metadata(plain) == plain
    assert all(type(value) in (str, int, float, bool, list) for value in plain.values())


@pytest.mark.parametrize(
    ("conditions", "built"),
    [
        (None, None),
        ({}, None),
        ({"kind": None}, None),
        ({"kind": "kb"}, {"kind": {"$eq": "kb"}}),
        ({"kind": ["b", "a"]}, {"kind": {"$in": ["b", "a"]}}),
        ({"a": 1, "b": None, "c": 2}, {"$and": [{"a": {"$eq": 1}}, {"c": {"$eq": 2}}]}),
        ({"a": {"min": 1, "max": None}}, {"a": {"$gte": 1}}),
        ({"a": {"min": 1, "max": 2}}, {"$and": [{"a": {"$gte": 1}}, {"a": {"$lte": 2}}]}),
        ({"a": {}}, None),
        ({"kind": {"not": "web"}}, {"kind": {"$ne": "web"}}),
        ({"effective_date": {"min": DAY}}, {"effective_day": {"$gte": 20260201}}),
        ({"effective_date": DAY}, {"effective_day": {"$eq": 20260201}}),
        ({"effective_date": [DAY]}, {"effective_day": {"$in": [20260201]}}),
    ],
)
def test_conditions_become_a_filter(conditions, built) -> None:
    assert build_filter(conditions) == built


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({"kind": []}, "'kind'.*empty list"),
        ({"a": {"least": 1}}, "'a'.*'least'"),
        ({"effective_date": {"min": "2026-02-01"}}, "'effective_date'.*order"),
        ({"a": {"max": True}}, "'a'.*order"),
        ({"a": object()}, "'a'.*object"),
        ({"a": ["x", 1]}, "'a'.*one kind"),
    ],
)
def test_a_condition_that_means_nothing_is_named(conditions, message) -> None:
    with pytest.raises(ValueError, match=message):
        build_filter(conditions)
