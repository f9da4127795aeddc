"""Fit the offline graders and write their numbers into the package.

    python benchmarks/fit_grader.py [--data DIR] [--write] [--only MODEL]

Fitted on the `practice` half of the company's questions and, where DIR holds the public labelled
sets (data/README.md tells which), on those too: only fitted numbers land in the package, none of
their text. Printed are figures out of fold, by question. The same input gives the same numbers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ragkit.components.features import Features, compare
from ragkit.components.lens import gaps
from ragkit.components.reading import Reader
from ragkit.components.relevance_model import model_from
from ragkit.components.sentence_scores import sentence_features
from ragkit.components.spelling import Speller
from ragkit.config import GraderConfig
from ragkit.embedding import default_embedder

PACKAGE = Path(__file__).resolve().parents[1] / "ragkit" / "components"
TREES = {"n_estimators": 150, "learning_rate": 0.05, "max_depth": 3, "subsample": 0.5,
         "max_features": 0.2, "min_samples_leaf": 12}  # fmt: skip
RIDGE = 0.02
SEEDS = (0, 1, 2)
FOLDS = 5
NO_SHARES: Mapping[str, float] = {}
ANY_TEXT = {"company": 0.3, "ramdocs": 2.0}  # for any text: the company has a grader of its own
IN_CORPUS = {"company": 1.0, "clapnq": 0.08, "ramdocs": 0.005}  # so that it knows other corpora
CORPORA = ("clapnq", "ramdocs")
MOST_CORPORA = 120
MODELS = ("grader", "grader_corpus", "strips", "sentences")
PUBLIC = ("rgb_fact_en", "clapnq", "ramdocs")


@dataclass
class Rows:
    """Labelled feature rows of one set; `groups` keep a question's rows in one fold."""

    name: str
    values: list[Features] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def add(self, values: Features, label: bool, group: str) -> None:
        self.values.append(values)
        self.labels.append(label)
        self.groups.append(group)


@dataclass(frozen=True)
class Pool:
    """A question to a corpus: labelled chunks to judge, and what to compare them with."""

    question: Any
    labels: dict[str, bool]
    rivals: list[str]
    values: dict[str, Features]
    lines: list[tuple[Features, bool]]


def read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def public_rows(reader: Reader, folder: Path) -> Iterable[Rows]:
    for name in PUBLIC:
        rows = Rows(name)
        for record in read_lines(folder / "relevance" / f"{name}.jsonl"):
            values = compare(reader.ask(record["question"]), reader.read(record["text"]))
            rows.add(values, bool(record["relevant"]), record["group"])
        if rows.labels:
            yield rows


def company_pools(reader: Reader, half: str = "practice") -> list[Pool]:
    """What `ragkit eval components` judges, with its labels, and the features of the rivals."""
    from ragkit.components.direct import DirectAnswerer
    from ragkit.components.routers import RuleRouter
    from ragkit.evaluation.components import _gradable, judge_pools, prepare
    from ragkit.evaluation.questions import load_questions
    from ragkit.index import company_index
    from ragkit.kit import Kit

    index = company_index()
    router = RuleRouter(index, DirectAnswerer())
    kit = Kit("to be fitted", index, lambda question, documents: [], None, None, router=router)
    shelf = {document["id"]: document for document in kit.retriever.documents()}
    speller = Speller(kit.retriever.vocabulary())
    pools = []
    for question in _gradable(prepare(kit, load_questions(None, half))):
        labels = {j.document_id: j.relevant for j in judge_pools(kit, [question])}
        wording = speller.corrected(question.question)
        rivals = [d["id"] for d in kit.retriever(wording, GraderConfig().depth, "hybrid")]
        asked = reader.ask(wording)
        texts = {name: shelf[name]["content"] for name in dict.fromkeys([*labels, *rivals])}
        values = {name: compare(asked, reader.read(text)) for name, text in texts.items()}
        lines = [
            pair
            for name, label in labels.items()
            for pair in _lines(question, asked, reader.read(texts[name]), label)
        ]
        pools.append(Pool(question, labels, rivals, values, lines))
    return pools


