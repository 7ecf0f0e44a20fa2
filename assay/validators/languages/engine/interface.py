"""What code outside a package may rely on in a file: exported definitions with their types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import Parameter
from typing import TYPE_CHECKING

from assay.validators.languages.engine.declared import GRANTS, LIMITS, attributes_of, declared, derived
from assay.validators.languages.engine.parameters import (
    function_in,
    list_in,
    named_parameters,
    parameters_of,
    written_type,
)
from assay.validators.languages.engine.pieces import Piece
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.written import DEEPEST_TYPE, LONGEST_TYPE, split_type, text_of

if TYPE_CHECKING:
    import tree_sitter

DEFAULT = " = …"
"""Mark after the type of a parameter that a call may leave out."""
INFERRED = "?"
"""Type that only a compiler finds."""
_OPAQUE = ("struct_type", "interface_type")
"""Types whose parts are definitions themselves."""
_WRITTEN = ("function_definition", "declaration", "field_declaration")
_QUALIFIED = re.compile(r"\b(?:[a-z]\w*\.)+(?=[A-Z])")
"""Package before a type of Java, which an import may replace."""
_MARK = re.compile(
    r"\[\[[^\[\]]{0,200}\]\]|\b(?:extern|inline|static|virtual|explicit|constexpr|[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b"
)
"""Words before a function that do not change its type."""
_ENDS = str.maketrans("=;", "  ")
_LIFETIME = re.compile(r"'(?!static\b)\w+ ?\b(?!')")
_SPREAD = ("spread_parameter", "variadic_parameter_declaration")
_ALIASES = ("alias", "alias_method")
_PASS_ON = ("delegate", "def_delegator", "scope", "define_method")
"""Calls of Ruby that define a method, with parameters that only the block of the last one shows."""
MOST_ALIASES = 5
OPTIONAL = " = …"
"""End of a parameter that a call may leave out, where types need not be written."""
_REST, _KEYWORDS = "...", "**"
"""Beginnings of parameters that take any number of further arguments."""


@dataclass(frozen=True, slots=True)
class Exposed:
    """Exported definition, without what only its author sees: the names of parameters, its body, its documentation.

    `takes` are the types of the parameters, None if it is not a function; `gives` is the type of the result or value,
    or what a type stands for. `marks` are modifiers, `abstract` for what implementers must have, and `override`; `rest`
    are the other words of the declaration.
    """

    kind: str
    takes: tuple[str, ...] | None = None
    gives: str = ""
    bases: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    throws: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()


def interface_of(reading: SourceReading) -> dict[str, list[tuple[Exposed, int]]]:
    """Return name -> its exported definitions with their lines, several if it is overloaded."""
    known = {piece.name: piece for piece in reading.pieces}
    spelling = _Spelling(reading)
    found: dict[str, list[tuple[Exposed, int]]] = {}
    for piece in reading.pieces:
        parts = piece.name.split(".")
        if reading.row.has_public:
            around = (known.get(".".join(parts[:end])) for end in range(1, len(parts)))
            is_seen = all("public" in one.marks for one in (*filter(None, around), piece))
        else:
            around = (known.get(".".join(parts[:end])) for end in range(1, len(parts)))
            is_seen = all(name not in reading.row.unnamed and not reading.row.private.match(name) for name in parts)
            is_seen = is_seen and all("private" not in one.marks for one in (*filter(None, around), piece))
            is_seen = is_seen and not _is_hidden(piece.core)
        is_seen |= "macro" in piece.marks and any("macro_export" in each for each in attributes_of(piece.core))
        if is_seen:
            shown = spelling.exposed(piece)
            if piece.core.type in ("alias", "call") and shown.kind == "method":
                shown = replace(shown, takes=spelling.taken_by_name(piece, known), rest=frozenset())
            found.setdefault(piece.name, []).append((shown, piece.core.start_point.row + 1))
    return found


def _alias_of(core: tree_sitter.Node) -> str | None:
    """Return the method that an alias of Ruby stands for; None for another definition, "" if only running it shows."""
    method, given = core.child_by_field_name("method"), core.child_by_field_name("arguments")
    if (text_of(method) if method is not None else core.type) not in _ALIASES:
        return None
    names = core.named_children if given is None else given.named_children
    is_plain = len(names) == 2 and names[1].type in ("identifier", "simple_symbol", "string", "setter", "operator")
    return text_of(names[1]).strip(":\"'") if is_plain else ""


def _is_hidden(core: tree_sitter.Node) -> bool:
    """Return whether a member of C++ is private: by the last word before it, or without one in a class."""
    outer = core.parent
    if outer is None or outer.type != "field_declaration_list":
        return False
    before = [one for one in outer.named_children if one.type == "access_specifier" and one.end_byte <= core.start_byte]
    is_class = outer.parent is not None and outer.parent.type == "class_specifier"
    return "private" in text_of(before[-1]) if before else is_class


def _has_word(core: tree_sitter.Node, word: str) -> bool:
    return any(text_of(each) == word for one in core.children for each in (one, *one.children))


def _of_c(node: tree_sitter.Node) -> str:
    """Return the type of a parameter or the result of a function of C: what stands around its name."""
    found, until = node.child_by_field_name("declarator"), node.child_by_field_name("default_value")
    while found is not None and (inner := found.child_by_field_name("declarator") or _pointed(found)) is not None:
        if (
            found.type == "function_declarator"
            and found.child_by_field_name("parameters")
            and node.type != "parameter_declaration"
        ):
            until = found.child_by_field_name("parameters")
        found = inner
    whole, start = node.text or b"", node.start_byte
    cut = whole[: until.start_byte - start] if until is not None else whole
    if found is not None and found.end_byte <= start + len(cut):
        cut = cut[: found.start_byte - start] + b" " + cut[found.end_byte - start :]
    text = " ".join(_MARK.sub("", cut.decode("utf-8", "replace")).replace("*", " * ").translate(_ENDS).split())
    return f"{text} = …" if node.type == "optional_parameter_declaration" else text


def _pointed(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return what a reference or parentheses stand around."""
    is_plain = node.type in ("reference_declarator", "parenthesized_declarator")
    return node.named_children[-1] if is_plain and node.named_children else None


