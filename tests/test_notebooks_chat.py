"""The notebooks that chat models are made for, run with one behind the OpenAI protocol."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid

import pytest
from front_ends import ROOT
from scripted_server import Behaviour, says, scripted_server, thinks

NOTEBOOKS = ("02_grading", "03_arsc", "06_crag")
MODELS = {"a good model": thinks(), "one that only mumbles": says("Hm, well, it depends.")}


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_it_runs_through_with_a_chat_model(name: str, behaviour: Behaviour) -> None:
    with scripted_server(then=behaviour) as server:
        env = {
            **os.environ, "PYTHONPATH": str(ROOT), "RAGKIT_KIT": "chat", "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": server.url, "RAGKIT_MODEL": f"model-{uuid.uuid4().hex[:8]}",
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, str(ROOT / "notebooks" / f"{name}.py")],
            env=env, capture_output=True, text=True, encoding="utf-8", timeout=240,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    assert len(server.requests) > 10, "the model was asked"
