"""`python -m tests.repeats compare`: similarity of pairs of review comments, offline and without a database."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from assay.cli.display.outputs import STDOUT, write
from assay.cli.rules.by_model import ANSWERS, BUDGET, MODEL, model_for, report_unanswered
from assay.embedding.embedder import EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app.learning.extract.grouping import SUSPECTED
from assay.github_app.learning.injection_screen import injection_sign
from assay.github_app.rule_matching import CommentText, Comparer, Likeness, asked_for, assign
from assay.llm import LanguageModel, ModelUnavailable

MOST_LINE_BYTES = 1024 * 1024
BATCH = 500
NOTHING_ASKED = "no_rule_in_a"
"""Reason for a pair that is not sent: its first comment asks for nothing."""


@click.command("compare", short_help="Compare pairs of review comments")
@click.option(
    "--pairs",
    "pairs_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    required=True,
    metavar="FILE.jsonl",
    help='One {"a": COMMENT, "b": COMMENT} per line.',
)
@click.option("-o", "--output", default=STDOUT, show_default=True, metavar="FILE.jsonl", help="Result file.")
@MODEL
@BUDGET
@ANSWERS
def compare_command(pairs_file: Path, output: str, model: str | None, budget: float, answers: Path | None) -> None:
    """Compare pairs of review comments.

    Each output line has all keys of its input line and: same, likely, score (0 to 1), rule_a, rule_b (null if a comment
    has no reusable rule; then same and likely are false) and why. It works offline.

    With --model, a model decides about each pair in one call; where it has no valid answer, the words decide.

    Exit code: 0 success, 2 invalid line (its number is printed).
    """
    pairs = list(_pairs(pairs_file))
    comparer = Comparer(EMBEDDERS["bundled"](EmbeddingSettings()))
    read: list[tuple[dict[str, Any], Likeness]] = []
    for start in range(0, len(pairs), BATCH):
        batch = pairs[start : start + BATCH]
        found = comparer.compare_all([(CommentText(pair["a"]), CommentText(pair["b"])) for pair in batch])
        read += list(zip(batch, found, strict=True))
    without_model: Counter[str] = Counter()
    with model_for(model, budget, answers) as opened:
        if opened.model is not None:
            read = [(pair, _by_model(opened.model, pair, one, without_model)) for pair, one in read]
    report_unanswered(without_model, len(read), "pairs")
    lines = [_line(pair, one) for pair, one in read]
    write(output, "".join(lines))


def _by_model(model: LanguageModel, pair: dict[str, Any], found: Likeness, without: Counter[str]) -> Likeness:
    """Ask the model whether `b` repeats the advice of `a`; count in `without` why the words decide instead."""
    known = found.rule_a or asked_for(CommentText(pair["a"]))
    if injection_sign(pair["a"]) or injection_sign(pair["b"]):
        without[SUSPECTED] += 1
        return found
    if known is None:
        without[NOTHING_ASKED] += 1
        return found
    try:
        said = assign(model, CommentText(pair["b"]), [known])
    except ModelUnavailable as error:
        without[error.why] += 1
        return found
    is_same = said.place is not None
    why = "the model" if said.contrary is None else "the contrary, by the model"
    return Likeness(is_same, is_same, float(is_same), known, said.rule, why, said.contrary is not None)


def _pairs(file: Path) -> Iterator[dict[str, Any]]:
    with file.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(MOST_LINE_BYTES + 1), b""), start=1):
            where = f"{file}:{number}"
            if len(line) > MOST_LINE_BYTES:
                raise click.UsageError(f"{where}: the line is longer than {MOST_LINE_BYTES} bytes")
            if line.strip():
                yield _pair(line, where)


def _pair(line: bytes, where: str) -> dict[str, Any]:
    try:
        pair = json.loads(line.decode("utf-8-sig"))
        # Python reads NaN and Infinity, but writes them as invalid JSON.
        json.dumps(pair, allow_nan=False)
    except UnicodeDecodeError:
        raise click.UsageError(f"{where}: not UTF-8") from None
    except (ValueError, RecursionError):
        raise click.UsageError(f"{where}: not JSON") from None
    if not isinstance(pair, dict):
        raise click.UsageError(f"{where}: not a JSON object")
    for name in ("a", "b"):
        if not isinstance(pair.get(name), str):
            raise click.UsageError(f"{where}: text {name!r} is missing")
    return pair


def _line(pair: dict[str, Any], likeness: Likeness) -> str:
    answer = {
        **pair,
        "same": likeness.same,
        "likely": likeness.likely,
        "score": likeness.score,
        "rule_a": likeness.rule_a.text if likeness.rule_a else None,
        "rule_b": likeness.rule_b.text if likeness.rule_b else None,
        "why": likeness.why,
    }
    return json.dumps(answer, ensure_ascii=True) + "\n"
