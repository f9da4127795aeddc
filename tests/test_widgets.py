"""The threshold map as Python sees it; tests/test_notebooks.py moves it in a browser."""

from __future__ import annotations

import re

import pytest

from ragkit import ui
from ragkit.widgets import ThresholdMap

SCORES = [
    {"score": 0.9, "relevant": True, "question": "q<1>", "document_id": "a"},
    {"score": 0.2, "relevant": False},
]


def test_points_keep_their_order():
    assert ThresholdMap(SCORES).points == [[0.9, True, "q<1> · a"], [0.2, False, ""]]


def test_no_trait_is_called_value():
    assert {"points", "fail", "passing"} <= set(ThresholdMap(SCORES).traits(sync=True))
    assert not ThresholdMap(SCORES).has_trait("value")


@pytest.mark.parametrize(("fail", "passing"), [(0.7, 0.35), (0.5, 0.5), (-1, 0.5), (0.5, 2)])
def test_crossed_lines_are_refused(fail, passing):
    with pytest.raises(ValueError, match="must be below pass"):
        ThresholdMap(SCORES, fail, passing)


def test_live_reads_both_lines_in_marimo():
    cuts = ui.wrap(ThresholdMap(SCORES, 0.3, 0.6))
    assert ui.live(lambda cuts: cuts, cuts=cuts) == (0.3, 0.6)
    cuts.widget.fail = 0.5
    assert ui.live(lambda cuts: cuts, cuts=cuts) == (0.5, 0.6)


def test_live_redraws_in_jupyter_when_a_line_moves(monkeypatch):
    import IPython
    import IPython.display

    from ragkit import ipy

    shown = []

    class Handle:
        def update(self, picture):
            shown.append(picture)

    class Shell:
        kernel, execution_count = object(), 1

        def get_parent(self):
            return {"metadata": {"cellId": "map"}}

    monkeypatch.setattr(IPython, "get_ipython", Shell)
    monkeypatch.setattr(IPython.display, "display", lambda *_, **__: Handle())
    monkeypatch.setattr(ipy, "_watching", {})
    cuts = ThresholdMap(SCORES)
    ui.live(lambda cuts: cuts, cuts=ui.wrap(cuts))
    cuts.fail = 0.4
    cuts.passing = 0.8
    assert shown == [(0.4, 0.7), (0.4, 0.8)]


def test_the_script_loads_nothing():
    source = ThresholdMap._esm
    assert not re.search(r"\bimport\b|fetch\(|https?://(?!www\.w3\.org)", source)
    assert "innerHTML" not in source, "labels are set as text"
