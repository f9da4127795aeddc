"""Controls and layout: the same values in both notebook kinds."""

from __future__ import annotations

from types import SimpleNamespace

import ipywidgets
import pytest

from ragkit import ipy, ui
from ragkit.config import Budget
from ragkit.show.page import Picture


class Shell:
    """Stands in for a Jupyter kernel's shell."""

    kernel = object()

    def __init__(self):
        self.execution_count, self.cell = 1, "cell-1"

    def get_parent(self):
        return {"metadata": {"cellId": self.cell}, "content": {"code": "ui.live(...)"}}


class Handle:
    def __init__(self, shown):
        self.shown = [shown]

    def update(self, picture):
        self.shown.append(picture)


@pytest.fixture
def jupyter(monkeypatch):
    """Run as in a Jupyter kernel; yields the shell, with what was displayed on it."""
    import IPython
    import IPython.display

    shell = Shell()
    shell.handles = []

    def display(shown, display_id=False):
        shell.handles.append(Handle(shown))
        return shell.handles[-1]

    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    monkeypatch.setattr(IPython.display, "display", display)
    monkeypatch.setattr(ipy, "_watching", {})
    return shell


CONTROLS = {
    "slider": (lambda: ui.slider(0.0, 1.0, 0.05, 0.5, "cut"), 0.5),
    "whole slider": (lambda: ui.slider(0, 5, 1, 2, "retries"), 2),
    "range": (lambda: ui.range_slider(0.0, 1.0, 0.05, (0.35, 0.7), "cuts"), (0.35, 0.7)),
    "dropdown of values": (lambda: ui.dropdown([1, 2, 3], 2, "k"), 2),
    "dropdown by name": (lambda: ui.dropdown({"one": [1], "two": [2]}, [2], "k"), [2]),
    "multiselect": (lambda: ui.multiselect(["a", "b", "c"], ["c", "a"], "guards"), ("c", "a")),
    "switch": (lambda: ui.switch(True, "web"), True),
    "checkbox": (lambda: ui.checkbox(False, "closed world"), False),
    "text": (lambda: ui.text("How much?", "question"), "How much?"),
    "text area": (lambda: ui.text_area("a\nb", "draft"), "a\nb"),
    "number": (lambda: ui.number(1, 10, 1, 4, "k"), 4),
    "button": (lambda: ui.button("go", lambda: 1), None),
}


@pytest.mark.parametrize(("make", "value"), CONTROLS.values(), ids=CONTROLS)
def test_marimo_value(make, value):
    control = make()
    assert not isinstance(control, ipywidgets.Widget)
    assert control.value == value and type(control.value) is type(value)


@pytest.mark.parametrize(("make", "value"), CONTROLS.values(), ids=CONTROLS)
def test_jupyter_value(jupyter, make, value):
    control = make()
    assert isinstance(control, ipywidgets.Widget)
    assert control.value == value and type(control.value) is type(value)


def test_a_start_outside_the_options_is_refused():
    with pytest.raises(ValueError, match="'d' is not among the options a, b"):
        ui.dropdown(["a", "b"], "d", "k")


def test_a_long_choice_stays_on_a_narrow_page():
    wide = [ui.dropdown(names, names[0], "k")._component_args["full-width"]
            for names in (["short", "s"], ["short", "long " * 10])]  # fmt: skip
    assert wide == [False, True]


def test_a_long_label_leaves_a_slider_its_track(jupyter):
    short, long = (ui.slider(0, 1, 0.1, 0, "n" * size).layout.width for size in (1, 40))
    assert short != long and "40ch" in long


@pytest.mark.parametrize("action", [lambda: 7, lambda: 1 / 0], ids=["works", "raises"])
def test_a_click_runs_the_action_once(jupyter, action):
    calls = []
    made = ui.button("go", lambda: calls.append(1) or action())
    made.click()
    assert len(calls) == 1 and not made.disabled
    if made.value != 7:
        assert not made.value and "ZeroDivisionError" in made.value.error


def test_marimo_button_runs_once_a_click_and_keeps_the_error():
    calls = []
    made = ui.button("go", lambda: calls.append(1) or 1 / len([]))
    made._update(1)
    assert len(calls) == 1 and isinstance(made.value, ipy.Failed)


# --- live ---


def test_live_in_marimo_is_the_view_of_the_values():
    control = ui.slider(0.0, 1.0, 0.05, 0.5, "cut")
    assert ui.live(lambda cut: f"cut at {cut}", cut=control) == "cut at 0.5"


def test_live_in_jupyter_redraws_in_place(jupyter):
    control = ui.slider(0.0, 1.0, 0.05, 0.5, "cut")
    assert ui.live(lambda cut: f"cut at {cut}", cut=control) is None
    control.value = 0.9
    assert jupyter.handles[0].shown == ["cut at 0.5", "cut at 0.9"]


def test_running_a_live_cell_again_leaves_one_observer(jupyter):
    control, draws = ui.slider(0, 9, 1, 1, "n"), []
    for _ in range(3):
        ui.live(lambda n: draws.append(n) or n, n=control)
        jupyter.execution_count += 1
    draws.clear()
    control.value = 5
    assert draws == [5]


def test_two_live_views_of_one_cell_both_stay(jupyter):
    control = ui.slider(0, 9, 1, 1, "n")
    for _ in range(2):
        ui.live(lambda n: n, n=control)
        ui.live(lambda n: -n, n=control)
        jupyter.execution_count += 1
    control.value = 5
    assert [handle.shown for handle in jupyter.handles[2:]] == [[1, 5], [-1, -5]]


