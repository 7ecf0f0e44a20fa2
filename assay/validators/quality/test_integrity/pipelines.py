"""Weakened pipelines: ignored failures, and removed test and lint steps or jobs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from assay.validators.changes.change import ChangeSet, FileKind, SourceTree, decoded, shown, text_at
from assay.validators.languages.source_text import split_source
from assay.validators.quality.inputs.changed_texts import LARGEST_BYTES, ReadFile
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.report.model import Finding, Severity, ToolKind
from assay.validators.tools.commands.command_kinds import kinds_run

if TYPE_CHECKING:
    from assay.validators.tools.discovery.found_commands.ci_commands import CiCommand

PIPELINE = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)/.+\.ya?ml|\.gitlab-ci\.yml|\.gitlab/.+\.ya?ml"
    r"|\.circleci/config\.yml|azure-pipelines[\w.-]*\.ya?ml"
    r"|\.azure/.+\.ya?ml|bitbucket-pipelines\.yml|Jenkinsfile|\.travis\.yml|\.buildkite/.+\.ya?ml"
    r"|appveyor\.yml|\.drone\.yml|\.cirrus\.yml)$"
)
_RECIPES = re.compile(r"(?:^|/)(?:Makefile|GNUmakefile|justfile|Taskfile\.ya?ml|tox\.ini|package\.json|noxfile\.py)$")

MOST_PIPELINES = 200

_KINDS = {
    ToolKind.test: "tests",
    ToolKind.lint: "linting",
    ToolKind.formatting: "linting",
    ToolKind.types: "type checking",
    ToolKind.sast: "security scanning",
}
_LET_PASS = (
    (re.compile(r"\|\|\s*(?:true|:|exit 0|echo\b.*|/bin/true)\s*[\"'\\]?\s*$"), "its failure is ignored (`|| true`)"),
    (
        re.compile(r"--exit-zero\b|--no-error-on-unmatched-pattern\b|--passWithNoTests\b|--suppress-tests-exit-code\b"),
        "its failure is ignored",
    ),
    (re.compile(r"\bset \+e\b"), "failures after it are ignored"),
)
_SWITCHES = (
    (re.compile(r"^\s*-?\s*continue-on-error:\s*true\b"), "A failing step or job does not fail the pipeline"),
    (
        re.compile(r"^\s*-?\s*(?:allow_failure|ignore_failure|soft_fail|allowFailure):\s*true\b"),
        "A failing job does not fail the pipeline",
    ),
    (re.compile(r"^\s*-?\s*if:\s*(?:\$\{\{\s*)?false\b"), "A step or job never runs any more"),
)
_WHY_SAFE = "Say why that is safe."
_UPDATES = re.compile(r"(?:^|/)(?:\.github/dependabot\.ya?ml|\.?renovate(?:rc)?(?:\.json5?)?)$")
_UPDATE_SWITCHES = (
    (
        re.compile(r"^\s*(?:open-pull-requests-limit:\s*0\b|[\"']?enabled[\"']?\s*:\s*false\b)"),
        "No version updates are proposed any more",
    ),
    (
        re.compile(
            r"^\s*[\"']?(?:automerge[\"']?\s*:\s*true\b|automergeType[\"']?\s*:\s*[\"']branch|:automerge\w+[\"'])"
        ),
        "Version updates are merged without a review",
    ),
)
_ECOSYSTEM = re.compile(r"^\s*-?\s*[\"']?package-ecosystem[\"']?\s*:\s*[\"']?([\w-]{1,40})", re.MULTILINE)
_LEFT_OUT = re.compile(
    r"(?:--(?:deselect|ignore|ignore-glob)[= ]\S+|-k\s+[\"']?not\b|--(?:testPathIgnorePatterns"
    r"|exclude)[= ]\S+|--skip[= ]\S+|-skip[= ]\S+)"
)


def relaxed(change: ChangeSet, read: Sequence[ReadFile]) -> Iterator[Finding]:
    """Yield findings about changed pipelines and the recipes they call."""
    yield from _no_longer_updated(change)
    for each in read:
        if _UPDATES.search(each.file.path):
            for number, line in sorted(each.file.added.items()):
                for pattern, message in _UPDATE_SWITCHES:
                    match = pattern.match(line[:1000])
                    if match is not None and not any(match[0].strip() in old for old in each.file.removed.values()):
                        yield _finding(each, number, line, Severity.warning, message, _WHY_SAFE)
            continue
        is_pipeline = bool(PIPELINE.search(each.file.path))
        if not (is_pipeline or _RECIPES.search(each.file.path)):
            continue
        before, after = _in_steps(each.base_lines), _in_steps(each.head_lines)
        gone = Counter(map(before.get, each.file.removed))
        for number, line in sorted(each.file.added.items()):
            gone[after.get(number)] -= 1
            if number > len(each.head.code_lines) or gone[after.get(number)] >= 0:
                continue
            yield from _on_line(each, number, line[:1000], is_pipeline=is_pipeline)
    # A pipeline that became too large, or a link, is not among the texts read.
    changed = [each.file for each in read] + [file for file in change.files if file.kind is not FileKind.text]
    pipelines = [file.path for file in changed if PIPELINE.search(file.path)]
    if pipelines:
        yield from _taken_out(change, pipelines)


def _no_longer_updated(change: ChangeSet) -> Iterator[Finding]:
    """Yield that no bot proposes updates any more: of any package, or of one kind of package."""
    before = [file.base_path for file in change.files if file.base_path and _UPDATES.search(file.base_path)]
    after = [path for path in change.head.paths if _UPDATES.search(path)] if before else []
    kinds, kept = (
        {one for path in paths for one in _ECOSYSTEM.findall(text_at(tree, path))}
        for tree, paths in ((change.base, before), (change.head, after))
    )
    has_other = any("dependabot" not in path for path in after)
    gone = "" if not after else ", ".join(sorted(kinds - kept)) if not has_other else None
    if before and (not after or gone):
        of = f" of {gone}" if gone else ""
        message = f"No version updates{of} are proposed any more"
        yield finding("pipeline", Severity.warning, (before[0], None), message, _WHY_SAFE, f"updates {gone}")


def _in_steps(lines: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Return line number -> its text, and the commands and actions of the step, or other list item, it is in.

    A step that gets a name or an id, or that moves, keeps both.
    """
    bare = [line.strip().removeprefix("- ").lstrip() for line in lines]
    starts = [at for at, line in enumerate(lines) if line.lstrip().startswith("- ")]
    found: dict[int, tuple[str, str]] = {}
    for start, end in pairwise((0, *starts, len(lines))):
        does = " ".join(line for line in bare[start:end] if line.startswith(("run:", "uses:")))
        found |= {at + 1: (bare[at], does) for at in range(start, end)}
    return found


