"""A log to write to, whose clock stands still."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ragkit.journal import AuditLog


def still() -> datetime:
    return datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def log(tmp_path):
    return AuditLog(tmp_path / "audit.jsonl", now=still)
