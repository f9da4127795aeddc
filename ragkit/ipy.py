"""The Jupyter half of `ragkit.ui`, and what both halves share. Notebooks use `ragkit.ui`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragkit.show.page import Picture
from ragkit.show.parts import as_html, note, plain_table

# cell -> (execution count, its live views' observers); a cell that runs again drops its old ones
_watching: dict[str, tuple[int, list[tuple[Any, Callable[[Any], None], Any]]]] = {}


@dataclass(frozen=True)
class Failed:
    """What a button holds when its action raised: false, with the error's text."""

    error: str

    def __bool__(self) -> bool:
        return False

    def _repr_html_(self) -> str:
        return note(self.error, "bad", "That did not work")._repr_html_()


def in_kernel() -> bool:
    """Tell whether a Jupyter kernel runs us."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return hasattr(get_ipython(), "kernel")


# --- shared --------------------------------------------------------------------------------------


def named_options(options: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return options as label -> value."""
    if isinstance(options, Mapping):
        return {str(label): value for label, value in options.items()}
    return {str(value): value for value in options}


def label_of(named: Mapping[str, Any], value: Any) -> str:
    """Return the label a value has among the options; raise ValueError if it has none."""
    for label, option in named.items():
        if option is value or option == value:
            return label
    if value in named:
        return value
    raise ValueError(f"{value!r} is not among the options {', '.join(named)}")


def attempt(action: Callable[[], Any]) -> Any:
    """Return what an action returns, or `Failed` with what it raised."""
    try:
        return action()
    except Exception as error:
        return Failed(f"{type(error).__name__}: {error}")


def error_note(error: Exception) -> Picture:
    """Return an error as a note in place of the view that raised it."""
    return note(f"`{type(error).__name__}`: {error}", "bad", "This setting does not work")


def reading(control: Any) -> Any:
    """Return what a control says: an anywidget's `reading`, else `.value`."""
    return control.reading if hasattr(control, "reading") else control.value


def frame(rows: Any) -> Any:
    """Return records or a data frame as a data frame."""
    import pandas as pd

    return rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))


def is_long(column: Any) -> bool:
    """Tell whether a column holds texts that need more than one line."""
    return any(isinstance(value, str) and len(value) > 40 for value in column)


# --- controls ------------------------------------------------------------------------------------

_LABEL = {"description_width": "initial"}


def _wide(label: str) -> str:
    """Return a width that leaves a track to move on beside any label."""
    return f"min(100%, calc(24em + {len(label)}ch))"


def slider(start: float, stop: float, step: float, value: float, label: str, dragging: bool) -> Any:
    """Return an ipywidgets slider, of integers when all its numbers are."""
    import ipywidgets as w

    whole = all(isinstance(number, int) for number in (start, stop, step, value))
    kind = w.IntSlider if whole else w.FloatSlider
    return kind(
        value, min=start, max=stop, step=step, description=label, continuous_update=dragging,
        style=_LABEL, layout=w.Layout(width=_wide(label)),
    )  # fmt: skip


def range_slider(
    start: float, stop: float, step: float, value: tuple[float, float], label: str
) -> Any:
    """Return an ipywidgets slider with two handles."""
    import ipywidgets as w

    whole = all(isinstance(number, int) for number in (start, stop, step, *value))
    kind = w.IntRangeSlider if whole else w.FloatRangeSlider
    return kind(
        value=tuple(value), min=start, max=stop, step=step, description=label,
        continuous_update=False, style=_LABEL, layout=w.Layout(width=_wide(label)),
    )  # fmt: skip


def dropdown(named: dict[str, Any], first: str, label: str) -> Any:
    """Return an ipywidgets dropdown."""
    import ipywidgets as w

    return w.Dropdown(
        options=list(named.items()), value=named[first], description=label, style=_LABEL,
        layout=w.Layout(width="max-content", max_width="100%"),
    )  # fmt: skip


def multiselect(named: dict[str, Any], first: Sequence[str], label: str) -> Any:
    """Return an ipywidgets list to choose several from."""
    import ipywidgets as w

    return w.SelectMultiple(
        options=list(named.items()), value=tuple(named[one] for one in first), description=label,
        rows=min(len(named), 12), style=_LABEL,
        layout=w.Layout(width="max-content", max_width="100%"),
    )  # fmt: skip


def checkbox(value: bool, label: str) -> Any:
    """Return an ipywidgets checkbox."""
    import ipywidgets as w

    return w.Checkbox(value, description=label, indent=False, layout=w.Layout(width="max-content"))


def text(value: str, label: str, placeholder: str) -> Any:
    """Return an ipywidgets text field."""
    import ipywidgets as w

    return w.Text(
        value, description=label, placeholder=placeholder, continuous_update=False, style=_LABEL,
        layout=w.Layout(width="100%"),
    )  # fmt: skip


