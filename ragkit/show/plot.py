"""A plane to draw on in SVG: the page's own ink, no script, one drawing for wide pages, one narrow.

Chart libraries load parts of themselves from the web, or a newer Vega than JupyterLab ships, so the
few charts the notebooks need are drawn here, once, for both notebook kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ragkit.show.page import escape, tag

WIDE, NARROW = 920, 400


@dataclass
class Plot:
    """An SVG with two linear scales. Points are given in data units, sizes in pixels."""

    width: float
    height: float
    x_domain: tuple[float, float] = (0.0, 1.0)
    y_domain: tuple[float, float] = (0.0, 1.0)
    left: float = 56
    right: float = 16
    top: float = 16
    bottom: float = 48
    parts: list[str] = field(default_factory=list)

    def x(self, value: float) -> float:
        """Return the pixel of a value on the x axis."""
        low, high = self.x_domain
        return self.left + (value - low) / (high - low) * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """Return the pixel of a value on the y axis, which grows upwards."""
        low, high = self.y_domain
        room = self.height - self.top - self.bottom
        return self.height - self.bottom - (value - low) / (high - low) * room

    def line(
        self, x1: float, y1: float, x2: float, y2: float, kind: str = "rk-axis", **more: str
    ) -> None:
        """Add a line between two pixels."""
        self.add("line", kind, x1=x1, y1=y1, x2=x2, y2=y2, **more)

    def text(
        self, x: float, y: float, words: object, kind: str = "", anchor: str = "middle"
    ) -> None:
        """Add escaped words at a pixel."""
        place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text_anchor": anchor}
        self.parts.append(tag("text", escape(words), kind, **place))

    def add(self, name: str, kind: str, title: str = "", **numbers: object) -> None:
        """Add a shape, with a title that shows when the mouse rests on it."""
        placed = {k: f"{v:.1f}" if isinstance(v, int | float) else v for k, v in numbers.items()}
        self.parts.append(tag(name, tag("title", escape(title)) if title else "", kind, **placed))

    def x_axis(self, ticks: Sequence[float], title: str, words: Callable[[float], str]) -> None:
        """Draw the x axis with a faint line up at every tick."""
        floor = self.height - self.bottom
        for tick in ticks:
            self.line(self.x(tick), self.top, self.x(tick), floor, "rk-gridline")
            self.text(self.x(tick), floor + 19, words(tick), "rk-soft")
        self.line(self.left, floor, self.width - self.right, floor)
        self.text((self.left + self.width - self.right) / 2, self.height - 6, title, "rk-title")

    def y_axis(self, ticks: Sequence[float], title: str, words: Callable[[float], str]) -> None:
        """Draw the y axis; its title stands above it."""
        for tick in ticks:
            self.line(self.left, self.y(tick), self.width - self.right, self.y(tick), "rk-gridline")
            self.text(self.left - 8, self.y(tick) + 4, words(tick), "rk-soft", "end")
        self.text(4, 14, title, "rk-title", "start")

    def svg(self, label: str) -> str:
        """Return the drawing, scaled down where the page is narrower."""
        return tag(
            "svg", "".join(self.parts), "rk-plot", viewBox=f"0 0 {self.width:g} {self.height:g}",
            role="img", aria_label=label, style=f"width:100%;max-width:{self.width * 1.15:.0f}px",
        )  # fmt: skip


def both(draw: Callable[[float], str]) -> str:
    """Return a drawing twice, for wide and narrow pages; the style sheet shows the fitting one."""
    wide, narrow = tag("div", draw(WIDE), "rk-lr"), tag("div", draw(NARROW), "rk-tb")
    return tag("div", wide + narrow, "rk-graph rk-both")


def ticks_for(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers from low to high, about as many as asked for."""
    if high <= low:
        return [low]
    rough = (high - low) / about
    power = 10.0 ** len(str(int(rough))) / 10 if rough >= 1 else 1.0
    while power > rough:
        power /= 10
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.75)
    first = int(low / step + 0.999999) if low >= 0 else int(low / step)
    return [round(at * step, 10) for at in range(first, int(high / step + 1e-9) + 1)]
