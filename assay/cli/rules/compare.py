"""The command `assay rules compare`: similarity of pairs of review comments, offline and without a database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from assay.cli.display.outputs import STDOUT, write
from assay.embedding.embedder import EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app.rule_matching import CommentText, Comparer, Likeness

MOST_LINE_BYTES = 1024 * 1024
BATCH = 500


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
def compare_command(pairs_file: Path, output: str) -> None:
    """Compare pairs of review comments.

    Each output line has all keys of its input line and: same, likely, score (0 to 1), rule_a, rule_b (null if a comment
    has no reusable rule; then same and likely are false) and why. It works offline.

    Exit code: 0 success, 2 invalid line (its number is printed).
    """
    pairs = list(_pairs(pairs_file))
    comparer = Comparer(EMBEDDERS["bundled"](EmbeddingSettings()))
    lines = []
    for start in range(0, len(pairs), BATCH):
        batch = pairs[start : start + BATCH]
        found = comparer.compare_all([(CommentText(pair["a"]), CommentText(pair["b"])) for pair in batch])
        lines += [_line(pair, likeness) for pair, likeness in zip(batch, found, strict=True)]
    write(output, "".join(lines))


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
