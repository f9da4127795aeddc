# /// script
# [tool.ragkit]
# title = "1. A sample"
# description = "Every control and picture once, for the tests of both front ends."
# ///
import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="1. A sample")

with app.setup:
    import marimo as mo

    from ragkit import show, ui
    from ragkit.exercises import check
    from ragkit.widgets import ThresholdMap


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # A sample

    This notebook is for the tests. It moves a slider, and the count of kept scores below it
    follows, in marimo and in JupyterLab alike. Below stands a map of the same scores with two lines
    that can be moved by mouse, by finger and by the arrow keys. A score at or above the pass line
    is kept, a score below the fail line is dropped, and what lies between the two is ambiguous.
    """)


@app.cell
def _():
    scores = [{"score": n / 20, "relevant": n > 9} for n in range(21)]
    return (scores,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Move the slider. At 0.95 the view refuses, on purpose, and says why in its place; a reader who
    moves on sees the count again. The tests look for both.
    """)


@app.cell
def _():
    threshold = ui.slider(0.0, 1.0, 0.05, 0.5, "threshold")
    threshold
    return (threshold,)


@app.cell
def _():
    def kept(scores, threshold):
        if threshold > 0.9:
            raise ValueError("a threshold above 0.9 keeps nothing worth reading")
        return sum(score["score"] >= threshold for score in scores)

    return (kept,)


@app.cell
def _(kept, scores, threshold):
    ui.live(lambda threshold: ui.stat("kept", kept(scores, threshold)), threshold=threshold)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The same with two lines. The tiles below read both lines at once.
    """)


@app.cell
def _(scores):
    cuts = ui.wrap(ThresholdMap(scores))
    cuts
    return (cuts,)


@app.cell
def _(cuts):
    ui.live(lambda cuts: ui.stats(("fail at", cuts[0]), ("pass at", cuts[1])), cuts=cuts)


@app.cell
def _(scores):
    show.threshold_map(scores, 0.35, 0.7)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Exercise: how often does it search?

    Nothing is relevant, whatever is asked. The article's listing compares the cap before it counts.
    How many retrievals does it make?

    <details><summary>Hint</summary>

    With a cap of 1, compare 0 with 1 first.
    </details>
    <details><summary>Solution</summary>

    ```python
    def retrievals(max_iterations):
        return max_iterations + 1
    ```
    </details>
    """)
    return


@app.cell
def _():
    def retrievals(max_iterations):
        """Return how often the retriever is entered when every grade is no."""
        ...

    return (retrievals,)


@app.cell
def _(retrievals):
    check("03-off-by-one", retrievals)
    return


@app.cell
def test_kept(kept, scores):
    assert kept(scores, 0.5) == 11, "from 0.5 to 1.0 in steps of 0.05"


if __name__ == "__main__":
    app.run()