def _on_line(read: ReadFile, number: int, line: str, *, is_pipeline: bool) -> Iterator[Finding]:
    # Comments are blank in the code; a quoted text may be a command.
    if not read.head.code_lines[number - 1].strip():
        return
    kind = _kind_of(line)
    if kind is not None:
        for pattern, what in _LET_PASS:
            if pattern.search(line):
                yield _finding(read, number, line, Severity.error, f"This runs {kind}, and {what}")
                return
        match = _LEFT_OUT.search(line)
        if match is not None and not any(match.group() in old for old in read.file.removed.values()):
            yield _finding(read, number, line, Severity.warning, f"This leaves some of it out: `{match.group()}`")
    if is_pipeline:
        for pattern, message in _SWITCHES:
            if pattern.search(line):
                yield _finding(read, number, line, Severity.warning, message)


def _kind_of(line: str) -> str | None:
    runs = kinds_run(line)
    return next((label for kind, label in _KINDS.items() if kind in runs), None)


def _taken_out(change: ChangeSet, pipelines: Sequence[str]) -> Iterator[Finding]:
    """Yield kinds of checks that a pipeline of the base ran, and that no pipeline of the head visibly runs.

    A command that cannot be read may run them; a change that adds such a command in their place is still reported.
    """
    (before, _), (after, opaque) = _checks(change.base), _checks(change.head)
    unread = next((one.pipeline for one in opaque if one.is_unread and one.pipeline in change.by_path), None)
    for kind, (path, command) in before.items():
        if kind in after:
            continue
        if unread is not None:
            message = f"Whether a pipeline still runs {kind} can no longer be read"
        elif opaque:
            place = f"`{opaque[0].called_by[:100]}` in {shown(opaque[0].pipeline)}"
            message = f"No pipeline plainly runs {kind} any more, and {place}, which may, cannot be read"
        else:
            message = f"No pipeline runs {kind} any more"
        yield finding(
            "pipeline",
            Severity.error if kind == "tests" else Severity.warning,
            (unread or (path if path in change.by_path else pipelines[0]), None),
            f"{message}; before, `{command[:100]}` did",
            "Keep the step, or say in the description what runs it now.",
            f"taken out {kind}",
        )


def _checks(tree: SourceTree) -> tuple[dict[str, tuple[str, str]], list[CiCommand]]:
    """Return kind of check -> the first (path, command) that runs it, and the commands that may run anything."""
    # Loads tool discovery: only for a changed pipeline.
    from assay.validators.tools.discovery.found_commands.ci_commands import ci_commands

    found: dict[str, tuple[str, str]] = {}
    paths = [path for path in tree.paths if PIPELINE.search(path)][:MOST_PIPELINES]
    for path, content in tree.read_many(paths, LARGEST_BYTES):
        source = split_source(decoded(content or b""), path)
        for line, code in zip(source.lines, source.code_lines, strict=True):
            if code.strip() and (kind := _kind_of(line[:1000])) is not None:
                found.setdefault(kind, (path, " ".join(line.split())))
    opaque: list[CiCommand] = []
    for command in ci_commands(tree, paths, LARGEST_BYTES):
        kind = _kind_of(command.line[:1000])
        if kind is not None:
            found.setdefault(kind, (command.pipeline, command.called_by))
        elif command.is_opaque:
            opaque.append(command)
    return found, opaque


def _finding(
    read: ReadFile,
    number: int,
    line: str,
    severity: Severity,
    message: str,
    advice: str = "Let it fail, or remove it and say why.",
) -> Finding:
    said = f"{message}: `{' '.join(line.split())[:100]}`"
    return finding("pipeline", severity, (read.file.path, number), said, advice, f"pipeline {line.strip()}")
