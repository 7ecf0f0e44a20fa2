"""The command `assay rules mine`: candidate rules from past review comments."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

from assay.cli.display.outputs import STDOUT, write
from assay.cli.rules.by_model import ANSWERS, BATCH, BUDGET, MODEL, model_for, report_unanswered
from assay.cli.rules.style_guide import style_guide
from assay.embedding.embedder import EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github.client import Repo
from assay.github_app.learning.extract.mining import Candidate, MiningResult, mine
from assay.github_app.learning.extract.past_comments import BadLine, PastComment, past_comments_of, read_past_comments
from assay.github_app.learning.rules.exchanging import VERSION
from assay.validators import as_visible

MOST_COMMENTS = 5_000
MOST_SHOWN = 50
"""Rows of the table; JSON has all candidates."""
NUM_LINKS = 3
MOST_TEXT = 500
"""Characters of a rule's text; the limit of `assay rules import`."""

SINCE = click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    callback=lambda _context, _option, day: day.replace(tzinfo=UTC) if day else None,
    help="Only comments created or edited since (UTC).",
)
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")


@click.command("mine", short_help="Find candidate rules in past review comments")
@click.argument("source", metavar="OWNER/REPO|FILE.jsonl")
@SINCE
@click.option(
    "--most",
    type=click.IntRange(1, 30_000),
    default=MOST_COMMENTS,
    show_default=True,
    help="Maximum number of comments, newest first.",
)
@click.option(
    "--at-least",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Minimum number of pull requests per rule.",
)
@MODEL
@BUDGET
@ANSWERS
@BATCH
@click.option(
    "--format", "format_", type=click.Choice(["table", "json", "markdown"]), default="table", show_default=True
)
@click.option("-o", "--output", default=STDOUT, metavar="FILE", help="File. Default: standard output.")
def mine_command(
    source: str,
    since: datetime | None,
    most: int,
    at_least: int,
    model: str | None,
    budget: float,
    answers: Path | None,
    batch: bool,
    format_: str,
    output: str,
) -> int:
    """Find candidate rules in past review comments.

    Well-known advice is found by its table, a project's own rules only with --model. Nothing is stored. A GitHub
    repository is read with GITHUB_TOKEN; a file has one comment per line, as GitHub lists them or as {"body", "author",
    "pull"}.

    Exit code: 0 success, 2 usage or an invalid line, 3 GitHub could not be read, or a batch not sent or collected.
    """
    if output != STDOUT and format_ == "table":
        raise click.UsageError("-o needs --format json or markdown")
    comments = comments_of(source, since, most)
    embedder = EMBEDDERS["bundled"](EmbeddingSettings())
    with model_for(model, budget, answers, is_batch=batch) as opened, progress_of("comparing") as progress:
        mined = mine(comments, embedder, progress, opened.model, opened.batches)
    report_unanswered(mined.without_model, mined.num_read, "comments")
    kept = [one for one in mined.candidates if len(one.pulls) >= at_least]
    if format_ == "json":
        write(output, json.dumps(_document(source, mined, kept), indent=2) + "\n")
    elif format_ == "markdown":
        write(output, style_guide(kept))
    else:
        _show(mined, kept, at_least)
    return 0


def comments_of(source: str, since: datetime | None, most: int) -> list[PastComment]:
    """Read past comments from a file or from GitHub."""
    if Path(source).is_file():
        try:
            found = list(read_past_comments(Path(source)))
        except BadLine as bad:
            raise click.UsageError(f"{source}: {bad}") from None
        except OSError as error:
            raise click.UsageError(f"{source}: cannot be read ({error.strerror})") from None
        return [one for one in found if since is None or (one.created_at is not None and one.created_at >= since)]
    if not _REPOSITORY.fullmatch(source):
        raise click.UsageError(f"{source!r} is neither a file nor OWNER/REPO")
    token = os.environ.get("GITHUB_TOKEN", "").strip()
    if not token:
        raise click.UsageError("set GITHUB_TOKEN to a token that may read the repository's pull requests")
    api_url = os.environ.get("GITHUB_API_URL", "").strip() or "https://api.github.com"
    with Repo.from_token(token, source, api_url) as repo:
        return past_comments_of(repo, since, most)


@contextmanager
def progress_of(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Show progress on the terminal's standard error; yields a function of the number done and the total."""
    console = Console(stderr=True)
    shown = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*shown, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(doing)
        yield lambda done, num: bar.update(task, description=f"{doing} comment {done:,} of {num:,}")


def _document(source: str, mined: MiningResult, kept: Sequence[Candidate]) -> dict[str, Any]:
    """Return the candidates in the format of `assay rules import`, with their provenance."""
    return {
        "assay_rules": VERSION,
        "source": source,
        "num_comments": mined.num_read,
        "left_out": dict(mined.left_out),
        "num_without_model": sum(mined.without_model.values()),
        "without_model": dict(mined.without_model),
        "rules": [_as_data(one) for one in kept],
    }


def _as_data(candidate: Candidate) -> dict[str, Any]:
    rule = candidate.rule
    return {
        "text": as_visible(rule.text)[:MOST_TEXT].strip(),
        "key": rule.key,
        "language": rule.language,
        "paths": list(rule.paths),
        "why": as_visible(candidate.why),
        "num_comments": len(candidate.comments),
        "num_pulls": len(candidate.pulls),
        "num_reviewers": len(candidate.reviewers),
        "pulls": list(candidate.pulls),
        "reviewers": list(candidate.reviewers),
        "first_at": _moment(candidate.first_at),
        "last_at": _moment(candidate.last_at),
        "comments": [_provenance(one) for one in candidate.comments],
        "contrary": [_provenance(one) for one in candidate.contrary],
    }


def _provenance(comment: PastComment) -> dict[str, Any]:
    return {
        "url": comment.url,
        "author": comment.author,
        "pull": comment.pull,
        "path": comment.path,
        "created_at": _moment(comment.created_at),
        "body": comment.body,
    }


def _moment(moment: datetime | None) -> str | None:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def _show(mined: MiningResult, kept: Sequence[Candidate], at_least: int) -> None:
    console = Console()
    said = [f"{mined.num_read:,} comments read", *(f"{num:,} {why}" for why, num in mined.left_out.items())]
    console.print(Text("; ".join(said), style="dim"))
    if not kept:
        console.print(f"No rule was found on {at_least} or more pull requests.")
        return
    table = Table("rule", "pulls", "reviewers", "comments", "last said", "where")
    for one in kept[:MOST_SHOWN]:
        links = [comment.url or f"#{comment.pull}" for comment in one.comments[-NUM_LINKS:]]
        last = one.last_at.strftime("%Y-%m-%d") if one.last_at else ""
        cells = (one.rule.text, str(len(one.pulls)), _people(one), str(len(one.comments)), last, "\n".join(links))
        table.add_row(*(plain_text(cell) for cell in cells))
    console.print(table)
    if len(kept) > MOST_SHOWN:
        console.print(f"and {len(kept) - MOST_SHOWN:,} more: --format json has all")


def _people(candidate: Candidate) -> str:
    names = candidate.reviewers
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def plain_text(text: str) -> Text:
    """Return untrusted text without markup or escape sequences."""
    kept = (char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)
    return Text("".join(kept), overflow="fold")
