# /// script
# [tool.ragkit]
# title = "Measure it: what each rung gains, costs and breaks"
# description = "The whole ladder on one set of questions, with honest statistics and your own labels."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="9. Measure it", width="medium")

with app.setup(hide_code=True):
    import tempfile
    from pathlib import Path

    import marimo as mo

    from ragkit import exercises, show, ui
    from ragkit.choice import announce, chosen_kit, limited
    from ragkit.config import CragConfig
    from ragkit.evaluation.alarms import find_alarms
    from ragkit.evaluation.calibration import (
        choose,
        fates,
        from_judged,
        write_thresholds,
    )  # fmt: skip
    from ragkit.evaluation.components import judge_pools, prepare
    from ragkit.evaluation.kept import load_results, wide
    from ragkit.evaluation.ladder import climb, rung
    from ragkit.evaluation.metrics import metric
    from ragkit.evaluation.questions import load_questions
    from ragkit.evaluation.rates import at_thresholds
    from ragkit.evaluation.report import by_rung, changes, difference, verdict
    from ragkit.evaluation.shadow import KINDS, counts, pairs
    from ragkit.evaluation.stats import Share, wilson


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 9. Measure it

    Six rungs, each cleverer than the one below. Is each also *better*? Not always, not everywhere,
    and never for free. This notebook puts the whole ladder on one set of questions and counts.
    """)
    return


@app.cell
def _():
    kit = chosen_kit()
    runs = len(limited(kit, range(36), free=36, paid=9))
    announce(kit, runs=runs, route=1, grade=8, rewrite=1, generate=1, check=3)
    return (kit,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What goes wrong without it

    You try five questions, all five answers are right, you ship. How much did you learn? Move the
    number of questions you tried and how many went well: the line is the range that the true rate
    may well lie in (Wilson's interval, 95 %).
    """)
    return


@app.cell
def _():
    tried = ui.slider(1, 200, 1, 5, "questions tried")
    tried
    return (tried,)


@app.cell
def _():
    failed = ui.slider(0, 20, 1, 0, "of them failed")
    failed
    return (failed,)


@app.cell
def _(failed, tried):
    def what_you_know(tried, failed):
        good = max(tried - failed, 0)
        low, high = wilson(good, tried)
        words = ui.note(f"The true rate may be anything from {low:.0%} to {high:.0%}.", "maybe")
        return ui.column(
            show.rates([{"rate": "went well", "numerator": good, "denominator": tried}]), words
        )

    ui.live(what_you_know, tried=tried, failed=failed)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Five of five is compatible with a system that fails four times in ten. That is why every share
    in ragkit carries its counts, and below thirty cases nothing but the counts.

    ## Climb

    `climb` asks every question on every rung and keeps one record a run: path, grades, evidence,
    draft, answer, tag. Everything below is computed from such records; nobody is asked again. Here
    are twelve questions of six traps, on three rungs.
    """)
    return


@app.cell
def _(kit):
    _many = {"plain": 2, "vocabulary": 2, "stale": 1, "conflict": 2, "missing": 3, "sensitive": 1}
    _practice = [q for q in load_questions(half="practice")
                 if not q.history and (q.trap != "missing" or q.answered_by == "none")]  # fmt: skip
    _chosen = [q for trap, count in _many.items()
               for q in [p for p in _practice if p.trap == trap][:count]]  # fmt: skip
    _chosen += [q for q in _practice if q.id == "q107"]  # stale, and known to come out worse
    batch = limited(kit, _chosen, free=12, paid=3)
    ui.table([{"trap": q.trap, "question": q.question} for q in batch], widths={"question": 640})
    return (batch,)


@app.cell
def _(batch, kit):
    still = kit.replace(clock=lambda: 0.0)
    records = climb(still, batch, [rung(name) for name in ("naive", "crag", "audited")])
    ui.stats(("questions", len(batch)), ("rungs", 3), ("records", len(records)))
    return (records,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## One metric, by hand

    A metric is a numerator over a denominator, and both have a written definition. Take *correct
    abstention*: of the questions that nothing can answer, how many were not answered?
    """)
    return


