"""JavaScript and TypeScript: the scripts of package.json, run by the manager its lock file belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import json_of, strings, table
from assay.validators.report.model import ToolKind
from assay.validators.tools.discovery.project_files.named_scripts import chosen_scripts
from assay.validators.tools.discovery.project_files.package_managers import package_manager, package_setup
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ecosystem, Setup, Task

# Tool package, settings file, command line: for a project that configures a tool and has no script for its kind.
_CONFIGURED = (
    ("eslint", r"eslint\.config\.[cm]?[jt]s|\.eslintrc(\.\w+)?", "eslint .", ToolKind.lint),
    ("@biomejs/biome", r"biome\.jsonc?", "biome ci .", ToolKind.lint),
    ("typescript", r"tsconfig\.json", "tsc --noEmit", ToolKind.types),
    ("prettier", r"\.prettierrc(\.\w+)?|prettier\.config\.[cm]?[jt]s", "prettier --check .", ToolKind.formatting),
    ("vitest", r"vitest\.config\.[cm]?[jt]s", "vitest run", ToolKind.test),
    ("jest", r"jest\.config\.([cm]?[jt]s|json)", "jest", ToolKind.test),
)
_MANAGERS = frozenset("npm pnpm yarn bun".split())
_RUN = frozenset("run run-script rum".split())
_OTHER_PACKAGES = re.compile(r"^(-r|--recursive|-ws|--workspaces?(=.*)?|-w|--filter(=.*)?|-F|-C|--prefix|--cwd)$")
_PNPM_PATTERN = re.compile(r"/\^([\w:.-]+?)(?:\.\*)?\$?/")
"""`pnpm run "/^test:.*/"` runs every script with a matching name."""

_MOST_IN_PARALLEL = 20


class JavaScript(Ecosystem):
    """Projects with a package.json."""

    name = "javascript"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return the usual scripts, then tools that are configured and have no script."""
        if "package.json" not in tree:
            return
        manifest = json_of(tree, "package.json")
        scripts = _scripts(manifest)
        manager = package_manager(tree)
        chosen = chosen_scripts(scripts)
        for script, kind in chosen:
            yield Task(script, kind, manager.runs(script, kind), f"package.json scripts.{script}")
        yield from _configured(tree, manifest, {kind for _, kind in chosen})

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:  # noqa: ARG002
        """Return the installation of the locked packages."""
        return package_setup(tree) if "package.json" in tree else None

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Return the body of a script, with the ones npm runs before and after it."""
        scripts = _scripts(json_of(tree, "package.json")) if "package.json" in tree else {}
        names = _called(started(words), scripts)
        if names is None:
            return None
        lines = []
        for name in names:
            arguments = "" if len(names) > 1 else _passed_on(words)
            around = (scripts.get("pre" + name), f"{scripts[name]}{arguments}", scripts.get("post" + name))
            lines += [line for line in around if line]
        return lines


def _scripts(manifest: Mapping[str, Any]) -> dict[str, str]:
    return {name: body for name, body in table(manifest, "scripts").items() if isinstance(body, str)}


def _called(words: Sequence[str], scripts: Mapping[str, str]) -> list[str] | None:
    """Return the scripts of this package that a command runs; None where it runs something else."""
    if not words:
        return None
    first, rest = words[0], list(words[1:])
    if first in ("npm-run-all", "npm-run-all2", "run-s", "run-p"):
        return _matching([word for word in rest if not word.startswith("-")], scripts) or None
    if first == "concurrently":
        named = [re.sub(r"^(npm|pnpm|yarn|bun):|^(npm|pnpm|yarn|bun) run ", "", word) for word in rest]
        return _matching(named, scripts) or None
    if first not in _MANAGERS or any(_OTHER_PACKAGES.match(word) for word in rest):
        return None
    if rest and rest[0] in _RUN:
        rest = rest[1:]
    elif first in ("npm", "bun"):
        rest = ["test"] if first == "npm" and rest[:1] in (["test"], ["t"], ["tst"]) else []
    names = [word for word in rest if not word.startswith("-")]
    if first == "pnpm" and names and (pattern := _PNPM_PATTERN.fullmatch(names[0])):
        return [name for name in scripts if name.startswith(pattern[1])][:_MOST_IN_PARALLEL] or None
    return names[:1] if names and names[0] in scripts else None


def _matching(patterns: Sequence[str], scripts: Mapping[str, str]) -> list[str]:
    """Return the named scripts; `lint:*` stands for all with that prefix."""
    found: dict[str, None] = {}
    for pattern in patterns:
        if pattern.endswith("*"):
            begin = pattern.rstrip("*")
            found.update(dict.fromkeys(name for name in scripts if name.startswith(begin)))
        elif pattern in scripts:
            found[pattern] = None
    return list(found)[:_MOST_IN_PARALLEL]


def _passed_on(words: Sequence[str]) -> str:
    """Return the arguments after `--`, as the script receives them."""
    if "--" not in words:
        return ""
    return "".join(f" {word}" for word in words[words.index("--") + 1 :])


def _configured(tree: SourceTree, manifest: Mapping[str, Any], has: set[ToolKind]) -> Iterator[Task]:
    declared = {name for group in ("dependencies", "devDependencies") for name in strings(list(table(manifest, group)))}
    at_top = [path for path in tree.paths if "/" not in path]
    for package, settings, line, kind in _CONFIGURED:
        found = next((path for path in at_top if re.fullmatch(settings, path)), None)
        if package in declared and found and kind not in has:
            yield Task(line.split()[0], kind, line, found, inferred=True)


javascript = JavaScript()
