"""Symbols of a Python file and what their code mentions, for the symbol graph.

Receivers are followed as far as the text shows them: `self`, annotations, `x = C()`, `with`, loops, attributes set on
`self`. The rest is an unknown receiver. A file that does not parse is read line by line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from assay.validators.languages.fact_writer import UNKNOWN, FactWriter, last_name
from assay.validators.languages.language import Facts
from assay.validators.languages.python.definitions import definitions
from assay.validators.languages.python.mentions import FUNCTIONS, FunctionDef, MentionReader, Scope, dotted
from assay.validators.languages.python.names import assigned_names, inner_statements
from assay.validators.languages.python.trees import parsed

_CHAIN = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,8}|\.[A-Za-z_]\w*")
_ROUTES = frozenset("route get post put delete patch head options websocket api_route".split())
_COMMANDS = frozenset(("command", "group"))


def facts(content: bytes, path: str) -> Facts:
    """Return the facts of a Python file."""
    tree = parsed(content)
    if tree is None:
        return _of_broken(content.decode("utf-8", "replace"), path)
    reader = _Reader(_renamed(tree))
    try:
        reader.module(tree)
    except RecursionError:
        return _of_broken(content.decode("utf-8", "replace"), path)
    return reader.writer.facts()


def _of_broken(source: str, path: str) -> Facts:
    """Return the names in each apparent definition of a file that does not parse."""
    writer = FactWriter()
    lines = source.split("\n")
    users = [writer.symbol("", "module")] * len(lines)
    for one in definitions(path, source):
        if one.kind != "import":
            user = writer.symbol(one.name, _kind_of(one.name, one.kind, frozenset()))
            users[one.line - 1 : one.end_line] = [user] * (one.end_line - one.line + 1)
    for line, user in zip(lines, users, strict=False):
        for chain in _CHAIN.findall(line):
            if chain.startswith((".", "self.", "cls.")):
                writer.mention(f"{UNKNOWN}>{last_name(chain)}", [user])
            else:
                writer.mention(f".{chain}", [user])
                writer.mention(f"(){chain}", [user])
    return writer.facts()


def _renamed(tree: ast.Module) -> dict[str, str]:
    """Return local name -> name in the other file, of names imported under another name."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found.update({alias.asname: alias.name for alias in node.names if alias.asname})
    return found


def _kind_of(name: str, kind: str, decorators: frozenset[str]) -> str:
    if kind == "class":
        return kind
    if "fixture" in decorators:
        return "fixture"
    return "test" if name.rpartition(".")[2].startswith("test") and kind in ("function", "method") else kind