@app.cell
def _(records):
    abstention = metric("correct abstention")
    _crag = by_rung(records)["crag"]
    _without = [r for r in _crag if abstention.count(r)[1]]
    by_hand = Share(sum(not r.released for r in _without), len(_without))
    ui.facts({"definition": abstention.definition, "by hand": str(by_hand),
              "ragkit": str(abstention.measure(_crag))})  # fmt: skip
    return (by_hand,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A run that abstained has no claims, so it cannot lower or raise *groundedness*: it is left out
    of that denominator, and counted here. And where nothing was measured the value is **None**. A
    0 would look like a failure, a 1 like a triumph.

    ## The ladder

    Twelve questions are a demonstration. The table below was made by one command over the whole
    exam half, which nobody tuned anything on:

    `ragkit eval ladder --half exam --out data/results/ladder.json`
    """)
    return


@app.cell
def _():
    ladder = load_results("ladder")
    headlines = ["answered and supported", "unsupported answers", "correct abstention",
                 "false abstention", "groundedness", "steps"]  # fmt: skip
    show.ladder(
        wide(ladder["rows"], headlines), headlines, percent=headlines[:-1],
        lower_is_better=["unsupported answers", "false abstention", "steps"],
    )  # fmt: skip
    return (ladder,)


@app.cell
def _(ladder):
    ui.note(f"{ladder['about']['title']} · {ladder['about']['date']}", "muted", "measured")
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Read it by columns. Correction removes answers that nothing supports, and it pays twice: in
    steps, and in questions that a braver system would have got right. Which of these differences
    would survive another set of questions?

    ## Better, or lucky?

    Both rungs saw the **same** questions, so compare them question by question: draw the questions
    anew a thousand times, both rungs together, and look at the spread of the difference. If the
    range leaves out zero, it is clear. Pick a metric.
    """)
    return


@app.cell
def _():
    compared = ui.dropdown(
        ["answered and supported", "unsupported answers", "correct abstention",
         "false abstention", "citation accuracy", "stale answers", "conflicts handled"],
        "unsupported answers", "metric",
    )  # fmt: skip
    compared
    return (compared,)


@app.cell
def _(compared, ladder):
    def against_naive(compared):
        def told(row):
            if row["change"] is None:
                return {"difference": "–", "95 %": "", "verdict": row["verdict"]}
            span = f"{row['change_low']:+.2f} to {row['change_high']:+.2f}"
            return {"difference": f"{row['change']:+.2f}", "95 %": span, "verdict": row["verdict"]}

        rows = [row for row in ladder["rows"] if row["metric"] == compared]
        return ui.table([{"rung": r["rung"], "value": r["text"], **told(r)} for r in rows])

    ui.live(against_naive, compared=compared)
    return


@app.cell
def _(records):
    _change = difference(metric("unsupported answers"), by_rung(records), "naive", "audited")
    ui.facts({"these few questions": str(_change),
              "so": verdict(metric("unsupported answers"), _change)})  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Cost against quality

    A point up and to the left beats the others. The filled ones are beaten by nobody: choose among
    those, by what an error costs *you*. Prices are the articles', a call of a chat model each.
    """)
    return


@app.cell
def _(ladder):
    _rows = wide(ladder["rows"], ["USD a question", "unsupported answers"])
    show.front(
        [{"rung": row["rung"], "USD a question": row["USD a question"],
          "without unsupported answers": 1 - row["unsupported answers"]} for row in _rows],
        "USD a question", "without unsupported answers",
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Where correction hurts

    An average hides the questions that got worse. List them: what did the lower rung say, what does
    the higher one say, and which node made the difference?
    """)
    return


