"""The doctor sees what is broken, says what to do, and ends with the right exit code."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import ragkit
from ragkit import embedding
from ragkit.cli import app, checks
from ragkit.cli.checks import Check

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def healthy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test a machine on which nothing is wrong, whatever this one has."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks/00_start.py").write_text("", encoding="utf-8")
    (tmp_path / "bin").mkdir()
    dot = tmp_path / "bin/dot"
    dot.write_text("#!/bin/sh\n", encoding="utf-8")
    dot.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("RAGKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(ragkit, "notebooks_dir", lambda: tmp_path / "notebooks")


def doctor() -> Result:
    return CliRunner().invoke(app, ["doctor"])


def line(result: Result, name: str) -> str:
    """Return the report's line about one thing."""
    (found,) = [text for text in result.output.splitlines() if f"  {name} " in text]
    return found


def only(found: Iterator[Check]) -> Check:
    (check,) = found
    return check


def test_a_healthy_machine_passes() -> None:
    result = doctor()
    assert result.exit_code == 0, result.output
    assert "FAIL" not in result.output
    for name in ("python", "packages", "dot", "sqlite", "model", "data", "cache", "chat"):
        assert line(result, name).startswith("ok")


def test_missing_dot_is_told_with_the_fix_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    result = doctor()
    assert result.exit_code == 0
    assert line(result, "dot").startswith("note")
    assert "apt install graphviz" in line(result, "dot")


def test_a_changed_model_file_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "model.onnx"
    broken.write_bytes(embedding.model_path().read_bytes()[:-1])
    monkeypatch.setattr(embedding, "model_path", lambda: broken)
    result = doctor()
    assert result.exit_code == 1
    assert line(result, "model").startswith("FAIL")
    assert embedding.MODEL_SHA256[:12] in line(result, "model")
    assert "install again" in line(result, "model")


@pytest.mark.parametrize("file", ["model_path", "tokenizer_path"])
def test_a_missing_model_file_fails_with_the_fix(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Path:
        raise FileNotFoundError("it is missing; install it again")

    monkeypatch.setattr(embedding, file, missing)
    result = doctor()
    assert result.exit_code == 1
    assert line(result, "model").endswith("it is missing; install it again")


def test_the_hash_that_is_checked_is_the_published_one() -> None:
    published = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
    assert published == embedding.MODEL_SHA256


def test_an_old_sqlite_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.34.1")
    result = doctor()
    assert result.exit_code == 1
    assert "3.34.1 is older than 3.35" in line(result, "sqlite")


@pytest.mark.parametrize(
    ("version", "level"),
    [("3.9.2", "fail"), ("3.34.1", "fail"), ("3.35.0", "ok"), ("3.40.1", "ok"), ("4.0.0", "ok")],
)
def test_sqlite_versions_are_compared_as_numbers(version: str, level: str) -> None:
    assert only(checks.sqlite(version)).level == level


@pytest.mark.parametrize(
    ("version", "level"),
    [((3, 10, 13), "fail"), ((3, 11, 0), "ok"), ((3, 13, 9), "ok"), ((3, 14, 0), "fail")],
)
def test_python_range(version: tuple[int, int, int], level: str) -> None:
    assert only(checks.python(version)).level == level


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ("no-such-package>=1", "no-such-package is not installed"),
        ("numpy>=999", "is outside >=999"),
        ("numpy<0.1", "is outside <0.1"),
    ],
)
def test_a_package_out_of_range_is_named(requirement: str, said: str) -> None:
    check = only(checks.packages(["packaging>=1", requirement]))
    assert check.level == "fail"
    assert said in check.text


def test_a_package_that_does_not_import_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ImportError("DLL load failed")

    monkeypatch.setattr(checks, "import_module", broken)
    check = only(checks.packages(["numpy>=1"]))
    assert check.level == "fail"
    assert "numpy cannot be imported (ImportError: DLL load failed)" in check.text


def test_a_requirement_for_another_platform_is_left_out() -> None:
    line = "no-such-package>=1; sys_platform == 'nowhere'"
    assert only(checks.packages([line])).level == "ok"


def test_extras_are_not_required() -> None:
    assert not [line for line in checks.requirements() if "xllamacpp" in line]
    assert [line for line in checks.requirements() if line.startswith("langgraph")]


def test_an_unwritable_cache_is_told_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("RAGKIT_CACHE_DIR", str(tmp_path / "file/cache"))
    result = doctor()
    assert result.exit_code == 0
    assert "RAGKIT_CACHE_DIR" in line(result, "cache")


def test_missing_notebooks_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "notebooks/00_start.py").unlink()
    assert doctor().exit_code == 1


def test_one_broken_check_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[Check]:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(checks, "graphviz", broken)
    result = doctor()
    assert result.exit_code == 1
    assert "could not be checked: ZeroDivisionError: oops" in line(result, "dot")
    assert line(result, "chat").startswith("ok")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], str]]:
    """Serve `/v1/models` with a given status on loopback, and set the variables that name it."""
    servers = []

    def start(status: int) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status if self.path == "/v1/models" else 404)
                self.end_headers()
                self.wfile.write(json.dumps({"data": []}).encode())
                keys.append(self.headers.get("Authorization"))

            def log_message(self, *args: object) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        url = f"http://127.0.0.1:{server.server_port}/v1"
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        return url

    keys: list[str | None] = []
    start.keys = keys  # type: ignore[attr-defined]
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "code", "sign", "said"),
    [
        (200, 0, "ok", "answers"),
        (401, 1, "FAIL", "refuses the key"),
        (403, 1, "FAIL", "refuses the key"),
        (404, 0, "note", "/v1"),
        (500, 0, "note", "500"),
    ],
)
def test_the_endpoint_is_asked(
    endpoint: Callable[[int], str], status: int, code: int, sign: str, said: str
) -> None:
    url = endpoint(status)
    result = doctor()
    assert result.exit_code == code
    assert line(result, "chat").startswith(sign)
    assert url in line(result, "chat")
    assert said in line(result, "chat")
    assert endpoint.keys == [f"Bearer {KEY}"]
    assert KEY not in result.output


def test_a_dead_endpoint_fails_and_neither_key_nor_login_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:hunter2@127.0.0.1:9/v1?token=abc")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    result = doctor()
    assert result.exit_code == 1
    assert "http://127.0.0.1:9/v1 does not answer" in line(result, "chat")
    for secret in (KEY, "hunter2", "abc"):
        assert secret not in result.output


def test_an_endpoint_that_is_no_address_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "not an address")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert doctor().exit_code == 1


def test_the_public_endpoint_out_of_reach_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    result = doctor()
    assert result.exit_code == 0
    assert line(result, "chat").startswith("note")
    assert KEY not in result.output


def test_a_server_without_a_key_is_told(
    endpoint: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint(200)
    monkeypatch.delenv("OPENAI_API_KEY")
    result = doctor()
    assert result.exit_code == 0
    assert "OPENAI_API_KEY is not" in result.output


def test_sizes_names_the_largest_packages_and_looks_for_torch() -> None:
    result = CliRunner().invoke(app, ["doctor", "--sizes"])
    assert result.exit_code == 0
    assert "MB  marimo" in result.output
    assert "torch: none" in result.output
