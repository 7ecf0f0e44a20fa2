"""Semgrep and ast-grep rule files of the base, run on an export of the change.

Each tool runs once, with every rule file of its kind. A rule file's own `paths` or `files` see the export's names,
not the repository's: `paths` in the configuration limits a rule.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.model import CustomRule
from assay.validators.errors import CouldNotRun
from assay.validators.io import process
from assay.validators.quality.inputs.changed_texts import LARGEST_BYTES
from assay.validators.quality.inputs.export import Export, exported
from assay.validators.report.unknown import NotChecked

OUTPUT_LIMIT = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Match:
    """Match of the rule file with this number: its path, lines (1-based), and the rule file's message."""

    number: int
    path: str
    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class Runner:
    """Tool that reads rule files. `file_of` is the key of the configuration that names one."""

    name: str
    file_of: Callable[[CustomRule], str | None]
    command: Callable[[Sequence[Path], Export], list[str]]
    read: Callable[[Any, Export], Iterator[Match]]


def run_rule_files(
    rules: Sequence[CustomRule], files: Sequence[tuple[str, bytes]], base: SourceTree, timeout_s: float
) -> Iterator[tuple[CustomRule, Runner, Match] | NotChecked]:
    """Yield every match of every rule file in these files of the head (path, content)."""
    for runner in RUNNERS:
        mine = [rule for rule in rules if runner.file_of(rule) is not None]
        if mine:
            yield from _run(runner, mine, files, base, timeout_s)


def run_rule_texts(
    runner: Runner, texts: Sequence[bytes], files: Sequence[tuple[str, bytes]], timeout_s: float
) -> list[Match]:
    """Return every match of these rule files (their content) in these files (path, content).

    Raises `CouldNotRun` if the tool is missing, fails, cannot read a rule, or takes too long.
    """
    with exported(files) as export, tempfile.TemporaryDirectory(prefix="assay-rules-") as scratch:
        written = []
        for number, text in enumerate(texts):
            # Each in a separate folder: semgrep distinguishes rules by folder.
            target = Path(scratch, f"rule{number}", "rules.yml")
            target.parent.mkdir()
            target.write_bytes(text)
            written.append(target)
        if not written or not export.paths:
            return []
        return [found for found in _answered(runner, written, export, scratch, timeout_s) if found.number < len(texts)]


def _run(
    runner: Runner, rules: Sequence[CustomRule], files: Sequence[tuple[str, bytes]], base: SourceTree, timeout_s: float
) -> Iterator[tuple[CustomRule, Runner, Match] | NotChecked]:
    texts: list[bytes] = []
    readable: list[CustomRule] = []
    for rule in rules:
        path = runner.file_of(rule) or ""
        content = base.read(path, LARGEST_BYTES)
        if content is None:
            yield NotChecked(f"repository_rules.{rule.id}", f"its rule file {path!r} is not in the base")
            continue
        texts.append(content)
        readable.append(rule)
    try:
        for found in run_rule_texts(runner, texts, files, timeout_s):
            yield readable[found.number], runner, found
    except CouldNotRun as error:
        yield from (NotChecked(f"repository_rules.{rule.id}", str(error)) for rule in readable)


def _answered(runner: Runner, written: Sequence[Path], export: Export, scratch: str, timeout_s: float) -> list[Match]:
    done = process.run(
        runner.command(written, export),
        cwd=scratch,
        env=process.clean_environment({"HOME": scratch, "XDG_CONFIG_HOME": scratch, "SEMGREP_SEND_METRICS": "off"}),
        timeout_s=timeout_s,
        output_limit=OUTPUT_LIMIT,
    )
    if done.timed_out:
        raise CouldNotRun(f"{runner.name} exceeded the tier's time limit")
    if done.num_dropped:
        raise CouldNotRun(f"{runner.name} printed more than {OUTPUT_LIMIT // 1024 // 1024} MB")
    try:
        return list(runner.read(json.loads(done.stdout), export))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        said = " ".join(words[:2])[:200] or "its output is not as expected"
        raise CouldNotRun(f"{runner.name} failed: {said}") from None


def _match(number: str, path: str, lines: tuple[int, int], message: object) -> Match:
    return Match(int(number), path, *lines, " ".join(str(message or "").split())[:300])


# ------------------------------------------------------------------ semgrep


def _semgrep_command(written: Sequence[Path], export: Export) -> list[str]:
    settings = ["--json", "--quiet", "--metrics=off", "--disable-version-check", "--no-git-ignore", "--timeout", "20"]
    configs = [part for path in written for part in ("--config", str(path))]
    return [process.semgrep_program(), "scan", *settings, *configs, str(export.folder)]


def _semgrep_read(answer: Any, export: Export) -> Iterator[Match]:
    for first in answer.get("errors") or ():
        is_late = "Timeout" in str(first.get("type"))
        if is_late or (first.get("level") == "error" and not answer.get("results")):
            raise CouldNotRun(f"semgrep: {' '.join(str(first.get('message', 'error')).split())[:200]}")
    for result in answer["results"]:
        path = export.path_of(result["path"])
        folders = [part for part in str(result["check_id"]).split(".") if part.startswith("rule")]
        if path is not None and folders and folders[0][4:].isdigit():
            lines = int(result["start"]["line"]), int(result["end"]["line"])
            yield _match(folders[0][4:], path, lines, result["extra"]["message"])


# ------------------------------------------------------------------ ast-grep


def _ast_grep_command(written: Sequence[Path], export: Export) -> list[str]:
    """Return the command for a project of all rule files, each rule's id prefixed by its file's number."""
    project = written[0].parent.parent
    (project / "sgconfig.yml").write_text("ruleDirs: [numbered]\n", "utf-8")
    (project / "numbered").mkdir()
    for number, path in enumerate(written):
        text = _numbered(path.read_text("utf-8", "replace"), number)
        (project / "numbered" / f"{number}.yml").write_text(text, "utf-8")
    options = ["--config", str(project / "sgconfig.yml"), "--json=compact"]
    return [process.own_program("ast-grep"), "scan", *options, str(export.folder)]


def _numbered(text: str, number: int) -> str:
    """Return the rule file with a number before each document's `id`, so that two files may use one id."""
    lines = text.split("\n")
    return "\n".join(f"id: 'rule{number}.{i}'" if line.startswith("id:") else line for i, line in enumerate(lines))


def _ast_grep_read(answer: Any, export: Export) -> Iterator[Match]:
    for match in answer:
        path = export.path_of(match["file"])
        number = str(match["ruleId"]).partition(".")[0].removeprefix("rule")
        if path is not None and number.isdigit():
            place = match["range"]
            lines = int(place["start"]["line"]) + 1, int(place["end"]["line"]) + 1
            yield _match(number, path, lines, match.get("message"))


SEMGREP = Runner("semgrep", lambda rule: rule.semgrep, _semgrep_command, _semgrep_read)
AST_GREP = Runner("ast-grep", lambda rule: rule.ast_grep, _ast_grep_command, _ast_grep_read)
RUNNERS = (SEMGREP, AST_GREP)
