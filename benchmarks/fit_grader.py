"""Fit the offline graders and write their numbers into the package.

    python benchmarks/fit_grader.py [--data DIR] [--write]

Fitted on the `practice` half of the company's questions and, where DIR holds the public labelled sets
(see data/README.md), on those too: only the fitted numbers land in the package, none of their text. The
same input gives the same numbers.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ragkit.components.features import FeatureReader
from ragkit.components.sentence_scores import sentence_features
from ragkit.embedding import default_embedder

PACKAGE = Path(__file__).resolve().parents[1] / "ragkit" / "components"
TREES = {"max_iter": 150, "learning_rate": 0.05, "max_leaf_nodes": 6, "min_samples_leaf": 30,
         "l2_regularization": 5.0, "early_stopping": False, "random_state": 0}  # fmt: skip
FOLDS = 5
PUBLIC = ("rgb_fact_en", "clapnq", "ramdocs")


@dataclass
class Rows:
    """Labelled feature rows of one set; `groups` keep a question's rows in one fold."""

    name: str
    values: list[dict[str, float]] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def add(self, values: dict[str, float], label: bool, group: str) -> None:
        self.values.append(values)
        self.labels.append(label)
        self.groups.append(group)


def read_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def public_rows(reader: FeatureReader, folder: Path) -> Iterable[Rows]:
    for name in PUBLIC:
        path = folder / "relevance" / f"{name}.jsonl"
        if not path.is_file():
            continue
        rows = Rows(name)
        for record in read_lines(path):
            rows.add(
                reader.features(record["question"], record["text"]),
                bool(record["relevant"]), record["group"],
            )  # fmt: skip
        yield rows


def company_pairs(half: str, k: int = 6) -> list[dict[str, Any]]:
    """Question beside each chunk that hybrid search finds for it, and beside its gold chunks."""
    from ragkit.evaluation.gold import relevant_ids
    from ragkit.evaluation.questions import load_questions
    from ragkit.index import company_index

    index = company_index()
    documents = {document["id"]: document for document in index.documents()}
    pairs = []
    for question in load_questions(None, half):
        relevant = relevant_ids(question, documents.values())
        if not relevant and question.answerable is not False:
            continue
        found = [d["id"] for d in index.search(question.question, k)]
        for name in [*found, *sorted(set(relevant) - set(found))]:
            pairs.append(
                {"question": question, "document": documents[name], "relevant": name in relevant}
            )
    return pairs


def company_rows(reader: FeatureReader, half: str = "practice") -> tuple[Rows, Rows]:
    documents, lines = Rows("company"), Rows("company")
    for pair in company_pairs(half):
        question, document = pair["question"], pair["document"]
        text = document["content"]
        documents.add(reader.features(question.question, text), pair["relevant"], question.id)
        asked, read = reader.asked(question.question), reader.read(text)
        quotes = [evidence["quote"] for evidence in question.evidence]
        for sentence, values in zip(read.sentences, sentence_features(asked, read), strict=True):
            source = text[sentence.start : sentence.end]
            answers = pair["relevant"] and any(_meets(source, quote) for quote in quotes)
            lines.add(values, answers, question.id)
    return documents, lines


def _meets(source: str, quote: str) -> bool:
    left, right = " ".join(source.split()), " ".join(quote.split()).strip("| ")
    return bool(left) and (right in left or left.strip("-* ") in right)


def strip_rows(reader: FeatureReader, folder: Path) -> tuple[Rows, Rows]:
    """Sentences of CLAP NQ with the ones that answer: as strips of their own, and in their text."""
    alone, within = Rows("clapnq"), Rows("clapnq")
    path = folder / "strips" / "clapnq.jsonl"
    for record in read_lines(path) if path.is_file() else []:
        query, keep = record["query"], set(record["keep"])
        for place, strip in enumerate(record["strips"]):
            text = f"# {record['title']}\n\n{strip}"
            alone.add(reader.features(query, text), place in keep, record["group"])
        whole = f"# {record['title']}\n\n" + "\n\n".join(record["strips"])
        asked, read = reader.asked(query), reader.read(whole)
        for sentence, values in zip(read.sentences, sentence_features(asked, read), strict=True):
            kept = any(sentence.text in record["strips"][place] for place in keep)
            within.add(values, kept, record["group"])
    return alone, within


