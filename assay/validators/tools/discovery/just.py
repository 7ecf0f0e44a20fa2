"""just: recipes that check the project, and their commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import text_of
from assay.validators.tools.discovery.project_files.named_scripts import chosen_scripts
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ecosystem, Task

_FILES = ("justfile", "Justfile", ".justfile")
_RECIPE = re.compile(r"@?([A-Za-z_][\w-]{0,80})((?:[ \t]+[^:\n]{1,200}?)?)[ \t]*:(?!=)[ \t]*([\w ()'\"-]*)")
MOST_DEPTH = 6


@dataclass(slots=True)
class _Recipe:
    line: int
    takes_arguments: bool
    needs: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


class Just(Ecosystem):
    """The justfile at the top."""

    name = "just"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return `just test`, `just lint`, … for the recipes that exist and need no argument."""
        file, recipes = _justfile(tree)
        plain = {name: recipe for name, recipe in recipes.items() if not recipe.takes_arguments}
        for name, kind in chosen_scripts(plain):
            yield Task(name, kind, f"just {name}", f"{file}:{plain[name].line} {name}")

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Return the lines of the named recipes and of their dependencies."""
        rest = started(words)
        _, recipes = _justfile(tree)
        if not recipes or rest[:1] != ["just"]:
            return None
        names = [word for word in rest[1:] if not word.startswith("-") and word in recipes] or list(recipes)[:1]
        lines: list[str] = []
        for name in names:
            _collect(recipes, name, lines, set(), 0)
        return lines


def _collect(recipes: dict[str, _Recipe], name: str, lines: list[str], seen: set[str], depth: int) -> None:
    recipe = recipes.get(name)
    if recipe is None or name in seen or depth > MOST_DEPTH:
        return
    seen.add(name)
    for needed in recipe.needs:
        _collect(recipes, needed, lines, seen, depth + 1)
    lines += recipe.lines


def _justfile(tree: SourceTree) -> tuple[str, dict[str, _Recipe]]:
    file = next((name for name in _FILES if name in tree), "")
    recipes: dict[str, _Recipe] = {}
    current: _Recipe | None = None
    for number, line in enumerate(text_of(tree, file).splitlines(), 1):
        if line[:1] in (" ", "\t"):
            command = line.strip().lstrip("@-")
            if current is not None and command and not command.startswith("#"):
                current.lines.append(command)
            continue
        found = _RECIPE.match(line)
        if found:
            # Of a dependency with arguments, `(build "release")`, the first word is the recipe.
            needs = re.findall(r"[A-Za-z_][\w-]*", re.sub(r"\([ \t]*([\w-]*)[^)]*\)?", r" \1 ", found[3]))
            # An argument with a default (`filter=""`) may be left out; `*args` too.
            arguments = found[2].split()
            takes = any("=" not in word and word[:1] != "*" for word in arguments)
            current = _Recipe(number, takes, needs)
            recipes.setdefault(found[1], current)
        elif line.strip() and not line.startswith(("#", "[")):
            current = None
    return file, recipes


just = Just()
