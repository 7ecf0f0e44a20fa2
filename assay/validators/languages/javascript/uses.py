"""Uses of other files' names in a JavaScript or TypeScript file.

An imported or re-exported name counts as used. For `import * as all`, its members are searched in the text. The
result of a call (`require`, `import()`) counts by the names the text takes from it, else as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from assay.validators.languages.javascript.modules import JavaScriptModules
from assay.validators.languages.javascript.tokens import without_comments, without_strings
from assay.validators.languages.language import EVERYTHING, Import, Origin, WantedNames

BUILT_IN = frozenset(
    "at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach "
    "includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort "
    "splice toReversed toSorted toSpliced unshift values with add clear delete get has set size union "
    "intersection charAt charCodeAt codePointAt endsWith localeCompare match matchAll normalize padEnd "
    "padStart repeat replace replaceAll search split startsWith substring toLowerCase toUpperCase trim trimEnd "
    "trimStart then catch finally apply bind call exec test toString toJSON valueOf toFixed toPrecision "
    "getTime toISOString hasOwnProperty log info warn error debug on off once emit append remove write end "
    "pipe next return throw resolve reject all race assign freeze".split()
)
"""Method names of built-in values, streams and the console."""


class JavaScriptTree(JavaScriptModules):
    """Resolver over the folders, packages, workspaces and aliases of one tree."""

    def loaded_with(self, path: str) -> Iterable[str]:  # noqa: ARG002 - setup files are named in settings
        """Return nothing: runners name their setup files in settings that are code."""
        return ()

    def uses(self, path: str, content: bytes, wanted: WantedNames) -> set[tuple[str, str]]:
        importer = _ScriptImporter(self, path, content, wanted)
        for item in self.sources.scan(path).imports:
            importer.record(item)
        return importer.found

    def passes_on(self, path: str, content: bytes, wanted: WantedNames) -> bool:
        """Return whether the file at `path` re-exports a name from a file of `wanted`."""
        for item in self.sources.scan(path).imports:
            if item.kind in ("reference", "call", "path"):
                continue
            for file in self.resolve(path, item).files:
                if item.kind == "export" and item.is_star and self.may_bring(file, wanted):
                    return True
                for name, local in item.names:
                    leads = file in wanted or any(origin.file in wanted for origin in self.trail(file, name))
                    if leads and (item.kind == "export" or _is_exported(content, local)):
                        return True
        return False


def _is_exported(content: bytes, name: str) -> bool:
    word = re.escape(name.encode("utf-8", "surrogateescape"))
    pattern = rb"\bexport\s+(?:default\s+" + word + rb"\b|(?:type\s+)?\{[^{}]*\b" + word + rb"\b)"
    return b"export" in content and re.search(pattern, content) is not None


class _ScriptImporter:
    """One file and the uses of its imports."""

    def __init__(self, modules: JavaScriptModules, path: str, content: bytes, wanted: WantedNames) -> None:
        self._modules = modules
        self._path = path
        self._wanted = wanted
        self._content = content
        self._done: set[tuple[str, tuple[tuple[str, str], ...], str]] = set()
        self.found: set[tuple[str, str]] = set()

    def record(self, item: Import) -> None:
        """Record the uses of one import."""
        what = (item.target, item.names, item.kind)
        if what in self._done:
            return
        self._done.add(what)
        for file in self._modules.resolve(self._path, item).files:
            if item.kind in ("call", "path"):
                self._call(item, file)
            elif item.kind == "reference":
                self._words(file)
            for name, local in item.names:
                if name != EVERYTHING:
                    self._take_name(file, name, local)
                elif local and item.kind != "export":
                    self._namespace(local, file)
            self._take_methods(file)

    def _namespace(self, local: str, file: str) -> None:
        """Record `import * as local`: its members, or everything if it is passed on."""
        word = rf"(?<![\w$.]){re.escape(local)}(?![\w$])"
        for match in re.finditer(rf"{word}\s*+(?:\??\.\s*+([\w$]++)|([:=](?!=)|from\b))?", self._code):
            if match[1]:
                self._take_name(file, match[1], match[1])
            elif not match[2]:
                self._all(file)

    def _call(self, item: Import, file: str) -> None:
        """Record `require` or `import()`: the names taken from its result, or everything if unclear."""
        call = rf"(?:require|import)\s*+\(\s*+[\"'`]{re.escape(item.target)}[\"'`]\s*+\)"
        matches = list(re.finditer(call, self._text))
        if not matches:
            self._all(file)
        for match in matches:
            before = self._text[max(0, match.start() - 400) : match.start()]
            after = self._text[match.end() : match.end() + 80]
            bound = re.search(r"(?:\b(?:const|let|var)\s+|^\s*)([\w$]+|\{[^{}]*\})\s*=\s*\(?(?:await\s+)?\Z", before)
            member = re.match(r"\)?\s*\.\s*([\w$]+)", after)
            if bound and bound[1].startswith("{"):
                self._words(file, bound[1])
            elif member and member[1] != "then":
                self._take_name(file, member[1], member[1])
            elif bound:
                self._namespace(bound[1], file)
            else:
                self._all(file)

    def _words(self, file: str, text: str | None = None) -> None:
        """Record the exported names of a file that occur in the text as words."""
        for target, names in self._wanted.items():
            for name in {name.partition(".")[0] for name in names}:
                word = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", self._text if text is None else text)
                if word and self._modules.leads_to(file, name, target):
                    self._take(Origin(target, name), name)

    def _all(self, file: str) -> None:
        """Record everything a file exports; other uses count as `"*"`."""
        for target, names in self._wanted.items():
            own = set(self._modules.exports(file).values()) if target == file else set()
            for name in names:
                first = name.partition(".")[0]
                if self._modules.leads_to(file, first, target) if target != file else first in own:
                    self.found.add((target, name))
                elif target == file:
                    self.found.add((target, EVERYTHING))

    def _take_name(self, file: str, name: str, local: str) -> None:
        for origin in self._modules.trail(file, name):
            self._take(origin, local)

    def _take(self, origin: Origin, local: str) -> None:
        """Record a name of a file, with the methods of a class that run implicitly or are inherited."""
        if origin.file not in self._wanted:
            return
        own = {origin.name, self._modules.exports(origin.file).get(origin.name, origin.name)}
        for name in self._wanted[origin.file]:
            first, _, method = name.partition(".")
            if first in own and (not method or method == "constructor" or self._is_parent(local)):
                self.found.add((origin.file, name))
        self._take_methods(origin.file)

    def _take_methods(self, file: str) -> None:
        """Record methods: `.method` anywhere in a file that imports the class's file, on values of any name.

        A method that built-in values have too (`push`, `get`) counts only if the file names its class.
        """
        for name in self._wanted.get(file, ()):
            owner, _, method = name.partition(".")
            if not method or (
                method in BUILT_IN and not re.search(rf"(?<![\w$]){re.escape(owner)}(?![\w$])", self._text)
            ):
                continue
            if re.search(rf"\.\s*+{re.escape(method)}(?![\w$])", self._text):
                self.found.add((file, name))

    def _is_parent(self, name: str) -> bool:
        return (
            re.search(rf"\b(?:extends|implements)\s[^{{}};]{{0,500}}?(?<![\w$]){re.escape(name)}(?![\w$])", self._text)
            is not None
        )

    @cached_property
    def _code(self) -> str:
        """The text with empty strings."""
        return without_strings(self._content).decode("utf-8", "surrogateescape")

    @cached_property
    def _text(self) -> str:
        """The text without comments."""
        return without_comments(self._content).decode("utf-8", "surrogateescape")
