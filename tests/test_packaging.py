"""The package says truly what it needs, imports fast, and carries its data in a wheel."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import ragkit
from ragkit.cli import checks, workbook

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HEAVY = ["langgraph", "langchain_core", "chromadb", "openai", "onnxruntime", "numpy", "pandas"]
HEAVY += ["sklearn", "IPython", "marimo", "typer"]


def run(code: str, *, path: Path = ROOT, cwd: Path | None = None) -> str:
    """Run code in a fresh Python that finds ragkit at `path`, return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def loaded_by(statement: str, names: list[str]) -> list[str]:
    """Return which of the named modules a statement brings in."""
    code = f"import sys; {statement}; print(*[name for name in {names} if name in sys.modules])"
    return run(code).split()


def test_importing_ragkit_brings_in_nothing_slow() -> None:
    assert loaded_by("import ragkit", HEAVY) == []
    assert loaded_by("import pandas", HEAVY) != [], "the probe itself must be able to see one"


def test_the_command_line_starts_without_what_only_some_commands_need() -> None:
    slow = [name for name in HEAVY if name != "typer"]
    assert loaded_by("import ragkit.cli", slow) == []


def test_embedding_leaves_no_trace_for_anybody_to_collect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    for name in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("RAGKIT_CACHE_DIR", str(tmp_path / "ragkit"))
    run("from ragkit.embedding import default_embedder; default_embedder().embed_documents(['a'])")
    assert [path.name for path in tmp_path.iterdir()] == ["ragkit"]


def test_a_wrong_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        ragkit.no_such_thing  # noqa: B018


def test_every_public_name_is_listed_and_there() -> None:
    assert {"ask", "offline_kit", "data_dir"} <= set(dir(ragkit))
    for name in ragkit._PUBLIC:
        assert name in dir(ragkit)
        assert getattr(ragkit, name) is not None


def test_version_is_the_same_in_code_and_metadata() -> None:
    assert ragkit.__version__ == PROJECT["project"]["version"]


def test_python_range_is_the_same_everywhere() -> None:
    least, end = checks.PYTHON_RANGE
    stated = f">={least[0]}.{least[1]},<{end[0]}.{end[1]}"
    assert PROJECT["project"]["requires-python"] == stated
    setup = (ROOT / "tools/setup.sh").read_text(encoding="utf-8")
    assert f"{least} <= sys.version_info[:2] < {end}" in setup


def test_data_comes_from_the_checkout() -> None:
    assert ragkit.data_dir() == ROOT / "data"


def test_missing_data_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ragkit, "__file__", str(tmp_path / "ragkit" / "__init__.py"))
    (tmp_path / "data").mkdir()  # a neighbour in site-packages is not ragkit's data
    with pytest.raises(FileNotFoundError, match="ragkit's data folder is missing"):
        ragkit.data_dir()


def declared() -> set[str]:
    """Return the names of every distribution that pyproject.toml declares, extras included."""
    listed = list(PROJECT["project"]["dependencies"])
    for extra in PROJECT["project"]["optional-dependencies"].values():
        listed += extra
    return {canonicalize_name(Requirement(line).name) for line in listed}


def imported_modules() -> dict[str, Path]:
    """Return every top-level module that a file of the package imports, at any depth."""
    found = {}
    for file in sorted((ROOT / "ragkit").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0]: file for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found[node.module.partition(".")[0]] = file
    return found


def test_everything_imported_is_declared() -> None:
    owners = packages_distributions()
    for module, file in imported_modules().items():
        if module in sys.stdlib_module_names or module in ("ragkit", "__future__"):
            continue
        names = {canonicalize_name(name) for name in owners.get(module, [module])}
        assert names & declared(), f"{file.relative_to(ROOT)} imports {module}: declare it"


def test_environment_yml_takes_python_and_dot_from_conda_and_the_rest_from_the_project() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["name"] == "ragkit"
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    *plain, by_pip = environment["dependencies"]
    names = [re.split(r"[=<>]", line)[0] for line in plain]
    assert names == ["python", "python-graphviz", "pip"]
    assert plain[0] == "python=3.12"
    assert by_pip == {"pip": ["-e ."]}


def test_langgraph_json_points_at_graphs_that_are_there() -> None:
    served = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    assert served["dependencies"] == ["."]
    built = {path.stem for path in (ROOT / "ragkit/graphs").glob("*.py")}
    assert set(served["graphs"]) <= built
    for place in served["graphs"].values():
        file, _, name = place.partition(":")
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_a_copied_notebook_has_the_settings_of_the_project() -> None:
    assert tomllib.loads(workbook.MARIMO_SETTINGS)["tool"]["marimo"] == PROJECT["tool"]["marimo"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the checkout, offline."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    (built,) = folder.glob("ragkit-*.whl")
    return built


def test_the_wheel_carries_data_and_nothing_of_the_workshop(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for folder, inside in (("data", "ragkit/_data/"), ("notebooks", "ragkit/_notebooks/")):
        here = {p.relative_to(ROOT / folder).as_posix() for p in (ROOT / folder).rglob("*.[mip]*")}
        here = {name for name in here if "__" not in name and ".ipynb_checkpoints" not in name}
        packed = {name.removeprefix(inside) for name in names if name.startswith(inside)}
        assert here <= packed
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"ragkit", f"ragkit-{ragkit.__version__}.dist-info"}
    assert not [name for name in names if "__marimo__" in name or "__pycache__" in name]


def test_an_installed_wheel_finds_its_own_data(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = "import ragkit; print(ragkit.__file__); print(ragkit.data_dir())"
    origin, data = run(code, path=tmp_path / "site", cwd=tmp_path).splitlines()
    assert Path(origin).is_relative_to(tmp_path)
    assert Path(data) == tmp_path / "site/ragkit/_data"
    assert len(list(Path(data).glob("kb/*.md"))) == len(list((ROOT / "data/kb").glob("*.md")))


def test_what_the_locks_leave_out_is_not_needed() -> None:
    """Embed, store, search and talk to a chat client with the left-out packages blocked."""
    gone = ["kubernetes", "huggingface_hub", "hf_xet", "zstandard", "uvloop", "httptools"]
    code = f"""
import sys
for name in {gone}: sys.modules[name] = None
from ragkit.embedding import default_embedder
from ragkit.index import build_index
import langchain_openai, langgraph.graph, marimo
page = {{"id": "a#0-00000000", "content": "Seats cost 12 euros.", "metadata": {{"source": "a.md"}}}}
print(build_index([page]).search("price of a seat", 1)[0]["id"])
"""
    assert run(code) == "a#0-00000000"
