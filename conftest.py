"""What every test and notebook runs under: strict checkpoints, no network but the loopback."""

from __future__ import annotations

import ipaddress
import os
import socket

import pytest

# read once, when langgraph is imported
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
for _name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LANGSMITH_API_KEY", "LANGSMITH_TRACING"):
    os.environ.pop(_name, None)
# kernels and servers that tests start have no guard; a dead proxy stops them at the first request
for _name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
    os.environ[_name] = os.environ[_name.lower()] = "http://127.0.0.1:9"
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "localhost,127.0.0.1,::1"


class NetworkBlocked(RuntimeError):
    """A test tried to reach something that is not on this machine."""


def _is_local(address: object) -> bool:
    if not isinstance(address, tuple):  # a unix socket's path
        return True
    host = str(address[0])
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def loopback_only() -> object:
    """Refuse every connection that leaves this machine, by name or by number."""
    patch = pytest.MonkeyPatch()
    for method in ("connect", "connect_ex", "sendto"):
        patch.setattr(socket.socket, method, _guarded(getattr(socket.socket, method), method))
    lookup = socket.getaddrinfo

    def local_lookup(host: object, *args: object, **options: object) -> object:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not _is_local((name,)):
            raise NetworkBlocked(f"tests may not look up {name}")
        return lookup(host, *args, **options)

    patch.setattr(socket, "getaddrinfo", local_lookup)
    yield
    patch.undo()


def _guarded(original: object, method: str) -> object:
    def call(self: socket.socket, *args: object) -> object:
        target = args[-1] if method == "sendto" else args[0]
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(target):
            raise NetworkBlocked(f"tests may not connect to {target}")
        return original(self, *args)

    return call
