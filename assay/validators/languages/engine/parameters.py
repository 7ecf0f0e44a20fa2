"""Parameters of functions and arguments of calls, in every language of the table, as Python's `inspect` has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import Parameter, Signature, _ParameterKind
from keyword import iskeyword
from typing import TYPE_CHECKING, Literal

from assay.validators.languages.engine.written import split_type, text_of

if TYPE_CHECKING:
    import tree_sitter

_REST = frozenset(
    "list_splat_pattern rest_pattern spread_parameter variadic_parameter_declaration variadic_parameter "
    "splat_parameter forward_parameter".split()
)
_OPTIONAL = frozenset(
    "default_parameter typed_default_parameter optional_parameter assignment_pattern "
    "optional_parameter_declaration".split()
)
_NAMEABLE = ("simple_parameter", "property_promotion_parameter", "keyword_parameter")
"""Parameters of a language in which a call may name them, among others where it may not."""
_SPREAD = frozenset(
    "list_splat dictionary_splat spread_element variadic_argument variadic_unpacking splat_argument "
    "hash_splat_argument forward_argument".split()
)
_KEYWORDS = ("dictionary_splat_pattern", "hash_splat_parameter")
_NOTHING = frozenset(
    "positional_separator keyword_separator decorator receiver_parameter this block_parameter attribute_item".split()
)
_Kind = Literal[_ParameterKind.POSITIONAL_ONLY, _ParameterKind.POSITIONAL_OR_KEYWORD, _ParameterKind.KEYWORD_ONLY]
_PLACES: tuple[_Kind, _Kind] = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
_WITHOUT = ("method", "singleton_method")
"""Functions that may have no list of parameters."""
_LISTS = ("function_value_parameters", "class_parameters", "parameter_list")
"""Lists of parameters that a function holds without a field."""
_PARAMETERS = ("parameter", "class_parameter", "params")
"""Parameters that a caller may name, of Kotlin and C#; the last one is a word before the parts of one."""
_INSIDE = ("definition", "value", "declaration", "declarator", "right")
"""Fields in which a definition holds its function."""
_NAMED = ("name", "pattern", "left")
_DEFAULTS = ("value", "default_value")
_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
MOST_INSIDE = 6


class _Given:
    """Default of a parameter, whose value does not count."""

    def __repr__(self) -> str:
        return "…"


GIVEN = _Given()


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments of a call: number of positional ones, names of the others, and whether a spread adds more.

    `may_fold`: where nothing is taken by its name, the named ones are one more argument.
    """

    num_positional: int
    keywords: tuple[str, ...] = ()
    is_open: bool = False
    may_fold: bool = False

    def mismatch(self, signature: Signature) -> str | None:
        """Return why the call cannot match a signature; None if it can."""
        bind = signature.bind_partial if self.is_open else signature.bind
        parameters = signature.parameters.values()
        # `**` takes the name of a positional-only parameter too, once another argument fills it.
        is_free = self.is_open and any(one.kind is Parameter.VAR_KEYWORD for one in parameters)
        only = {one.name for one in parameters if one.kind is Parameter.POSITIONAL_ONLY}
        rest = {one.name for one in parameters if one.kind is Parameter.VAR_POSITIONAL}
        keywords = [name for name in self.keywords if not (is_free and name in only) and name not in rest]
        by_name = any(one.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD) for one in parameters)
        is_folded = self.may_fold and bool(keywords) and not by_name
        try:
            bind(*range(self.num_positional + is_folded), **dict.fromkeys([] if is_folded else keywords))
        except TypeError as error:
            return str(error)
        return None


def function_in(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the function of a definition: itself, or what it gives a name; None if it has none."""
    found: tree_sitter.Node | None = node
    for _ in range(MOST_INSIDE):
        if found is None or found.type in _WITHOUT or list_in(found) or found.child_by_field_name("parameter"):
            return found
        found = next((one for field in _INSIDE if (one := found.child_by_field_name(field))), None)
    return None


