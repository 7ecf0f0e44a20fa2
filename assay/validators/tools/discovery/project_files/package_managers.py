"""JavaScript package managers: which one a project uses, how it installs locked packages and runs a script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import json_of, strings, table, text_of, yaml_of
from assay.validators.report.model import ToolKind
from assay.validators.tools.tool import Setup, SetupStep

_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
_PINNED = re.compile(r"(npm|pnpm|yarn|bun)@(\d{1,4}(?:\.\d{1,6}){0,2}(?:-[a-z0-9.]{1,30})?)(?:\+.*)?")
# Package scripts of the project that a package manager runs during installation.
_HOOKS = frozenset("preinstall install postinstall prepublish preprepare prepare postprepare".split())
# Files that make installing run or copy something from the tree.
_TREE_CODE = re.compile(r"(^|/)(\.pnpmfile\.c?js|\.yarn/(releases|plugins|patches)/.*|patches/.*\.patch|binding\.gyp)$")
MOST_MANIFESTS = 300


@dataclass(frozen=True, slots=True)
class PackageManager:
    """A package manager of one project; `lock` is None where no lock file pins the packages."""

    name: str
    version: str | None
    lock: str | None
    is_berry: bool = False

    def runs(self, script: str, kind: ToolKind) -> str:
        """Return the command line that runs a script of package.json."""
        if kind is ToolKind.test and script == "test" and self.name != "bun":
            return f"{self.name} test"
        return f"{self.name} run {script}"

    @property
    def install_line(self) -> str:
        """The command line that installs exactly the locked packages, or matching ones without a lock file."""
        if self.lock is None:
            flags = {
                "npm": "--no-audit --no-fund --no-package-lock",
                "pnpm": "--no-lockfile",
                "yarn": "--no-lockfile",
                "bun": "--no-save",
            }
            return f"{self.name} install {flags[self.name]}"
        if self.name == "npm":
            return "npm ci --no-audit --no-fund --prefer-offline"
        return f"{self.name} install {'--immutable' if self.is_berry else '--frozen-lockfile'}"

    @property
    def package(self) -> str:
        """The npm package that provides this manager where the machine lacks it."""
        if self.is_berry:
            return f"@yarnpkg/cli-dist@{self.version or 4}"
        usual = {"pnpm": "9", "yarn": "1", "bun": "1", "npm": "10"}
        return f"{self.name}@{self.version or usual[self.name]}"


def package_manager(tree: SourceTree) -> PackageManager:
    """Return the manager named by `packageManager`, else by the lock file, else npm."""
    lock = next((name for name in _LOCKS if name in tree), None)
    pinned = _PINNED.fullmatch(str(json_of(tree, "package.json").get("packageManager", "")))
    name = pinned[1] if pinned else _LOCKS[lock] if lock else "npm"
    if lock and _LOCKS[lock] != name:
        lock = next((file for file, owner in _LOCKS.items() if owner == name and file in tree), None)
    version = pinned[2] if pinned else _version_by_lock(tree, lock)
    is_berry = name == "yarn" and (
        ".yarnrc.yml" in tree or (version or "1").split(".")[0] > "1" or "__metadata:" in _head(tree, "yarn.lock")
    )
    return PackageManager(name, version, lock, is_berry)


def package_setup(tree: SourceTree) -> Setup | None:
    """Return how the packages of a project are installed; None if it declares none."""
    manifest = json_of(tree, "package.json")
    if not any(table(manifest, key) for key in ("dependencies", "devDependencies")) and not _workspaces(tree, manifest):
        return None
    manager = package_manager(tree)
    source = manager.lock or "package.json"
    begin: tuple[SetupStep, ...] = ()
    if manager.name != "npm":
        fetch_manager = f'npm install --global --no-audit --no-fund --prefix "$ASSAY_PREFIX" {manager.package}'
        begin = (SetupStep(f"command -v {manager.name} || {fetch_manager}", source),)
    step = SetupStep(manager.install_line, source)
    versions = ("node --version", f"{manager.name} --version")
    manifests = [path for path in tree.paths if path.endswith("package.json") and "node_modules/" not in path]
    if manager.is_berry or len(manifests) > MOST_MANIFESTS or _runs_tree_code(tree, manifests, source):
        return Setup(begin=begin, install=(step,), covers_nested=True)
    settings = [path for path in (source, ".npmrc", "pnpm-workspace.yaml", ".yarnrc", "bunfig.toml") if path in tree]
    return Setup(
        begin=begin,
        fetch=(step,),
        keeps=("node_modules",),
        depends_on=tuple(sorted({*settings, *manifests})),
        versions=versions,
        covers_nested=True,
    )


def _workspaces(tree: SourceTree, manifest: Mapping[str, Any]) -> bool:
    return bool(manifest.get("workspaces")) or bool(yaml_of(tree, "pnpm-workspace.yaml").get("packages"))


def _runs_tree_code(tree: SourceTree, manifests: list[str], lock: str) -> bool:
    """Return whether installing runs or copies something of the tree, so that the result cannot be shared."""
    if any(_TREE_CODE.search(path) for path in tree.paths):
        return True
    for path in manifests:
        manifest = json_of(tree, path)
        if _HOOKS.intersection(table(manifest, "scripts")):
            return True
        for group in ("dependencies", "devDependencies", "optionalDependencies"):
            if any(value.startswith("file:") for value in strings(list(table(manifest, group).values()))):
                return True
    return '"resolved": "file:' in text_of(tree, lock, 64 * 1024 * 1024)


def _version_by_lock(tree: SourceTree, lock: str | None) -> str | None:
    """Return the major version of pnpm that wrote a lock file, by the file's format."""
    if lock != "pnpm-lock.yaml":
        return None
    found = re.search(r"^lockfileVersion: '?(\d)", _head(tree, lock), re.MULTILINE)
    return {"5": "7", "6": "8", "9": "9"}.get(found[1]) if found else None


def _head(tree: SourceTree, path: str) -> str:
    return text_of(tree, path, 64 * 1024 * 1024)[:400]
