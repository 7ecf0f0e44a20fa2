"""Words of a declaration next to its name, types and parameters: modifiers, accessors, bounds of type variables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

from assay.validators.languages.engine.written import text_of

if TYPE_CHECKING:
    import tree_sitter

LIMITS = frozenset(
    "abstract explicit final non_exhaustive protected readonly required sealed static suspend async unsafe".split()
) | {"called by pointer", "partly private"}
"""Marks that take something from users."""
GRANTS = frozenset("const data infix noexcept open operator settable virtual".split())
"""Marks that give users something."""
_NEUTRAL = frozenset(
    "public internal private pub export inline override partial new native strictfp transient volatile synchronized "
    "where lateinit external tailrec actual expect extern crate in super".split()
)
_ASIDE = re.compile(
    r"(?:\w*_)?comment|(?:marker_)?annotation|attribute_(?:list|item|declaration)|\w*block|compound_statement|function_body"
    r"|class_body|getter|(?:formal_|function_value_)?parameters|parameter_list|primary_constructor|constructor_invocation"
    r"|super(?:class|_interfaces)|extends_interfaces|base_(?:list|clause|class_clause)|delegation_specifiers"
    r"|class_interface_clause|arrow_expression_clause|field_initializer_list|throws|lifetime|variable_declaration"
)
_NAMING = frozenset("name type return_type result receiver tag value".split())
_VALUES = ("enumerator", "enum_member_declaration", "enum_case", "enum_variant")
_UNNAMED = ("indexer_declaration", "operator_declaration", "conversion_operator_declaration")
_WHOLE = ("delegate_declaration", "type_definition")
_INCOMPARABLE = re.compile(r"\[\]|map\[|func\b")
_ATTRIBUTES = ("attribute_item", "line_comment", "block_comment")
_DERIVED = re.compile(r"\bderive\(([^()]{0,1000})\)")
MOST_WORDS = 500


def declared(core: tree_sitter.Node, name: str, variables: Collection[str]) -> frozenset[str]:
    """Return the words of a declaration, without its name, those of its type variables, and what no user sees."""
    if core.type in ("method", "singleton_method", "call", "assignment"):
        return _of_ruby(core)
    if _ASIDE.fullmatch(core.type):
        return frozenset()  # the parameters of a type, which make its constructor
    holder, words = core.parent, _words(core, core)
    if holder is not None and holder.type == "template_declaration":
        words = chain(words, *(_words(one, core) for one in holder.children_by_field_name("parameters")))
    aside = {*variables, *_NEUTRAL, name}
    counted = Counter(word for word in islice(words, MOST_WORDS) if word not in aside and re.search(r"\w", word))
    found = {word + " again" * count for word, several in counted.items() for count in range(several)}
    return frozenset(found | set(_of_members(core)))


def _of_members(core: tree_sitter.Node) -> Iterator[str]:
    """Yield what a type is by its members and attributes."""
    body = core.child_by_field_name("type" if core.type == "type_spec" else "body")
    members = body.named_children if body is not None else []
    if core.type == "type_alias":
        yield "an alias"
    if core.type in ("annotation_type_element_declaration", "const_item") and core.child_by_field_name("value") is None:
        yield "abstract"
    for one in members if core.type != "type_spec" else ():
        if one.type in _UNNAMED:
            yield " ".join(text_of(one).partition("{")[0].partition("=>")[0].split())
    if core.type == "struct_item" and any(map(_is_private_field, members)):
        yield "partly private"
    if any("non_exhaustive" in text for text in attributes_of(core)):
        yield "non_exhaustive"
    if core.type == "type_spec" and body is not None and body.type == "interface_type":
        # Only its own package can implement such an interface.
        yield from ["sealed"] if any(one.type == "method_elem" and text_of(one)[0].islower() for one in members) else []
    if core.type == "type_spec" and body is not None and body.type == "struct_type":
        fields = (one.child_by_field_name("type") for each in members for one in each.named_children)
        written = [text_of(one) for one in fields if one is not None]
        yield from ["no keys of a map"] if any(map(_INCOMPARABLE.match, written)) else []


def derived(core: tree_sitter.Node) -> Iterator[str]:
    """Yield the traits that Rust derives for a type."""
    for text in attributes_of(core):
        for names in _DERIVED.findall(text):
            yield from re.findall(r"\w+(?=\s*(?:,|$))", names)


def _words(node: tree_sitter.Node, core: tree_sitter.Node) -> Iterator[str]:
    """Yield the leaves of a node of a declaration that are part of it."""
    for at, one in enumerate(node.children):
        if one.type == "=" and core.type not in (*_VALUES, "type_alias", "type_spec"):
            return
        if one.type in ("accessor_list", "setter", "var", "val"):
            yield from _assigning(one, node)
        elif not _is_aside(node, at, core):
            if one.type in ("type_parameters", "type_parameter_list"):
                yield f"{one.named_child_count} type variables"
            yield from _words(one, core) if one.child_count else [text_of(one)]
    if node == core and core.type in _VALUES[:2] and core.child_by_field_name("value") is None and core.parent:
        yield f"place {[one for one in core.parent.named_children if one.type == core.type].index(core)}"


def _is_aside(node: tree_sitter.Node, at: int, core: tree_sitter.Node) -> bool:
    """Return whether a child says its name, types, parameters or body, or nothing to users."""
    one, field = node.children[at], node.field_name_for_child(at)
    if field == "body":
        return one.type != "ordered_field_declaration_list" and core.type != "enum_variant"
    is_named = field in _NAMING and node == core and not (field == "value" and core.type in _VALUES)
    if core.type not in _WHOLE and (_ASIDE.fullmatch(one.type) or is_named):
        return True
    is_type = node == core and at > 0 and node.children[at - 1].type == ":" and core.type != "enum_specifier"
    is_of_result = one.type == "type_qualifier" and node == core
    is_name = field in ("name", "declarator") and not one.child_count
    return is_type or is_of_result or is_name or one.type == "async"


def _assigning(one: tree_sitter.Node, holder: tree_sitter.Node) -> Iterator[str]:
    """Yield whether users may assign to a property, by its accessors or by `var` without a private setter."""
    if one.type == "accessor_list":
        for each in one.named_children:
            words = set(text_of(each).partition("{")[0].partition("=")[0].replace(";", "").split())
            yield from ["settable"] if "set" in words and not words & {"private", "internal"} else words & {"init"}
    elif one.type == "var":
        setters = (text_of(each) for each in holder.children if each.type == "setter")
        yield from [] if any("private" in each for each in setters) else ["settable"]


def _is_private_field(node: tree_sitter.Node) -> bool:
    is_seen = any(one.type == "visibility_modifier" for one in node.children)
    return node.type == "field_declaration" and not is_seen


def attributes_of(core: tree_sitter.Node) -> Iterator[str]:
    """Yield the attributes of Rust before a definition."""
    before = core.prev_sibling
    while before is not None and before.type in _ATTRIBUTES:
        yield text_of(before) if before.type == "attribute_item" else ""
        before = before.prev_sibling


def _of_ruby(core: tree_sitter.Node) -> frozenset[str]:
    """Return whether a method is called on its class or module itself, or may be assigned."""
    if core.type == "assignment":
        # The members of a class that `Struct.new` or `Data.define` makes.
        return frozenset(re.findall(r"(?<=:)\w+", text_of(core).partition("{")[0].partition(" do")[0]))
    if core.type == "call":
        return frozenset({"settable"} if text_of(core).startswith(("attr_accessor", "attr_writer")) else ())
    body = core.parent
    before = body.named_children if body is not None else []
    is_shared = any(text_of(one) == "module_function" and one.end_byte < core.start_byte for one in before)
    is_inside = body is not None and body.parent is not None and body.parent.type == "singleton_class"
    return frozenset({"static"} if core.type == "singleton_method" or is_shared or is_inside else ())
