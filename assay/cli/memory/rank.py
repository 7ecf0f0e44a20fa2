"""The command `assay memory rank`: a table of several agents, to be published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from assay.cli.display.outputs import STDOUT, PairedCommand, outputs_of, write
from assay.memory_eval import (
    RankingOrder,
    rank_reports,
    ranking_html,
    ranking_json,
    ranking_markdown,
    ranking_text,
    read_report,
    show_ranking,
)

SUFFIXES = {".json": "json", ".md": "markdown", ".html": "html", ".txt": "terminal"}
RENDERERS = {"terminal": ranking_text, "json": ranking_json, "markdown": ranking_markdown, "html": ranking_html}

ORDERS: dict[str, RankingOrder] = {
    "answers": "answer_score",
    "recall": "fact_recall",
    "evidence": "evidence_recall_at_10",
}


@click.command("rank", cls=PairedCommand, short_help="Rank the reports of several agents")
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-f", "--format", "formats", multiple=True, type=click.Choice(list(RENDERERS)), help="Output format, repeatable."
)
@click.option(
    "-o", "--output", "files", multiple=True, metavar="FILE", help="Output file; its suffix is the default format."
)
@click.option(
    "--by",
    type=click.Choice(list(ORDERS)),
    default="answers",
    show_default=True,
    help="Figure to rank by.",
)
@click.pass_context
def rank_command(
    ctx: click.Context,
    reports: Sequence[Path],
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
    by: str,
) -> int:
    """Rank the reports of several agents.

    Reports of one agent are its runs, and become one row with their means. Floors and ceiling on the same exams stand
    below. Exit code: 0 success, 2 usage, or reports that cannot be ranked.
    """
    outputs = outputs_of(ctx, SUFFIXES)
    ranking = rank_reports([read_report(path) for path in reports], ORDERS[by])
    for output in outputs:
        if output.format == "terminal" and output.path == STDOUT:
            show_ranking(ranking, Console())
        else:
            write(output.path, RENDERERS[output.format](ranking))
    return 0