def public_pools(reader: Reader, folder: Path) -> Iterable[tuple[str, list[Pool]]]:
    """The same for corpora that nobody here wrote: a question's own documents and 20 of others."""
    from ragkit.evaluation.public.asking import corpus_of
    from ragkit.index import build_index

    for name in CORPORA:
        rows = read_lines(folder / "qa" / f"{name}.jsonl")
        chosen = rows[:: max(1, len(rows) // MOST_CORPORA)]
        pools = [_public_pool(reader, row, build_index(corpus_of(row, rows))) for row in chosen]
        if pools:
            yield name, pools


def _public_pool(reader: Reader, row: dict[str, Any], index: Any) -> Pool:
    own = {document["id"]: bool(document["relevant"]) for document in row["docs"]}
    found = index(row["question"], GraderConfig().depth, "hybrid")
    asked = reader.ask(row["question"])
    values = {d["id"]: compare(asked, reader.read(d["content"])) for d in found}
    labels = {key: own[key] for key in values if key in own}  # texts of others are no question
    return Pool(SimpleNamespace(id=row["group"]), labels, list(values), values, [])


def _lines(question: Any, asked: Any, read: Any, label: bool) -> list[tuple[Features, bool]]:
    quotes = [" ".join(evidence["quote"].split()).strip("| ") for evidence in question.evidence]
    pairs = []
    for sentence, values in zip(read.sentences, sentence_features(asked, read), strict=True):
        source = " ".join(read.text[sentence.start : sentence.end].split())
        held = any(quote in source or source.strip("-* ") in quote for quote in quotes)
        pairs.append((values, label and bool(source) and held))
    return pairs


def company_rows(pools: Sequence[Pool]) -> tuple[Rows, Rows]:
    documents, lines = Rows("company"), Rows("company")
    for pool in pools:
        for name, label in pool.labels.items():
            documents.add(pool.values[name], label, pool.question.id)
        for values, label in pool.lines:
            lines.add(values, label, pool.question.id)
    return documents, lines


def lens_rows(name: str, pools: Sequence[Pool], general: dict[tuple[str, str], float]) -> Rows:
    rows = Rows(name)
    for pool in pools:
        scored = {
            key: {**values, "general": general[pool.question.id, key]}
            for key, values in pool.values.items()
        }
        for key, label in pool.labels.items():
            others = [scored[rival] for rival in pool.rivals if rival != key]
            values = {**pool.values[key], **gaps(scored[key], others)}
            rows.add(values, label, pool.question.id)
    return rows


def strip_rows(reader: Reader, folder: Path) -> tuple[Rows, Rows]:
    """Sentences of CLAP NQ with the ones that answer: as strips of their own, and in their text."""
    alone, within = Rows("clapnq"), Rows("clapnq")
    for record in read_lines(folder / "strips" / "clapnq.jsonl"):
        asked, keep = reader.ask(record["query"]), set(record["keep"])
        for place, strip in enumerate(record["strips"]):
            read = reader.read(f"# {record['title']}\n\n{strip}")
            alone.add(compare(asked, read), place in keep, record["group"])
        read = reader.read(f"# {record['title']}\n\n" + "\n\n".join(record["strips"]))
        for sentence, values in zip(read.sentences, sentence_features(asked, read), strict=True):
            kept = any(sentence.text in record["strips"][place] for place in keep)
            within.add(values, kept, record["group"])
    return alone, within


class Fit:
    """A weighted sum and trees, half and half, fitted on sets that count by their shares.

    Calibrated out of fold, on one set or, with None, on all of them alike.
    """

    def __init__(
        self,
        sets: Sequence[Rows],
        calibrate_on: str | None,
        shares: Mapping[str, float] = NO_SHARES,
    ) -> None:
        self.sets = [rows for rows in sets if rows.labels]
        self.names = list(self.sets[0].values[0])
        self.x = np.array([[v[n] for n in self.names] for r in self.sets for v in r.values])
        self.y = np.array([label for r in self.sets for label in r.labels], dtype=int)
        self.groups = np.array([group for r in self.sets for group in r.groups])
        self.source = np.array([r.name for r in self.sets for _ in r.labels])
        self.weights = _weights(self.source, self.y, shares)
        self.folds = self._folds()
        self.parts = [self._train(train) for train, _ in self.folds]
        self.out = np.zeros(len(self.y))
        for part, (_, test) in zip(self.parts, self.folds, strict=True):
            model = model_from(part)
            self.out[test] = [model.raw(self._row(i)) for i in test]
        self.slope, self.offset = self._calibration(calibrate_on)

    def fitted(self) -> dict[str, Any]:
        """Return the numbers of a model fitted on everything."""
        counts = {str(n): int((self.source == n).sum()) for n in sorted(set(self.source))}
        return {
            **self._train(np.arange(len(self.y))),
            "slope": self.slope, "offset": self.offset, "fitted_on": counts,
        }  # fmt: skip

    def fold_of(self, group: str) -> dict[str, Any]:
        """Return the model that was fitted without this question."""
        places = np.flatnonzero(self.groups == group)
        for part, (_, test) in zip(self.parts, self.folds, strict=True):
            if places[0] in set(test):
                return part
        raise KeyError(group)

    def _row(self, place: int) -> Features:
        return dict(zip(self.names, self.x[place], strict=True))

    def _folds(self) -> list[tuple[np.ndarray, np.ndarray]]:
        from sklearn.model_selection import GroupKFold

        splitter = GroupKFold(FOLDS, shuffle=True, random_state=0)
        return list(splitter.split(self.x, self.y, self.groups))

    def _train(self, rows: np.ndarray) -> dict[str, Any]:
        x, y, weights = self.x[rows], self.y[rows], self.weights[rows]
        slopes, intercept = _linear(x, y, weights)
        base, trees = 0.0, []
        for seed in SEEDS:
            start, grown = _grown(x, y, weights, seed)
            base += start / len(SEEDS)
            trees += grown
        return {
            "features": self.names, "base": _short((base + intercept) / 2),
            "weights": [_short(slope / 2) for slope in slopes], "trees": trees,
            "slope": 1.0, "offset": 0.0,
        }  # fmt: skip

    def _calibration(self, name: str | None) -> tuple[float, float]:
        from sklearn.linear_model import LogisticRegression

        own = self.source == name if name else np.full(len(self.y), True)
        weights = _weights(self.source[own], self.y[own], NO_SHARES)
        platt = LogisticRegression(C=1e6)
        platt.fit(self.out[own, None], self.y[own], sample_weight=weights)
        return _short(platt.coef_[0, 0]), _short(platt.intercept_[0])

    def report(self) -> None:
        """Print the figures out of fold."""
        from sklearn.metrics import balanced_accuracy_score, roc_auc_score

        said = self.slope * self.out + self.offset > 0
        for name in sorted(set(self.source)):
            own = self.source == name
            print(
                f"  {name:12} n {own.sum():5}  relevant {self.y[own].sum():4}  out of fold: "
                f"AUROC {roc_auc_score(self.y[own], self.out[own]):.3f}  "
                f"balanced accuracy {balanced_accuracy_score(self.y[own], said[own]):.3f}"
            )


def _weights(source: np.ndarray, y: np.ndarray, shares: Mapping[str, float]) -> np.ndarray:
    """Give every set its share (1 unless named), half of it to either label."""
    weights = np.zeros(len(y))
    for name in set(source):
        for label in (0, 1):
            chosen = (source == name) & (y == label)
            weights[chosen] = shares.get(name, 1.0) / max(1, chosen.sum())
    return weights * len(y) / weights.sum()


def _linear(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(x)
    model = LogisticRegression(C=RIDGE, max_iter=5000)
    model.fit(scaler.transform(x), y, sample_weight=weights)
    slopes = model.coef_[0] / scaler.scale_
    return slopes, float(model.intercept_[0] - slopes @ scaler.mean_)


def _grown(
    x: np.ndarray, y: np.ndarray, weights: np.ndarray, seed: int
) -> tuple[float, list[list[list[float]]]]:
    from sklearn.ensemble import GradientBoostingClassifier

    model = GradientBoostingClassifier(**TREES, random_state=seed)
    model.fit(x, y, sample_weight=weights)
    prior = float(np.average(y, weights=weights))
    scale = TREES["learning_rate"] / len(SEEDS) / 2
    trees = [_nodes(tree[0].tree_, scale) for tree in model.estimators_]
    return float(np.log(prior / (1 - prior))), trees


def _nodes(tree: Any, scale: float) -> list[list[float]]:
    return [
        [-1, 0, 0, 0, _short(tree.value[i, 0, 0] * scale)]
        if tree.children_left[i] < 0
        else [int(tree.feature[i]), _short(tree.threshold[i]),
              int(tree.children_left[i]), int(tree.children_right[i]), 0]
        for i in range(tree.node_count)
    ]  # fmt: skip


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def general_scores(pools: Sequence[Pool], fit: Fit) -> dict[tuple[str, str], float]:
    """Score every chunk of every pool by a model that never saw the pool's question."""
    scores = {}
    for pool in pools:
        model = model_from(fit.fold_of(pool.question.id))
        for name, values in pool.values.items():
            scores[pool.question.id, name] = model.raw(values)
    return scores


def fits(folder: Path, wanted: Sequence[str]) -> Iterator[tuple[str, Fit]]:
    """Fit the wanted models one after the other; the general one is always needed."""
    reader = Reader(default_embedder(), keep=512)
    pools = company_pools(reader)
    documents, lines = company_rows(pools)
    public = list(public_rows(reader, folder))
    general = Fit([documents, *public], None, ANY_TEXT)
    if "grader" in wanted:
        yield "grader", general
    if "grader_corpus" in wanted:
        corpora = {"company": pools, **dict(public_pools(reader, folder))}
        rows = [lens_rows(n, some, general_scores(some, general)) for n, some in corpora.items()]
        yield "grader_corpus", Fit(rows, "company", IN_CORPUS)
    if {"strips", "sentences"} & set(wanted):
        alone, within = strip_rows(reader, folder)
        yield "strips", Fit([documents, alone, *public], "company")
        yield "sentences", Fit([lines, within], "company")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the public labelled sets")
    parser.add_argument("--write", action="store_true", help="write the package's JSON files")
    parser.add_argument("--only", choices=MODELS, action="append", help="fit this model")
    options = parser.parse_args()
    for name, fit in fits(options.data or Path("nowhere"), options.only or MODELS):
        print(name)
        fit.report()
        if options.write:
            text = json.dumps(fit.fitted(), separators=(",", ":")) + "\n"
            (PACKAGE / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
