"""One BLAS thread inside, and as many as before afterwards, whoever comes and goes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from ragkit.blas import one_blas_thread


def blas_threads() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_many_at_once_see_one_thread_and_leave_the_number_as_it_was() -> None:
    before = blas_threads()

    def look(_turn: int) -> set[int]:
        with one_blas_thread():
            return blas_threads()

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(look, range(40)))
    assert all(threads <= {1} for threads in seen)
    assert blas_threads() == before


def test_an_error_inside_puts_the_number_back() -> None:
    before = blas_threads()
    with pytest.raises(ValueError, match="inside"), one_blas_thread():
        raise ValueError("inside")
    assert blas_threads() == before
