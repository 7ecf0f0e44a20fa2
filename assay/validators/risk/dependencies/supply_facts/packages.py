"""Code that runs on installation, hooks that follow a branch, and promises to users of a package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.validators.changes.language_table import Kind, is_in, language_of, languages, of_kind
from assay.validators.configuration.settings_files import table
from assay.validators.dangers.fetched_code import fetched_code, fetches
from assay.validators.dependencies.manifests.manifest import is_called
from assay.validators.dependencies.manifests.setup_py import setup_arguments
from assay.validators.dependencies.version_moves import bounds
from assay.validators.io.structured_files import Node, ini, json_document, toml, yaml_document
from assay.validators.risk.dependencies.supply_facts.fact import Fact, Reader, Sides
from assay.validators.wording import quoted

_ON_INSTALL = ("preinstall", "install", "postinstall", "prepare", "prepublish")
_MAY_FETCH = re.compile(r"https?://|\b(node|python3?|ruby|perl)\s+-[ec]\b|\|\s*(ba|z)?sh\b")
_COMMANDS = of_kind(Kind.infrastructure, Kind.settings) | languages("shell", "powershell", "batch")
"""Files in which a command runs. In other source it is text, and `security_sensitive` finds what runs such a text."""
_VERSION = re.compile(r"v?\d|[0-9a-f]{7,40}$")


def _may_run(path: str) -> bool:
    is_known = language_of(path) is not None
    return PurePosixPath(path).name in ("setup.py", "build.rs") or not is_known or is_in(path, _COMMANDS)


def _run_on_install(sides: Sides) -> Iterator[Fact]:
    name = PurePosixPath(sides.file.path).name
    reported: set[int | None] = set()
    if name == "package.json":
        for fact in _scripts(sides):
            reported.add(fact.line)
            yield fact
    if name == "setup.py":
        if "cmdclass" in setup_arguments(sides.after) and "cmdclass" not in setup_arguments(sides.before):
            yield Fact(
                "runs_at_install", "setup.py runs custom code on installation (cmdclass)", sides.line_of("cmdclass")
            )
    elif name in ("build.rs", "binding.gyp"):
        if not sides.before:
            yield Fact("runs_at_install", f"{name} is new: it runs on installation", 1)
    else:
        old = {"".join(command.split()) for _, command in fetched_code(sides.before)}
        for line, command in fetched_code(sides.after, sides.file.added):
            if line not in reported and "".join(command.split()) not in old:
                yield Fact("code_fetched", f"fetches and runs a script: {quoted(command)}", line)


RUN_ON_INSTALL = Reader("run_on_install", _may_run, _run_on_install)


def _scripts(sides: Sides) -> Iterator[Fact]:
    before, after = (table(json_document(text or "{}"), "scripts") for text in (sides.before, sides.after))
    for name in _ON_INSTALL:
        command = after.get(name)
        if isinstance(command, str) and command != before.get(name):
            is_fetching = fetches(command)
            says = ", and may fetch code" if is_fetching or _MAY_FETCH.search(command) else ""
            kind = "code_fetched" if is_fetching else "runs_at_install"
            yield Fact(kind, f"{name} runs on installation{says}: {quoted(command)}", sides.line_of(f'"{name}"'))


def _pre_commit(sides: Sides) -> Iterator[Fact]:
    before = {repo: rev.text for repo, rev in _revisions(sides.before)}
    for repo, rev in _revisions(sides.after):
        if before.get(repo) != rev.text and _VERSION.match(rev.text) is None:
            yield Fact(
                "pin_lost", f"hooks of {quoted(repo)} follow {quoted(rev.text)}, which is not a version", rev.line
            )


HOOKS = Reader("pre_commit", is_called(".pre-commit-config.yaml"), _pre_commit)


def _revisions(text: str) -> Iterator[tuple[str, Node]]:
    for one in yaml_document(text).at("repos").items:
        repo, rev = one.get("repo"), one.get("rev")
        if repo is not None and rev is not None:
            yield repo.text, rev


def _promises(sides: Sides) -> Iterator[Fact]:
    if not sides.before or not sides.after:
        return
    name = PurePosixPath(sides.file.path).name
    (was, old_commands), (now, commands) = (_promised(name, text) for text in (sides.before, sides.after))
    what = "engines.node" if name == "package.json" else "requires-python"
    before, after = bounds("pypi", was), bounds("pypi", now)
    if before is not None and after is not None and after[0] > before[0]:
        yield Fact(
            "requirement_raised",
            f"{what} is raised: {quoted(was or 'any')} -> {quoted(now or 'any')}",
            sides.line_of(now or ""),
        )
    for command in sorted(old_commands - commands):
        yield Fact("requirement_raised", f"the command {quoted(command)} is no longer installed")


PROMISES = Reader("promises", is_called("pyproject.toml", "setup.cfg", "setup.py", "package.json"), _promises)


def _promised(name: str, text: str) -> tuple[str | None, set[str]]:
    """Return (the versions it runs on, the commands it installs)."""
    match name:
        case "package.json":
            document = json_document(text)
            commands = document.get("bin") if isinstance(document, dict) else None
            if isinstance(commands, str):
                commands = {str(document.get("name")): commands}
            return _text(table(document, "engines").get("node")), set(commands if isinstance(commands, dict) else ())
        case "pyproject.toml":
            tables = toml(text)
            project, poetry = table(tables, "project"), table(tables, "tool", "poetry")
            python = project.get("requires-python") or table(poetry, "dependencies").get("python")
            scripts = (table(project, "scripts"), table(project, "gui-scripts"), table(poetry, "scripts"))
            return _text(python), set().union(*scripts)
        case "setup.cfg":
            settings = ini(text)
            points = settings.get("options.entry_points", "console_scripts", fallback="") or ""
            python = settings.get("options", "python_requires", fallback=None)
            return python, {line.partition("=")[0].strip() for line in points.splitlines() if "=" in line}
        case _:
            said = setup_arguments(text)
            listed = table(said, "entry_points").get("console_scripts")
            commands = listed if isinstance(listed, list) else []
            return _text(said.get("python_requires")), {str(one).partition("=")[0].strip() for one in commands}


def _text(said: object) -> str | None:
    return said if isinstance(said, str) else None