def text_area(value: str, label: str, rows: int) -> Any:
    """Return an ipywidgets text area."""
    import ipywidgets as w

    return w.Textarea(
        value, description=label, rows=rows, continuous_update=False, style=_LABEL,
        layout=w.Layout(width="100%"),
    )  # fmt: skip


def number(start: float, stop: float, step: float, value: float, label: str) -> Any:
    """Return an ipywidgets number field."""
    import ipywidgets as w

    whole = all(isinstance(one, int) for one in (start, stop, step, value))
    kind = w.BoundedIntText if whole else w.BoundedFloatText
    return kind(
        value, min=start, max=stop, step=step, description=label, style=_LABEL,
        layout=w.Layout(width="12em"),
    )  # fmt: skip


def button(label: str, action: Callable[[], Any], tone: str) -> Any:
    """Return an ipywidgets button with a `.value`; clicks during a run are ignored."""
    import ipywidgets as w
    import traitlets

    class ActionButton(w.Button):
        value = traitlets.Any(None, allow_none=True)

    style = {"success": "success", "warn": "warning", "danger": "danger"}.get(tone, "")
    made = ActionButton(description=label, button_style=style, layout=w.Layout(width="auto"))

    def run(_: Any) -> None:
        if made.disabled:
            return
        made.disabled = True
        try:
            made.value = attempt(action)
        finally:
            made.disabled = False

    made.on_click(run)
    return made


# --- live views ----------------------------------------------------------------------------------


def live(draw: Callable[[], Any], controls: Mapping[str, Any]) -> None:
    """Display a view and redraw it in place whenever a control changes."""
    from IPython.display import display

    handle = display(draw(), display_id=True)

    def redraw(_: Any) -> None:
        try:
            picture = draw()
        except Exception as error:
            picture = error_note(error)
        handle.update(picture)

    observers = _observers_of_this_cell()
    for control in controls.values():
        names = getattr(control, "reading_traits", "value")
        control.observe(redraw, names=names)
        observers.append((control, redraw, names))


def _observers_of_this_cell() -> list[tuple[Any, Callable[[Any], None], Any]]:
    """Return the running cell's list of observers, emptied if the cell was run before."""
    from IPython import get_ipython

    shell = get_ipython()
    cell = _cell_id(shell)
    count, observers = _watching.get(cell, (None, []))
    if count != shell.execution_count:
        for control, redraw, names in observers:
            control.unobserve(redraw, names=names)
        observers = []
        _watching[cell] = (shell.execution_count, observers)
    return observers


def _cell_id(shell: Any) -> str:
    """Return the front end's id of the running cell, or its source where none is sent."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    sent = (parent.get("metadata") or {}).get("cellId")
    return sent or str((parent.get("content") or {}).get("code", ""))


# --- layout --------------------------------------------------------------------------------------


def box(items: Sequence[Any], kind: str) -> Any:
    """Arrange items: as one piece of HTML where all have HTML, else as a box of widgets."""
    import ipywidgets as w

    if all(isinstance(item, str) or hasattr(item, "_repr_html_") for item in items):
        cells = "".join(f'<div class="rk-cell">{as_html(item)}</div>' for item in items)
        return Picture(f'<div class="{kind}">{cells}</div>', "\n".join(map(str, items)))
    children = [_as_widget(item) for item in items]
    if kind == "rk-stack":
        return w.VBox(children)
    return w.HBox(
        children,
        layout=w.Layout(flex_flow="row wrap", align_items="flex-start", grid_gap="4px 24px"),
    )


def tabs(items: Mapping[str, Any]) -> Any:
    """Return ipywidgets tabs."""
    import ipywidgets as w

    return w.Tab([_as_widget(item) for item in items.values()], titles=tuple(items))


def fold(summary: str, content: Any) -> Any:
    """Return a folded ipywidgets accordion."""
    import ipywidgets as w

    return w.Accordion([_as_widget(content)], titles=(summary,), selected_index=None)


def table(rows: Any, label: str) -> Picture:
    """Return records or a data frame as an HTML table."""
    # a data frame turns None into NaN and whole numbers into floats
    made = plain_table(rows.to_dict("records") if hasattr(rows, "to_dict") else rows)
    title = note("", "muted", label).html if label else ""
    return Picture(title + made.html, made.text)


def _as_widget(item: Any) -> Any:
    import ipywidgets as w

    if isinstance(item, w.DOMWidget):
        return item
    if isinstance(item, str) or hasattr(item, "_repr_html_"):
        return w.HTML(as_html(item), layout=w.Layout(width="100%", flex="1 1 300px"))
    out = w.Output(layout=w.Layout(flex="1 1 300px"))
    out.append_display_data(item)
    return out