@app.cell
def _(records):
    _hurt = [change for name in ("crag", "audited")
             for change in changes(records, "naive", name, metric("answer correctness"))
             if change.hurt]  # fmt: skip
    ui.table([
        {"rung": c.after.rung, "question": c.before.question.question,
         "naive": c.before.answer, "now": c.after.answer, "tag": c.after.tag}
        for c in _hurt
    ] or [{"rung": "none of these twelve"}],
        widths={"question": 240, "naive": 300, "now": 300})  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## In the shadow

    Before a new rung answers users, let it run beside the old one and answer nobody. Then read the
    differences, not the averages. `ragkit shadow` writes them as one HTML page or as CSV.
    """)
    return


@app.cell
def _(records):
    shadow = pairs(records, "naive", "audited")
    ui.facts({name: count for name, count in counts(shadow).items() if count})
    return (shadow,)


@app.cell
def _():
    kind = ui.dropdown(["all", *KINDS], "all", "show")
    kind
    return (kind,)


@app.cell
def _(kind, shadow):
    def side_by_side(kind):
        chosen = [pair for pair in shadow if kind in ("all", pair.kind)]
        return ui.table([
            {"gain": pair.gain or "–", "question": pair.question, "naive": pair.before.answer,
             "audited": pair.after.answer, "tag": pair.after.tag}
            for pair in chosen
        ] or [{"question": "none of this kind"}],
            widths={"question": 230, "naive": 300, "audited": 300})  # fmt: skip

    ui.live(side_by_side, kind=kind)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What is each guard worth?

    Switch one guard off at a time, ask everything again, and count what gets out that was held
    back. Twice: with the kit's own writer, and with one whose every draft holds a fault, since a
    checker has little to do where the writer only quotes. One command, on the exam half:

    `ragkit eval ablation --half exam --out data/results/ablation.json`
    """)
    return


@app.cell
def _():
    guards = {}
    for _figure in load_results("ablation")["figures"]:
        guards.setdefault(_figure["part"], {})[_figure["name"]] = _figure["value"]
    show.ladder(
        [{"without": name.replace("audited", "nothing"), **found} for name, found in guards.items()],
        ["own writer", "faulty writer"], rung="without",
        lower_is_better=["own writer", "faulty writer"], percent=["own writer", "faulty writer"],
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A guard that changes nothing here is not useless yet: these questions may not need it. Notebook
    8 throws the faults that each one is for.

    ## Rates as the thresholds move

    The scores are in the records, so another pair of lines costs nothing: no component is called.
    """)
    return


@app.cell
def _():
    lines = ui.range_slider(0.05, 0.95, 0.05, (0.35, 0.7), "fail and pass")
    lines
    return (lines,)


@app.cell
def _(lines, records):
    def what_if(lines):
        fail, passing = lines
        found = at_thresholds(by_rung(records)["crag"], max(passing, fail + 0.01), fail)
        return show.rates(
            {"rate": name, "numerator": share.hits, "denominator": share.total}
            for name, share in found.items()
        )

    ui.live(what_if, lines=lines)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Calibrate on your own labels

    0.35 and 0.7 are the article's numbers, for its grader. Yours differs. Take pairs of a question
    and a text, have people say which texts help, and let the scores choose the lines. The labels
    here come from the gold of some practice questions; your own go into a JSON-lines file
    (`question`, `text`, `relevant`) and `ragkit eval calibrate --labels FILE`.
    """)
    return


@app.cell
def _(kit):
    _practice = [q for q in load_questions(half="practice") if q.answered_by == "kb"]
    judged = list(judge_pools(kit, prepare(kit, limited(kit, _practice, free=18, paid=3))))
    cases = from_judged(judged)
    show.reliability(
        [c.score for c in cases], [c.relevant for c in cases], bins=5,
        names=("score", "share that is relevant"),
    )  # fmt: skip
    return (cases,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    On the diagonal, 0.8 means relevant in eight cases of ten. Above it the grader is too shy, below
    it too sure. Now say what you want: how clean what is kept must be, and how much may be lost.
    """)
    return


@app.cell
def _():
    precision = ui.slider(0.5, 1.0, 0.05, 0.8, "of the kept, so many must be relevant")
    precision
    return (precision,)


@app.cell
def _():
    loss = ui.slider(0.0, 0.3, 0.05, 0.05, "of the relevant, so many may be dropped")
    loss
    return (loss,)


@app.cell
def _(cases, loss, precision):
    def chosen_lines(precision, loss):
        choice = choose(cases, precision=precision, loss=loss)
        rows = [{"score": c.score, "relevant": c.relevant, "question": c.question} for c in cases]
        said = "\n".join(f"- {warning}" for warning in choice.warnings) or "enough labels"
        return ui.column(
            show.threshold_map(rows, choice.fail_threshold, choice.pass_threshold),
            ui.note(said, "maybe" if choice.warnings else "good", "before you trust them"),
        )

    ui.live(chosen_lines, precision=precision, loss=loss)
    return


@app.cell
def _(cases):
    _choice = choose(cases, precision=0.8)
    _file = Path(tempfile.mkdtemp()) / "thresholds.json"
    write_thresholds(_file, _choice, fates(cases, _choice, "practice"), {"kit": "mine"})
    ui.facts(CragConfig.from_file(_file).model_dump(include={"pass_threshold", "fail_threshold"}))
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    That file is what the graphs load: `ragkit ask "..." --graph crag --config thresholds.json`.
    Chosen on one half, the pair must be scored on the other; `ragkit eval calibrate` does both.

    ## What never says no

    A judge that always agrees decides nothing, and an edge that nobody takes was never tested. Both
    look like success in an average, so they have an alarm of their own.
    """)
    return


