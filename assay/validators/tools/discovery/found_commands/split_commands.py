"""Expansion of a command line: scripts, targets and shell files opened until plain commands are left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import text_of
from assay.validators.tools.commands.command_kinds import KnownTool, known_tool_of
from assay.validators.tools.commands.command_line import commands_by_subshell, joined
from assay.validators.tools.discovery.project_files.subtree import below
from assay.validators.tools.discovery.register import ECOSYSTEMS
from assay.validators.tools.runners import program, started

MOST_DEPTH = 5
MOST_PARTS = 80
"""Maximum parts of a line; a longer one is a build system and runs whole or not at all."""

SCRIPT_LIMIT = 40_000
ELSEWHERE = "\0"
"""The folder of a part that does not run inside the tree."""

_OPAQUE = ("$", "`", "{{", "\0")
_SHELLS = frozenset("sh bash zsh dash ksh".split())
_WRAPPERS = frozenset(("mvnw", "gradlew"))
"""Scripts of the tree that only fetch and start a build tool."""
_SHEBANG = re.compile(r"#!\s*\S*/(?:env\s+)?(?:ba|z|da|k)?sh\b")
_ASSIGNED = re.compile(
    r"^[ \t]*(?:export\s+)?([A-Za-z_]\w{0,80})=(\"[^\"$`\n]*\"|'[^'\n]*'|[^\s\"'$`;&|]*)\s*$", re.MULTILINE
)
_USED = re.compile(r"\$(?:\{([A-Za-z_]\w{0,80})\}|([A-Za-z_]\w{0,80}))")
_OWN_FOLDER = re.compile(r"\$\(dirname (?:-- )?\"?(?:\$0|\$\{?BASH_SOURCE(?:\[0\]\})?)\"?\)|\$\{0%/\*\}")
_ARGUMENTS = re.compile(r"\"?\$(?:@|\*|\{@\}|\d|\{\d\})\"?")


@dataclass(frozen=True)
class Part:
    """A plain command of a line, the folder (of the whole tree) it runs in, and the variables set for it."""

    words: tuple[str, ...]
    directory: str
    assigned: tuple[str, ...] = ()

    @cached_property
    def known(self) -> KnownTool | None:
        """The tool it starts, None if unknown."""
        return known_tool_of(self.words)

    @property
    def is_plain(self) -> bool:
        """Whether the words mean the same outside their script."""
        words = (program(self.words[0]), *self.words[1:])
        return self.directory != ELSEWHERE and not any(mark in word for word in words for mark in _OPAQUE)

    @property
    def line(self) -> str:
        return joined(("env", *self.assigned, *self.words) if self.assigned else self.words)


def parts_of(tree: SourceTree, directory: str, line: str) -> tuple[Part, ...]:
    """Return the plain commands of a line, in order; at most `MOST_PARTS`."""
    parts: list[Part] = []
    for part in _opened(tree, directory, line, frozenset(), ()):
        parts.append(part)
        if len(parts) >= MOST_PARTS:
            break
    return tuple(parts)


def _opened(
    tree: SourceTree, directory: str, line: str, seen: frozenset[tuple[str, ...]], outer: tuple[str, ...]
) -> Iterator[Part]:
    folders: dict[tuple[int, ...], str] = {(): directory}
    for words, within, own in commands_by_subshell(line):
        assigned = (*outer, *(one for one in own if not any(mark in one for mark in _OPAQUE)))
        # A subshell begins in the folder of the one around it, which it does not change.
        directory = next(folders[within[:end]] for end in range(len(within), -1, -1) if within[:end] in folders)
        if words[0] in ("cd", "pushd"):
            folders[within] = _moved(directory, words[1:2])
            continue
        key = (directory, *words)
        inner = _inside(tree, directory, words) if key not in seen and len(seen) < MOST_DEPTH else None
        if inner is None:
            yield Part(tuple(words), directory, assigned)
        else:
            for one in inner:
                yield from _opened(tree, directory, one, seen | {key}, assigned)


def _inside(tree: SourceTree, directory: str, words: Sequence[str]) -> Sequence[str] | None:
    here = below(tree, directory)
    for ecosystem in ECOSYSTEMS:
        lines = ecosystem.unfold(here, words)
        if lines is not None:
            return lines
    return _shell_file(here, started(words))


def _shell_file(tree: SourceTree, words: Sequence[str]) -> list[str] | None:
    """Return the text of a shell script of the tree, with its plain variables expanded."""
    options = [word for word in words[1:] if not word.startswith("-")] if words and words[0] in _SHELLS else list(words)
    path = options[0].removeprefix("./") if options else ""
    if "/../" in f"/{path}/" or path not in tree or path.rpartition("/")[2] in _WRAPPERS:
        return None
    text = text_of(tree, path, SCRIPT_LIMIT)
    if not (_SHEBANG.match(text) or path.endswith((".sh", ".bash")) or words[0] in _SHELLS):
        return None
    values: dict[str, str] = {}
    for name, value in _ASSIGNED.findall(text):
        # The first of several values: later ones are for other machines.
        values.setdefault(name, value.strip("\"'"))
    folder = path.rpartition("/")[0] or "."
    text = _ARGUMENTS.sub("", _OWN_FOLDER.sub(lambda _: folder, text))
    filled = _USED.sub(lambda match: values.get(match[1] or match[2], match[0]), text)
    return [filled]


def _moved(directory: str, to: Sequence[str]) -> str:
    """Return the folder after `cd`; `ELSEWHERE` for one outside the tree or unknown."""
    target = to[0] if to else "~"
    if target.startswith(("/", "~", "-")) or "$" in target or directory == ELSEWHERE:
        return ELSEWHERE
    parts = [] if directory == "." else directory.split("/")
    for step in target.split("/"):
        if step == ".." and not parts:
            return ELSEWHERE
        if step == "..":
            parts.pop()
        elif step not in (".", ""):
            parts.append(step)
    return "/".join(parts) or "."
