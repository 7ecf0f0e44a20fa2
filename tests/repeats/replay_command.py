"""`python -m tests.repeats replay`: what Assay would have answered in the past, and the share that is right."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from assay.cli.display.outputs import STDOUT, write
from assay.cli.rules.mine import MOST_COMMENTS, SINCE, comments_of, plain_text, progress_of
from assay.embedding.embedder import EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app.learning.rules.exchanging import NotRules, read_rules
from assay.github_app.rule_matching import stated
from assay.statistics import interval_of_rate
from tests.repeats.replay import Join, Repeat, Replay, replay

SEED = 20_261_125


@click.command("replay", short_help="Replay past review comments and measure the alarms")
@click.argument("source", metavar="OWNER/REPO|FILE.jsonl")
@click.option(
    "--rules",
    "rules_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Confirmed rules, as `assay rules export` or `mine --format json` writes them. Default: none.",
)
@SINCE
@click.option(
    "--most",
    type=click.IntRange(1, 200_000),
    default=MOST_COMMENTS,
    show_default=True,
    help="Maximum number of comments, newest first.",
)
@click.option("--sample", type=click.IntRange(1), help="Write that many random joins to judge, with -o.")
@click.option(
    "--judged",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE.jsonl",
    help="A sample with `right` filled in: true or false.",
)
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option("-o", "--output", default=STDOUT, metavar="FILE.jsonl", help="File of the sample.")
def replay_command(
    source: str,
    rules_file: Path | None,
    since: datetime | None,
    most: int,
    sample: int | None,
    judged: Path | None,
    format_: str,
    output: str,
) -> None:
    """Replay past review comments and measure the alarms.

    Prints how many comments Assay would have answered in public (repeats of a confirmed rule) and how many it would
    have queued, per 100 comments. To measure how many are right: write a sample (--sample 100 -o FILE.jsonl), fill in
    `right` in each line, and pass it with --judged; judgements stay valid for the same rule and comment. Works offline
    on files.

    Exit code: 0 success, 2 usage or an invalid line, 3 GitHub could not be read.
    """
    if (sample is None) != (output == STDOUT):
        raise click.UsageError("--sample and -o go together")
    comments = comments_of(source, since, most)
    try:
        read = read_rules(rules_file.read_bytes()).rules if rules_file else ()
        rules = [replace(stated(one.text), language=one.language, paths=one.paths) for one in read]
    except NotRules as error:
        raise click.UsageError(f"{rules_file}: {error}") from None
    known = _judgements(judged) if judged else {}
    with progress_of("replaying") as progress:
        found = replay(comments, rules, EMBEDDERS["bundled"](EmbeddingSettings()), progress)
    if sample is not None:
        write(output, "".join(_line(one, known) for one in _sampled(found.repeats, sample)))
    document = _document(source, len(rules), found, known)
    if format_ == "json":
        click.echo(json.dumps(document, indent=2))
    else:
        _show(document)


def _sampled(repeats: Sequence[Repeat], num: int) -> list[Repeat]:
    """Return a random sample in the order of the comments, the same for the same repeats."""
    places = sorted(random.Random(SEED).sample(range(len(repeats)), min(num, len(repeats))))
    return [repeats[place] for place in places]


def _line(one: Repeat, known: Mapping[str, bool]) -> str:
    return (
        json.dumps(
            {
                "key": one.key,
                "join": str(one.join),
                "score": one.score,
                "rule": one.rule.text,
                "first": one.first.body if one.first else None,
                "comment": one.comment.body,
                "path": one.comment.path,
                "pull": one.comment.pull,
                "url": one.comment.url,
                "right": known.get(one.key),
            }
        )
        + "\n"
    )


def _judgements(file: Path) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            one = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            raise click.UsageError(f"{where}: not JSON") from None
        if not isinstance(one, dict) or not isinstance(one.get("key"), str):
            raise click.UsageError(f"{where}: no object with a `key`")
        if one.get("right") not in (True, False, None):
            raise click.UsageError(f"{where}: `right` is neither true, false nor null")
        if one.get("right") is not None:
            found[one["key"]] = bool(one["right"])
    return found


def _document(source: str, num_rules: int, found: Replay, known: Mapping[str, bool]) -> dict[str, Any]:
    return {
        "source": source,
        "num_rules": num_rules,
        "num_comments": found.num_comments,
        "left_out": dict(found.left_out),
        **{str(join): _figures(found, join, known) for join in Join},
    }


def _figures(found: Replay, join: Join, known: Mapping[str, bool]) -> dict[str, Any]:
    repeats = [one for one in found.repeats if one.join is join]
    judged = [known[one.key] for one in repeats if one.key in known]
    num_right = sum(judged)
    interval = interval_of_rate(num_right, len(judged))
    return {
        "num": len(repeats),
        "per_100_comments": round(found.per_100(join), 2),
        "num_judged": len(judged),
        "num_right": num_right,
        "precision": round(num_right / len(judged), 4) if judged else None,
        "precision_low": None if interval is None else round(interval.low, 4),
        "precision_high": None if interval is None else round(interval.high, 4),
    }


def _show(document: Mapping[str, Any]) -> None:
    console = Console()
    table = Table("joins", "number", "per 100 comments", "judged", "right", title=plain_text(document["source"]))
    for join in Join:
        one = document[str(join)]
        right = "not judged"
        if one["num_judged"]:
            interval = f"{one['precision_low']:.0%} to {one['precision_high']:.0%}"
            right = f"{one['precision']:.0%} ({interval})"
        table.add_row(str(join), str(one["num"]), str(one["per_100_comments"]), str(one["num_judged"]), right)
    console.print(table)
    console.print(f"{document['num_comments']:,} comments of reviewers, {document['num_rules']} confirmed rules")
