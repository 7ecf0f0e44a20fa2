"""What a language model makes of the labelled comments, next to the comparison that ships, with its cost.

    python -m tests.repeats.model_bench FOLDER [--model NAME] [--most N] [--budget USD] [--answers FILE] [--batch]

FOLDER holds the streams (`tests.repeats.streams`), ANTHROPIC_API_KEY the key. Gate: does a comment hold a lasting rule?
Joins: does a comment repeat this rule? A comment without an answer counts as not taken, as it holds for no key. The
figures of the shipped comparison flatter it: it was fitted to these labels.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from assay.github_app.learning.extract.grouping import SUSPECTED
from assay.github_app.learning.injection_screen import injection_sign
from assay.github_app.rule_matching import (
    Assignment,
    CanonicalRule,
    CommentText,
    Comparer,
    asked_for,
    assign,
    assign_all,
    canonical_rule,
    stated,
)
from assay.github_app.rule_matching.decision import likeness
from assay.llm import AnthropicModel, Budget, GivingUp, KeptAnswers, ModelUnavailable
from assay.llm.batches import Batches
from assay.statistics import interval_of_rate
from tests.repeats.fitting import bodies, rarity_of, rows
from tests.repeats.measuring import embedder

MODEL = "claude-haiku-5-5"
MOST_USD = 5.0
AT_ONCE = 8
SEED = 20261126
"""Of the sample that `--most` takes, so that kept answers fit the next run."""

Asked = tuple[CommentText, Sequence[CanonicalRule]]
Said = Assignment | ModelUnavailable
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rates:
    """Comments that were taken, that should have been, and both."""

    num: int
    taken: int
    right: int
    hits: int

    @property
    def precision(self) -> float | None:
        return self.hits / self.taken if self.taken else None

    @property
    def recall(self) -> float | None:
        return self.hits / self.right if self.right else None

    def line(self) -> str:
        """Both rates with Wilson's intervals of 95 %."""
        return f"precision {_rate(self.hits, self.taken)}  recall {_rate(self.hits, self.right)}"


def rates(taken: Sequence[bool], labels: Sequence[bool]) -> Rates:
    """Count both, and what both have."""
    return Rates(len(labels), sum(taken), sum(labels), sum(a and b for a, b in zip(taken, labels, strict=True)))


def _rate(hits: int, num: int) -> str:
    interval = interval_of_rate(hits, num)
    if interval is None:
        return f"    -  ({hits} of {num})"
    return f"{hits / num:5.1%} ({interval.low:.1%} to {interval.high:.1%}, {hits} of {num})"


@dataclass(frozen=True, slots=True)
class Labelled:
    """One labelled comment; `rule` is None where the gate is asked."""

    project: str
    comment: CommentText
    label: str
    rule: CanonicalRule | None = None
    is_join: bool = False


def gate_labels(said: Mapping[tuple[str, str], dict[str, Any]], most: int | None) -> list[Labelled]:
    """Labelled single comments of the streams at hand."""
    known = [row for row in rows("advice.csv") if (row["project"], row["comment"]) in said]
    return [Labelled(row["project"], _text(said, row), row["label"]) for row in _sample(known, most)]


def join_labels(said: Mapping[tuple[str, str], dict[str, Any]], most: int | None) -> list[Labelled]:
    """Labelled pairs of a rule and a comment; `is_join`: it was one of a replayed stream."""
    known = [row for row in rows("rules.csv") if (row["project"], row["comment"]) in said]
    return [
        Labelled(row["project"], _text(said, row), row["label"], stated(row["rule"]), not row["source"])
        for row in _sample(known, most)
    ]


def _text(said: Mapping[tuple[str, str], dict[str, Any]], row: Mapping[str, str]) -> CommentText:
    one = said[row["project"], row["comment"]]
    return CommentText(one["body"], one.get("path"), one.get("diff_hunk"))


def _sample(found: list[T], most: int | None) -> list[T]:
    return found if most is None or most >= len(found) else random.Random(SEED).sample(found, most)


def by_words(labelled: Sequence[Labelled], said: Mapping[tuple[str, str], dict[str, Any]]) -> list[bool]:
    """Whether the shipped comparison takes each: by the gate, or from the cut for public answers on."""
    comparer = Comparer(embedder())
    rarities = {project: rarity_of(project, said) for project in sorted({one.project for one in labelled if one.rule})}
    asked = [asked_for(one.comment) if one.rule else None for one in labelled]
    comparer.sides([rule for rule in asked if rule is not None])
    found = []
    for one, other in zip(labelled, asked, strict=True):
        if one.rule is None:
            found.append(canonical_rule(one.comment) is not None)
        elif other is None:
            found.append(False)
        else:
            a, b = comparer.sides([one.rule, other])
            found.append(likeness(a, b, rarities[one.project].weight_of).same)
    return found


