"""Values that code puts into SQL or markup, and expressions whose text is fixed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from assay.validators.dangers.syntax import (
    CALLS,
    FUNCTIONS,
    Tree,
    Value,
    arguments,
    callee_of,
    holder_of,
    inner,
    last_name,
    names_in,
    parts_of,
    setting_of,
    text_of,
    value_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_DEPTH = 20
"""Maximum assignments and parts that are followed from a value."""
MOST_SEARCHED = 4000
"""Maximum characters of a text that are searched before a value."""
HAS_SQL = re.compile(r"(?i)\b(?:select|insert\s+into|update|delete\s+from|where\w*)\b")
RUNS_SQL = re.compile(
    r"(?i)(?:exec|quer|raw|sql|prepar|fetch|text|statement|command|where|select|find_by|cursor)\w{0,30}(?:[!(]|\s=)"
)
"""A call that may run SQL, or a name for it."""
_SQL = re.compile(
    r"\s*(?:select\b.*\bfrom|insert\s+into|update\b.*\bset|delete\s+from|with\b.*\bselect)\b", re.IGNORECASE | re.DOTALL
)
_VALUE = re.compile(r"(?:=|<|>|\blike|\bin|\bvalues|\bbetween)\s*\(?\s*(['\"%]*)$", re.IGNORECASE)
"""Text before a value; its group is the quote or wildcard that opens it."""
_SELECT = re.compile(r"\s*\(?\s*(?:select|with)\b", re.IGNORECASE)
_SQL_NAMES = re.compile(
    r"(?i:.*(?:placeholder|parameters|mark|bind|sql|clause|column|table|subquery|primary_?key|foreign_?key|alias|schema).*)"
)
"""Names of what is SQL itself, where no quote surrounds it."""
SAFE = re.compile(
    r"[A-Z_\d]+|int|len|join|float|Number|parseInt|parseFloat|Integer|to_i|to_f|intval|count|size|length"
    r"|(?i:.*(?:quote|escape|sanitize|purif|html_?encode|url_?encode|encodeURI|htmlspecialchars|htmlentities).*)"
)
"""Names of constants, and of functions whose result the sender cannot choose."""
_WRAPS = frozenset("str String to_s toString valueOf ToString string to_string".split())
_NUMBERS = (
    r"(?:unsigned|[iI]nt|[lL]ong|short|byte|float|double|decimal|[bB]ool(?:ean)?|number"
    r"|u?int\d+|[iu]\d+|usize|Guid|UUID)"
)
_OF_NUMBERS = (
    re.compile(rf"\b{_NUMBERS}\??\s{{1,9}}\$?(\w+)"),
    re.compile(rf"\b(\w+)\s{{0,9}}:?\s{{1,9}}\*?{_NUMBERS}\b"),
)
"""A name after a type of numbers, or before one."""
_ASKED = re.compile(
    r"(?:\w+\.)?request\.(?:args|form|values|GET|POST|query_params|cookies)(?:\.get\([^()]*\)|\[[^\[\]]*\])"
    r"|\$_(?:GET|POST|REQUEST|COOKIE)\[[^\[\]]*\]|params\[[^\[\]]*\]"
)


class Values:
    """What the names of a module are set to."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[tuple[object, ...], bool] = {}
        """Answers, each false until it is found: what depends on itself is neither fixed nor safe."""

    def is_fixed(self, node: Node, safe: re.Pattern[str] | None = None, depth: int = 0) -> bool:
        """Return whether an expression is only fixed text, or what functions of a `safe` name return."""
        key = (node.id, safe)
        if depth < MOST_DEPTH and key not in self._known:
            self._known[key] = False
            parts = parts_of(node)
            self._known[key] = all(isinstance(one, str) or self._is_fixed_value(one, safe, depth) for one in parts)
        return self._known.get(key, False)

    def _is_fixed_value(self, value: Value, safe: re.Pattern[str] | None, depth: int) -> bool:
        if value.is_name:
            given = self._given(value)
            return bool(given) and all(one is not None and self.is_fixed(one, safe, depth + 1) for one in given)
        if value.at.type in ("conditional_expression", "ternary_expression", "conditional"):
            branches = inner(value.at)
            branches = branches[::2] if self._tree.is_python else branches[1:]
            return all(self.is_fixed(one, safe, depth + 1) for one in branches)
        return safe is not None and value.at.type in CALLS and safe.fullmatch(value.name) is not None

    def in_sql(self, parts: Sequence[str | Value], *, is_clause: bool = False) -> bool:
        """Return whether an unsafe value stands where SQL has one; `is_clause`: what takes the text makes it SQL."""
        begun = ""
        for part in parts:
            if not isinstance(part, str):
                is_sql = is_clause or _SQL.match(begun[:MOST_SEARCHED])
                value = _VALUE.search(begun[-100:]) if is_sql else None
                if value and not self._is_safe(part, value[1]):
                    return True
            begun += part if isinstance(part, str) else "?"
        return False

    def is_reflected(self, parts: Sequence[str | Value]) -> bool:
        """Return whether a text of markup holds request text."""
        values = [part for part in parts if isinstance(part, Value)]
        return any("<" in part for part in parts if isinstance(part, str)) and any(
            _is_asked(value.at) or any(map(_is_asked, self._given(value))) for value in values
        )

    def _is_safe(self, value: Value, quotes: str, depth: int = 0) -> bool:
        """Return whether a value in SQL is fixed, a number, or by its name SQL or quoted already."""
        key = (value.at.id, value.name, quotes, depth > 0)
        if key not in self._known:
            self._known[key] = False
            self._known[key] = self._is_found_safe(value, quotes, depth)
        return self._known[key]

    def _is_found_safe(self, value: Value, quotes: str, depth: int) -> bool:
        given = self._given(value)
        is_sql = not quotes and _SQL_NAMES.fullmatch(value.name) is not None and not any(map(_is_asked, given))
        if is_sql or SAFE.fullmatch(value.name) or depth > MOST_DEPTH:
            return depth <= MOST_DEPTH
        if value.is_name:
            is_known = bool(given) and None not in given
            is_number = value.name.lstrip("$") in self._numbers
            return is_number or (is_known and self._all_safe(given, quotes, depth))
        node = value.at
        if node.type in CALLS and value.name in _WRAPS:
            return self._all_safe(arguments(node) or [holder_of(callee_of(node))], quotes, depth)
        if node.type in ("conditional_expression", "ternary_expression", "conditional"):
            branches = inner(node)
            return self._all_safe(branches[::2] if self._tree.is_python else branches[1:], quotes, depth)
        if node.type in ("generator_expression", "list_comprehension"):
            return self._all_safe([node.child_by_field_name("body")], quotes, depth)
        if node.type == "cast_expression" and re.match(_NUMBERS, text_of(node.child_by_field_name("type"))):
            return True
        if node.type in ("element_reference", "subscript", "subscript_expression") and inner(node):
            given = self._given(value_of(inner(node)[0]))
            return bool(given) and all(one is not None and SAFE.fullmatch(last_name(one)) for one in given)
        if node.type in CALLS or holder_of(node) is not None or "element" in node.type:
            return False
        # What a value is computed of by itself does not count.
        return (
            self._all_safe(inner(node)[:1] if "binary" in node.type else inner(node), quotes, depth) if depth else True
        )

    def _all_safe(self, nodes: Sequence[Node | None], quotes: str, depth: int) -> bool:
        for node in nodes:
            parts = parts_of(node)
            is_query = bool(parts) and isinstance(parts[0], str) and _SELECT.match(parts[0])
            if node is None or not (
                is_query or all(isinstance(part, str) or self._is_safe(part, quotes, depth + 1) for part in parts)
            ):
                return False
        return True

    def _given(self, value: Value) -> Sequence[Node | None]:
        """Return what a name is set to in the innermost function that sets it; None for parameters and loops."""
        known = self._settings.get(value.name, {}) if value.is_name else {}
        around = (one for one in (value.at, *self._tree.around(value.at)) if one.id in known) if known else ()
        return known[scope.id] if (scope := next(iter(around), None)) is not None else ()

    @cached_property
    def _numbers(self) -> set[str]:
        """Names at which a type of numbers is written somewhere."""
        root = self._tree.root
        text = (root.text or b"").decode("utf-8", "replace") if root is not None else ""
        return {name for pattern in _OF_NUMBERS for name in pattern.findall(text)}

    @cached_property
    def _settings(self) -> dict[str, dict[int, list[Node | None]]]:
        """Name -> function that sets it -> what it is set to."""
        found: dict[str, dict[int, list[Node | None]]] = {}
        for node in self._tree.nodes:
            setting = setting_of(node)
            if setting is not None and "for" not in node.type:
                names, value = names_in(setting[0]), _alone(setting[1])
            elif setting is not None or "parameter" in node.type:
                names, value = names_in(setting[0] if setting is not None else node), None
            else:
                continue
            scope = next((one for one in self._tree.around(node) if one.type in FUNCTIONS), self._tree.nodes[0])
            for name in names:
                found.setdefault(name, {}).setdefault(scope.id, []).append(value if len(names) == 1 else None)
        return found


def _alone(node: Node) -> Node:
    return node.named_children[0] if node.type == "expression_list" and node.named_child_count == 1 else node


def _is_asked(node: Node | None) -> bool:
    return node is not None and _ASKED.fullmatch(text_of(node)) is not None
