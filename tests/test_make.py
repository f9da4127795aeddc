"""`make` and tools/setup.sh install once, and no check passes for having found nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Asked = Callable[[], list[str]]
ROOT = Path(__file__).parents[1]
TOOLS = "make sh env cat cksum dirname rm mkdir cp chmod basename"
# stands in for uv: notes what it was asked, and makes an environment that looks installed
UV = """#!/bin/sh
echo "$@" >>"$LOG"
case "$1" in venv) for last in "$@"; do :; done
  mkdir -p "$last/bin"; ln -sf "$REAL_PYTHON" "$last/bin/python" ;; esac
touch_to=.venv/bin/ragkit; [ -d .venv/bin ] && : >"$touch_to" && chmod +x "$touch_to"; exit 0
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Make a clone with nothing but what make reads, in a folder whose name has a space."""
    root = tmp_path / "my class"
    for name in ("Makefile", "tools/setup.sh", "requirements/lab.txt", "requirements/dev.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


@pytest.fixture
def run(clone: Path, tmp_path: Path) -> Run:
    """Run a command in the clone with an empty home and only the named programs on the PATH."""

    def run(*command: str, programs: str = TOOLS + " ln") -> subprocess.CompletedProcess[str]:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        for program in programs.split():
            found = shutil.which(program)
            assert found, f"{program} is not here"
            if not (folder / program).exists():
                (folder / program).symlink_to(found)
        environment = {"PATH": str(folder), "HOME": str(tmp_path), "LOG": str(tmp_path / "log")}
        environment["REAL_PYTHON"] = sys.executable
        return subprocess.run(
            [str(folder / command[0]), *command[1:]],
            cwd=clone, env=environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    (tmp_path / "bin").mkdir()
    return run


@pytest.fixture
def uv(tmp_path: Path, run: object) -> Asked:
    """Put a noting uv on the PATH; return what it was asked since the last look."""
    (tmp_path / "bin/uv").write_text(UV, encoding="utf-8")
    (tmp_path / "bin/uv").chmod(0o755)
    log = tmp_path / "log"

    def asked() -> list[str]:
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    return asked


def test_the_first_setup_installs_with_hashes_and_the_second_nothing(run: Run, uv: Asked) -> None:
    assert run("sh", "tools/setup.sh", "lab").returncode == 0
    make_venv, install_lock, install_project = uv()
    assert make_venv.startswith("venv")
    assert "--require-hashes" in install_lock
    assert install_lock.endswith("-r requirements/lab.txt")
    assert install_project.endswith("--no-deps --no-build-isolation -e .")
    second = run("sh", "tools/setup.sh", "lab")
    assert (second.returncode, second.stdout, uv()) == (0, "", [])


def test_the_test_environment_serves_the_lab_too(run: Run, uv: Asked) -> None:
    run("sh", "tools/setup.sh", "dev")
    assert uv()
    run("sh", "tools/setup.sh", "lab")
    assert uv() == []


def test_another_lock_is_installed(run: Run, uv: Asked, clone: Path) -> None:
    run("sh", "tools/setup.sh", "lab")
    uv()
    with (clone / "requirements/lab.txt").open("a", encoding="utf-8") as lock:
        lock.write("extra==1 --hash=sha256:0\n")
    run("sh", "tools/setup.sh", "lab")
    assert [line for line in uv() if "requirements/lab.txt" in line]


def test_a_moved_clone_is_installed_again(
    run: Run,
    uv: Asked,
    clone: Path,
    tmp_path: Path,
) -> None:
    run("sh", "tools/setup.sh", "lab")
    uv()
    moved = clone.rename(tmp_path / "moved")
    moved_run = subprocess.run(
        ["sh", "tools/setup.sh", "lab"], cwd=moved, text=True, capture_output=True,
        env={**os.environ, "PATH": f"{tmp_path}/bin", "LOG": f"{tmp_path}/log"},
        executable=shutil.which("sh"),
    )  # fmt: skip
    assert moved_run.returncode == 0, moved_run.stderr
    assert [line for line in uv() if line.endswith("-e .")]


def test_a_failed_install_is_tried_again(
    run: Run,
    uv: Asked,
    tmp_path: Path,
) -> None:
    good = (tmp_path / "bin/uv").read_text(encoding="utf-8")
    (tmp_path / "bin/uv").write_text(good.replace("exit 0", "exit 1"), encoding="utf-8")
    assert run("sh", "tools/setup.sh", "lab").returncode != 0
    uv()
    (tmp_path / "bin/uv").write_text(good, encoding="utf-8")
    assert run("sh", "tools/setup.sh", "lab").returncode == 0
    assert uv()


def test_without_python_it_says_what_to_do(
    run: Run,
) -> None:
    done = run("make", "lab")
    assert done.returncode != 0
    assert "Python 3.11, 3.12 or 3.13" in done.stderr
    assert "apt install python3" in done.stderr


def test_an_old_python_is_not_taken(run: Run, tmp_path: Path) -> None:
    old = tmp_path / "bin/python3"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    assert "none was found" in run("make", "lab").stderr


def test_make_test_fails_where_no_notebook_is(run: Run, uv: Asked, clone: Path) -> None:
    (clone / "notebooks").mkdir()
    (clone / "notebooks/helper.py").write_text("", encoding="utf-8")
    done = run("make", "test", programs=TOOLS + " ln test")
    assert done.returncode != 0
    assert "no notebook found" in done.stderr


def test_make_test_runs_every_kind_of_check(clone: Path) -> None:
    (clone / "notebooks").mkdir()
    (clone / "notebooks/00_start.py").write_text("", encoding="utf-8")
    done = subprocess.run(
        ["make", "-n", "test"], cwd=clone, capture_output=True, text=True, check=True
    )
    assert "ruff check ." in done.stdout
    assert "marimo check --strict notebooks/00_start.py" in done.stdout
    (pytest_line,) = [line for line in done.stdout.splitlines() if " pytest " in line]
    for part in ("LANGGRAPH_STRICT_MSGPACK=true", "--nbmake", "tests", "notebooks/jupyter"):
        assert part in pytest_line
    assert "notebooks/00_start.py" in pytest_line
