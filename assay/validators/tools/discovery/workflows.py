"""GitHub workflows: the `run:` steps of jobs that check a push or a pull request.

Maintainers trust what CI runs. A step that needs something only CI has (a matrix value, a secret, a checkout of another
repository, Rust's libraries for another platform) is left out; steps that install, publish or deploy are removed later,
as for every source.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import yaml_of
from assay.validators.io.structured_files import Node
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_line import commands_of, joined, words_of
from assay.validators.tools.commands.known_tools import known_tool_of
from assay.validators.tools.commands.safe_commands import only_talks
from assay.validators.tools.discovery.project_files.named_scripts import kind_named
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ecosystem, Task

_FILE = re.compile(r"\.github/workflows/[^/]+\.ya?ml")
_JUDGING = frozenset("push pull_request pull_request_target merge_group".split())
_NOT_A_CHECK = re.compile(
    r"release|publish|deploy|docs?\b|nightly|daily|weekly|bench|stale|label|docker|windows|macos|codeql|update",
    re.IGNORECASE,
)
# Programs that run a named script or target of the tree, which is resolved later.
_BY_NAME = frozenset("npm pnpm yarn bun make just task tox nox hatch poe composer".split())
_SCRIPT = re.compile(r"(\./)?[\w./-]+\.(sh|bash|py)|(\./)?(scripts?|bin|ci|hack|tools|\.ci)/[\w./-]+")
_MAKES = re.compile(r"(gen|generate|create|make|install|setup|prepare|start|download|fetch|update)[-_]")
"""Beginning of the names of scripts that prepare something."""
_WRITES = re.compile(r"(?<![0-9&>-])>>?(?!>|\s*(?:/dev/null|&|\(|=))\s*(\S+)")
_PACKED = (".tgz", ".tar.gz", ".whl", ".zip", ".gem", ".vsix")
"""Suffixes of packages, which an earlier step of the job made or fetched."""
_INSTALLED = ("/", "~", "vendor/", "node_modules/", "../")
"""Beginnings of programs that the set-up installs, or that are outside the folder."""
MOST_FILES = 20
MOST_TASKS = 40


class Workflows(Ecosystem):
    """.github/workflows/*.yml."""

    name = "workflows"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return the commands of the steps that check something."""
        left = MOST_TASKS
        files = [path for path in tree.paths if _FILE.fullmatch(path)][:MOST_FILES]
        for path in files:
            for task in _tasks_in(path, yaml_of(tree, path)):
                if _is_made_by_ci(tree, task):
                    continue
                left -= 1
                if left < 0:
                    return
                yield task


def working_directory(node: Node | None) -> str | None:
    """Return a `working-directory` that stays inside the tree."""
    named = node.get("working-directory") if node is not None else None
    if named is None:
        return None
    text = named.text.removeprefix("./").rstrip("/") or "."
    return None if text.startswith("/") or ".." in text.split("/") or "$" in text else text


def _tasks_in(path: str, workflow: Node) -> Iterator[Task]:
    events = workflow.get("on")
    if events is None or _NOT_A_CHECK.search(path.rpartition("/")[2]) or not _JUDGING.intersection(events.texts):
        return
    jobs = workflow.get("jobs")
    for name, job in jobs.pairs.items() if jobs is not None else ():
        steps = job.get("steps")
        if steps is None or _NOT_A_CHECK.search(name):
            continue
        written: set[str] = set()
        others = tuple(_checkouts_of_others(steps))
        folder = working_directory(workflow.get("defaults", "run")) or working_directory(job.get("defaults", "run"))
        for step in steps.items:
            run = step.get("run")
            if run is not None and run.text:
                directory = working_directory(step) or folder or "."
                if f"{directory}/".startswith(others):
                    continue
                for words, kind in _checks(run.text, written):
                    found_in = f"{path}:{run.line} run"
                    yield Task(started(words)[0], kind, joined(words), found_in, directory)


def _is_made_by_ci(tree: SourceTree, task: Task) -> bool:
    """Return whether the program is a file of the job's folder that the tree does not have."""
    program = next(iter(started(words_of(task.line))), "")
    if "/" not in program or program.startswith(_INSTALLED):
        return False
    path = posixpath.normpath(f"{task.directory}/{program}")
    return path not in tree


def _checkouts_of_others(steps: Node) -> Iterator[str]:
    """Yield the folders into which a job checks out other repositories, each with a slash."""
    for step in steps.items:
        uses, given = step.get("uses"), step.get("with")
        if uses is not None and uses.text.startswith("actions/checkout@") and given is not None:
            repository, path = given.get("repository"), given.get("path")
            if repository is not None and path is not None and "$" not in repository.text:
                yield f"{path.text.removeprefix('./').rstrip('/')}/"


def _checks(script: str, written: set[str]) -> Iterator[tuple[list[str], ToolKind]]:
    """Yield the commands of a step that check something, by their words.

    None of a step that changes folder or writes a file, and none that uses a file such a step of the job has `written`:
    outside the step they mean something else.
    """
    commands = commands_of(script)
    writes = _WRITES.findall(script)
    written.update(writes)
    if writes or any(words[0] in ("cd", "pushd") or written.intersection(words) for words in commands):
        return
    for words in commands:
        # `-` alone reads from a pipe that no longer exists here.
        if "-" in words or any("$" in word or "`" in word or word.endswith(_PACKED) for word in words):
            continue
        known = known_tool_of(words)
        rest = started(words)
        if only_talks(words) or (rest[0] == "cargo" and any(word.partition("=")[0] == "--target" for word in rest)):
            continue
        if known is not None:
            yield words, known.kind
        elif rest[0] in _BY_NAME or _SCRIPT.fullmatch(rest[0]):
            named = [_stem(word) for word in rest if "=" not in word]
            kind = next((kind for word in named if (kind := kind_named(word)) and not _MAKES.match(word)), None)
            if kind is not None:
                yield words, kind


def _stem(word: str) -> str:
    return word.rpartition("/")[2].partition(".")[0]


workflows = Workflows()
