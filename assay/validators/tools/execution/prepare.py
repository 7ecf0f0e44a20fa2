"""Preparation of a tree: create its environment, fetch packages (or restore cached ones), install the project.

All projects of a tree begin, then all fetch, then all install, so that nothing is cached while code of the tree runs.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.validators.changes.change import SourceTree
from assay.validators.errors import ProgramMissing
from assay.validators.io.process import Completed
from assay.validators.progress import Deadline
from assay.validators.report.model import Outcome
from assay.validators.tools.commands.command_line import argv_of
from assay.validators.tools.discovery.project_files.subtree import under
from assay.validators.tools.execution.cache_folder import PACKAGE_CACHES, cache_folder
from assay.validators.tools.execution.environment import telling_line
from assay.validators.tools.execution.outcomes import cannot_go_on
from assay.validators.tools.execution.package_cache import PackageCache
from assay.validators.tools.execution.workplace import Workplace
from assay.validators.tools.readers.excerpt import FailureLines
from assay.validators.tools.tool import Setup, SetupStep

SETUP_S = 600
"""Seconds for making one tree ready."""
FORMAT = "2"
"""Version of the cache format, changed when entries change their meaning."""

MOST_KEPT_FOLDERS = 200
FROZEN = "frozen"
_LIST = "list.txt"
LARGEST_LOCK_BYTES = 64 * 1024 * 1024
_NETWORK = re.compile(
    r"Temporary failure in name resolution|Could not resolve host|getaddrinfo|ENOTFOUND|EAI_AGAIN|ECONNREFUSED"
    r"|ETIMEDOUT|ECONNRESET|Network is unreachable|No route to host|dns error|error sending request|operation timed out"
    r"|Connection (refused|reset|timed)|50[234] (Bad Gateway|Service|Gateway)|429 Too Many"
)
_ADDRESSES = (
    *("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "npm_config_registry", "NPM_CONFIG_REGISTRY"),
    *("GOPROXY", "GOFLAGS"),
)
PREFIX = "$ASSAY_PREFIX/"
NO_NETWORK = "the network could not be reached"


@dataclass(frozen=True, slots=True)
class Prepared:
    """Result of the preparation: `passed`, or the outcome of the first failed step, with one line and an excerpt."""

    outcome: Outcome = Outcome.passed
    step: SetupStep | None = None
    reason: str | None = None
    excerpt: tuple[str, ...] = ()
    duration_s: float = 0.0
    num_restored: int = 0

    @property
    def ok(self) -> bool:
        return self.outcome is Outcome.passed


def prepare(workplace: Workplace, tree: SourceTree, setups: Sequence[tuple[str, Setup]]) -> Prepared:
    """Run the setups (folder, setup) of a tree; a failing step does not stop the others, but is reported."""
    preparation = _Preparation(workplace, tree, Deadline(SETUP_S), cache_folder())
    for directory, setup in setups:
        preparation.run_steps(directory, setup.begin, runs_tree_code=False)
    for directory, setup in setups:
        preparation.fetch(directory, setup)
    for directory, setup in setups:
        preparation.run_steps(directory, setup.install, runs_tree_code=True)
    found = preparation.failed or Prepared()
    return replace(found, duration_s=preparation.duration_s, num_restored=preparation.num_restored)


@dataclass
class _Preparation:
    """Preparation of one tree: the first step that failed, and the time all took."""

    workplace: Workplace
    tree: SourceTree
    deadline: Deadline
    kept_in: Path | None
    failed: Prepared | None = None
    duration_s: float = 0.0
    num_restored: int = 0
    gave_up: bool = False

    def fetch(self, directory: str, setup: Setup) -> None:
        """Fetch, or restore the cached packages of the project at the top; nested ones share its environment."""
        is_kept = bool(setup.keeps or setup.freeze) and bool(setup.fetch) and directory == "."
        if not is_kept or self.kept_in is None or self.failed is not None:
            self.run_steps(directory, setup.fetch, runs_tree_code=False)
            return
        cache = PackageCache(self.kept_in / "trees")
        key = self._key(setup)
        if cache.restore(key, self._place):
            if self._thaw(setup):
                self.num_restored += 1
                return
            cache.forget(key)
        if self.run_steps(directory, setup.fetch, runs_tree_code=False) and self._freeze(setup):
            folders = self._to_keep(setup)
            if folders:
                cache.keep(key, folders)

    def _freeze(self, setup: Setup) -> bool:
        """Write down exactly what was fetched; return False where that is impossible."""
        if setup.freeze is None:
            return True
        listed = "".join(self._said((setup.freeze,)))
        folder = self.workplace.home / FROZEN
        folder.mkdir(exist_ok=True)
        (folder / _LIST).write_text(listed, "utf-8", "surrogateescape")
        return bool(listed.strip())

    def _thaw(self, setup: Setup) -> bool:
        """Install what was written down; return False where it is no longer available, so that it is fetched again."""
        if setup.thaw is None:
            return True
        try:
            listed = (self.workplace.home / FROZEN / _LIST).read_text("utf-8", "surrogateescape")
        except OSError:
            return False
        step = SetupStep(setup.thaw, "what was fetched before", stdin=listed)
        went = self._run_step(".", step, runs_tree_code=False)
        self.duration_s += went.duration_s
        return went.ok

    def run_steps(self, directory: str, steps: Sequence[SetupStep], *, runs_tree_code: bool) -> bool:
        """Run steps in order, none after a timeout or a machine failure; return whether all have succeeded so far."""
        for step in steps:
            if self.gave_up:
                return False
            went = self._run_step(under(directory, step.directory), step, runs_tree_code=runs_tree_code)
            self.duration_s += went.duration_s
            if not went.ok:
                self.failed = self.failed or went
                self.gave_up = went.outcome in (Outcome.timed_out, Outcome.infra_failed)
        return self.failed is None

    def _run_step(self, directory: str, step: SetupStep, *, runs_tree_code: bool) -> Prepared:
        if self.deadline.passed:
            return Prepared(Outcome.timed_out, step, f"no time left for `{step.line}`")
        failure_lines = FailureLines()
        caches, shared = self._caches(runs_tree_code=runs_tree_code)
        try:
            done = self.workplace.run(
                argv_of(step.line),
                directory,
                self.workplace.setup_environment(directory, caches),
                timeout_s=self.deadline.left_s(),
                stdin=None if step.stdin is None else os.fsencode(step.stdin),
                on_output=failure_lines.feed,
                shared=shared,
                network=True,
            )
        except ProgramMissing as error:
            return Prepared(Outcome.inert, step, f"{error.program}: not on this machine ({step.found_in} asks for it)")
        if done.ok:
            return Prepared(duration_s=done.duration_s)
        outcome, why = _outcome(done)
        lines = tuple(map(self.workplace.without_folders, failure_lines.lines()))
        said = telling_line(lines)
        told_why = f"{why} ({said})" if why else said
        return Prepared(outcome, step, f"`{step.line}`: {told_why}", lines, done.duration_s)

    def _caches(self, *, runs_tree_code: bool) -> tuple[dict[str, str], tuple[Path, ...]]:
        """Return the download caches of package managers, and which of their folders to share.

        Steps that run code of the tree inside the sandbox get an empty cache: they must not write what others read.
        """
        private = self.kept_in is None or (runs_tree_code and self.workplace.sandbox.program is not None)
        home = self.workplace.home / "packages" if private or self.kept_in is None else self.kept_in
        folders = {name: home / folder for name, folder in PACKAGE_CACHES.items()}
        for folder in folders.values():
            folder.mkdir(parents=True, exist_ok=True)
        named = {name: str(folder) for name, folder in folders.items()}
        # Copies: what a tree's command writes into its packages must not reach the shared store.
        named["npm_config_package_import_method"] = "clone-or-copy"
        return named, () if private else tuple(folders.values())

    def _key(self, setup: Setup) -> str:
        """Return a key of all that decides the result of fetching."""
        parts = [FORMAT, sys.platform, platform.machine(), *(os.environ.get(name, "") for name in _ADDRESSES)]
        parts += [f"{step.line}\0{step.stdin or ''}" for step in setup.fetch]
        parts += self._said(setup.versions)
        # Which Python an environment uses, and where it is installed.
        settings = self.workplace.environment_folder / "pyvenv.cfg"
        parts.append(settings.read_text("utf-8", "replace") if settings.is_file() else "")
        digest = hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape"))
        paths = [path for path in setup.depends_on if path in self.tree]
        for path, content in self.tree.read_many(paths, LARGEST_LOCK_BYTES):
            digest.update(os.fsencode(path) + b"\0" + hashlib.sha256(content or b"").digest())
        return digest.hexdigest()[:32]

    def _said(self, lines: Sequence[str]) -> Iterator[str]:
        """Return the output of small commands: versions, lists."""
        caches, _ = self._caches(runs_tree_code=True)
        env = self.workplace.setup_environment(".", caches)
        for line in lines:
            try:
                done = self.workplace.run(argv_of(line), ".", env, timeout_s=min(60.0, self.deadline.left_s()))
            except ProgramMissing:
                continue
            yield done.stdout.decode("utf-8", "replace")

    def _place(self, name: str) -> Path | None:
        if name == FROZEN:
            return self.workplace.home / FROZEN
        if name.startswith(PREFIX):
            place = self.workplace.prefix / name.removeprefix(PREFIX)
            place.parent.mkdir(parents=True, exist_ok=True)
            return place
        parent = self.workplace.folder(name.rpartition("/")[0] or ".")
        return None if parent is None else parent / name.rpartition("/")[2]

    def _to_keep(self, setup: Setup) -> Mapping[str, Path]:
        """Return the existing folders to cache; a name stands for every folder of that name next to a manifest."""
        if setup.freeze is not None:
            return {FROZEN: self.workplace.home / FROZEN}
        found: dict[str, Path] = {}
        beside = sorted({path.rpartition("/")[0] for path in setup.depends_on if path in self.tree} | {""})
        for name in setup.keeps:
            everywhere = [name] if name.startswith(PREFIX) else [under(folder or ".", name) for folder in beside]
            for candidate in everywhere[:MOST_KEPT_FOLDERS]:
                place = self._place(candidate)
                if place is not None and place.is_dir() and not place.is_symlink():
                    found[candidate] = place
        return found


def _outcome(done: Completed) -> tuple[Outcome, str | None]:
    if done.timed_out:
        return Outcome.timed_out, f"took longer than {SETUP_S} s"
    text = done.stdout[-20_000:].decode("utf-8", "replace")
    lost = cannot_go_on(done, text)
    if lost:
        return Outcome.infra_failed, lost
    if _NETWORK.search(text):
        return Outcome.infra_failed, NO_NETWORK
    return (Outcome.inert if done.returncode == 127 else Outcome.failed), None