class _Spelling:
    """How the types of one file are written, in one spelling: type variables are `_`."""

    def __init__(self, reading: SourceReading) -> None:
        self._row = reading.row
        self._variables = names = set(map(text_of, reading.nodes("generic")))
        is_marked = reading.row.separator != "."
        self._qualified = re.compile(rf"(?:\w*{re.escape(reading.row.separator)})+(?=\w)") if is_marked else _QUALIFIED
        self._generic = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names)) or '(?!)'})(?!\w)")

    def exposed(self, piece: Piece) -> Exposed:
        """Return a definition as others see it."""
        core = piece.core
        function = function_in(core) if piece.kind in ("function", "method") else None
        parameters = list_in(function) if function is not None else None
        takes = self._takes(parameters) if parameters is not None else None
        modifiers = [one for one in core.children if one.type == "modifiers"]
        words = declared(core, piece.name.rpartition(".")[2], self._variables)
        marks = words & (LIMITS | GRANTS)
        is_override = any("@Override" in text_of(one) for one in modifiers) or _has_word(core, "override")
        marks |= {"override"} if is_override else set()
        marks |= {"async"} if _has_word(core, "async") and self._row.separator == "::" else set()
        receiver = core.child_by_field_name("receiver")
        marks |= {"called by pointer"} if receiver is not None and "*" in text_of(receiver) else set()
        thrown = (self._text(name) for one in core.children if one.type == "throws" for name in one.named_children)
        parents = (*map(self._text, piece.bases), *derived(core))
        bases = (name for name in parents if not self._row.private.match(name.rpartition(".")[2]))
        return Exposed(
            "interface" if "interface" in piece.marks else piece.kind,
            None if function is None else self._taken(function) if self._row.hoists else takes,
            self._gives(piece),
            frozenset(bases),
            frozenset(marks | (piece.marks & {"abstract"})),
            frozenset(thrown),
            words - LIMITS - GRANTS,
        )

    def taken_by_name(self, piece: Piece, known: Mapping[str, Piece]) -> tuple[str, ...] | None:
        """Return the parameters of a method that a call of Ruby defines; None if the file does not show them."""
        for _ in range(MOST_ALIASES):
            target = _alias_of(piece.core)
            if target is None:
                break
            meant = known.get(f"{piece.owner}.{target}" if piece.owner else target)
            if meant is None:
                return None
            piece = meant
        else:
            return None
        if piece.core.type != "call":
            function = function_in(piece.core)
            return self._taken(function) if function is not None else None
        method, block = piece.core.child_by_field_name("method"), piece.core.child_by_field_name("block")
        if method is None or text_of(method) not in _PASS_ON:
            return ()
        return self._taken(block) if block is not None and text_of(method) == "define_method" else None

    def _takes(self, parameters: tree_sitter.Node) -> tuple[str, ...]:
        if not self._row.has_macros:
            return self._types(parameters)
        found = [self._generic.sub("_", _of_c(one)) for one in parameters.named_children if not one.is_extra]
        more = ["..."] if any(one.type == "..." for one in parameters.children) else []
        return tuple(one for one in (*found, *more) if one != "void")

    def _gives(self, piece: Piece) -> str:
        if self._row.has_macros and piece.kind != "class":
            return self._generic.sub("_", _of_c(piece.core)) if piece.core.type in _WRITTEN else ""
        if piece.kind == "class":
            written = piece.core.child_by_field_name("type")
            return piece.core.type if written is None or written.type in _OPAQUE else self._text(written)
        given = piece.gives[0] if piece.gives else None
        if given is None:
            return INFERRED if piece.given and not self._row.hoists else ""
        if given.type == "parameter_list":
            return ", ".join(self._types(given))
        own = piece.owner.rpartition(".")[2]
        return " ".join(own if word in self._row.own_type else word for word in self._text(given).split(" "))

    def _taken(self, function: tree_sitter.Node) -> tuple[str, ...]:
        """Return the parameters of a function whose types need not be written: what a call has to say of each."""
        found: list[str] = []
        for name, parameter, node in parameters_of(function):
            written = node.parent.child_by_field_name("type") if node.parent is not None else None
            text = self._text(written) if written is not None else "any"
            words = node.parent.children if node.parent is not None else []
            text = f"{text}&" if any(one.type == "reference_modifier" for one in words) else text
            if parameter.kind is Parameter.KEYWORD_ONLY:
                text = f"{name}:"
            is_named = parameter.kind is Parameter.VAR_KEYWORD
            beginning = _KEYWORDS if is_named else _REST if parameter.kind is Parameter.VAR_POSITIONAL else ""
            end = "" if parameter.default is Parameter.empty else OPTIONAL
            found.append(f"{beginning}{text}{end}")
        return tuple(found)

    def _types(self, parameters: tree_sitter.Node, depth: int = 0) -> tuple[str, ...]:
        """Return the types of parameters, in order; one that takes the rest begins with `...`."""
        named = list(named_parameters(parameters)) if depth == 0 else []
        if named:
            return tuple(self._named_type(parameters, one, node) for _, one, node in named)
        found: list[str] = []
        for node in parameters.named_children:
            written = node.child_by_field_name("type")
            if written is None and node.type in _SPREAD:
                written = next((one for one in node.named_children if one.type != "modifiers"), None)
            written = node if node.type == "self_parameter" else written
            if not node.is_extra and node.type != "receiver_parameter" and written is not None:
                text = self._text(written, depth)
                text = f"...{text}" if node.type in _SPREAD else text
                found += [text] * max(1, len(node.children_by_field_name("name")))
        return tuple(found)

    def _named_type(self, parameters: tree_sitter.Node, one: Parameter, node: tree_sitter.Node) -> str:
        """Return the type of a parameter that a caller may name."""
        holder = node.parent if node.parent is not None else parameters
        written = written_type(holder)
        # `ref`, `out`, `in` and `this` of C#.
        words = (text_of(each) for each in holder.children if each.type == "modifier")
        text = " ".join((*words, self._text(written))) if written is not None else ""
        if one.kind is one.VAR_POSITIONAL:
            return f"...{text.removesuffix('[]')}"
        return text if one.default is one.empty else f"{text}{DEFAULT}"

    def _text(self, node: tree_sitter.Node, depth: int = 0) -> str:
        """Return a type in one spelling; as it is written if it is longer or deeper than real ones."""
        text = " ".join(self._written(node, depth).split())
        if len(text) > LONGEST_TYPE:
            return text
        text = _LIFETIME.sub("", self._generic.sub("_", text))
        return self._qualified.sub("", text) if self._row.has_public or self._row.separator != "." else text

    def _written(self, node: tree_sitter.Node, depth: int) -> str:
        """Return a type without the names of a function type's parameters."""
        if depth > DEEPEST_TYPE:
            return text_of(node)
        parameters = node.child_by_field_name("parameters") if node.type == "function_type" else None
        if parameters is not None and parameters.type == "parameter_list":
            result = node.child_by_field_name("result")
            given = "" if result is None else self._written(result, depth + 1)
            if result is not None and result.type == "parameter_list":
                given = f"({', '.join(self._types(result, depth + 1))})"
            return f"func({', '.join(self._types(parameters, depth + 1))}) {given}".rstrip()
        if node.type == "interface_type" and not node.named_child_count:
            return "any"
        found, at, whole = "", node.start_byte, node.text or b""
        for one in node.children:
            gap = whole[at - node.start_byte : one.start_byte - node.start_byte]
            found, at = found + gap.decode("utf-8", "replace") + self._written(one, depth + 1), one.end_byte
        return found + whole[at - node.start_byte :].decode("utf-8", "replace")


