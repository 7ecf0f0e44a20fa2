"""Test dependencies of a Python project: requirements files, extras, groups, and additions of test runners."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packaging.utils import canonicalize_name

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import ini_of, strings, table, text_of, toml_of
from assay.validators.tools.discovery.project_files.python_parts.tox import tox_environments

_FOR_CHECKS = (
    "dev|devel|develop|development|tests?|testing|unit|lint|linting|linters?|typing|types?|type-?check|mypy|pyright|ruff"
    "|checks?|ci|qa|quality|style|format|formatting|coverage|cov|pytest"
)
_GROUP = re.compile(rf"({_FOR_CHECKS})([-_.](deps|dependencies|requirements|tools|extras?|base|all))?", re.IGNORECASE)
_FILE = re.compile(
    rf"(requirements?/)?((requirements?|reqs?)[-_.])?(({_FOR_CHECKS}|base|main|all)[-_.]?(requirements?|reqs?)?)\.(txt|in)"
    r"|requirements?\.(txt|in)|requirements/requirements\.(txt|in)",
    re.IGNORECASE,
)
_LOCAL = re.compile(r"(-e|--editable)[ =]|\.{0,2}/|\.$|\.\[|file:|\S+ @ file:")
_SELF = re.compile(r"(?:(?:-e|--editable)[ =]*)?\.(?:\[([\w.,\- ]*)\])?\s*(?:;.*|#.*)?$")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
MOST_FILES = 30
MOST_INCLUDES = 40


@dataclass(frozen=True, slots=True)
class RequirementFile:
    """A requirements file with its includes resolved: every line, and those of published packages."""

    path: str
    lines: tuple[str, ...]
    included: tuple[str, ...]

    @property
    def published(self) -> tuple[str, ...]:
        """The lines that name nothing of the tree itself."""
        return tuple(line for line in self.lines if not _LOCAL.match(line))

    @property
    def is_local(self) -> bool:
        return len(self.published) != len(self.lines)

    @property
    def own_extras(self) -> tuple[str, ...]:
        """The extras of the project at the top that a line `-e .[a,b]` requests."""
        asked = [match[1] for line in self.lines if (match := _SELF.match(line)) and match[1]]
        return tuple(extra.strip() for extras in asked for extra in extras.split(",") if extra.strip())

    @property
    def other_projects(self) -> tuple[str, ...]:
        """Folders of other projects of the tree that the file installs."""
        local = [line for line in self.lines if _LOCAL.match(line)]
        found = [re.sub(r"^(-e|--editable)[ =]*|\[.*$|\s*[;#].*$", "", line).strip() for line in local]
        return tuple(name.removeprefix("./") for name in found if not _SELF.match(name))


def requirement_files(tree: SourceTree) -> list[RequirementFile]:
    """Return the files a developer or CI installs from; a compiled `.txt` replaces its `.in`."""
    names = [path for path in tree.paths if path.count("/") < 2 and "req" in path.lower() and _FILE.fullmatch(path)]
    names = [name for name in names if not (name.endswith(".in") and name[:-3] + ".txt" in names)]
    names.sort(key=lambda name: (name.count("/"), len(name), name))
    return [_opened(tree, name) for name in names[:MOST_FILES]]


def chosen_groups(groups: Sequence[str] | Mapping[str, Any], needed: Collection[str] = ()) -> tuple[str, ...]:
    """Return the extras or groups that checks need: by their names, or because they hold a needed tool."""
    chosen = [name for name in groups if _GROUP.fullmatch(name)]
    if isinstance(groups, Mapping):
        brought = {_first_name(line) for name in chosen for line in strings(groups[name])}
        for name, lines in groups.items():
            new = {_first_name(line) for line in strings(lines)}.intersection(needed) - brought
            if new and name not in chosen:
                chosen.append(name)
                brought |= new
    return tuple(chosen)


def _first_name(line: str) -> str:
    found = _NAME.match(line)
    return canonicalize_name(found[0]) if found else ""


def extras_of(tree: SourceTree) -> tuple[str, ...]:
    """Return the names of the project's extras found in settings files or as literals in setup.py."""
    project = table(toml_of(tree, "pyproject.toml"), "project", "optional-dependencies")
    configured = ini_of(tree, "setup.cfg").get("options.extras_require", {})
    written = re.search(r"extras_require\s*=\s*\{(.{0,4000})", text_of(tree, "setup.py"), re.DOTALL)
    in_setup = re.findall(r"""["']([\w.-]{1,60})["']\s*:\s*[\[(\w]""", written[1].split("}")[0]) if written else []
    return tuple(dict.fromkeys((*project, *configured, *in_setup)))


def runner_dependencies(tree: SourceTree) -> list[str]:
    """Return the requirement lines tox and hatch install in addition to the project, to run its tests."""
    found: list[str] = []
    for environment in tox_environments(tree):
        if environment.name == "py" or _GROUP.fullmatch(environment.name):
            found += environment.dependencies
    pyproject = toml_of(tree, "pyproject.toml")
    for values in table(pyproject, "tool", "hatch", "envs").values():
        for key in ("dependencies", "extra-dependencies"):
            found += strings(values.get(key)) if isinstance(values, Mapping) else []
    return [line for line in dict.fromkeys(found) if _NAME.match(line) and "{" not in line and not _LOCAL.match(line)]


def _opened(tree: SourceTree, path: str) -> RequirementFile:
    included: list[str] = []
    lines = tuple(_lines(tree, path, included))
    return RequirementFile(path, lines, tuple(included))


def _lines(tree: SourceTree, path: str, included: list[str]) -> Iterator[str]:
    """Yield every requirement of a file and of the files it includes; each file once."""
    if path in included or len(included) >= MOST_INCLUDES:
        return
    included.append(path)
    for raw in text_of(tree, path).replace("\\\r\n", " ").replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s)#.*$", "", raw).strip()
        include = re.match(r"(-r|--requirement|-c|--constraint)[ =]*(.+)", line)
        # Relative to the folder of the file that names it, and never above the tree.
        other = posixpath.normpath(f"/{posixpath.dirname(path)}/./{include[2].strip()}").lstrip("/") if include else ""
        if include and include[1] in ("-c", "--constraint"):
            included.append(other)
            yield f"-c {other}"
        elif include:
            yield from _lines(tree, other, included)
        elif line:
            yield line
