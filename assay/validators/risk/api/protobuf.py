"""Interface changes of protobuf files: messages, fields by number, enums and calls, before and after."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from assay.validators.changes.change import FileKind, SourceTree, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.risk.api.difference import NameChange
from assay.validators.risk.signal import RiskContext

MOST_CHARACTERS, MOST_RESERVED = 1024 * 1024, 10_000
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|-?[\w.]+|[{}=;<>,\[\]()]", re.DOTALL
)
_FIELD = re.compile(r"(?:(optional|required|repeated) )?((?:map < [\w.]+ , [\w.]+ >|[\w.]+)) (\w+) = (\d+)(?: |$)")
_OPTION = re.compile(r"\b(json_name|default) = ([^ ]+)")
"""Options that change what is on the wire, or what an absent field stands for."""
_GENERATED = re.compile(r"option (\w+(?:_package|_namespace)) = (.+)")
"""Options by which generated code has other names."""
_VALUE = re.compile(r"(\w+) = (-?\w+)(?: |$)")
_CALL = re.compile(r"rpc (\w+) \( ((?:stream )?[\w.]+) \) returns \( ((?:stream )?[\w.]+) \)")


@dataclass(frozen=True, slots=True)
class _Element:
    """Field, value or call: its own name, what it is, and its place."""

    name: str
    what: str
    file: str
    line: int


@dataclass
class _Interface:
    """Elements by what identifies them on the wire: (owner, number of a field) or (owner, name).

    `owners` are messages, enums and services; `reserved` are (owner, number or name), `extensible` (owner, numbers).
    """

    elements: dict[tuple[str, str], _Element] = field(default_factory=dict)
    owners: dict[str, tuple[str, int]] = field(default_factory=dict)
    reserved: set[tuple[str, str]] = field(default_factory=set)
    extensible: set[tuple[str, str]] = field(default_factory=set)

    def read(self, text: str, path: str) -> None:
        """Add what a file declares."""
        package, words = "", list[str]()
        around: list[tuple[str, str]] = []
        line, at = 1, 0
        for match in _TOKEN.finditer(text[:MOST_CHARACTERS]):
            word = match.group()
            if word.startswith(("//", "/*")):
                continue
            line, at = line + text.count("\n", at, match.start()), match.start()
            if word == "{":
                around.append(self._opened(words, around, package, path, line))
            elif word == "}" and around:
                around.pop()
            elif word != ";":
                words.append(word)
                continue
            elif words[:1] == ["package"]:
                package = "".join(words[1:])
            elif (found := _GENERATED.match(" ".join(words))) is not None and not around:
                self.elements[package, found[1]] = _Element(found[1], found[2], path, line)
            elif around:
                self._statement(words, *around[-1], path, line)
            words = []

    def _opened(
        self, words: list[str], around: list[tuple[str, str]], package: str, path: str, line: int
    ) -> tuple[str, str]:
        """Return the kind and the qualified name of the block that begins."""
        outer = around[-1][1] if around else package
        kind = words[0] if words else ""
        if kind in ("message", "enum", "service") and len(words) > 1:
            name = f"{outer}.{words[1]}".lstrip(".")
            self.owners[name] = path, line
            return kind, name
        if kind == "rpc":
            self._statement(words, "service", outer, path, line)
            return "options", outer
        return (f"{around[-1][0]} {words[-1]}" if kind == "oneof" and around else "options"), outer

    def _statement(self, words: list[str], kind: str, owner: str, path: str, line: int) -> None:
        said = " ".join(words)
        if words[:1] == ["reserved"] and len(self.reserved) < MOST_RESERVED:
            self.reserved |= {(owner, word.strip("\"'")) for word in islice(_numbers(words[1:]), MOST_RESERVED)}
        elif words[:1] == ["extensions"]:
            self.extensible.add((owner, said.partition(" ")[2]))
        elif kind.startswith("message") and (found := _FIELD.match(said)):
            label = f"{found[1]} " if found[1] in ("repeated", "required") else ""
            rest = [kind.replace("message ", "in ")] if kind != "message" else []
            rest += [" ".join(each) for each in _OPTION.findall(said)]
            what = " ".join([label + found[2].replace(" ", ""), *rest])
            self.elements[owner, found[4]] = _Element(found[3], what, path, line)
        elif kind == "enum" and words[0] != "option" and (found := _VALUE.match(said)):
            self.elements[owner, found[1]] = _Element(found[1], found[2], path, line)
        elif kind == "service" and (found := _CALL.match(said)):
            self.elements[owner, found[1]] = _Element(found[1], f"({found[2]}) returns ({found[3]})", path, line)


def of_protobuf(context: RiskContext) -> Iterator[NameChange]:
    """Yield the changes of the protobuf files that the change edits, compared together."""
    files = [
        file
        for file in context.change.files
        if file.path.endswith(suffixes("protobuf"))
        and file.kind is FileKind.text
        and file.nature not in (Nature.test, Nature.vendored)
        and not file.is_example
    ]
    base = _interface(context.change.base, [file.base_path for file in files if file.base_path is not None])
    head = _interface(context.change.head, [file.path for file in files if file.exists])
    for kind, name, what, path, line in _differences(base, head):
        yield NameChange(kind, name, name, what, path, line, exported=False)


def _interface(tree: SourceTree, paths: list[str]) -> _Interface:
    found = _Interface()
    for path in paths:
        found.read(text_at(tree, path), path)
    return found


_Found = tuple[ApiChangeKind, str, str, str, int | None]


def _differences(base: _Interface, head: _Interface) -> Iterator[_Found]:
    gone = base.owners.keys() - head.owners.keys()
    for name in sorted(gone):
        if name.rpartition(".")[0] not in gone:
            yield ApiChangeKind.breaking, name, "removed", base.owners[name][0], None
    come = head.owners.keys() - base.owners.keys()
    for name, (path, line) in head.owners.items():
        if name in come and name.rpartition(".")[0] not in come:
            yield ApiChangeKind.non_breaking, name, "added", path, line
    for (owner, key), old in base.elements.items():
        if owner not in gone:
            is_reserved = bool({(owner, key), (owner, old.name)} & head.reserved)
            yield from _difference(f"{owner}.{old.name}", old, head.elements.get((owner, key)), is_reserved=is_reserved)
    for (owner, key), new in head.elements.items():
        if owner in base.owners and (owner, key) not in base.elements:
            yield ApiChangeKind.non_breaking, f"{owner}.{new.name}", "added", new.file, new.line
    yield from _freed(base, head)


def _freed(base: _Interface, head: _Interface) -> Iterator[_Found]:
    """Yield the numbers and names that are no longer reserved, and those that no longer extend a message."""
    for what, before, after in (("reserved", base.reserved, head.reserved), ("open", base.extensible, head.extensible)):
        for owner, key in sorted(before - after):
            if owner in head.owners:
                path, line = head.owners[owner]
                yield ApiChangeKind.breaking, owner, f"{key} is no longer {what}", path, line


def _difference(name: str, old: _Element, new: _Element | None, *, is_reserved: bool) -> Iterator[_Found]:
    if new is None and is_reserved:
        yield ApiChangeKind.non_breaking, name, "removed and reserved", old.file, None
    elif new is None:
        yield ApiChangeKind.breaking, name, "removed", old.file, None
    elif new.what != old.what:
        yield ApiChangeKind.breaking, name, f"{old.what} became {new.what}", new.file, new.line
    elif new.name != old.name:
        yield ApiChangeKind.breaking, name, f"renamed to {new.name}", new.file, new.line


def _numbers(words: list[str]) -> Iterator[str]:
    """Yield what a `reserved` names, ranges (`9 to 11`) written out."""
    for at, word in enumerate(words):
        if word == "to" and 0 < at < len(words) - 1 and words[at - 1].isdigit() and words[at + 1].isdigit():
            yield from map(str, range(int(words[at - 1]), min(int(words[at + 1]), int(words[at - 1]) + 1000)))
        elif word not in (",", "to"):
            yield word