def test_another_cell_keeps_its_observer(jupyter):
    control = ui.slider(0, 9, 1, 1, "n")
    ui.live(lambda n: n, n=control)
    jupyter.execution_count, jupyter.cell = 2, "cell-2"
    ui.live(lambda n: n, n=control)
    control.value = 5
    assert [handle.shown[-1] for handle in jupyter.handles] == [5, 5]


def crossed(cut):
    if cut > 0.7:
        raise ValueError("fail_threshold must be below pass_threshold")
    return cut


def test_a_view_that_raises_at_first_fails_the_cell(jupyter):
    with pytest.raises(ValueError, match="below"):
        ui.live(crossed, cut=ui.slider(0.0, 1.0, 0.05, 0.9, "cut"))


def test_a_view_that_raises_at_first_fails_the_marimo_cell():
    with pytest.raises(ValueError, match="below"):
        ui.live(crossed, cut=ui.slider(0.0, 1.0, 0.05, 0.9, "cut"))
    with pytest.raises(ValueError, match="below"):
        ui.live(crossed, cut=SimpleNamespace(value=0.9))


def test_a_later_error_is_readable_and_goes_away(jupyter):
    control = ui.slider(0.0, 1.0, 0.05, 0.5, "cut")
    ui.live(crossed, cut=control)
    control.value = 0.9
    control.value = 0.4
    _, error, after = jupyter.handles[0].shown
    assert "must be below pass_threshold" in repr(error) and after == 0.4


def test_a_later_error_is_readable_in_marimo():
    control = ui.slider(0.0, 1.0, 0.05, 0.5, "cut")
    assert ui.live(crossed, cut=control) == 0.5
    control._update(0.9)
    assert "must be below pass_threshold" in repr(ui.live(crossed, cut=control))


# --- layout ---


@pytest.mark.parametrize("arrange", [ui.row, ui.column])
def test_pictures_stay_html_in_jupyter(jupyter, arrange):
    made = arrange(ui.stat("kept", 4), ui.note("all well", "good"))
    assert isinstance(made, Picture) and "all well" in made._repr_html_()


@pytest.mark.parametrize("arrange", [ui.row, ui.column])
def test_controls_become_a_box_in_jupyter(jupyter, arrange):
    control = ui.slider(0, 9, 1, 1, "n")
    made = arrange(control, ui.note("move it"))
    assert made.children[0] is control and "move it" in made.children[1].value


@pytest.mark.parametrize("arrange", [ui.row, ui.column])
def test_marimo_arranges_controls_and_pictures(arrange):
    made = arrange(ui.slider(0, 9, 1, 1, "n"), ui.note("move it"), "**bold**").text
    assert "<marimo-slider" in made and "move it" in made and "<strong>bold</strong>" in made


def test_tabs_and_folds(jupyter):
    made = ui.tabs({"one": ui.note("1"), "two": "**2**"})
    assert made.titles == ("one", "two") and "<strong>2" in made.children[1].value
    assert "<details" in ui.details("Hint", "Look at `grade`")._repr_html_()
    assert ui.details("Move", ui.slider(0, 1, 1, 0, "n")).titles == ("Move",)


def test_table_takes_records_and_frames(jupyter):
    import pandas as pd

    rows = [{"id": "a", "score": 0.51}, {"id": "<b>", "score": None}]
    for made in (ui.table(rows), ui.table(pd.DataFrame(rows))):
        assert "&lt;b&gt;" in made.html and "<b>" not in made.html and "0.51" in made.html


def test_a_short_table_is_the_same_in_marimo():
    made = ui.table([{"id": "a", "asked": 1, "found": True, "text": "short"}])
    assert isinstance(made, Picture) and 'data-name="found"' in made.html and "yes" in made.html


def test_a_long_marimo_table_is_sortable_and_quiet():
    made = ui.table([{"id": "a", "text": "long " * 30}] * 13)
    assert made._component_args["wrapped-columns"] == ["text"]
    assert made._component_args["selection"] is None


def test_an_empty_table_says_so():
    assert ui.table([]).text == "No rows."


def test_facts_are_read_row_by_row():
    made = ui.facts({"by hand": 0.1 + 0.2, "path": ["a", "<b>"], "left": None, "ok": False})
    assert made.text == "by hand: 0.3\npath: a · <b>\nleft: –\nok: no"
    assert "&lt;b&gt;" in made.html and "<b>" not in made.html
    assert ui.facts(["one", "two"]).text == "one, two"
    assert "max_retries: 2" in ui.facts(Budget()).text


def test_notes_read_markdown_and_no_markup():
    made = ui.note("**bold** <script>alert(1)</script>", "bad", "Careful")
    assert "<strong>bold</strong>" in made.html and "<script" not in made.html
    with pytest.raises(ValueError, match="no tone called 'green'"):
        ui.note("x", "green")


@pytest.mark.parametrize(
    ("used", "tone"), [(0, "good"), (0.6, "good"), (0.7, "maybe"), (1, "bad"), (2, "bad")]
)
def test_a_gauge_warns_before_it_is_full(used, tone):
    made = ui.gauge("cost", used, 1, "USD", 2)
    assert f"rk-toned rk-{tone}" in made.html and f"{used:.2f} of 1.00 USD" in made.text


def test_progress_passes_the_items_on():
    assert list(ui.progress([1, 2, 3], "grading")) == [1, 2, 3]