class _Reader(MentionReader):
    """Reader of the definitions of one file."""

    def module(self, tree: ast.Module) -> None:
        """Read the statements of the module's scope."""
        self._block(tree.body, {})

    def _block(self, body: Iterable[ast.stmt], scope: Scope) -> None:
        """Read module-level statements, those inside `if`, `try` and the like too."""
        for node in body:
            if isinstance(node, FUNCTIONS):
                self._function_symbol(node, "")
            elif isinstance(node, ast.ClassDef):
                self._class_symbol(node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)) or _is_script_part(node):
                continue
            elif names := list(assigned_names(node)):
                self._constants(node, names)
            else:
                for part in ast.iter_child_nodes(node):
                    if isinstance(part, ast.expr):
                        self.value(part, scope)
                self._block(inner_statements(node), scope)

    def _constants(self, node: ast.stmt, names: list[str]) -> None:
        value = getattr(node, "value", None) or getattr(node, "iter", None)
        users = [self.writer.symbol(name, "constant") for name in names]
        with_top = [*users, self.top]
        given = self.within(with_top, value) if value is not None else UNKNOWN
        if isinstance(node, ast.AnnAssign):
            given = self.annotated(node.annotation, users) or given
        for name, user in zip(names, users, strict=True):
            self.writer.describe(user, gives=given)
            if name == "pytestmark" and value is not None:
                self._used_fixtures([value], [self.top])
        self._block(inner_statements(node), {})

    def _class_symbol(self, node: ast.ClassDef) -> None:
        user = self.writer.symbol(node.name, "class")
        users = [user, self.top]
        bases = [self._parent(users, base) for base in node.bases]
        bases += [self.within(users, keyword.value) for keyword in node.keywords]
        for decorator in node.decorator_list:
            self.within(users, decorator)
        self._used_fixtures(node.decorator_list, [user])
        self.writer.describe(user, bases=[base for base in bases if base.startswith((".", "=")) or "()" in base])
        outer, self.owner = self.owner, node.name
        left = list(reversed(node.body))
        while left:
            inner = left.pop()
            if isinstance(inner, FUNCTIONS):
                self._function_symbol(inner, f"{node.name}.")
            elif parts := inner_statements(inner):
                left += reversed(parts)
            else:
                self._class_statement(inner, users)
        self.owner = outer

    def _parent(self, users: list[int], base: ast.expr) -> str:
        """Return the value expression of a parent class; of `Base[T]` that of `Base`."""
        if isinstance(base, ast.Subscript):
            self.within(users, base.slice)
            return self._parent(users, base.value)
        return self.within(users, base)

    def _class_statement(self, node: ast.stmt, users: list[int]) -> None:
        names = list(assigned_names(node))
        value = getattr(node, "value", None)
        given = self.within(users, value) if isinstance(value, ast.expr) else UNKNOWN
        if isinstance(node, ast.AnnAssign):
            given = self.annotated(node.annotation, users[:1]) or given
        for name in names:
            self.writer.describe(self.writer.symbol(f"{self.owner}.{name}", "attribute"), gives=given)
        if not names or not isinstance(value, ast.expr):
            before, self.users = self.users, users
            self.statement(node, {})
            self.users = before

    def _function_symbol(self, node: FunctionDef, holder: str) -> None:
        names = frozenset(filter(None, map(_decorator_name, node.decorator_list)))
        kind = _kind_of(node.name, "method" if holder else "function", names)
        user = self.writer.symbol(holder + node.name, kind)
        at_import = [user, self.top]
        for decorator in node.decorator_list:
            self.within(at_import, decorator)
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.within(at_import, default)
        self._used_fixtures(node.decorator_list, [user])
        before, self.users = self.users, [user]
        gives = self.body(node, self.parameters(node, kind, names))
        self.users = before
        entry = _fixture_name(node) if kind == "fixture" else _entry(node)
        self.writer.describe(user, gives=gives, entry=entry)
        if kind == "fixture" and _is_autouse(node):
            self.writer.mention(".pytest_autouse", [user])

    def _used_fixtures(self, nodes: Iterable[ast.expr], users: list[int]) -> None:
        """Record the fixtures that `usefixtures("name")` names."""
        for node in nodes:
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and last_name(dotted(call.func)) == "usefixtures":
                    for one in call.args:
                        if isinstance(one, ast.Constant) and isinstance(one.value, str):
                            self.writer.mention(f"@{one.value}", users)


def _decorator_name(node: ast.expr) -> str:
    return last_name(dotted(node.func if isinstance(node, ast.Call) else node))


def _is_script_part(node: ast.stmt) -> bool:
    test = node.test if isinstance(node, ast.If) else None
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    return any(
        isinstance(part, ast.Compare) and isinstance(part.left, ast.Name) and part.left.id == "__name__"
        for part in parts
    )


def _fixture_name(node: FunctionDef) -> str:
    for call in node.decorator_list:
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)[:100]
    return node.name


def _is_autouse(node: FunctionDef) -> bool:
    keywords = [keyword for call in node.decorator_list if isinstance(call, ast.Call) for keyword in call.keywords]
    return any(
        keyword.arg == "autouse" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in keywords
    )


def _entry(node: FunctionDef) -> str:
    """Return the route or command that a decorator registers the function for."""
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        function = call.func if call is not None else decorator
        if not isinstance(function, ast.Attribute):
            continue
        first = call.args[0] if call is not None and call.args else None
        text = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
        if function.attr in _ROUTES and text.startswith("/"):
            verb = "" if function.attr in ("route", "api_route") else f"{function.attr.upper()} "
            return f"route {verb}{text[:100]}"
        if function.attr in _COMMANDS:
            return f"command {text[:100] or node.name.replace('_', '-')}"
    return ""
