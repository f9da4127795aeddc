"""Configs from files and prices that people write: the culprit is named, nothing is guessed."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from pydantic import ValidationError

from ragkit.config import AuditedConfig, ChatConfig, CragConfig, Pace, Prices


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "limits.json"
    file.write_bytes(b'\xef\xbb\xbf{"pass_threshold": 0.8}\r\n')
    assert CragConfig.from_file(file).pass_threshold == 0.8


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"top_k": 3, "top_k": 4}', "top_k is set twice"),
        ('{"top_k": 3}'.encode("utf-16"), "codec"),
        (b'{"top_k": "3"}', "top_k"),
        (b'{"pass_treshold": 0.8}', "pass_treshold"),
        (b'{"pass_threshold": NaN}', "pass_threshold"),
        (b'{"pass_threshold": true}', "pass_threshold"),
        (b"[1]", "settings"),
    ],
)
def test_a_file_that_will_not_do_is_named_with_the_reason(
    tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "limits.json"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=said) as caught:
        CragConfig.from_file(file)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("price", [-1.0, math.nan, math.inf])
def test_a_price_is_a_finite_amount(price: float) -> None:
    for prices in (
        {"grade": price}, {"tokens": {"m": (price, 1.0)}}, {"unknown_model": (1.0, price)},
    ):  # fmt: skip
        with pytest.raises(ValidationError):
            Prices(**prices)


def test_a_blank_variable_is_one_that_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAGKIT_MODEL", "RAGKIT_GRADER_MODEL", "RAGKIT_JUDGE_MODEL"):
        monkeypatch.setenv(name, "  ")
    assert ChatConfig.from_environment() == ChatConfig()


@pytest.mark.parametrize(
    ("config", "values"),
    [
        (Pace, {"route_ms": math.inf}),
        (Pace, {"grade_ms": math.nan}),
        (Pace, {"web_ms": True}),
        (ChatConfig, {"answer_temperatures": (0.0, math.nan)}),
        (ChatConfig, {"answer_temperatures": (0.0, 2.5)}),
        (AuditedConfig, {"sensitive_terms": ("refund", "")}),
        (AuditedConfig, {"sensitive_terms": (" ",)}),
    ],
)
def test_what_is_no_number_or_no_word_is_refused_by_its_field(config: type, values: dict) -> None:
    with pytest.raises(ValidationError, match=next(iter(values))):
        config(**values)


def test_terms_of_any_language_are_words() -> None:
    assert AuditedConfig(sensitive_terms=("Rückerstattung", "返金")).sensitive_terms[1] == "返金"
