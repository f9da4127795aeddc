"""What is right in notebook 6: the verdict, the move, the tag."""

from __future__ import annotations

from typing import Any

from ragkit.exercises import exercise, expect


@exercise(
    "06-verdict",
    wrong=[
        lambda score, fail, passing: (
            "kept" if score > passing else "dropped" if score < fail else "ambiguous"
        ),
        lambda score, fail, passing: (
            "kept" if score >= passing else "dropped" if score <= fail else "ambiguous"
        ),
        lambda score, fail, passing: "kept" if score >= passing else "dropped",
    ],
)
def _(verdict_of: Any) -> None:
    expect(verdict_of(0.9, 0.35, 0.7), "kept", "above the pass line")
    expect(verdict_of(0.7, 0.35, 0.7), "kept", "on the pass line")
    expect(verdict_of(0.5, 0.35, 0.7), "ambiguous", "between the lines")
    expect(verdict_of(0.35, 0.35, 0.7), "ambiguous", "on the fail line")
    expect(verdict_of(0.2, 0.35, 0.7), "dropped", "below the fail line")


@exercise(
    "06-move",
    wrong=[
        lambda verdicts: "strips" if all(v == "kept" for v in verdicts) else "blend",
        lambda verdicts: "blend" if "ambiguous" in verdicts else "strips",
        lambda verdicts: (
            "strips" if set(verdicts) == {"kept"} else "blend" if "kept" in verdicts else "rewrite"
        ),
    ],
)
def _(move_for: Any) -> None:
    expect(move_for(["kept", "kept"]), "strips", "all kept")
    expect(move_for(["kept", "dropped"]), "blend", "some kept")
    expect(move_for(["ambiguous", "dropped"]), "blend", "unsure is not nothing")
    expect(move_for(["dropped"]), "rewrite", "all dropped")
    expect(move_for([]), "rewrite", "nothing was found")


@exercise(
    "06-tag",
    wrong=[
        lambda draft, passed: "best_effort" if passed is False else "verified",
        lambda draft, passed: "verified" if passed else "abstained",
        lambda draft, passed: "verified" if passed else "best_effort",
    ],
)
def _(tag_for: Any) -> None:
    expect(tag_for("A [1].", True), "verified", "every claim passed")
    expect(tag_for("A [1].", False), "best_effort", "a claim did not pass")
    expect(tag_for("A [1].", None), "best_effort", "the check broke down: it has not passed")
    expect(tag_for("", None), "abstained", "there is no answer")