def still_fits(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    """Return whether every call that fitted parameters, as `takes` has them, fits others: in number, order and type."""
    (places, named), (new_places, new_named) = _by_kind(old), _by_kind(new)
    rest = next((one for one in new_places if one.startswith(_REST)), None)
    for at, one in enumerate(places):
        now = new_places[at] if at < len(new_places) else rest
        if now is None or (one.endswith(OPTIONAL) and not now.endswith(OPTIONAL) and not now.startswith(_REST)):
            return False
        if (one.startswith(_REST) and not now.startswith(_REST)) or not _takes_type(one, now):
            return False
    more = new_places[len(places) :]
    if not all(one.endswith(OPTIONAL) or one.startswith(_REST) for one in more):
        return False
    if not any(one.startswith(_KEYWORDS) for one in new_named) and named.keys() - new_named.keys():
        return False
    return all(is_optional or named.get(one) is False for one, is_optional in new_named.items())


def _by_kind(takes: tuple[str, ...]) -> tuple[list[str], dict[str, bool]]:
    """Return the parameters that a call fills by place, and those that it names with whether it may leave them out."""
    named = [one for one in takes if one.startswith(_KEYWORDS) or one.removesuffix(OPTIONAL).endswith(":")]
    by_name = {one.removesuffix(OPTIONAL): one.endswith(OPTIONAL) or one.startswith(_KEYWORDS) for one in named}
    return [one for one in takes if one not in named], by_name


def _takes_type(old: str, new: str) -> bool:
    """Return whether a parameter takes each type that it took: any where none is written."""
    before, now = ({*split_type(_bare(one), "|")} for one in (old, new))
    return not now - {"any", "mixed"} or bool(before - {"any", "mixed"} and before <= now)


def _bare(parameter: str) -> str:
    """Return the types of a parameter, `null` for the sign of one that may be it."""
    text = parameter.removesuffix(OPTIONAL).removeprefix(_REST)
    return f"{text[1:]}|null" if text.startswith("?") else text
