"""Keep numpy to one thread of its own while ours do the work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController

_turn = threading.Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Compute matrix products on one thread inside this block; one block at a time.

    After a product on several threads a BLAS keeps them waiting busily for the next. That takes the
    cores from what runs then, such as calls to a model. The number of threads belongs to the whole
    process, so blocks take turns: two at once could each put back what the other had set.
    """
    with _turn, _controller().limit(limits=1, user_api="blas"):
        yield


@lru_cache(1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
