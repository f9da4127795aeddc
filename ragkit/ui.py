"""Controls and layout for a notebook that opens in marimo and, exported, in JupyterLab.

A control is a marimo element or an ipywidget; either way it has the same `.value`. This is the one
module that touches marimo: several `mo` functions come out blank in a Jupyter kernel, and some
break every widget made after them, so notebooks themselves call `mo.md` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import marimo as mo

from ragkit import ipy
from ragkit.show.page import Picture
from ragkit.show.parts import details as _plain_details
from ragkit.show.parts import facts, gauge, gauges, html, note, stat, stats

__all__ = [
    "button", "checkbox", "column", "details", "dropdown", "facts", "gauge", "gauges", "html",
    "in_jupyter", "live", "multiselect", "note", "number", "progress", "range_slider",
    "review_form", "row", "slider", "stat", "stats", "switch", "table", "tabs", "text",
    "text_area", "wrap",
]  # fmt: skip

_SMALL = (
    mo.ui.slider, mo.ui.range_slider, mo.ui.dropdown, mo.ui.multiselect, mo.ui.switch,
    mo.ui.checkbox, mo.ui.number, mo.ui.button,
)  # fmt: skip
Options = Sequence[Any] | Mapping[str, Any]


def in_jupyter() -> bool:
    """Tell whether a Jupyter kernel (JupyterLab, VS Code, Colab, nbclient) runs us."""
    return ipy.in_kernel()


# --- controls ------------------------------------------------------------------------------------


class _Range(mo.ui.range_slider):
    def _convert_value(self, value: Any) -> tuple[Any, ...]:  # a tuple, as ipywidgets gives
        return tuple(super()._convert_value(value))


class _Several(mo.ui.multiselect):
    def _convert_value(self, value: Any) -> tuple[Any, ...]:
        return tuple(super()._convert_value(value))


def slider(
    start: float, stop: float, step: float, value: float, label: str, dragging: bool = False
) -> Any:
    """Return a slider; its value changes when the handle is let go, or while `dragging`."""
    if in_jupyter():
        return ipy.slider(start, stop, step, value, label, dragging)
    return mo.ui.slider(
        start, stop, step, value, label=label, show_value=True, debounce=not dragging
    )


def range_slider(
    start: float, stop: float, step: float, value: tuple[float, float], label: str
) -> Any:
    """Return a slider with two handles; its value is the tuple (low, high)."""
    if in_jupyter():
        return ipy.range_slider(start, stop, step, value, label)
    return _Range(start, stop, step, list(value), label=label, show_value=True, debounce=True)


def dropdown(options: Options, value: Any, label: str) -> Any:
    """Return a choice of one. Options are values, or label -> value; `value` is where it starts."""
    named = ipy.named_options(options)
    first = ipy.label_of(named, value)
    if in_jupyter():
        return ipy.dropdown(named, first, label)
    # as wide as the page, or a long choice runs over its edge on a phone
    wide = any(len(name) > 40 for name in named)
    return mo.ui.dropdown(named, first, label=label, allow_select_none=False, full_width=wide)


def multiselect(options: Options, value: Sequence[Any], label: str) -> Any:
    """Return a choice of several; its value is a tuple, in the order of choosing."""
    named = ipy.named_options(options)
    first = [ipy.label_of(named, one) for one in value]
    if in_jupyter():
        return ipy.multiselect(named, first, label)
    return _Several(named, first, label=label)


def switch(value: bool, label: str) -> Any:
    """Return an on/off switch."""
    return ipy.checkbox(value, label) if in_jupyter() else mo.ui.switch(value, label=label)


def checkbox(value: bool, label: str) -> Any:
    """Return a checkbox."""
    return ipy.checkbox(value, label) if in_jupyter() else mo.ui.checkbox(value, label=label)


def text(value: str, label: str, placeholder: str = "") -> Any:
    """Return a one-line text field; its value changes on Enter or when it is left."""
    if in_jupyter():
        return ipy.text(value, label, placeholder)
    return mo.ui.text(value, placeholder=placeholder, label=label, full_width=True)


def text_area(value: str, label: str, rows: int = 4) -> Any:
    """Return a field of several lines; its value changes when it is left."""
    if in_jupyter():
        return ipy.text_area(value, label, rows)
    return mo.ui.text_area(value, label=label, rows=rows, full_width=True, debounce=True)


def number(start: float, stop: float, step: float, value: float, label: str) -> Any:
    """Return a number field that stays between start and stop."""
    if in_jupyter():
        return ipy.number(start, stop, step, value, label)
    return mo.ui.number(start, stop, step, value, label=label)


def button(label: str, action: Callable[[], Any], tone: str = "neutral") -> Any:
    """Return a button that runs `action` once a click; its value is what the last click returned.

    The value is None before the first click, and a falsy `ipy.Failed` with the error's text when
    the action raised, so a view can show it. `tone` is neutral, success, warn or danger.
    """
    if in_jupyter():
        return ipy.button(label, action, tone)
    return mo.ui.button(on_click=lambda _: ipy.attempt(action), label=label, kind=tone)


def review_form(graph: Any, thread_id: str, **options: Any) -> Any:
    """Return a form that decides a waiting thread; a live view gets the finished Run, or None.

    `options` are those of `ragkit.review_form.ReviewForm`: `config` and `log`, an AuditLog.
    """
    from ragkit.review_form import ReviewForm

    return wrap(ReviewForm(graph, thread_id, **options))


def wrap(widget: Any) -> Any:
    """Make an anywidget reactive in marimo; Jupyter takes it as it is."""
    return widget if in_jupyter() else mo.ui.anywidget(widget)


# --- live views ----------------------------------------------------------------------------------


def live(view: Callable[..., Any], **controls: Any) -> Any:
    """Show `view(name=value, ...)` and keep it current as the controls move.

    marimo re-runs the calling cell, Jupyter redraws this output. A view that raises at first fails
    the cell; one that raises later, when a reader moves a control, shows its error in its place.
    """

    def draw() -> Any:
        return view(**{name: ipy.reading(control) for name, control in controls.items()})

    if in_jupyter():
        return ipy.live(draw, controls)
    seen = all(getattr(control, "_drawn_before", False) for control in controls.values())
    try:
        picture = draw()
    except Exception as error:
        if not (controls and seen):
            raise
        return ipy.error_note(error)
    for control in controls.values():
        control._drawn_before = True
    return picture


def progress(items: Iterable[Any], label: str = "", total: int | None = None) -> Iterable[Any]:
    """Go through items behind a progress bar that shows in both notebook kinds."""
    from tqdm.notebook import tqdm

    return tqdm(items, desc=label, total=total)


# --- layout --------------------------------------------------------------------------------------


def row(*items: Any) -> Any:
    """Return items side by side; they wrap below each other on a narrow page."""
    return ipy.box(items, "rk-row") if in_jupyter() else _arranged(items, "rk-row")


def column(*items: Any) -> Any:
    """Return items below each other."""
    return ipy.box(items, "rk-stack") if in_jupyter() else _arranged(items, "rk-stack")


def tabs(items: Mapping[str, Any]) -> Any:
    """Return one tab an item, by its title."""
    if in_jupyter():
        return ipy.tabs(items)
    return mo.ui.tabs({title: _marimo_html(item) for title, item in items.items()})


def details(summary: str, content: Any, opened: bool = False) -> Any:
    """Return content behind a summary line; content is Markdown or anything that shows itself."""
    if isinstance(content, str | Picture) or hasattr(content, "_repr_html_"):
        return _plain_details(summary, content, opened)
    return ipy.fold(summary, content) if in_jupyter() else mo.accordion({summary: content})


def table(
    rows: Any, label: str = "", page_size: int = 12, widths: Mapping[str, int] | None = None
) -> Any:
    """Return records or a data frame as a table.

    What fits on one page looks the same in both notebook kinds; a longer one is sortable and
    searchable in marimo, where `widths` sets a column's width in pixels.
    """
    rows = rows if hasattr(rows, "columns") else list(rows)
    if in_jupyter() or len(rows) <= page_size:
        return ipy.table(rows, label)
    frame = ipy.frame(rows)
    wrapped = [name for name in frame.columns if ipy.is_long(frame[name])]
    return mo.ui.table(
        frame,
        label=label,
        selection=None,
        pagination=True,
        page_size=page_size,
        show_column_summaries=False,
        show_data_types=False,
        show_download=False,
        wrapped_columns=wrapped,
        column_widths={**dict.fromkeys(wrapped, 420), **(widths or {})},
    )


def _arranged(items: Sequence[Any], kind: str) -> Any:
    """Arrange items in our own flex box: marimo's stacks neither wrap nor shrink as we need."""
    boxes = []
    for item in items:
        name = "rk-control" if isinstance(item, _SMALL) else "rk-cell"
        boxes.append(f'<div class="{name}">{_marimo_html(item).text}</div>')
    return mo.Html(Picture(f'<div class="{kind}">{"".join(boxes)}</div>', "")._repr_html_())


def _marimo_html(item: Any) -> Any:
    return mo.md(item) if isinstance(item, str) else mo.as_html(item)