def list_in(function: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the list of a function's parameters."""
    if function.type in _LISTS:
        return function
    listed = (one for one in function.children if one.type in _LISTS)
    return function.child_by_field_name("parameters") or next(listed, None)


def written_type(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the type of a parameter: a field, or what follows its colon."""
    after = (one.next_named_sibling for one in node.children if one.type == ":")
    return node.child_by_field_name("type") or next(after, None)


def named_parameters(every: tree_sitter.Node) -> Iterator[tuple[str, Parameter, tree_sitter.Node]]:
    """Yield (name, parameter, node) of each parameter that a caller may name, by itself or by its place."""
    kind: _Kind = Parameter.POSITIONAL_OR_KEYWORD
    for at, node in enumerate(every.children if every.type in _LISTS else ()):
        if node.type not in _PARAMETERS:
            continue
        holder = every if node.type == "params" else node
        before = node.prev_sibling if node.prev_sibling is not None else node
        said = [text_of(one) for one in (before, *node.children) if "modifiers" in one.type]
        is_rest = node.type == "params" or any("vararg" in words.split() for words in said)
        inner = (one for one in holder.children if one.type == "identifier")
        name = holder.child_by_field_name("name") or next(inner, node)
        after = (node.next_sibling, *node.children)
        default = GIVEN if any(one is not None and one.type == "=" for one in after) else Parameter.empty
        label = text_of(name) if text_of(name).isidentifier() and not iskeyword(text_of(name)) else f"argument_{at}"
        found = Parameter(label, Parameter.VAR_POSITIONAL) if is_rest else Parameter(label, kind, default=default)
        kind = Parameter.KEYWORD_ONLY if is_rest else kind
        yield text_of(name), found, name


def parameters_of(function: tree_sitter.Node) -> Iterator[tuple[str, Parameter, tree_sitter.Node]]:
    """Yield (name, parameter, node of the name) of each parameter, in order.

    A separator of Python changes the kind of those around it: all before `/` have no name for a caller, all after `*`
    nothing but a name.
    """
    single = function.child_by_field_name("parameter")
    every = list_in(function)
    named = list(named_parameters(every)) if every is not None else []
    if named:
        yield from named
        return
    nodes = [single] if single is not None else every.named_children if every is not None else []
    is_python = every is not None and every.type in ("parameters", "lambda_parameters")
    last = max((at for at, node in enumerate(nodes) if node.type == "positional_separator"), default=-1)
    is_keyword = False
    for at, node in enumerate(nodes):
        which = _kind_of(node)
        is_keyword = is_keyword or which == "keyword_separator"
        if which in _NOTHING or node.is_extra or text_of(node) == "void":
            continue
        names = node.children_by_field_name("name") if node.type == "parameter_declaration" else []
        for name in names or [_name_of(node)]:
            may_be_named = (is_python and at >= last) or which in _NAMEABLE
            kind = _PLACES[is_keyword or which == "keyword_parameter"] if may_be_named else Parameter.POSITIONAL_ONLY
            yield text_of(name), _parameter(node, which, kind, text_of(name), at), name
        is_keyword = is_keyword or (which in _REST and is_python)
    if every is not None and any(node.type == "..." for node in every.children):  # C++
        yield "...", Parameter("rest", Parameter.VAR_POSITIONAL), every


def _kind_of(node: tree_sitter.Node) -> str:
    """Return the kind of a parameter: that of its pattern where this says more."""
    inner = node.child_by_field_name("pattern") or (node.named_children or [node])[0]
    return inner.type if inner.type in (*_REST, *_KEYWORDS, "this") else node.type


def _parameter(node: tree_sitter.Node, which: str, kind: _Kind, name: str, at: int) -> Parameter:
    label = _label(name) or f"argument_{at}"
    if which in _REST or which in _KEYWORDS:
        return Parameter(label, Parameter.VAR_POSITIONAL if which in _REST else Parameter.VAR_KEYWORD)
    written = node.child_by_field_name("type")
    parts = split_type(text_of(written).lstrip(": "), "|") if written is not None else []
    may_be_nothing = "void" in parts  # TypeScript
    has_default = any(node.child_by_field_name(field) is not None for field in _DEFAULTS)
    is_optional = which in _OPTIONAL or has_default or may_be_nothing
    return Parameter(label, kind, default=GIVEN if is_optional else Parameter.empty)


def _label(name: str) -> str:
    """Return the name of a parameter as Python could write it; "" if it could not, or several may have it."""
    name = name.lstrip("$")
    return f"{name}_" if iskeyword(name) else name if name.isidentifier() and name != "_" else ""


def has_self(function: tree_sitter.Node) -> bool:
    """Return whether the first parameter is the receiver of a method, in the language's own form."""
    every = function.child_by_field_name("parameters")
    return every is not None and any(node.type == "self_parameter" for node in every.named_children[:2])


def signature_of(function: tree_sitter.Node, num_bound: int = 0, ignores_more: bool = False) -> Signature | None:
    """Return a function's signature without its first parameters; None if it is not a valid one.

    `ignores_more`: further arguments do no harm.
    """
    found = [parameter for _, parameter, _ in parameters_of(function)]
    if ignores_more and not any(one.kind is Parameter.VAR_POSITIONAL for one in found):
        found.append(Parameter("more", Parameter.VAR_POSITIONAL))
    if len(found) < num_bound and not any(one.kind is Parameter.VAR_POSITIONAL for one in found):
        return None
    return made([one for at, one in enumerate(found) if at >= num_bound or one.kind in _VARIADIC])


def made(parameters: list[Parameter]) -> Signature | None:
    """Return a signature of these parameters; None if Python refuses them."""
    try:
        return Signature(parameters)
    except ValueError:
        return None


def arguments_of(call: tree_sitter.Node) -> Call | None:
    """Return the arguments of a call; None if it has none that can be counted."""
    listed = next((one for one in call.children if one.type == "value_arguments"), None)
    given = call.child_by_field_name("arguments") or listed
    given = given or next((node for node in call.named_children if node.type == "arguments"), None)
    is_named = (
        given is not None and given.type == "argument_list" and any(one.type == "argument" for one in given.children)
    )
    if given is not None and (listed is not None or is_named):
        return _named_arguments(call, given)
    if given is None and call.type == "call":
        is_assigned = call.parent is not None and call.parent.child_by_field_name("left") == call
        return None if is_assigned else Call(0)  # Ruby
    if given is None or given.type not in ("argument_list", "arguments"):
        return None
    left_out = ("block_argument", *_NOTHING)
    nodes = [node for node in given.named_children if not node.is_extra and node.type not in left_out]
    if any(node.type == "variadic_placeholder" for node in nodes):
        return None  # PHP: the function itself as a value
    keywords = [node for node in nodes if _is_keyword(node)]
    spread = [at for at, node in enumerate(nodes) if {node.type, *(one.type for one in node.children[:1])} & _SPREAD]
    plain = [node for node in nodes[: spread[0]] if not _is_keyword(node)] if spread else nodes
    names = (node.child_by_field_name("name") or node.child_by_field_name("key") for node in keywords)
    num = len(plain) - (0 if spread else len(keywords))
    # A Go call may give its results as arguments, all of them.
    is_passed_on = num == 1 and nodes[0].type == "call_expression" and given.type == "argument_list"
    labels = (_label(text_of(name)) for name in names if name is not None)
    is_hash = any(node.type == "pair" for node in nodes)
    return Call(num, tuple(labels), bool(spread) or is_passed_on, is_hash)


def _is_keyword(node: tree_sitter.Node) -> bool:
    if node.type == "argument":
        return node.child_by_field_name("name") is not None
    return node.type in ("keyword_argument", "pair")


def _named_arguments(call: tree_sitter.Node, given: tree_sitter.Node) -> Call | None:
    """Return the arguments of a call of Kotlin or C#; None if one without a name follows one with a name."""
    nodes = [node for node in given.named_children if not node.is_extra]
    names = [next((one.prev_named_sibling for one in node.children if one.type in ("=", ":")), None) for node in nodes]
    names = [name if name is not None and name.type == "identifier" else None for name in names]
    keywords = [text_of(name) for name in names if name is not None]
    if any(names) and not all(names[len(nodes) - len(keywords) :]):
        return None
    if any(map(iskeyword, keywords)):
        return None
    spread = any(one.type == "spread_expression" for node in nodes for one in node.named_children)
    block = call.next_named_sibling if call.parent is not None and call.parent.type == call.type else None
    has_block = block is not None and block.type == "annotated_lambda"
    return Call(len(nodes) - len(keywords) - spread + has_block, tuple(keywords), spread or has_block)


def _name_of(node: tree_sitter.Node) -> tree_sitter.Node:
    """Return the node of a parameter's name."""
    for _ in range(3):
        inner = next((one for field in _NAMED if (one := node.child_by_field_name(field))), None)
        if inner is None and node.type in ("typed_parameter", *_REST, *_KEYWORDS):
            inner = next(iter(node.named_children), None)
        if inner is None:
            break
        node = inner
    return node
