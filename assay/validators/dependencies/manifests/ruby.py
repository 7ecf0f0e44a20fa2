"""Ruby's manifests: Gemfile and *.gemspec, literal gems only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import lines_of
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope, is_for_work

_GEM = re.compile(r"""^\s*gem[\s(]+["']([^"']{1,200})["']([^\n]{0,500})""")
_SPEC = re.compile(r"""^\s*\w+\.add_(runtime_|development_)?dependency[\s(]+["']([^"']{1,200})["']([^\n]{0,500})""")
_CONSTRAINT = re.compile(r"""["']\s*((?:[~<>=!]{1,2}\s*)?\d[^"']{0,60})["']""")
_IS_GEM = re.compile(r"^[ \t]*gemspec\b", re.MULTILINE)
"""Line of a gem's Gemfile: its runtime dependencies are in the gemspec, and the Gemfile adds development ones."""
_GROUP = re.compile(r"^\s*group\s+(.{1,200}?)\s+do\b")


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] == "Gemfile" or path.endswith(".gemspec")


def _packages(path: str, text: str) -> Iterator[Declared]:
    return _gemspec(text) if path.endswith(".gemspec") else _gemfile(text)


def _gemfile(text: str) -> Iterator[Declared]:
    group = ""
    is_gem = _IS_GEM.search(text) is not None
    for line in lines_of(text):
        if match := _GROUP.match(line):
            group = match[1]
        elif line.strip() == "end":
            group = ""
        elif match := _GEM.match(line):
            inline = match[2].partition("group")[2]
            is_work = any(is_for_work(word) for word in re.findall(r"\w+", group + " " + inline))
            scope = Scope.dev if is_work or is_gem else Scope.runtime
            yield Declared("gem", match[1], _constraints(match[2]), scope)


def _gemspec(text: str) -> Iterator[Declared]:
    for line in lines_of(text):
        if match := _SPEC.match(line):
            scope = Scope.dev if match[1] == "development_" else Scope.runtime
            yield Declared("gem", match[2], _constraints(match[3]), scope)


def _constraints(rest: str) -> str | None:
    return ", ".join(found.strip() for found in _CONSTRAINT.findall(rest)) or None


RUBY = Manifest("ruby", _is_manifest, _packages)
