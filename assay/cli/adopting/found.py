"""What `assay init` prints: languages and commands, the replay, what stays unknown, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from rich.console import Console
from rich.progress import track
from rich.table import Column, Table
from rich.text import Text

from assay.cli.adopting.files import WORKFLOW, AssaySource, Written
from assay.cli.adopting.replay import Replayed, worst_finding
from assay.cli.display.drawing import one_line
from assay.validators import (
    CONFIGURATION,
    QUESTION_WORDS,
    Explanation,
    RiskLevel,
    Severity,
    SourceTree,
    ValidationReport,
    language_of,
    risk_set_by,
)

MOST_LANGUAGES = 6
MOST_ROWS = 12
_LEVELS = {RiskLevel.low: "green", RiskLevel.medium: "yellow", RiskLevel.high: "red", RiskLevel.critical: "bold red"}
_MARKS = {Severity.error: "red", Severity.warning: "yellow", Severity.info: "dim"}


def print_found(tree: SourceTree, explanation: Explanation, console: Console) -> None:
    """Print the languages of the repository, and the commands of each project, which Tier 1 runs on a change of it."""
    counts = Counter(found.name for path in tree.paths if (found := language_of(path)) is not None and found.is_source)
    names = [f"{name} ({count})" for name, count in counts.most_common(MOST_LANGUAGES)]
    more = f" and {len(counts) - MOST_LANGUAGES} more" if len(counts) > MOST_LANGUAGES else ""
    _say(console, f"Files by language: {', '.join(names) or 'no source was found'}{more}")
    for task in explanation.proposed:
        named = f"{one_line(task.line)} ({one_line(task.found_in)})"
        _say(console, f"Runs only if {CONFIGURATION} names it: {named}")
    if not explanation.tasks:
        if explanation.proposed:
            return
        _say(console, f"No command was found that checks a change: name yours in `tier1.commands` of {CONFIGURATION}")
        return
    table = _table("Commands that run on a change of each project", "project", "kind", "command", "found in")
    for row in sorted(explanation.tasks, key=lambda row: row.task.directory):
        task = row.task
        table.add_row(*map(one_line, (task.directory, str(task.kind), task.line, task.found_in)))
    console.print()
    console.print(table)


def print_replay(changes: Iterable[Replayed], num_changes: int, why: str, console: Console) -> list[ValidationReport]:
    """Print what Assay would have said, newest change first; return the reports. Progress goes to standard error.

    `why` says why there are no changes, or few.
    """
    if num_changes == 0:
        if why:
            _say(console, why)
        return []
    last = "change" if num_changes == 1 else f"{num_changes} changes"
    table = _table(
        f"What Assay would have said about the last {last} (scanners, quality and risk)",
        "change",
        "risk",
        Column("what, with the worst finding or what set the risk", overflow="fold", ratio=1),
        expand=True,
    )
    reports = []
    errors = Console(stderr=True)
    replays = track(changes, "Replaying", num_changes, console=errors, transient=True, disable=not errors.is_terminal)
    for one in reversed(list(replays)):
        risk, said = _verdict(one)
        table.add_row(one.sha[:9], risk, Text("\n").join([Text(one_line(one.title)), *([said] if said else [])]))
        if one.report is not None:
            reports.append(one.report)
    console.print()
    console.print(table)
    failing = sum(bool(one.blocking) for one in reports)
    held = sum(one.hold for one in reports)
    quiet = sum(worst_finding(one) is None for one in reports)
    _say(console, f"{failing} would fail, {held} would require approval; {quiet} without a finding")
    if why:
        _say(console, why)
    return reports


def _verdict(one: Replayed) -> tuple[Text, Text]:
    report = one.report
    if report is None:
        return Text("unknown", "dim"), Text(one_line(one.why))
    level = report.risk.level if report.risk is not None else None
    risk = Text(str(level), _LEVELS[level]) if level is not None else Text("unknown", "dim")
    finding = worst_finding(report)
    said = Text()
    if finding is not None:
        place = f"{finding.file}:{finding.line}" if finding.line is not None else finding.file
        said.append(f"{finding.severity} ", _MARKS[finding.severity])
        said.append(one_line(f"{place}  {finding.message}"))
    by = risk_set_by(report.risk) if report.risk is not None and level is not RiskLevel.low else ""
    if by and (level is RiskLevel.critical or finding is None):
        said.append(f"{'; ' if said else ''}{one_line(by)}", "dim")
    return risk, said


def print_unknown(reports: Sequence[ValidationReport], console: Console) -> None:
    """Print what could not be answered in the replay, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    questions: dict[tuple[str, str], dict[str, None]] = {}
    for report in reports:
        counts.update({(one.what, one.why) for one in report.unknown})
        for one in report.unknown:
            if one.question is not None:
                questions.setdefault((one.what, one.why), {})[QUESTION_WORDS[one.question]] = None
    if not counts:
        return
    table = _table("What Assay cannot tell here", Column("changes", justify="right"), "question")
    for (what, why), count in counts.most_common(MOST_ROWS):
        table.add_row(str(count), one_line(f"{what}: {', '.join(questions[what, why])} ({why})"))
    console.print()
    console.print(table)


def print_files(files: Sequence[tuple[str, Written]], console: Console) -> None:
    """Print what happened to each file."""
    for name, what in files:
        _say(console, f"{name}: {what}")


def print_next(source: AssaySource | None, new_files: Collection[str], console: Console) -> None:
    """Print the next steps: commit the files that were written, or register the App."""
    steps = []
    if new_files:
        steps += ["Commit the files; `assay init --undo` removes them"]
    if source is None:
        steps += ["Register the App: assay app create --public-url https://assay.example.com", "Start it: assay serve"]
        steps += ["Install it on the repository, at the address that `assay app create` prints"]
    elif WORKFLOW in new_files:
        steps += [
            f"Pull requests are validated by {source.repository} at {source.ref[:12]}, once this is on their base"
        ]
        if not source.is_commit:
            steps += [f"{source.ref} can be moved by others: a commit in its place is safer"]
    for number, step in enumerate(steps, 1):
        _say(console, f"{number}. {step}")


def _table(title: str, *columns: Column | str, expand: bool = False) -> Table:
    return Table(
        *columns, title=title, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0), expand=expand
    )


def _say(console: Console, line: str) -> None:
    console.print(Text(one_line(line)))
