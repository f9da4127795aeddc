"""A threshold map that the reader moves: dots of scores under two lines, live in both notebooks.

cuts = ui.wrap(ThresholdMap(scores))      # a cell of its own
ui.live(lambda cuts: ..., cuts=cuts)      # cuts is the tuple (fail, pass)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any, ClassVar

import anywidget
import traitlets

from ragkit.show.page import style

_PAINT = """
.rk-map{width:100%;color:inherit}
.rk-map svg{display:block;margin:0 auto;font-family:inherit;user-select:none}
.rk-map text{fill:currentColor;font-size:14px}
.rk-map text.rk-soft{opacity:.7;font-size:13px}
.rk-map .rk-gridline{stroke:currentColor;stroke-opacity:.13}
.rk-map .rk-zone-name,.rk-map .rk-cut-name{font-weight:650}
.rk-map .rk-count{font-weight:700;font-size:17px}
.rk-map .rk-cut{stroke:currentColor;stroke-width:3}
.rk-map .rk-handle{cursor:ew-resize;touch-action:none;outline:none}
.rk-map .rk-grip{fill:transparent}
.rk-map .rk-knob{fill:#3b82d6;stroke:currentColor;stroke-width:2}
.rk-map .rk-handle:focus-visible .rk-knob{stroke-width:4}
.rk-map .rk-handle:hover .rk-cut{stroke:#3b82d6}
"""


def source(name: str) -> str:
    """Return a script that lies beside the pictures."""
    return files("ragkit.show").joinpath(name).read_text(encoding="utf-8")


def style_sheet() -> str:
    """Return the pictures' style sheet as a widget takes it."""
    return style().removeprefix("<style>").removesuffix("</style>")


class ThresholdMap(anywidget.AnyWidget):
    """Scores in two lanes, relevant above, with a fail and a pass line to drag.

    A score at or above `passing` is kept, below `fail` dropped, between ambiguous. The lines answer
    to mouse, finger and arrow keys, and cannot cross.
    """

    _esm: ClassVar[str] = source("threshold_map.js")
    _css: ClassVar[str] = style_sheet() + _PAINT
    points = traitlets.List().tag(sync=True)  # [score, relevant, label] each, in reading order
    fail = traitlets.Float(0.35).tag(sync=True)
    passing = traitlets.Float(0.7).tag(sync=True)
    reading_traits = ("fail", "passing")

    def __init__(
        self, scores: Iterable[Mapping[str, Any]], fail: float = 0.35, passing: float = 0.7
    ) -> None:
        """Take `{"score", "relevant"}` records; "question" and "document_id" show on hover.

        Raises ValueError unless 0 <= fail < passing <= 1.
        """
        if not 0 <= fail < passing <= 1:
            raise ValueError(f"fail ({fail}) must be below pass ({passing}), both within 0..1")
        points = [[float(s["score"]), bool(s["relevant"]), _label(s)] for s in scores]
        super().__init__(points=points, fail=fail, passing=passing)

    @property
    def reading(self) -> tuple[float, float]:
        """The lines as (fail, pass)."""
        return self.fail, self.passing


def _label(score: Mapping[str, Any]) -> str:
    return " · ".join(str(score[key]) for key in ("question", "document_id") if score.get(key))
