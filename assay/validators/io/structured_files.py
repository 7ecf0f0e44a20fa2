"""Reader of untrusted TOML, JSON, YAML, XML and INI files, within limits.

A few hundred bytes can cost a parser gigabytes (a TOML key of 100,000 parts, nested YAML aliases, nested XML
entities). A file that cannot be read safely raises `Unreadable` with a one-line reason.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import defusedxml.ElementTree
import yaml
from defusedxml.common import DefusedXmlException

LIMIT_CHARACTERS = 1024 * 1024
"""Bytes; handwritten manifests, workflows and settings files are smaller."""
MOST_YAML_NODES = 100_000
MOST_YAML_DEPTH = 100
MOST_TOML_KEY_PARTS = 64
# tomllib keeps every prefix of a dotted key: its memory grows with the square of the number of parts.
_TOML_KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_TOML_KEY = re.compile(rf"""(?<![\w"'.-])(?:{_TOML_KEY_PART}){{{MOST_TOML_KEY_PARTS}}}""")
YAML_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Safe loader; the one in C, where PyYAML was built with it, takes a tenth of the time."""

MOST_INI_BLANKS = 100
# configparser's time is quadratic in a run of blanks before a line's delimiter.
_LONG_INI_BLANKS = re.compile(rf"\s{{{MOST_INI_BLANKS + 1}}}")
_DELIMITER = re.compile("[=:]")

# Line ends of YAML 1.1 only: git, editors and YAML 1.2 do not count them.
_NO_LINE_ENDS = dict.fromkeys(map(ord, "\x85\u2028\u2029"), " ")


class Unreadable(Exception):
    """File that is invalid or not safe to read; `str()` is one line, `line` the place if it is known."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.line = line


class Fault(NamedTuple):
    """Part of a YAML file that only a lenient reader accepts: `kind` is alias, tag, key, duplicate-key or document."""

    line: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Node:
    """Place in a YAML file: `value` is its text (None for null), a list of nodes, or a mapping of names to nodes.

    `line` is 1-based. Scalars keep their source text: `true` is "true" in any schema; `is_quoted` marks text in quotes.
    """

    line: int
    value: str | list[Node] | dict[str, Node] | None = None
    end_line: int = 0
    is_quoted: bool = False

    def get(self, *names: str) -> Node | None:
        """Return the node below these names, or None if one of them is missing."""
        found: Node | None = self
        for name in names:
            found = found.value.get(name) if found is not None and isinstance(found.value, dict) else None
        return found

    def at(self, *names: str) -> Node:
        """Return the node below these names; one without a value, on this line, if it is missing."""
        return self.get(*names) or Node(self.line)

    @property
    def text(self) -> str:
        """The scalar's text; "" for any other node."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def items(self) -> list[Node]:
        """The elements of a list; empty for any other node."""
        return self.value if isinstance(self.value, list) else []

    @property
    def pairs(self) -> dict[str, Node]:
        """The entries of a mapping; empty for any other node."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def texts(self) -> list[str]:
        """The words of a scalar, a list of scalars, or a mapping's names: the ways YAML writes a set of words."""
        if isinstance(self.value, str):
            return [self.value]
        return list(self.pairs) or [item.text for item in self.items if item.text]


def toml(text: str) -> dict[str, Any]:
    """Parse a TOML document; raise `Unreadable`."""
    _bounded(text)
    if _LONG_TOML_KEY.search(text):
        raise Unreadable(f"a dotted name of more than {MOST_TOML_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not valid TOML: {_one_line(error)}") from None


def json_document(text: str) -> Any:
    """Parse a JSON document; raise `Unreadable`."""
    _bounded(text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not valid JSON: {_one_line(error)}") from None


def ini(text: str) -> configparser.ConfigParser:
    """Parse an INI file (setup.cfg, tox.ini) without interpolation; raise `Unreadable`."""
    _bounded(text)
    if any(_LONG_INI_BLANKS.search(_DELIMITER.split(line.strip(), 1)[0]) for line in text.split("\n")):
        raise Unreadable(f"more than {MOST_INI_BLANKS} blanks in a name")
    parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=", ":"))
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError, RecursionError, AttributeError) as error:
        # configparser itself fails with AttributeError on a value without a name before it.
        raise Unreadable(f"not a valid INI file: {_one_line(error)}") from None
    return parser


def xml(data: bytes) -> Any:
    """Parse a document without any DTD and return its root element (of `xml.etree`); raise `Unreadable`."""
    if len(data) > LIMIT_CHARACTERS:
        raise Unreadable("larger than a settings file can be")
    try:
        return defusedxml.ElementTree.fromstring(data, forbid_dtd=True)
    except (defusedxml.ElementTree.ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise Unreadable(f"not plain XML: {_one_line(error)}") from None


def yaml_document(text: str, faults: list[Fault] | None = None) -> Node:
    """Parse the first document of a YAML file; raise `Unreadable`.

    No objects are constructed: tags are ignored, anchors and merge keys resolved, and every expanded alias counts
    against `MOST_YAML_NODES`. With `faults`, nothing is resolved: aliases, tags, keys that are duplicates or no words,
    and a second document are added to it.
    """
    documents = yaml_documents(text, faults)
    found = next(documents, Node(1))
    if faults is not None:
        next(documents, None)
    return found


def yaml_documents(text: str, faults: list[Fault] | None = None) -> Iterator[Node]:
    """Parse the documents of a YAML file one after the other, as `yaml_document` does; raise `Unreadable`."""
    _bounded(text)
    try:
        yield from _build(text, faults)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Unreadable(f"not valid YAML: {_why(error, text)}", mark.line + 1 if mark else None) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unreadable(f"not valid YAML: {_one_line(error)}") from None


@dataclass(slots=True)
class _Open:
    """List or mapping whose end has not been read yet."""

    line: int
    anchor: str | None
    is_mapping: bool
    items: list[Node] = field(default_factory=list)


class _NodeBuilder:
    """Builder of nodes from parser events, without recursion: PyYAML's composer recurses as deep as the file."""

    def __init__(self, faults: list[Fault] | None) -> None:
        self.faults = faults
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.num_nodes = 0

    def take(self, event: Any) -> Node | None:
        """Return the node this event completes, if any."""
        line = event.start_mark.line + 1
        if self.faults is not None and getattr(event, "tag", None) is not None:
            self.faults.append(Fault(line, "tag", "tags (`!…`) are not read here; write the plain value"))
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self.open.append(_Open(line, event.anchor, isinstance(event, yaml.MappingStartEvent)))
            if len(self.open) > MOST_YAML_DEPTH:
                raise Unreadable(f"nested deeper than {MOST_YAML_DEPTH} levels", line)
            return None
        if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            begun = self.open.pop()
            value = _mapping(begun.items, self.faults) if begun.is_mapping else begun.items
            return self._named(begun.anchor, Node(begun.line, value, line - 1))
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event.anchor, line)
        if isinstance(event, yaml.ScalarEvent):
            is_plain = event.implicit[0]
            is_null = is_plain and event.value in ("", "~", "null")
            end: Any = event.end_mark
            return self._named(event.anchor, Node(line, None if is_null else event.value, end.line + 1, not is_plain))
        return None

    def _alias(self, anchor: str | None, line: int) -> Node:
        if self.faults is not None:
            self.faults.append(Fault(line, "alias", f"`*{anchor}`: aliases are not read here; write the value out"))
            return self._counted(Node(line), 1)
        if anchor is None or anchor not in self.anchors:
            raise Unreadable(f"the alias on line {line} has no anchor", line)
        return self._counted(*self.anchors[anchor])

    def _named(self, anchor: str | None, node: Node) -> Node:
        if anchor is not None and self.faults is None:
            self.anchors[anchor] = (node, _size(node))
        return self._counted(node, 1)

    def _counted(self, node: Node, size: int) -> Node:
        self.num_nodes += size
        if self.num_nodes > MOST_YAML_NODES:
            raise Unreadable(f"more than {MOST_YAML_NODES} values", node.line)
        return node


def _build(text: str, faults: list[Fault] | None) -> Iterator[Node]:
    builder, has_one = _NodeBuilder(faults), False
    for event in yaml.parse(text.translate(_NO_LINE_ENDS), Loader=YAML_LOADER):
        if faults is not None and has_one:
            if isinstance(event, yaml.DocumentStartEvent):
                mark: Any = event.start_mark
                faults.append(Fault(mark.line + 1, "document", "a second document begins here; only one is read"))
                return
            continue
        node = builder.take(event)
        if node is None:
            continue
        if builder.open:
            builder.open[-1].items.append(node)
        else:
            has_one = True
            yield node


def _mapping(items: list[Node], faults: list[Fault] | None) -> dict[str, Node]:
    """Return a mapping from alternating names and values; `<<` adds entries that are not given."""
    said: dict[str, Node] = {}
    merged: dict[str, Node] = {}
    for name, value in zip(items[::2], items[1::2], strict=False):
        if name.text == "<<" and faults is None:
            for source in value.items or [value]:
                merged = {**source.pairs, **merged}
        elif isinstance(name.value, str):
            if faults is not None and name.value in said:
                first = f"duplicate key `{name.value[:80]}`, first on line {said[name.value].line}"
                faults.append(Fault(name.line, "duplicate-key", first))
            said[name.value] = Node(name.line, value.value, max(value.end_line, name.line), value.is_quoted)
        elif faults is not None:
            faults.append(Fault(name.line, "key", "a key should be a word"))
    return {**merged, **said}


def _size(node: Node) -> int:
    """Return the number of nodes below this one, aliases expanded."""
    num, left = 0, [node]
    while left and num <= MOST_YAML_NODES:
        one = left.pop()
        num += 1
        left.extend(one.items)
        left.extend(one.pairs.values())
    return num


def _bounded(text: str) -> None:
    if len(text) > LIMIT_CHARACTERS:
        raise Unreadable("larger than a settings file can be")


def _why(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark or error.context_mark
    line = "".join(text.splitlines()[mark.line : mark.line + 1]) if mark else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "a tab cannot indent a line; use spaces"
    return " ".join(", ".join(part for part in (error.problem, error.context) if part).split())[:200]


def _one_line(error: BaseException) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return words[:200]
