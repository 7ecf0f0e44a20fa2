"""GitHub workflows: the `run:` steps of jobs that check a push or a pull request.

Maintainers trust what CI runs. A step that needs something only CI has (a matrix value, a secret, a checkout of another
repository, Rust's libraries for another platform) is left out; steps that install, publish or deploy are removed later,
as for every source.
"""

from __future__ import annotations

import platform
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import yaml_of
from assay.validators.io.structured_files import Node
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.commands.command_line import commands_of, joined, words_of
from assay.validators.tools.discovery.project_files.named_scripts import kind_named
from assay.validators.tools.runners import num_runner_words, started
from assay.validators.tools.tool import Ecosystem, Task

_FILE = re.compile(r"\.github/workflows/[^/]+\.ya?ml")
_JUDGING = frozenset("push pull_request pull_request_target merge_group".split())
_NOT_A_CHECK = re.compile(
    r"release|publish|deploy|docs?\b|nightly|daily|weekly|bench|stale|label|docker|windows|macos|codeql|update",
    re.IGNORECASE,
)
# Programs that run a named script or target of the tree, which is resolved later.
_BY_NAME = frozenset("npm pnpm yarn bun deno rake make just task tox nox hatch poe composer".split())
_SCRIPT = re.compile(r"(\./)?[\w./-]+\.(sh|bash|py)|(\./)?(scripts?|bin|ci|hack|tools|\.ci)/[\w./-]+")
_MAKES = re.compile(r"(gen|generate|create|make|install|setup|prepare|start|download|fetch|update)[-_]")
"""Beginning of the names of scripts that prepare something."""
_WRITES = re.compile(r"(?<![0-9&>-])>>?(?!>|\s*(?:/dev/null|&|\(|=))\s*(\S+)")
_NAME = re.compile(r"[A-Za-z_][\w-]{0,99}", re.ASCII)
"""Id of a service (docs.github.com, workflow syntax: letters, digits, `-` and `_`)."""
_PACKED = (".tgz", ".tar.gz", ".whl", ".zip", ".gem", ".vsix")
"""Suffixes of packages, which an earlier step of the job made or fetched."""
_INSTALLED = ("/", "~", "vendor/", "node_modules/", "../", ".venv/", "venv/", ".tox/")
"""Beginnings of programs that the set-up installs, or that are outside the folder."""
MOST_FILES = 20
MOST_TASKS = 40
MOST_SERVICES = 5


