"""CI: the commands that run for a change, and their rights, in workflows and pipelines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import READ_LIMIT, ChangedFile, FileKind, SourceTree, decoded, shown
from assay.validators.changes.language_table import languages
from assay.validators.io.structured_files import Node, Unreadable, yaml_document
from assay.validators.languages.inert import is_inert
from assay.validators.report.model import Statement
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.ci.pipeline_changes import pipeline_kinds, pipeline_remarks
from assay.validators.risk.ci.workflow import Workflow, kinds_in
from assay.validators.risk.ci.workflow_changes import Remark, workflow_remarks
from assay.validators.risk.signal import Measure, RiskContext

_WORKFLOW = re.compile(r"(?:\.github|\.gitea|\.forgejo)/workflows/[^/]+\.ya?ml|(?:.*/)?action\.ya?ml")
_PIPELINE = re.compile(
    r"\.gitlab-ci\.yml|\.gitlab/.*\.ya?ml|\.circleci/.*\.ya?ml|\.travis\.yml|azure-pipelines[^/]*\.ya?ml|\.azure-pipelines/.*\.ya?ml"
    r"|bitbucket-pipelines\.yml|\.?appveyor\.yml|\.buildkite/.*\.ya?ml|\.drone\.yml|\.woodpecker(?:/.*)?\.ya?ml|\.cirrus\.yml"
    r"|\.semaphore/.*\.ya?ml|cloudbuild\.ya?ml|\.builds/.*\.yml"
)
_SCRIPT = re.compile(r"(?:.*/)?Jenkinsfile[^/]*|\.teamcity/.*|\.ci/.*|\.buildkite/.*|\.circleci/.*|\.github/actions/.*")
MOST_WORKFLOWS = 100


class CiSignal:
    """Signal `ci`: a change of the pipelines can change every other rule."""

    name = "ci"
    answers = Question.infrastructure
    covers = languages("workflow")

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every change of the pipelines, and what could not be read."""
        touched = [file for file in context.change.files if is_ci(file.path) or is_ci(file.base_path or "")]
        for file in touched:
            try:
                for one in _remarks(context, file):
                    yield Statement(one.kind, one.text, file.path, one.line, one.advice)
            except Unreadable as error:
                was_unread = file.base_path is not None and _is_unread(context.change.base, file.base_path)
                yield Statement("ci_edited" if was_unread else "ci_unread", f"cannot be read: {error}", file.path)
                yield NotChecked(f"what {shown(file.path)} runs", str(error))
        if touched:
            yield from _lost_checks(context, touched)
        for file in touched:
            if context.is_seed and not is_inert(context.change, file):
                yield Statement("ci_edited", "the pipeline is edited", file.path)


def is_ci(path: str) -> bool:
    """Return whether a file configures CI."""
    return any(pattern.fullmatch(path) for pattern in (_WORKFLOW, _PIPELINE, _SCRIPT))


def _remarks(context: RiskContext, file: ChangedFile) -> Iterator[Remark]:
    base, head = context.change.base, context.change.head
    base_path = file.base_path if file.base_path is not None and file.status != "added" else None
    head_path = file.path if file.exists else None
    if _WORKFLOW.fullmatch(file.path):
        yield from workflow_remarks(_workflow(base, base_path), _workflow(head, head_path))
    elif _PIPELINE.fullmatch(file.path):
        yield from pipeline_remarks(_document(base, base_path), _document(head, head_path))
    elif file.kind is not FileKind.text or any(map(_is_code, (*file.added.values(), *file.removed.values()))):
        yield Remark("ci_edited", "a file that CI uses is edited", next(iter(file.added), None))


def _lost_checks(context: RiskContext, touched: list[ChangedFile]) -> Iterator[Statement | NotChecked]:
    """Yield checks that ran for changes before and visibly do not run any more."""
    (before, _), (after, validating) = _all_kinds(context.change.base), _all_kinds(context.change.head)
    if not before - after:
        return
    # Loads tool discovery: only for a missing check.
    from assay.validators.tools.discovery.found_commands.ci_commands import ci_commands

    commands = ci_commands(context.change.head, validating, READ_LIMIT)
    after |= {kind for command in commands if not command.is_program for kind in kinds_in(command.line)}
    opaque = next((command for command in commands if command.is_opaque), None)
    for kind in sorted(before - after):
        text = f"no pipeline runs {kind} for changes any more"
        if opaque is not None:
            text = f"no pipeline plainly runs {kind} any more; `{opaque.called_by[:80]}` may"
        yield Statement("ci_loosened", text, touched[0].path)
        if opaque is not None:
            yield NotChecked(f"whether a pipeline still runs {kind}", f"`{opaque.called_by[:80]}` cannot be read")


def _all_kinds(tree: SourceTree) -> tuple[set[str], list[str]]:
    """Return the kinds of checks that visibly run for changes, and the pipelines that run for changes."""
    found: set[str] = set()
    validating: list[str] = []
    paths = [path for path in tree.paths if _WORKFLOW.fullmatch(path) or _PIPELINE.fullmatch(path)]
    for path in paths[:MOST_WORKFLOWS]:
        try:
            if _PIPELINE.fullmatch(path):
                found |= pipeline_kinds(_document(tree, path))
                validating.append(path)
            elif (workflow := _workflow(tree, path)) and (workflow.validates_changes or not workflow.triggers):
                found |= workflow.kinds
                validating.append(path)
        except Unreadable:
            continue
    return found, validating


def _workflow(tree: SourceTree, path: str | None) -> Workflow | None:
    return None if path is None else Workflow(path, _document(tree, path))


def _document(tree: SourceTree, path: str | None) -> Node:
    if path is None:
        return Node(1)
    content = tree.read(path)
    if content is None:
        raise Unreadable("too large, or not a regular file")
    return yaml_document(decoded(content))


def _is_unread(tree: SourceTree, path: str) -> bool:
    try:
        _document(tree, path)
    except Unreadable:
        return True
    return False


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("#", "//"))
