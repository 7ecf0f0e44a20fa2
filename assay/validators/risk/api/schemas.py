"""Interface changes of OpenAPI documents and JSON Schemas: what clients send and what they are sent.

The rules are those that oasdiff calls errors, without its 480 finer ones: an operation, a media type or a status is
gone; an input is newly required, narrowed or refused; an output is gone, optional or wider; an authorization is new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce

from assay.validators.changes.change import FileKind, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import language_of
from assay.validators.io.structured_files import Node, Unreadable, yaml_document
from assay.validators.report.answers import unanswered
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.api.difference import NameChange
from assay.validators.risk.api.schema_shapes import LEAST, MOST, Found, Shape, differences
from assay.validators.risk.signal import RiskContext

MOST_DEPTH, MOST_SCHEMAS, MOST_PARTS = 12, 20_000, 200
_METHODS = frozenset("get put post delete patch head options trace".split())
_JSON_SCHEMA = re.compile(r"[^/]*schema[^/]*\.(?:json|ya?ml)", re.IGNORECASE)
_CHOICES = ("oneOf", "anyOf", "not", "if")
_COMPARED = frozenset((*LEAST, *MOST, *_CHOICES)) | set(
    "$ref allOf type nullable properties required enum const items pattern additionalProperties unevaluatedProperties"
    " then else".split()
)
_SAID = frozenset(
    "title description examples example deprecated readOnly writeOnly externalDocs xml discriminator in name schema"
    " $id $schema $comment $defs definitions $anchor summary style explode collectionFormat allowEmptyValue".split()
)
"""Keywords that are compared, and those that refuse no value; others are unknown if they change."""
_REST, ANY_OTHER = "additionalProperties", "*"
_ABSENT = Node(0)


def is_schema(path: str) -> bool:
    """Return whether a file is an OpenAPI document, or is named like a JSON Schema."""
    language = language_of(path)
    is_document = language is not None and language.key == "openapi"
    return is_document or _JSON_SCHEMA.fullmatch(path.rpartition("/")[2]) is not None


def of_schemas(context: RiskContext) -> Iterator[NameChange | NotChecked]:
    """Yield the changes of the documents that the change edits, and those that could not be read."""
    change = context.change
    for file in change.files:
        is_own = file.nature not in (Nature.test, Nature.vendored) and not file.is_example
        if file.kind is not FileKind.text or file.base_path is None or not is_own or not is_schema(file.path):
            continue
        try:
            base = yaml_document(text_at(change.base, file.base_path))
            head = yaml_document(text_at(change.head, file.path)) if file.exists else _ABSENT
            found = list(_Comparison(_Document(base), _Document(head)).differences())
        except Unreadable as error:
            yield from unanswered([file], Question.interface, str(error))
            continue
        for kind, name, what, line in dict.fromkeys(found):
            yield NameChange(kind, name, name, what, file.path, line or None, exported=False)


@dataclass
class _Comparison:
    """Both versions of a document."""

    base: _Document
    head: _Document
    _seen: set[tuple[int, int, bool]] = field(default_factory=set)

    def differences(self) -> Iterator[Found]:
        """Yield kind, name, what happened to it, and the head's line."""
        base, head = self.base.root, self.head.root
        if base.get("paths") is not None:
            yield from self._operations()
        elif any(base.get(name) for name in ("properties", "type", "$ref", "allOf", "$defs", "definitions")):
            # People write documents by a schema: all of it is input.
            yield from self._schema(base, head, "", is_input=True)
            for group in ("$defs", "definitions"):
                after = head.at(group).pairs
                for name, schema in base.at(group).pairs.items():
                    if name in after:
                        yield from self._schema(schema, after[name], name, is_input=True)

    # ------------------------------------------------------------------ operations

    def _operations(self) -> Iterator[Found]:
        before, after = dict(self.base.operations()), dict(self.head.operations())
        by_address = {one.address: one for one in after.values()}
        kept = set[str]()
        for key, old in before.items():
            new = after.get(key) or by_address.get(old.address)
            if new is None:
                yield ApiChangeKind.breaking, old.name, "removed", 0
            else:
                kept.add(new.name)
                yield from self._operation(old, new)
        for new in after.values():
            if new.name not in kept:
                yield ApiChangeKind.non_breaking, new.name, "added", new.node.line

    def _operation(self, old: _Operation, new: _Operation) -> Iterator[Found]:
        was, is_now = self.base.is_guarded(old.node), self.head.is_guarded(new.node)
        if is_now and not was:
            yield ApiChangeKind.breaking, old.name, "now asks for authorization", new.node.line
        elif was and not is_now:
            yield ApiChangeKind.non_breaking, old.name, "no longer asks for authorization", new.node.line
        elif was and not all(any(one <= had for one in self.head.ways(new.node)) for had in self.base.ways(old.node)):
            yield ApiChangeKind.breaking, old.name, "asks for another authorization", new.node.line
        yield from self._parameters(old, new)
        before = self.base.resolved(old.node.at("requestBody"))
        after = self.head.resolved(new.node.at("requestBody"))
        if _is_true(after, "required") and not _is_true(before, "required"):
            yield ApiChangeKind.breaking, old.name, "a body is now required", after.line
        yield from self._content(before, after, f"{old.name} body", is_input=True)
        now = new.node.at("responses").pairs
        for status, answer in old.node.at("responses").pairs.items():
            place = f"{old.name} {status}"
            if status in now:
                then = self.base.resolved(answer)
                after = self.head.resolved(now[status])
                yield from self._content(then, after, place, is_input=False)
                for name, header in then.at("headers").pairs.items():
                    if name not in after.at("headers").pairs:
                        is_sure = _is_true(self.base.resolved(header), "required")
                        kind = ApiChangeKind.breaking if is_sure else ApiChangeKind.unknown
                        yield kind, f"{place} header {name}", "removed", after.line
            elif status[:1] in "23":
                yield ApiChangeKind.breaking, place, "response removed", new.node.line

    def _parameters(self, old: _Operation, new: _Operation) -> Iterator[Found]:
        before, after = ({_key(one): one for one in side.parameters} for side in (old, new))
        for key, one in after.items():
            known = before.get(key)
            place = f"{old.name} {key[0]} {key[1]}" if key[1] else f"{old.name} body"
            if _is_true(one, "required") and (known is None or not _is_true(known, "required")):
                what = "new required parameter" if known is None else "now required"
                yield ApiChangeKind.breaking, place, what, one.line
            if known is not None:
                # In Swagger 2 a parameter is its schema.
                schemas = known.get("schema") or known, one.get("schema") or one
                yield from self._schema(schemas[0], schemas[1], place, is_input=True)
        for place, name in before.keys() - after.keys():
            if place not in ("path", "body"):
                yield ApiChangeKind.unknown, f"{old.name} {place} {name}", "no longer described", new.node.line

    def _content(self, old: Node, new: Node, place: str, *, is_input: bool) -> Iterator[Found]:
        """Compare bodies by media type; a response of Swagger 2 has one schema."""
        after = new.at("content").pairs
        for media, body in old.at("content").pairs.items():
            if media in after:
                yield from self._schema(body.at("schema"), after[media].at("schema"), place, is_input=is_input)
            else:
                yield ApiChangeKind.breaking, place, f"{media} removed", new.line
        if (schema := old.get("schema")) is not None:
            yield from self._schema(schema, new.at("schema"), place, is_input=is_input)

    # ------------------------------------------------------------------ schemas

    def _schema(self, old: Node, new: Node, place: str, *, is_input: bool, depth: int = 0) -> Iterator[Found]:
        old, new = self.base.resolved(old), self.head.resolved(new)
        key = (id(old.value), id(new.value), is_input)
        if depth > MOST_DEPTH or key in self._seen:
            return
        self._seen.add(key)
        if len(self._seen) > MOST_SCHEMAS:
            raise Unreadable(f"more than {MOST_SCHEMAS:,} schemas")
        if old.get("$ref") or new.get("$ref"):
            if _plain(old) != _plain(new):
                yield ApiChangeKind.unknown, place or "schema", "refers to another document", new.line
            return
        before, after = self.base.shape(old), self.head.shape(new)
        yield from differences(before, after, place or "schema", is_input=is_input)
        yield from self._properties(before, after, place, is_input=is_input)
        for name, schema in before.properties.items():
            if name in after.properties:
                inner = f"{place}.{name}".lstrip(".")
                yield from self._schema(schema, after.properties[name], inner, is_input=is_input, depth=depth + 1)
        if before.items is not None and after.items is not None:
            yield from self._schema(before.items, after.items, f"{place}[]", is_input=is_input, depth=depth + 1)

    @staticmethod
    def _properties(before: Shape, after: Shape, place: str, *, is_input: bool) -> Iterator[Found]:
        for name in before.properties:
            inner = f"{place}.{name}".lstrip(".")
            is_gone = name not in after.properties
            if is_gone and (not is_input or after.is_closed):
                yield ApiChangeKind.breaking, inner, "removed", 0
            elif not is_gone and is_input and name in after.required - before.required:
                yield ApiChangeKind.breaking, inner, "now required", after.properties[name].line
            elif not is_gone and not is_input and name in before.required - after.required:
                yield ApiChangeKind.breaking, inner, "may now be missing", after.properties[name].line
            elif is_gone:
                yield ApiChangeKind.non_breaking, inner, "no longer described", 0
        for name, schema in after.properties.items():
            if name not in before.properties:
                inner = f"{place}.{name}".lstrip(".")
                is_asked = is_input and name in after.required
                kind = ApiChangeKind.breaking if is_asked else ApiChangeKind.non_breaking
                yield kind, inner, "new and required" if is_asked else "added", schema.line