class Workflows(Ecosystem):
    """.github/workflows/*.yml."""

    name = "workflows"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return the commands of the steps that check something."""
        left = MOST_TASKS
        files = {path: yaml_of(tree, path) for path in [one for one in tree.paths if _FILE.fullmatch(one)][:MOST_FILES]}
        for path, workflow in _judging(files):
            for task in _tasks_in(path, workflow):
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


def _judging(files: Mapping[str, Node]) -> Iterator[tuple[str, Node]]:
    """Yield the workflows that run for a push or a pull request, and those that they call."""
    left = {path: workflow for path, workflow in files.items() if not _NOT_A_CHECK.search(path.rpartition("/")[2])}
    called = {path for path, workflow in left.items() if _JUDGING & _triggers(workflow.get("on"))}
    while found := called & left.keys():
        for path in [path for path in files if path in found]:
            workflow = left.pop(path)
            yield path, workflow
            jobs = workflow.get("jobs")
            uses = [job.get("uses") for job in (jobs.pairs.values() if jobs is not None else ())]
            called |= {one.text.removeprefix("./") for one in uses if one is not None}


def _tasks_in(path: str, workflow: Node) -> Iterator[Task]:
    jobs = workflow.get("jobs")
    for name, job in jobs.pairs.items() if jobs is not None else ():
        steps = job.get("steps")
        runs_on, around = job.get("runs-on"), (workflow.get("env"), job.get("env"))
        if steps is None or _NOT_A_CHECK.search(name) or (runs_on and _NOT_A_CHECK.match(runs_on.text)):
            continue
        written: set[str] = set()
        services = tuple(_services(job))
        others = tuple(_checkouts_of_others(steps))
        folder = working_directory(workflow.get("defaults", "run")) or working_directory(job.get("defaults", "run"))
        for step in steps.items:
            run = step.get("run")
            if run is not None and run.text:
                directory = working_directory(step) or folder or "."
                if f"{directory}/".startswith(others) or _needs_environment(around, step.get("env")):
                    continue
                for words, kind in _checks(run.text, written):
                    found_in = f"{path}:{run.line} run"
                    needs = services if kind is ToolKind.test else ()
                    yield Task(started(words)[0], kind, joined(words), found_in, directory, services=needs)


def _is_made_by_ci(tree: SourceTree, task: Task) -> bool:
    """Return whether the folder, or a program in it, is something the tree does not have."""
    if task.directory != "." and not any(path.startswith(f"{task.directory}/") for path in tree.paths):
        return True
    words = words_of(task.line)
    if "--locked" in words and "cargo" in words and not any(path.endswith("Cargo.lock") for path in tree.paths):
        return True
    program = next(iter(words[num_runner_words(words) :]), "")
    if "/" not in program or program.removeprefix("./").startswith(_INSTALLED):
        return False
    return posixpath.normpath(f"{task.directory}/{program}") not in tree


def _needs_environment(around: Iterable[Node | None], step: Node | None) -> bool:
    """Return whether a step takes a secret, or compiles other code than usual (`RUSTFLAGS: --cfg loom`)."""
    given = step.pairs.values() if step is not None else ()
    flags = [node.get("RUSTFLAGS") for node in (*around, step) if node is not None]
    return any("secrets." in one.text for one in given) or any(one and "--cfg" in one.text for one in flags)


def _services(job: Node) -> Iterator[str]:
    """Yield the names of the containers that run next to a job's steps."""
    services = job.get("services")
    for name in islice(services.pairs if services is not None else (), MOST_SERVICES):
        if _NAME.fullmatch(name):
            yield name


def _triggers(events: Node | None) -> set[str]:
    """Return the events of a workflow, without pushes of tags alone."""
    if events is None:
        return set()
    push = events.get("push")
    is_of_tags = push is not None and push.get("tags") is not None and push.get("branches") is None
    return {name for name in events.texts if not (name == "push" and is_of_tags)}


def _checkouts_of_others(steps: Node) -> Iterator[str]:
    """Yield the folders into which a job checks out other repositories, each with a slash."""
    for step in steps.items:
        uses, given = step.get("uses"), step.get("with")
        if uses is not None and uses.text.startswith("actions/checkout@") and given is not None:
            repository, path = given.get("repository"), given.get("path")
            if repository is not None and "$" not in repository.text:
                folder = path.text.removeprefix("./").rstrip("/") if path is not None else ""
                # Without a folder it takes the place of this one.
                yield f"{folder}/" if folder not in ("", ".") else ""


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
        if "-" in words or any("$" in word or "`" in word or _is_package(word) for word in words):
            continue
        known = known_tool_of(words)
        rest = started(words)
        if (known is not None and rest[-1] in ("--version", "--help")) or _is_for_another_platform(rest):
            continue
        if known is not None:
            yield words, known.kind
        elif rest[0] in _BY_NAME or _SCRIPT.fullmatch(rest[0]):
            named = [_stem(word) for word in rest if "=" not in word]
            kind = next((kind for word in named if (kind := kind_named(word)) and not _MAKES.match(word)), None)
            if kind is not None:
                yield words, kind


def _is_package(word: str) -> bool:
    return word.endswith(_PACKED) and not {"*", ",", "="} & set(word)


def _is_for_another_platform(words: Sequence[str]) -> bool:
    """Return whether Cargo is to build for a platform whose libraries are not those of this machine."""
    own = list(words[: words.index("--")] if "--" in words else words) if words[0] == "cargo" else []
    named = [
        word.partition("=")[2] or after for word, after in pairwise([*own, ""]) if word.partition("=")[0] == "--target"
    ]
    return any(target != f"{platform.machine()}-unknown-linux-gnu" for target in named)


def _stem(word: str) -> str:
    return word.rpartition("/")[2].partition(".")[0]


workflows = Workflows()
