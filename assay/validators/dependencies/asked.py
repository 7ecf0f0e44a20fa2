"""Dependencies of one change, read once, and the questions to registries about them."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import Dependencies
from assay.validators.dependencies.asking import Asking
from assay.validators.dependencies.changed import DependencyChanges, Moved, dependency_changes
from assay.validators.dependencies.lock_files import LockChange
from assay.validators.dependencies.manifests.manifest import Scope
from assay.validators.dependencies.registries import Package
from assay.validators.dependencies.version_moves import source_of
from assay.validators.report.risk_facts import PackageFacts

OFFLINE = "ASSAY_OFFLINE"
"""Variable that keeps every registry from being asked."""
_ADDRESS = re.compile(r"[#/]")
"""Sign of a version that no registry has: a commit, or an address."""
_NOT_ASKED = (Scope.image, Scope.ci)


class AskedDependencies:
    """Dependencies of a change; the registries are asked from `begin` on."""

    def __init__(self, change: ChangeSet, settings: Dependencies) -> None:
        self._change = change
        self.settings = settings

    @cached_property
    def changes(self) -> DependencyChanges:
        """New and moved packages."""
        return dependency_changes(self._change)

    @property
    def is_offline(self) -> bool:
        """Whether no registry may be asked."""
        return self.settings.offline or os.environ.get(OFFLINE, "") not in ("", "0")

    def begin(self) -> None:
        """Ask in the background. What fails here fails again where the facts are wanted, and is reported there."""
        with contextlib.suppress(Exception):
            _ = self._asking

    def facts(self) -> Mapping[Package, PackageFacts]:
        """Return the facts of every package that may be asked about; waits for them."""
        return self._asking.facts() if self._asking is not None else {}

    @cached_property
    def _asking(self) -> Asking | None:
        packages = [] if self.is_offline else [*self._packages()]
        return Asking(packages) if packages else None

    def _packages(self) -> Iterator[Package]:
        for move in sorted(self.changes.moves, key=lambda one: one.was is not None):
            if (package := self.of_move(move)) is not None:
                yield package
        for lock in self.changes.locks:
            yield from self.of_lock(lock)

    def of_move(self, move: Moved) -> Package | None:
        """Return the package to ask about; None for a private one, an image, or one from an address."""
        now = move.now
        if now.scope in _NOT_ASKED or source_of(now.version) is not None or self._is_private(now.name):
            return None
        before, version = self.changes.locked(move)
        return Package(now.ecosystem, now.name, version, before if before != version else None)

    def of_lock(self, lock: LockChange) -> Iterator[Package]:
        """Yield the new and moved packages of a lock file that is not the first one."""
        if lock.before is None:
            return
        for name, versions in lock.moved(self.changes.declared).items():
            before = lock.before.versions.get(name, set())
            if not self._is_private(name) and not any(_ADDRESS.search(one) for one in versions):
                only = next(iter(before)) if len(before) == 1 else None
                yield from (Package(lock.after.ecosystem, name, one, only) for one in sorted(versions - before))

    def _is_private(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.settings.private)
