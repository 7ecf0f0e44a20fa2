"""The job's summary: the whole report as Markdown, in the file that GitHub shows on the run's page.

GitHub does not show summaries above 1 MiB per step. So a longer one is cut at a line end, open blocks are closed, and a
line names the place of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.github.client.limits import MOST_JOB_SUMMARY_BYTES
from assay.github.publish.check_texts import joined, summary_of
from assay.validators import Outcome as Ended
from assay.validators import (
    ToolRun,
    ToolsResult,
    ValidationReport,
    as_code,
    as_fenced,
    as_prose,
    counted,
    markdown_details,
    not_checked_lines,
)

LEFT_FREE_BYTES = 1024
"""Reserve for line ends of other systems, and for lines that other tools append."""
MOST_RUNS = 100
MOST_OUTPUTS = 20
MOST_EXCERPT_LINES = 60
_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_ICONS = {
    Ended.passed: "✅",
    Ended.failed: "❌",
    Ended.timed_out: "⏱️",
    Ended.inert: "⚙️",
    Ended.infra_failed: "⚠️",
    Ended.skipped: "▫️",
}
_WORDS = {
    Ended.passed: "passed",
    Ended.failed: "failed",
    Ended.timed_out: "ran out of time",
    Ended.inert: "unavailable",
    Ended.infra_failed: "could not run",
    Ended.skipped: "skipped",
}


def report_text(report: ValidationReport, title: str, notes: Sequence[str] = ()) -> str:
    """Return the whole report: the text of the Check Run without truncation, and what this job could not do."""
    return joined(
        [
            f"# {as_prose(title, 300)}",
            "\n".join(f"- {as_prose(note, 600)}" for note in notes),
            summary_of(report, None, is_app=False),
            markdown_details(report, most_bytes=MOST_JOB_SUMMARY_BYTES),
        ]
    )


def lost_text(title: str, text: str, notes: Sequence[str] = ()) -> str:
    """Return the summary of a job without a report."""
    return joined([f"# {as_prose(title, 300)}", "\n".join(f"- {as_prose(note, 600)}" for note in notes), text])


def tools_text(tools: ToolsResult) -> str:
    """Return the summary of a job of mode `tools`: a row per command, and the output of those that did not pass."""
    rows = [_row(run) for run in tools.runs[:MOST_RUNS]]
    more = len(tools.runs) - len(rows)
    table = "\n".join(["| | Command | Result | Time |", "|:-:|---|---|--:|", *rows]) if rows else "No command was run."
    notes = not_checked_lines(tools.not_checked)[:MOST_RUNS]
    lines = [f"- {as_prose(what, 200)}: {as_prose(why, 300)}" for what, why in notes]
    return joined(
        [
            "## Tier 1, the repository's own commands",
            table,
            f"and {more} more." if more > 0 else "",
            _words_of([run for run in tools.runs if run.excerpt]),
            "\n".join(["**Not checked**", "", *lines]) if lines else "",
            "_The job that publishes gives the verdict; this one succeeds whatever the results are._",
        ]
    )


def in_words(run: ToolRun) -> str:
    """Return a command's result: `passed (12 passed, 0 failed)`, `failed: it fails on the base too`."""
    counts = counted(run.counts)
    reason = f": {run.reason}" if run.reason and run.outcome is not Ended.passed else ""
    return _WORDS[run.outcome] + (f" ({counts})" if counts else "") + reason


def write_summary(path: Path | None, markdown: str, *, rest: str = "the report's files") -> bool:
    """Append the text to the step's summary, truncated; return whether all of it fit. Raises `OSError`.

    Args:
        path: the runner's file; None writes nothing.
        markdown: the text; blocks it leaves open are closed.
        rest: the place of the whole text, in words.
    """
    if path is None:
        return False
    there = path.stat().st_size if path.exists() else 0
    room = MOST_JOB_SUMMARY_BYTES - LEFT_FREE_BYTES - there
    text = fitted(markdown, room, rest)
    with path.open("ab") as file:
        file.write(text)
    return len(text) >= len(_bytes(markdown))


def fitted(markdown: str, most_bytes: int, rest: str) -> bytes:
    """Return at most `most_bytes` of the text: whole lines, open blocks closed, and a line naming the rest."""
    whole = _bytes(markdown.rstrip("\n") + "\n")
    if len(whole) <= most_bytes:
        return whole
    last = f"\n_Truncated: the summary of a job is limited. The whole text is in {as_prose(rest, 200)}._\n"
    lines = whole.decode().splitlines(keepends=True)
    sizes = [len(line.encode()) for line in lines]
    room = most_bytes - len(last.encode())
    size, num_kept = 0, 0
    while num_kept < len(lines) and size + sizes[num_kept] <= room:
        size += sizes[num_kept]
        num_kept += 1
    # Closing the open blocks takes space too; dropping lines never opens more than it frees.
    while num_kept:
        closing = closed(lines[:num_kept])
        if size + len(closing.encode()) <= room:
            return ("".join(lines[:num_kept]) + closing + last).encode()
        num_kept -= 1
        size -= sizes[num_kept]
    return last.encode() if len(last.encode()) <= most_bytes else b""


def closed(lines: Iterable[str]) -> str:
    """Return the end of the code block and folded sections that these lines leave open."""
    fence, num_open = "", 0
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            is_end = found is not None and found[1].startswith(fence) and not found[2].strip()
            fence = "" if is_end else fence
        elif found is not None:
            fence = found[1]
        else:
            word = line.strip()
            num_open += (word == "<details>") - (word == "</details>")
    ends = [*([fence] if fence else []), *(["\n</details>"] * max(num_open, 0))]
    return "".join(f"{end}\n" for end in ends)


def _row(run: ToolRun) -> str:
    command, words = as_code(run.command, 120, cell=True), as_prose(in_words(run), 300, cell=True)
    return f"| {_ICONS[run.outcome]} | {command} | {words} | {run.duration_s:.1f} s |"


def _words_of(runs: Sequence[ToolRun]) -> str:
    """Return the relevant output of the commands, folded."""
    if not runs:
        return ""
    said = [f"{as_code(run.command)}\n\n{as_fenced(run.excerpt[:MOST_EXCERPT_LINES])}" for run in runs[:MOST_OUTPUTS]]
    more = f"and {len(runs) - len(said)} more" if len(runs) > len(said) else ""
    heading = f"<details>\n<summary>Command output ({len(runs)})</summary>"
    return "\n\n".join(filter(None, [heading, *said, more, "</details>"]))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
