"""Take pictures of every notebook as its readers see it, into build/screenshots.

    python benchmarks/screenshots.py [NAME ...] [--folder notebooks] [--only marimo|lab]

marimo and JupyterLab, light and dark, wide (1280) and narrow (420). Look at them before a release.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import front_ends  # noqa: E402

WIDTHS = (1280, 420)
TALLEST = 14_000
HEIGHT = "Math.max(...[...document.querySelectorAll('body, body *')].map(e => e.scrollHeight)) + 40"


def shoot(page: object, target: Path, height: int) -> None:
    """Take one picture with everything on it, as high as the page is."""
    width = page.viewport_size["width"]
    for _ in range(3):  # a higher window changes what is in it, and so its height
        page.set_viewport_size({"width": width, "height": min(max(height, 700), TALLEST)})
        page.wait_for_timeout(1000)
        height = max(height, page.evaluate(HEIGHT))
    page.screenshot(path=target)
    print(target, flush=True)


def marimo(chromium: object, notebook: Path, out: Path) -> None:
    """Take a notebook in `marimo run`, light and dark, wide and narrow."""
    with front_ends.marimo_app(notebook) as url:
        for scheme in ("light", "dark"):
            for width in WIDTHS:
                page = chromium.new_page(
                    viewport={"width": width, "height": 900}, color_scheme=scheme
                )
                front_ends.open_marimo(page, url)
                target = out / f"{notebook.stem}-marimo-{scheme}-{width}.png"
                shoot(page, target, page.evaluate(HEIGHT))
                page.close()


def lab(chromium: object, notebook: Path, out: Path) -> None:
    """Take an exported notebook in JupyterLab, light and dark, wide and narrow."""
    for scheme in ("light", "dark"):
        with front_ends.jupyter_lab(notebook.parent, dark=scheme == "dark") as url:
            page = chromium.new_page(viewport={"width": WIDTHS[0], "height": 900})
            asked = front_ends.offline(page)
            front_ends.run_in_lab(page, url + notebook.name)
            page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.wait_for_timeout(1000)
                height = page.evaluate(
                    "document.querySelector('.jp-WindowedPanel-outer').scrollHeight"
                )
                shoot(page, out / f"{notebook.stem}-lab-{scheme}-{width}.png", height + 120)
            page.close()
            if asked:
                print(f"  {notebook.stem} asked for {', '.join(sorted(set(asked)))}")


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="beginnings of notebook names; all when left out")
    parser.add_argument("--folder", type=Path, default=ROOT / "notebooks")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "screenshots")
    parser.add_argument("--only", choices=("marimo", "lab"))
    options = parser.parse_args()
    sources = sorted(options.folder.glob("[0-9]*.py"))
    wanted = [s for s in sources if not options.names or s.stem.startswith(tuple(options.names))]
    if not wanted:
        parser.error(f"no notebook in {options.folder} fits")
    options.out.mkdir(parents=True, exist_ok=True)
    with front_ends.browser() as chromium:
        for source in wanted:
            if options.only != "lab":
                marimo(chromium, source, options.out)
            exported = source.parent / "jupyter" / f"{source.stem}.ipynb"
            if options.only != "marimo" and exported.exists():
                lab(chromium, exported, options.out)


if __name__ == "__main__":
    main()
