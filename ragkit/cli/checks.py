"""The checks of `ragkit doctor`. Each yields lines that say what was found and what to do."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

PYTHON_RANGE = ((3, 11), (3, 14))
SQLITE_LEAST = (3, 35)
ENDPOINT_SECONDS = 3.0
DEFAULT_ENDPOINT = "https://api.openai.com/v1"
REINSTALL = "install again: make clean lab (or pip install --force-reinstall ragkit)"

# where the name to import is not the name to install
MODULES = {
    "beautifulsoup4": "bs4",
    "ipython": "IPython",
    "langgraph-checkpoint-sqlite": "langgraph.checkpoint.sqlite",
    "markdown-it-py": "markdown_it",
    "pyspellchecker": "spellchecker",
    "python-dateutil": "dateutil",
    "python-frontmatter": "frontmatter",
    "pyyaml": "yaml",
    "scikit-learn": "sklearn",
}


@dataclass(frozen=True)
class Check:
    """One line of the doctor's report; a `warn` is worth knowing and stops nothing."""

    level: Literal["ok", "warn", "fail"]
    name: str
    text: str


def python(version: tuple[int, int, int]) -> Iterator[Check]:
    """Check the interpreter's version."""
    found = ".".join(map(str, version))
    if PYTHON_RANGE[0] <= version[:2] < PYTHON_RANGE[1]:
        yield Check("ok", "python", found)
    else:
        fix = "use 3.11, 3.12 or 3.13: make PYTHON=python3.12 clean lab"
        yield Check("fail", "python", f"{found} is not supported; {fix}")


def requirements() -> list[str]:
    """List what ragkit needs, from its installed metadata or else the checkout's pyproject.toml."""
    try:
        listed = metadata.requires("ragkit") or []
    except metadata.PackageNotFoundError:
        project = Path(__file__).parents[2] / "pyproject.toml"
        listed = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    return [line for line in listed if "extra ==" not in line]


def packages(required: Iterable[str]) -> Iterator[Check]:
    """Check that every requirement is installed in the supported range and can be imported."""
    from packaging.requirements import Requirement

    wanted = [Requirement(line) for line in required]
    wanted = [need for need in wanted if need.marker is None or need.marker.evaluate()]
    troubles = [(need.name, trouble) for need in wanted if (trouble := _trouble(need))]
    for name, trouble in troubles:
        yield Check("fail", "packages", f"{name} {trouble}; {REINSTALL}")
    if not troubles:
        yield Check("ok", "packages", f"{len(wanted)} found, all in the supported range")


def _trouble(need: object) -> str:
    name = need.name  # type: ignore[attr-defined]
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return "is not installed"
    if not need.specifier.contains(version, prereleases=True):  # type: ignore[attr-defined]
        return f"{version} is outside {need.specifier}"  # type: ignore[attr-defined]
    module = MODULES.get(name, name.replace("-", "_"))
    try:
        import_module(module)
    except Exception as error:
        return f"cannot be imported ({type(error).__name__}: {error})"
    return ""


def graphviz() -> Iterator[Check]:
    """Check for the program that draws graphs; without it they come as Mermaid text and lists."""
    found = shutil.which("dot")
    if found:
        yield Check("ok", "dot", found)
        return
    fix = "sudo apt install graphviz | brew install graphviz | winget install graphviz"
    yield Check("warn", "dot", f"not on the PATH, graphs come as text; {fix}")


def sqlite(version: str) -> Iterator[Check]:
    """Check the SQLite that this Python was built with; Chroma needs 3.35."""
    least = ".".join(map(str, SQLITE_LEAST))
    if tuple(map(int, version.split(".")[:2])) >= SQLITE_LEAST:
        yield Check("ok", "sqlite", version)
    else:
        fix = "take a Python from conda or uv, which bring a new one"
        yield Check("fail", "sqlite", f"{version} is older than {least}, Chroma needs that; {fix}")


def model() -> Iterator[Check]:
    """Check the embedding model's file against its published sha256."""
    from ragkit.embedding import MODEL_SHA256, model_path, tokenizer_path

    tokenizer_path()  # raises what to do when it is missing, as the next line does
    path = model_path()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest == MODEL_SHA256:
        size = path.stat().st_size / 1e6
        yield Check("ok", "model", f"all-MiniLM-L6-v2 int8, {size:.0f} MB, sha256 as published")
    else:
        found, right = digest[:12], MODEL_SHA256[:12]
        yield Check("fail", "model", f"{path} has sha256 {found}…, not {right}…; {REINSTALL}")


def shipped_files() -> Iterator[Check]:
    """Check that the company's pages and the notebooks came along."""
    from ragkit import data_dir, notebooks_dir

    for name, folder, pattern in (
        ("data", data_dir, "kb/*.md"),
        ("notebooks", notebooks_dir, "[0-9]*.py"),
    ):
        count = len(list(folder().glob(pattern)))
        found = f"{count} files in {folder()}"
        yield Check("ok", name, found) if count else Check("fail", name, f"{found}; {REINSTALL}")


def cache() -> Iterator[Check]:
    """Check that vectors can be kept between runs."""
    from ragkit.vector_cache import cache_dir

    folder = cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            yield Check("ok", "cache", str(folder))
    except OSError as error:
        fix = "set RAGKIT_CACHE_DIR to a folder of yours, or every start embeds all pages anew"
        yield Check("warn", "cache", f"{folder} cannot be written ({error.strerror}); {fix}")


def chat_model() -> Iterator[Check]:
    """Check the key and the endpoint where one is set; nothing of the key is ever shown."""
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    endpoint = os.environ.get("OPENAI_BASE_URL", "").strip()
    if not key and not endpoint:
        yield Check("ok", "chat", "no key set: rules and a small embedding model do the work")
        return
    if not key:
        fix = "a server of your own takes any text: export OPENAI_API_KEY=none"
        yield Check("warn", "chat", f"OPENAI_BASE_URL is set and OPENAI_API_KEY is not; {fix}")
    yield _ask(endpoint or DEFAULT_ENDPOINT, key, named=bool(endpoint))


def _ask(endpoint: str, key: str, *, named: bool) -> Check:
    import httpx

    shown = _without_login(endpoint)
    try:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        url = f"{endpoint.rstrip('/')}/models"
        reply = httpx.get(url, headers=headers, timeout=ENDPOINT_SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        # an endpoint that somebody wrote down is meant to be there; the public one may be offline
        fix = "start that server or correct OPENAI_BASE_URL" if named else "offline kit works"
        level = "fail" if named else "warn"
        return Check(level, "chat", f"{shown} does not answer ({type(error).__name__}); {fix}")
    if reply.status_code in (401, 403):
        return Check("fail", "chat", f"{shown} refuses the key; set OPENAI_API_KEY anew")
    if reply.is_success:
        return Check("ok", "chat", f"{shown} answers")
    fix = "is OPENAI_BASE_URL complete (most end in /v1)?"
    return Check("warn", "chat", f"{shown}/models answers {reply.status_code}; {fix}")


def _without_login(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl().rstrip("/")