def fit(sets: Sequence[Rows], calibrate_on: str) -> dict[str, Any]:
    """Fit trees on all sets with equal weight and calibrate on one, out of fold."""
    from sklearn.linear_model import LogisticRegression

    names = list(sets[0].values[0])
    x = np.array([[row[name] for name in names] for rows in sets for row in rows.values])
    y = np.array([label for rows in sets for label in rows.labels], dtype=int)
    groups = np.array([group for rows in sets for group in rows.groups])
    source = np.array([rows.name for rows in sets for _ in rows.labels])
    weights = _weights(source, y)
    out = _out_of_fold(x, y, groups, weights)
    _report(source, y, out)
    own = source == calibrate_on
    platt = LogisticRegression(C=1e6).fit(out[own, None], y[own], sample_weight=_even(y[own]))
    model = _trees(x, y, weights)
    return {
        "features": names,
        "base": float(np.ravel(model._baseline_prediction)[0]),
        "trees": [_nodes(predictors[0]) for predictors in model._predictors],
        "slope": float(platt.coef_[0, 0]),
        "offset": float(platt.intercept_[0]),
        "fitted_on": {str(name): int((source == name).sum()) for name in sorted(set(source))},
    }


def _weights(source: np.ndarray, y: np.ndarray) -> np.ndarray:
    weights = np.zeros(len(y))
    for name in set(source):
        for label in (0, 1):
            chosen = (source == name) & (y == label)
            weights[chosen] = 1 / max(1, chosen.sum())
    return weights * len(y) / weights.sum()


def _even(y: np.ndarray) -> np.ndarray:
    """Weights under which both labels count the same."""
    return np.where(y == 1, 0.5 / max(1, (y == 1).sum()), 0.5 / max(1, (y == 0).sum())) * len(y)


def _trees(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(**TREES).fit(x, y, sample_weight=weights)


def _out_of_fold(
    x: np.ndarray, y: np.ndarray, groups: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    from sklearn.model_selection import GroupKFold

    out = np.zeros(len(y))
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(x, y, groups):
        model = _trees(x[train], y[train], weights[train])
        out[test] = model.decision_function(x[test])
    return out


def _nodes(predictor: Any) -> list[list[float]]:
    nodes = predictor.nodes
    return [
        [-1, 0.0, 0, 0, _short(node["value"])]
        if node["is_leaf"]
        else [int(node["feature_idx"]), _short(node["num_threshold"]),
              int(node["left"]), int(node["right"]), 0.0]
        for node in nodes
    ]  # fmt: skip


def _short(value: float) -> float:
    return float(f"{value:.7g}") if math.isfinite(value) else 1e30


def _report(source: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    for name in sorted(set(source)):
        own = source == name
        print(
            f"  {name:14} n {own.sum():5}  relevant {y[own].sum():4}  out of fold: "
            f"AUROC {roc_auc_score(y[own], out[own]):.3f}  "
            f"balanced accuracy {balanced_accuracy_score(y[own], out[own] > 0):.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the public labelled sets")
    parser.add_argument("--write", action="store_true", help="write the package's JSON files")
    options = parser.parse_args()
    reader = FeatureReader(default_embedder(), keep=16)
    folder = options.data or Path("nowhere")
    documents, lines = company_rows(reader)
    alone, within = strip_rows(reader, folder)
    public = list(public_rows(reader, folder))
    jobs = {
        "grader": [documents, *public],
        "strips": [documents, *[rows for rows in [alone] if rows.labels], *public],
        "sentences": [lines, *[rows for rows in [within] if rows.labels]],
    }
    for name, sets in jobs.items():
        print(name)
        fitted = fit(sets, "company")
        if options.write:
            text = json.dumps(fitted, separators=(",", ":")) + "\n"
            (PACKAGE / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
