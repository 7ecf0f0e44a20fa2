"""Makefiles: targets that check the project, and their commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import text_of
from assay.validators.tools.discovery.project_files.named_scripts import chosen_scripts
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ecosystem, Task

_FILES = ("GNUmakefile", "makefile", "Makefile")
_TARGET = re.compile(r"([A-Za-z0-9_./-]+(?:[ \t]+[A-Za-z0-9_./-]+){0,20})[ \t]*::?(?!=)[ \t]*([^;#]*)")
_VARIABLE = re.compile(r"(?:export[ \t]+|override[ \t]+)?([A-Za-z_][\w.-]{0,80})[ \t]*(:{0,3}|\?|\+)=[ \t]*(.*)")
_USED = re.compile(r"\$[({]([A-Za-z_][\w.-]{0,80})[)}]")
_OPTIONS_WITH_VALUE = frozenset("-C -f -I -j -l -o -W --directory --file --makefile".split())
MOST_DEPTH = 6
MOST_LINES = 20_000


@dataclass(slots=True)
class _Target:
    line: int
    needs: list[str] = field(default_factory=list)
    recipe: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Makefile:
    file: str
    targets: Mapping[str, _Target]
    variables: Mapping[str, str]


class Make(Ecosystem):
    """The Makefile at the top."""

    name = "make"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return `make test`, `make lint`, … for the targets that exist."""
        made = _makefile(tree)
        for name, kind in chosen_scripts(made.targets):
            target = made.targets[name]
            if target.recipe or target.needs:
                yield Task(name, kind, f"make {name}", f"{made.file}:{target.line} {name}")

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Return the recipes of the named targets and their dependencies, with variables expanded."""
        rest = started(words)
        if not rest or rest[0] not in ("make", "gmake"):
            return None
        options = dict(_options(rest[1:]))
        if "-C" in options or "--directory" in options:
            return None
        names = list(_goals(rest[1:]))
        made = _makefile(tree, options.get("-f") or options.get("--file") or options.get("--makefile"))
        if not made.targets:
            return None
        lines: list[str] = []
        for name in names or [next(iter(made.targets))]:
            _collect(made, name, lines, set(), 0)
        return lines


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the options that take a value, with it: `-f x`, `-fx`, `--file=x`."""
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if word in _OPTIONS_WITH_VALUE:
            yield word, words[index + 1] if index + 1 < len(words) else ""
        elif equals and name in _OPTIONS_WITH_VALUE:
            yield name, value
        elif word[:2] in ("-f", "-C") and len(word) > 2:
            yield word[:2], word[2:]


def _goals(words: Sequence[str]) -> Iterator[str]:
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _OPTIONS_WITH_VALUE:
            skip = True
        elif not word.startswith("-") and "=" not in word:
            yield word


def _collect(made: _Makefile, name: str, lines: list[str], seen: set[str], depth: int) -> None:
    target = made.targets.get(name)
    if target is None or name in seen or depth > MOST_DEPTH:
        return
    seen.add(name)
    for needed in target.needs:
        _collect(made, needed, lines, seen, depth + 1)
    for line in target.recipe:
        filled = _filled(line, {**made.variables, "MAKE": "make"})
        # A recursive call is expanded here: other code has no access to this file's targets.
        words = filled.split()
        if words[:1] == ["make"] and "-C" not in words:
            for goal in _goals(words[1:]):
                _collect(made, goal, lines, seen, depth + 1)
        else:
            lines.append(filled.replace("$$", "$"))


def _filled(line: str, variables: Mapping[str, str]) -> str:
    for _ in range(MOST_DEPTH):
        filled = _USED.sub(lambda match: variables.get(match[1], match[0]), line)
        if filled == line or len(filled) > 10_000:
            break
        line = filled
    return line


def _makefile(tree: SourceTree, named: str | None = None) -> _Makefile:
    file = named if named is not None else next((name for name in _FILES if name in tree), "")
    targets: dict[str, _Target] = {}
    variables: dict[str, str] = {}
    current: list[_Target] = []
    for number, line in enumerate(_joined_lines(text_of(tree, file)), 1):
        if line is None:
            continue
        if line.startswith("\t"):
            command = line.strip().lstrip("@-+ ")
            for target in current if command and not command.startswith("#") else []:
                target.recipe.append(command)
            continue
        variable = _VARIABLE.match(line)
        found = None if variable else _TARGET.match(line)
        if variable:
            current = []
            value = re.sub(r"\s+#.*$", "", variable[3]).strip()
            if variable[2] != "?" or variable[1] not in variables:
                variables[variable[1]] = f"{variables.get(variable[1], '')} {value}" if variable[2] == "+" else value
        elif found:
            current = [targets.setdefault(name, _Target(number)) for name in found[1].split()]
            needs = found[2].replace("|", " ").split()
            for target in current:
                target.needs += needs
        elif line.strip() and not line.lstrip().startswith("#"):
            current = []
    targets.pop(".PHONY", None)
    return _Makefile(file, {name: target for name, target in targets.items() if not name.startswith(".")}, variables)


def _joined_lines(text: str) -> Iterator[str | None]:
    """Return lines by number; a continued line is whole where it begins, and None for the rest of it."""
    lines = text.splitlines()[:MOST_LINES]
    index = 0
    while index < len(lines):
        parts = [lines[index]]
        while parts[-1].endswith("\\") and index + len(parts) < len(lines):
            parts[-1] = parts[-1][:-1] + " "
            parts.append(lines[index + len(parts)].lstrip())
        yield "".join(parts)
        yield from [None] * (len(parts) - 1)
        index += len(parts)


make = Make()
