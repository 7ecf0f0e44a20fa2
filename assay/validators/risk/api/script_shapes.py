"""Exported definitions of TypeScript and JavaScript as their users see them: parameters, results, members.

Types are compared as they are written. A union with more parts is wider: a parameter may become wider, a result
narrower. Of other types only two that have no value in common are said to break, the rest is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from inspect import Parameter
from typing import TYPE_CHECKING, NamedTuple

from assay.validators.languages.engine.parameters import function_in, parameters_of
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.written import text_of
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.wording import plural, shortened

if TYPE_CHECKING:
    import tree_sitter

_BREAKING, _FINE, _UNKNOWN = ApiChangeKind.breaking, ApiChangeKind.non_breaking, ApiChangeKind.unknown
_FORMS = {
    "interface_declaration": "an interface",
    "class_declaration": "a class",
    "abstract_class_declaration": "a class",
    "class": "a class",
    "enum_declaration": "an enum",
    "type_alias_declaration": "a type",
    "internal_module": "a namespace",
}
_PLAIN = frozenset("string number boolean bigint symbol null undefined void object".split())
_ANY = frozenset(("", "any", "unknown"))
_OWED = ("property_signature", "method_signature", "abstract_method_signature")
_LIMITING = ("abstract", "readonly", "accessibility_modifier")
_WRAPPING = ("type_annotation", "parenthesized_type")
_LAYOUT = frozenset((";", ",", "|"))
LONGEST = 80
MOST_PARTS = 500
"""Maximum parts of a union that are compared."""
MOST_LEAVES = 5000
"""Maximum words of one type that are compared."""


_ONLY_TYPES = frozenset((_FORMS["interface_declaration"], _FORMS["type_alias_declaration"]))
_OVERLOADS = "overloaded"
_SAME = ("", "constructor")
"""Members that stand for their type."""


class Written(NamedTuple):
    """Type as it is written: the parts of its union in one spelling, and how to show it."""

    parts: frozenset[str] = frozenset()
    shown: str = ""


NOTHING = Written()


@dataclass(frozen=True, slots=True)
class Shape:
    """Definition without its body. `form` is what it is; `takes` are (name, parameter, type), None for no function.

    `gives` is the type of a result or value, or what an alias stands for. A member that `is_owed` must be there.
    `limits` take something from users: it is abstract, protected, only to read. `num_types` are the type arguments
    that it needs.
    """

    form: str
    line: int
    takes: tuple[tuple[str, Parameter, Written], ...] | None = None
    gives: Written = NOTHING
    bases: frozenset[str] = frozenset()
    members: Mapping[str, Shape] = field(default_factory=dict)
    is_owed: bool = False
    limits: frozenset[str] = frozenset()
    num_types: int = 0

    @property
    def is_type(self) -> bool:
        """Return whether other definitions may name it in their types."""
        return self.form in _FORMS.values()


def shapes_of(reading: SourceReading) -> dict[str, Shape]:
    """Return name -> shape of each definition at the top of a file; an overloaded one is all its declarations."""
    found: dict[str, list[tree_sitter.Node]] = {}
    for piece in reading.pieces:
        if "." not in piece.name and piece.kind != "listed":
            found.setdefault(piece.name, []).append(piece.core)
    return {name: _several(nodes) for name, nodes in found.items()}


def _several(nodes: list[tree_sitter.Node]) -> Shape:
    if len(nodes) == 1:
        return _shape(nodes[0])
    declared = [node for node in nodes if node.child_by_field_name("body") is None] or nodes
    shown = Written(frozenset(_spelled(one) for one in declared), "")
    return Shape(_OVERLOADS, nodes[0].start_point.row + 1, gives=shown)


def _shape(node: tree_sitter.Node) -> Shape:
    variables = next((one for one in node.children if one.type == "type_parameters"), None)
    owed = [one for one in variables.named_children if one.child_by_field_name("value") is None] if variables else []
    return replace(
        _plain_shape(node), limits=frozenset(_limits(node)), num_types=len(owed) if node.type in _FORMS else 0
    )


def _limits(node: tree_sitter.Node) -> Iterator[str]:
    words = {text_of(one) for one in node.children if one.type in _LIMITING}
    yield from words
    if node.type in ("method_definition", "method_signature") and "get" in {one.type for one in node.children}:
        name, others = node.child_by_field_name("name"), node.parent.named_children if node.parent is not None else []
        setters = (one for one in others if any(each.type == "set" for each in one.children))
        if name is not None and not any(_is_named(one, text_of(name)) for one in setters):
            yield "readonly"


def _is_named(node: tree_sitter.Node, name: str) -> bool:
    own = node.child_by_field_name("name")
    return own is not None and text_of(own) == name


def _plain_shape(node: tree_sitter.Node) -> Shape:
    line = node.start_point.row + 1
    form = _FORMS.get(node.type, "")
    is_owed = node.type in _OWED and not any(one.type == "?" for one in node.children)
    inner = node.child_by_field_name("value") if node.type != "enum_assignment" else None
    body = node.child_by_field_name("body") if form else None
    if node.type == "internal_module":
        return Shape(form, line, gives=Written(frozenset((text_of(node),)), "other definitions"))
    if node.type == "type_alias_declaration" and inner is not None:
        if inner.type != "object_type":
            return Shape(form, line, gives=_written(inner))
        body = inner
    elif inner is not None and inner.type == "class":
        form, body = _FORMS["class"], inner.child_by_field_name("body")
    if form:
        bases = (_spelled(one) for one in node.children if one.type in ("class_heritage", "extends_type_clause"))
        return Shape(form, line, bases=frozenset(bases), members=_members(body))
    function = function_in(node)
    is_typed = node.type == "variable_declarator" and node.child_by_field_name("type") is not None
    if function is None or is_typed or any(one.type == "get" for one in node.children):
        written = node.child_by_field_name("type") or node.child_by_field_name("return_type")
        return Shape("a value", line, gives=_written(written), is_owed=is_owed)
    takes = tuple((name, one, _type_of(at)) for name, one, at in parameters_of(function))
    return Shape("a function", line, takes, _written(function.child_by_field_name("return_type")), is_owed=is_owed)


def _members(body: tree_sitter.Node | None) -> dict[str, Shape]:
    """Return what users may name of a class, interface, enum or namespace."""
    found: dict[str, list[tree_sitter.Node]] = {}
    for node in body.named_children if body is not None else ():
        name = node.child_by_field_name("name") or (node if node.type == "property_identifier" else None)
        is_hidden = any(text_of(one) == "private" for one in node.children if one.type == "accessibility_modifier")
        if name is None:
            if not node.is_extra and node.type.endswith("signature"):
                found.setdefault(_spelled(node), []).append(node)
        elif not is_hidden and name.type != "private_property_identifier" and not text_of(name).startswith("_"):
            words = {one.type for one in node.children}
            if "set" not in words:
                found.setdefault(f"{'static ' if 'static' in words else ''}{text_of(name)}", []).append(node)
    return {name: _several(nodes) for name, nodes in found.items()}


def _type_of(name: tree_sitter.Node) -> Written:
    """Return the type of a parameter by the node of its name."""
    node: tree_sitter.Node | None = name
    while node is not None and not node.type.endswith("parameter"):
        node = node.parent if node.parent is not None and node.parent.type != "formal_parameters" else None
    return _written(node.child_by_field_name("type")) if node is not None else NOTHING


def _written(node: tree_sitter.Node | None) -> Written:
    while node is not None and node.type in _WRAPPING and node.named_children:
        node = node.named_children[0]
    if node is None:
        return NOTHING
    parts, left = set[str](), [node]
    while left and len(parts) < MOST_PARTS:
        one = left.pop()
        if one.type == "union_type":
            left += one.named_children
        elif not one.is_extra:
            parts.add(_spelled(one))
    return Written(frozenset(parts), shortened(" ".join(text_of(node).split()), LONGEST))


def _spelled(node: tree_sitter.Node) -> str:
    """Return the words of a node without comments and layout, and without the body of a function."""
    found: list[str] = []
    left = [node]
    while left and len(found) < MOST_LEAVES:
        one = left.pop()
        if one.is_extra or one.type in ("statement_block", *_LAYOUT):
            continue
        if one.children:
            left += reversed(one.children)
        else:
            found.append(text_of(one).strip("\"'"))
    return " ".join(found)


Difference = tuple[ApiChangeKind, str, str, int]
"""(kind, member or "", what, line)."""


def differences(old: Shape, new: Shape) -> Iterator[Difference]:
    """Yield how a definition differs for its users."""
    for kind, member, what, line in _differences(old, new):
        name = member.rpartition(" ")[2]
        yield kind, "" if name in _SAME or not name.isidentifier() else name, what, line


def _differences(old: Shape, new: Shape) -> Iterator[Difference]:
    yield from _at("", old, new, is_member=False)
    for name in [one for one in old.members if one not in new.members]:
        yield _BREAKING if old.bases == new.bases else _UNKNOWN, name, "removed", new.line
    is_class = new.form == _FORMS["class"]
    for name, now in new.members.items():
        before = old.members.get(name)
        if before is not None:
            yield from _at(name, before, now, is_member=True)
        elif old.form == new.form:
            is_open = not now.is_owed or new.form == _FORMS["enum_declaration"]
            kind = _FINE if is_open else _BREAKING if is_class else _UNKNOWN
            yield kind, name, f"new {'required ' if now.is_owed else ''}member", now.line


def _at(name: str, old: Shape, new: Shape, *, is_member: bool) -> Iterator[Difference]:
    if old.form != new.form and not (old.members and new.members and _ONLY_TYPES.issuperset((old.form, new.form))):
        is_open = is_member or _OVERLOADS in (old.form, new.form) or _ONLY_TYPES.issuperset((old.form, new.form))
        yield _UNKNOWN if is_open else _BREAKING, name, f"is {new.form} now", new.line
        return
    if new.takes is not None and old.takes is not None:
        for kind, what in _parameters(old.takes, new.takes):
            yield kind, name, what, new.line
    for limit in sorted((old.limits ^ new.limits) - {"public"}):
        is_new = limit in new.limits
        yield _BREAKING if is_new else _FINE, name, f"is {'' if is_new else 'not '}{limit} now", new.line
    if old.num_types != new.num_types:
        yield _BREAKING, name, f"needs {plural(new.num_types, 'type argument')} instead of {old.num_types}", new.line
    if old.is_owed is not new.is_owed:
        yield _UNKNOWN, name, f"is {'required' if new.is_owed else 'optional'} now", new.line
    if old.bases != new.bases:
        yield _UNKNOWN, name, "extends or implements other types now", new.line
    if old.gives.parts != new.gives.parts:
        is_read = new.takes is not None or (new.form == "a value" and not is_member)
        verb = "returns" if new.takes is not None else "stands for" if new.is_type else "is of type"
        kind = _kind(old.gives, new.gives, grows=_BREAKING, shrinks=_FINE) if is_read else _UNKNOWN
        yield (
            kind,
            name,
            f"{verb} {new.gives.shown or 'no stated type'} instead of {old.gives.shown or 'none'}",
            new.line,
        )


def _parameters(
    old: tuple[tuple[str, Parameter, Written], ...], new: tuple[tuple[str, Parameter, Written], ...]
) -> Iterator[tuple[ApiChangeKind, str]]:
    for (pattern, before, took), (name, now, takes) in zip(old, new, strict=False):
        if now.kind == before.kind and now.default is not before.default:
            is_required = now.default is Parameter.empty
            kind = _BREAKING if is_required else _FINE
            yield kind, f"parameter {name} is {'required' if is_required else 'optional'} now"
        if took.parts != takes.parts:
            kind = _kind(took, takes, grows=_FINE, shrinks=_BREAKING)
            yield kind, f"parameter {name} is of type {_instead(took, takes, 'any')}"
        elif not took.parts and name != pattern and "{" in name[:1] + pattern[:1]:
            yield _UNKNOWN, f"takes {shortened(name, LONGEST)} instead of {shortened(pattern, LONGEST)}"
    for name, now, _ in new[len(old) :]:
        is_required = now.default is Parameter.empty and now.kind is not Parameter.VAR_POSITIONAL
        yield (_BREAKING if is_required else _FINE), f"new {'required ' if is_required else ''}parameter {name}"
    for name, _, _ in old[len(new) :]:
        yield _BREAKING, f"parameter {name} removed"


def _kind(old: Written, new: Written, *, grows: ApiChangeKind, shrinks: ApiChangeKind) -> ApiChangeKind:
    """Return whether another type breaks users; `grows` if it has more values than before, `shrinks` if fewer."""
    if _is_any(old.parts) or _is_any(new.parts):
        return _FINE if grows is _FINE and _is_any(new.parts) else _UNKNOWN
    if old.parts < new.parts:
        return grows
    if new.parts < old.parts:
        return shrinks
    is_late = {any(part.startswith("Promise <") for part in parts) for parts in (old.parts, new.parts)}
    is_apart = not old.parts & new.parts and (old.parts | new.parts) <= _PLAIN
    return _BREAKING if is_apart or len(is_late) > 1 else _UNKNOWN


def _instead(old: Written, new: Written, none: str) -> str:
    """Return both types in words, or only that they differ where their beginnings may not say how."""
    if max(len(old.shown), len(new.shown)) >= LONGEST or old.shown == new.shown:
        return "that is written otherwise"
    return f"{new.shown or none} instead of {old.shown or none}"


def _is_any(parts: Iterable[str]) -> bool:
    return _ANY.issuperset(parts)
