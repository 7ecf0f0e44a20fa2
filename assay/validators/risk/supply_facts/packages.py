"""What runs when a package is installed, hooks that follow a branch, and promises to those who install it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from assay.validators.documents import Node, ini, json_document, toml, yaml_document
from assay.validators.risk.manifests.setup_py import setup_arguments
from assay.validators.risk.supply_facts.fact import Fact, Sides, new_lines, quoted
from assay.validators.risk.version_moves import bounds

_ON_INSTALL = ("preinstall", "install", "postinstall", "prepare", "prepublish")
_FETCHES = re.compile(
    r"\b(curl|wget|Invoke-WebRequest|iwr)\b|https?://|\b(node|python3?|ruby|perl)\s+-[ec]\b|\|\s*(ba|z)?sh\b"
)
_PIPED = re.compile(
    r"(?:\b(?:curl|wget)\b[^|;&#\n]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|(?:ba|z)?sh\s+(?:-c\s+[\"']?)?(?:<\(|\$\()\s*(?:curl|wget)\b"
    r"|\biex\b.*\b(?:iwr|DownloadString)\b)"
)
_SCRIPT = re.compile(
    r"(?:.*/)?(?:(?:Dockerfile|Containerfile|Makefile|Jenkinsfile)[^/]*|[^/]+\.(?:sh|bash|zsh|ps1|ya?ml|mk))"
)
_VERSION = re.compile(r"v?\d|[0-9a-f]{7,40}$")


class RunOnInstall:
    """The member of the register."""

    name = "run_on_install"

    def claims(self, path: str) -> bool:
        name = PurePosixPath(path).name
        return name in ("package.json", "setup.py", "build.rs", "binding.gyp") or _SCRIPT.fullmatch(path) is not None

    def facts(self, sides: Sides) -> Iterator[Fact]:
        name = PurePosixPath(sides.file.path).name
        if name == "package.json":
            yield from _scripts(sides)
        elif name == "setup.py":
            if "cmdclass" in _setup(sides.after) and "cmdclass" not in _setup(sides.before):
                yield Fact("setup.py runs code of its own on installation (cmdclass)", sides.line_of("cmdclass"))
        elif name in ("build.rs", "binding.gyp"):
            if not sides.before:
                yield Fact(f"{name} is new: it runs on installation", 1)
        else:
            for line, match in new_lines(sides, _PIPED):
                yield Fact(f"fetches and runs a script: {quoted(match.string)}", line)


def _scripts(sides: Sides) -> Iterator[Fact]:
    before, after = (_table(json_document(text or "{}"), "scripts") for text in (sides.before, sides.after))
    for name in _ON_INSTALL:
        command = after.get(name)
        if isinstance(command, str) and command != before.get(name):
            fetches = ", and may fetch code" if _FETCHES.search(command) else ""
            yield Fact(f"{name} runs on installation{fetches}: {quoted(command)}", sides.line_of(f'"{name}"'))


class Hooks:
    """The member of the register."""

    name = "pre_commit"

    def claims(self, path: str) -> bool:
        return path == ".pre-commit-config.yaml"

    def facts(self, sides: Sides) -> Iterator[Fact]:
        before = {repo: rev.text for repo, rev in _revisions(sides.before)}
        for repo, rev in _revisions(sides.after):
            if before.get(repo) != rev.text and _VERSION.match(rev.text) is None:
                yield Fact(f"hooks of {quoted(repo)} follow {quoted(rev.text)}, which is no version", rev.line)


def _revisions(text: str) -> Iterator[tuple[str, Node]]:
    for one in (yaml_document(text).get("repos") or Node(1)).items:
        repo, rev = one.get("repo"), one.get("rev")
        if repo is not None and rev is not None:
            yield repo.text, rev


class Promises:
    """The member of the register."""

    name = "promises"

    def claims(self, path: str) -> bool:
        return PurePosixPath(path).name in ("pyproject.toml", "setup.cfg", "setup.py", "package.json")

    def facts(self, sides: Sides) -> Iterator[Fact]:
        if not sides.before or not sides.after:
            return
        name = PurePosixPath(sides.file.path).name
        (was, old_commands), (now, commands) = (_promised(name, text) for text in (sides.before, sides.after))
        what = "engines.node" if name == "package.json" else "requires-python"
        before, after = bounds("pypi", was), bounds("pypi", now)
        if before is not None and after is not None and after[0] > before[0]:
            yield Fact(f"{what} is raised: {quoted(was or 'any')} -> {quoted(now or 'any')}", sides.line_of(now or ""))
        for command in sorted(old_commands - commands):
            yield Fact(f"the command {quoted(command)} is no longer installed")


def _promised(name: str, text: str) -> tuple[str | None, set[str]]:
    """(the versions it runs on, the commands it installs)."""
    match name:
        case "package.json":
            document = json_document(text)
            commands = document.get("bin") if isinstance(document, dict) else None
            if isinstance(commands, str):
                commands = {str(document.get("name")): commands}
            return _text(_table(document, "engines").get("node")), set(commands if isinstance(commands, dict) else ())
        case "pyproject.toml":
            tables = toml(text)
            project, poetry = _table(tables, "project"), _table(_table(tables, "tool"), "poetry")
            python = project.get("requires-python") or _table(poetry, "dependencies").get("python")
            return _text(python), {
                *_table(project, "scripts"),
                *_table(project, "gui-scripts"),
                *_table(poetry, "scripts"),
            }
        case "setup.cfg":
            settings = ini(text)
            points = settings.get("options.entry_points", "console_scripts", fallback="") or ""
            python = settings.get("options", "python_requires", fallback=None)
            return python, {line.partition("=")[0].strip() for line in points.splitlines() if "=" in line}
        case _:
            said = _setup(text)
            listed = _table(said, "entry_points").get("console_scripts")
            commands = listed if isinstance(listed, list) else []
            return _text(said.get("python_requires")), {str(one).partition("=")[0].strip() for one in commands}


def _setup(text: str) -> Mapping[str, Any]:
    return setup_arguments(text)


def _table(document: object, name: str) -> Mapping[str, Any]:
    found = document.get(name) if isinstance(document, Mapping) else None
    return found if isinstance(found, dict) else {}


def _text(said: object) -> str | None:
    return said if isinstance(said, str) else None