@app.cell
def _(records):
    ui.table([
        {"rung": alarm.rung, "what": alarm.part, "alarm": alarm.text}
        for alarm in find_alarms(records)
    ] or [{"alarm": "none"}])  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Twelve questions cannot visit every edge. On a hundred, an alarm is worth an afternoon.

    ## Exercises

    **Exercise 1: a share.** Nothing measured is neither a failure nor a success.

    <details><summary>Hint</summary>

    What should 0 of 0 be?

    </details>

    <details><summary>Solution</summary>

    ```python
    def share(hits, total):
        return hits / total if total else None
    ```

    </details>
    """)
    return


@app.cell
def _():
    def share(hits, total):
        """Return hits / total, None where nothing was measured."""
        ...

    exercises.check("09-share", share)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: a difference.** Each question brings (supported claims, claims) on both rungs. A
    rung's value is the sum over the sum: a question with four claims counts four times.

    <details><summary>Hint</summary>

    Sum the numerators, sum the denominators, divide once, for each side. Then after minus before.

    </details>

    <details><summary>Solution</summary>

    ```python
    def paired_difference(before, after):
        def value(pairs):
            return sum(hits for hits, _ in pairs) / sum(of for _, of in pairs)

        return value(after) - value(before)
    ```

    </details>
    """)
    return


@app.cell
def _():
    def paired_difference(before, after):
        """Return the change of the ratio from before to after; both are [(hits, of), ...]."""
        ...

    exercises.check("09-paired", paired_difference)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: the pass line.** Of all scores, find the lowest that may be the pass line: of the
    cases at or above it, at least `precision` are relevant.

    <details><summary>Hint</summary>

    Go through the scores from the lowest, keep what is at or above, and stop at the first that is
    clean enough. No score may do: return <code>None</code>.

    </details>

    <details><summary>Solution</summary>

    ```python
    def pass_line(cases, precision):
        for line in sorted({score for score, _ in cases}):
            kept = [relevant for score, relevant in cases if score >= line]
            if sum(kept) / len(kept) >= precision:
                return line
        return None
    ```

    </details>
    """)
    return


@app.cell
def _():
    def pass_line(cases, precision):
        """Return the lowest score that keeps enough relevant ones; cases are (score, relevant)."""
        ...

    exercises.check("09-pass-line", pass_line)
    return


@app.cell
def test_nothing_measured_is_none_and_more_cases_narrow_the_range():
    assert Share(0, 0).value is None and Share(0, 4).value == 0.0
    few, many = wilson(5, 5), wilson(100, 100)
    assert few[0] < 0.6 < 0.9 < many[0]
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When not to use it

    A metric that everybody aims at stops measuring. Keep a half of your questions that nobody
    looks at, write new ones from what users really ask, and read transcripts. No table replaces
    reading fifty answers.

    > **Takeaway.** Count, with a denominator. Compare on the same questions. And before you add a
    > rung, ask what the last one cost you.

    This was the last rung. The ladder is yours: your documents, your model, your labels, and the
    log to show for it.
    """)
    return


if __name__ == "__main__":
    app.run()