@dataclass(frozen=True, slots=True)
class _Operation:
    """Method of a path: its name as people write it, and the parameters of its path and its own.

    `address` has the path that all operations of the document begin with.
    """

    name: str
    address: str
    node: Node
    parameters: tuple[Node, ...]


@dataclass(frozen=True)
class _Document:
    """One version of a document."""

    root: Node
    _shapes: dict[int, Shape] = field(default_factory=dict)

    def resolved(self, node: Node) -> Node:
        """Return what a node refers to within the document; a reference to elsewhere stays as it is."""
        for _ in range(MOST_DEPTH):
            target = node.at("$ref").text
            parts = [part.replace("~1", "/").replace("~0", "~") for part in target[2:].split("/")]
            found = self.root.get(*parts) if target.startswith("#/") else None
            if found is None:
                return node
            node = found
        return node

    def operations(self) -> Iterator[tuple[str, _Operation]]:
        """Yield the operations by method and path; the names of a path's parameters say nothing to clients."""
        server = next(iter(self.root.at("servers").items), _ABSENT).at("url").text
        begin = self.root.at("basePath").text or re.sub(r"\A\w+://[^/]*", "", server)
        for path, item in self.root.at("paths").pairs.items():
            shared = self.resolved(item)
            for method, node in shared.pairs.items():
                if method in _METHODS:
                    given = (*shared.at("parameters").items, *node.at("parameters").items)
                    key = f"{method} {re.sub(r'{[^}]*}', '{}', path)}"
                    address = f"{method} {begin.rstrip('/')}{path}"
                    parameters = tuple(map(self.resolved, given))
                    yield key, _Operation(f"{method.upper()} {path}", address, node, parameters)

    def is_guarded(self, operation: Node) -> bool:
        """Return whether every way to call an operation asks for authorization."""
        asked = operation.get("security") or self.root.at("security")
        return bool(asked.items) and all(one.pairs for one in asked.items)

    def ways(self, operation: Node) -> list[frozenset[tuple[str, str]]]:
        """Return the ways to call an operation: the schemes that each asks for, with their scopes."""
        asked = operation.get("security") or self.root.at("security")
        return [
            frozenset((name, scope) for name, scopes in one.pairs.items() for scope in ("", *scopes.texts))
            for one in asked.items[:MOST_PARTS]
        ]

    def shape(self, node: Node) -> Shape:
        """Return a resolved schema with the parts of its `allOf`, each once; raise `Unreadable` if too many."""
        if id(node.value) not in self._shapes:
            parts = {id(node.value): node}
            waiting = [node]
            while waiting:
                for part in map(self.resolved, waiting.pop(0).at("allOf").items):
                    if id(part.value) not in parts:
                        parts[id(part.value)] = part
                        waiting.append(part)
                if len(parts) > MOST_PARTS:
                    raise Unreadable(f"a schema of more than {MOST_PARTS} parts")
            self._shapes[id(node.value)] = reduce(Shape.with_part, map(self._own_shape, parts.values()))
        return self._shapes[id(node.value)]

    def _own_shape(self, node: Node) -> Shape:
        """Return a schema without the parts of its `allOf`."""
        own = node.pairs
        types = set(node.at("type").texts) | ({"null"} if _is_true(node, "nullable") else set())
        enum = [node.at("const").text] if "const" in own else [one.text for one in node.at("enum").items]
        return Shape(
            properties={**node.at("properties").pairs, **({ANY_OTHER: rest} if (rest := node.at(_REST)).pairs else {})},
            required=frozenset(one.text for one in node.at("required").items),
            types=frozenset(types),
            enum=frozenset(enum),
            limits={name: own[name].text for name in (*LEAST, *MOST, "pattern") if name in own},
            choices=frozenset(
                f"{name} {_plain(self.resolved(one))}"
                for name in _CHOICES
                if name in own
                for one in own[name].items or [own[name]]
            ),
            items=node.get("items"),
            others={
                name: _plain(one) for name, one in own.items() if name not in _COMPARED | _SAID and name[:2] != "x-"
            },
            is_closed=any(node.at(name).text == "false" for name in ("additionalProperties", "unevaluatedProperties")),
            line=node.line,
        )


def _key(parameter: Node) -> tuple[str, str]:
    place = parameter.at("in").text
    return place, "" if place == "body" else parameter.at("name").text


def _is_true(node: Node, name: str) -> bool:
    return node.at(name).text == "true"


def _plain(node: Node) -> object:
    """Return a node without its lines."""
    if isinstance(node.value, dict):
        return {name: _plain(one) for name, one in node.value.items()}
    return [_plain(one) for one in node.value] if isinstance(node.value, list) else node.value