def by_model(labelled: Sequence[Labelled], ask: Callable[[list[Asked]], list[Said]]) -> list[Said | None]:
    """The model's answers; None for a suspected injection, which it is never shown."""
    sent = [one for one in labelled if injection_sign(one.comment.body) is None]
    answers = iter(ask([(one.comment, [one.rule] if one.rule else []) for one in sent]))
    return [next(answers) if injection_sign(one.comment.body) is None else None for one in labelled]


def is_taken(said: Said | None, one: Labelled) -> bool:
    """Whether the model says that a comment holds a rule, or repeats the one it was shown."""
    if not isinstance(said, Assignment):
        return False
    return said.rule is not None if one.rule is None else said.place is not None


def report(labelled: Sequence[Labelled], words: Sequence[bool], model: Sequence[bool], what: str, yes: str) -> None:
    """Print both rates of both."""
    labels = [one.label == yes for one in labelled]
    print(f"{what}: {len(labels)} comments, {sum(labels)} of them should be taken")
    for name, taken in (("model", model), ("shipped", words)):
        print(f"  {name:8}{rates(taken, labels).line()}")


def measure(folder: Path, ask: Callable[[list[Asked]], list[Said]], most: int | None) -> None:
    """Ask, and print the figures."""
    said = bodies(folder)
    without: Counter[str] = Counter()
    for what, yes, labelled in (("gate", "r", gate_labels(said, most)), ("joins", "y", join_labels(said, most))):
        words, answers = by_words(labelled, said), by_model(labelled, ask)
        without.update(SUSPECTED if one is None else str(one.why) for one in answers if not isinstance(one, Assignment))
        model = [is_taken(answer, one) for answer, one in zip(answers, labelled, strict=True)]
        report(labelled, words, model, what, yes)
        for part, is_join in (("of a replay", True), ("near a rule", False)) if what == "joins" else ():
            at = [place for place, one in enumerate(labelled) if one.is_join is is_join]
            kept = [labelled[place] for place in at], [words[place] for place in at], [model[place] for place in at]
            report(*kept, f"joins {part}", yes)
        contrary = [place for place, one in enumerate(labelled) if one.label == "c"]
        if contrary:
            both = (sum(model[place] for place in contrary), sum(words[place] for place in contrary))
            print(f"contrary advice taken: model {both[0]}, shipped {both[1]} of {len(contrary)}")
    reasons = ", ".join(f"{num} {why}" for why, num in without.most_common())
    print(f"no answer: {without.total()}{f' ({reasons})' if reasons else ''}")


def one_by_one(model: KeptAnswers | GivingUp) -> Callable[[list[Asked]], list[Said]]:
    """Ask by one call per comment, some at once."""

    def ask(one: Asked) -> Said:
        try:
            return assign(model, *one)
        except ModelUnavailable as error:
            return error

    def ask_all(asked: list[Asked]) -> list[Said]:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(ask, asked))

    return ask_all


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.repeats.model_bench")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--most", type=int, help="Maximum labelled comments, and pairs. Default: all.")
    parser.add_argument("--budget", type=float, default=MOST_USD, help="Maximum cost in US dollars.")
    parser.add_argument("--answers", type=Path, help="Keep the answers there, and reuse them.")
    parser.add_argument("--batch", action="store_true", help="Ask in batches at half the price; needs --answers.")
    given = parser.parse_args(arguments)
    if given.batch and given.answers is None:
        parser.error("--batch needs --answers")
    try:
        model = AnthropicModel(given.model, budget=Budget(max_usd=given.budget))
    except ModelUnavailable as error:
        print(error, file=sys.stderr)
        return 2
    started = time.monotonic()
    with model:
        kept = KeptAnswers(GivingUp(model), given.answers)
        if given.batch:
            batches = Batches(model, kept, lambda line: print(line, file=sys.stderr))
            measure(given.folder, lambda asked: assign_all(batches, asked), given.most)
        else:
            measure(given.folder, one_by_one(kept), given.most)
        spent = model.spent
    num_asked = spent.num_calls + kept.num_reused
    print(
        f"{given.model}: {spent.num_calls} calls, {spent.num_tokens_in} tokens in, {spent.num_tokens_out} out,"
        f" {kept.num_reused / num_asked if num_asked else 0:.0%} of the answers reused,"
        f" {'unknown cost' if spent.cost_usd is None else f'${spent.cost_usd:.4f}'},"
        f" {time.monotonic() - started:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
