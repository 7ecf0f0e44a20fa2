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
_INCLUDE = re.compile(r"[-s]?include[ \t](.*)")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_./-]+")
MOST_MAKEFILES = 10
MOST_DEPTH = 6
MOST_LINES = 20_000


@dataclass(slots=True)
class _Target:
    found_in: str
    needs: list[str] = field(default_factory=list)
    recipe: list[str] = field(default_factory=list)
    is_declared: bool = False


@dataclass(frozen=True, slots=True)
class _Makefile:
    targets: dict[str, _Target] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)


class Make(Ecosystem):
    """The Makefile at the top, and those it includes."""

    name = "make"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return `make test`, `make lint`, … for the targets that exist."""
        made = _makefile(tree)
        for name, kind in chosen_scripts(made.targets):
            target = made.targets[name]
            if target.recipe or target.needs:
                yield Task(name, kind, f"make {name}", f"{target.found_in} {name}")

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
        if not made.targets or not made.targets.keys() >= set(names):
            return None
        lines: list[str] = []
        for name in names or [next(iter(made.targets))]:
            _collect(made, name, lines, set(), 0)
        return lines or None


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
    made = _Makefile()
    _read(tree, named if named is not None else next((name for name in _FILES if name in tree), ""), made, [])
    for name in [name for name in made.targets if name.startswith(".")]:
        del made.targets[name]
    return made


def _read(tree: SourceTree, file: str, made: _Makefile, seen: list[str]) -> None:
    """Add the targets and variables of a file, and of those it includes by a plain name."""
    if file in seen or len(seen) >= MOST_MAKEFILES:
        return
    seen.append(file)
    current: list[_Target] = []
    for number, line in enumerate(_joined_lines(text_of(tree, file)), 1):
        if line is None or line.lstrip().startswith("#") or not line.strip():
            continue
        if line.startswith("\t"):
            command = line.strip().lstrip("@-+ ")
            for target in current if command and not command.startswith("#") else []:
                if target.is_declared:  # make takes the last recipe
                    target.recipe.clear()
                    target.is_declared = False
                target.recipe.append(command)
        elif variable := _VARIABLE.match(line):
            current = []
            _set(made.variables, variable[1], variable[2], re.sub(r"\s+#.*$", "", variable[3]).strip())
        elif included := _INCLUDE.match(line):
            current = []
            for name in filter(_PLAIN_NAME.fullmatch, included[1].partition("#")[0].split()):
                _read(tree, name.removeprefix("./"), made, seen)
        else:
            current = list(_declared(line, f"{file}:{number}", made.targets))


def _declared(line: str, found_in: str, targets: dict[str, _Target]) -> Iterator[_Target]:
    """Yield the targets that a line declares, with what they need; none of another line."""
    found = _TARGET.match(line)
    if found is None:
        return
    for name in found[1].split():
        target = targets.setdefault(name, _Target(found_in))
        target.needs += found[2].replace("|", " ").split()
        target.is_declared = True
        yield target


def _set(variables: dict[str, str], name: str, how: str, value: str) -> None:
    if how != "?" or name not in variables:
        variables[name] = f"{variables.get(name, '')} {value}" if how == "+" else value


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
