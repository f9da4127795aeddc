"""What the README tells people to type works: its Python runs, its variables and commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ragkit
from ragkit.cli import app
from ragkit.config import ChatConfig

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMANDS = sorted(set(re.findall(r"(?<![\w/-])ragkit ((?:[a-z]+(?:-[a-z]+)* ?)+)", README)))
GROUPS = {"eval", "audit"}


@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_its_python_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ragkit, "chat_kit", lambda *_, **__: ragkit.offline_kit(), raising=False)
    page = tmp_path / "handbook" / "visits.md"
    page.parent.mkdir()
    page.write_text("# Visitors\n\n## Logs\n\nVisitor logs are kept 90 days.\n", encoding="utf-8")
    exec(compile(code, "README.md", "exec"), {})


def test_there_is_python_to_run() -> None:
    assert len(BLOCKS) >= 2


def test_its_variables_are_read_somewhere() -> None:
    source = "\n".join(
        p.read_text(encoding="utf-8") for p in Path(ragkit.__file__).parent.rglob("*.py")
    )
    named = set(re.findall(r"\bRAGKIT_[A-Z_]+\b", README))
    assert named and {name for name in named if name not in source} == set()


def test_the_models_are_named_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGKIT_MODEL", "large")
    monkeypatch.setenv("RAGKIT_GRADER_MODEL", "small")
    monkeypatch.delenv("RAGKIT_JUDGE_MODEL", raising=False)
    config = ChatConfig.from_environment()
    assert (config.generator, config.grader, config.judge) == ("large", "small", "large")


def test_a_slow_server_gets_its_time_by_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGKIT_CALL_SECONDS", "90")
    monkeypatch.setenv("RAGKIT_VERDICT_TOKENS", "120")
    config = ChatConfig.from_environment()
    assert (config.call_seconds, config.verdict_tokens) == (90.0, 120)
    monkeypatch.setenv("RAGKIT_CALL_SECONDS", "soon")
    with pytest.raises(ValueError, match="call_seconds"):
        ChatConfig.from_environment()


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_exist(command: str) -> None:
    words = command.split()
    named = words[:2] if words[0] in GROUPS else words[:1]
    result = CliRunner().invoke(app, [*named, "--help"])
    assert result.exit_code == 0, result.output
