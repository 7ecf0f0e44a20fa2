"""Dangerous constructs in JavaScript and TypeScript, found in the syntax tree whatever their layout and names are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from assay.validators.changes.language_table import bare_suffixes
from assay.validators.dangers.danger import (
    LOADED_AS_MARKUP,
    LONGEST_KEY,
    RUN_AS_CODE,
    RUN_BY_SHELL,
    RUNNING,
    UNVERIFIED,
    Danger,
)
from assay.validators.dangers.fetched_code import fetches_and_runs, plain
from assay.validators.dangers.script_flow import ScriptFlow
from assay.validators.dangers.script_nodes import arguments, bare, folded, is_short, property_of, text_of
from assay.validators.languages.engine.rows import script_row

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MOST_DANGERS = 500
"""Maximum constructs per file."""
SCRIPTS = bare_suffixes("javascript", "jsx", "typescript", "tsx")
_HINT = re.compile(
    r"eval|Function|runIn|Script|child_process|rejectUnauthorized|TLS_REJECT|HTML|document|constructor|globalThis|window|\\u"
    r"|[\"'`]\s*\+\s*[\"'`]"
)
_MODULE = frozenset(("child_process", "node:child_process"))
_SHELLS = frozenset(("exec", "execSync"))
_MACHINES = frozenset("runInNewContext runInThisContext runInContext compileFunction Script".split())
"""Functions of the module `vm` that run code."""
_GLOBALS = frozenset("globalThis window self global top parent frames".split())
_WRITERS = frozenset(("write", "writeln"))
_MARKUP = frozenset(("innerHTML", "outerHTML"))
_BINDINGS = frozenset(
    "import_specifier import_clause namespace_import required_parameter optional_parameter formal_parameters "
    "function_declaration class_declaration export_specifier catch_clause object_pattern array_pattern pair_pattern "
    "import_require_clause".split()
)
_NAMES = frozenset("identifier shorthand_property_identifier member_expression subscript_expression".split())
_ASKING = frozenset(("instanceof", "===", "!==", "==", "!="))


def script_dangers(source: str, entered: Collection[str] = (), *, suffix: str) -> tuple[list[Danger], Sequence[int]]:
    """Return the constructs of a module, and the lines that could not be parsed (1-based).

    `entered` are functions that other modules call with text from a request.
    """
    if _HINT.search(source) is None:
        return [], ()
    data = source.encode("utf-8", "surrogateescape")
    module = _ScriptConstructs(parser_of(suffix).parse(data).root_node, entered)
    found = islice(module.dangers(), MOST_DANGERS)
    return [module.danger(node, what, data) for node, what in found], module.unread


def parser_of(suffix: str) -> Parser:
    """Return the parser of scripts with this suffix."""
    return script_row(f"script.{suffix}").parser


class _ScriptConstructs:
    """Nodes of one file, and the names under which it calls the shell."""

    def __init__(self, root: Node, entered: Collection[str] = ()) -> None:
        self.entered = entered
        self.nodes, self.parents = _placed(root)
        self.modules: set[str] = {"child_process"}
        self.shells: set[str] = set()
        self.own: set[str] = set()
        self.uses_processes = False
        self.unread: list[int] = []
        for node in self.nodes:
            if node.type == "ERROR":
                self.unread.extend(range(node.start_point[0] + 1, node.end_point[0] + 2))
            elif node.type == "import_statement":
                self._import(node)
            elif node.type in ("function_declaration", "class_declaration"):
                self.own.add(text_of(node.child_by_field_name("name")))
        for _ in range(2):
            for node in self.nodes:
                if node.type == "variable_declarator":
                    self._declare(node)

    @cached_property
    def _flow(self) -> ScriptFlow:
        return ScriptFlow(self.nodes, self.parents, self.entered)

    def danger(self, node: Node, what: str, data: bytes) -> Danger:
        """Return the construct as a `Danger`."""
        is_fed = what in RUNNING and self._flow.reaches(node)
        text = data[node.start_byte : min(node.end_byte, node.start_byte + LONGEST_KEY)].decode("utf-8", "replace")
        key = f"{what}{' from a request' if is_fed else ''}: {' '.join(text.split())}"
        return Danger(node.start_point[0] + 1, what, key, is_fed)

    def _import(self, node: Node) -> None:
        source = next((child for child in node.children if child.type == "string"), None)
        clause = next((child for child in node.named_children if child.type.endswith("_clause")), None)
        if source is None and clause is not None:
            source = next((child for child in clause.children if child.type == "string"), None)
        is_processes = source is not None and folded(source) in _MODULE
        self.uses_processes |= is_processes
        for part in _walk(clause) if clause is not None else ():
            if part.type == "import_specifier":
                name = text_of(part.child_by_field_name("name"))
                local = text_of(part.child_by_field_name("alias")) or name
                self.own.add(local)
                if is_processes and name in _SHELLS:
                    self.shells.add(local)
                elif is_processes and name == "default":
                    self.modules.add(local)
            elif is_processes and part.type == "identifier" and self._kind_of_parent(part) != "import_specifier":
                self.modules.add(text_of(part))

    def _declare(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return
        if self._is_module(value):
            self.uses_processes = True
            if name.type == "identifier":
                self.modules.add(text_of(name))
            for part in name.named_children if name.type == "object_pattern" else ():
                key = part.child_by_field_name("key") or part
                local = part.child_by_field_name("value") or part
                if text_of(key) in _SHELLS:
                    self.shells.add(text_of(local))
        elif self._is_promised(value) and name.type == "identifier":
            self.shells.add(text_of(name))

    def _is_promised(self, node: Node) -> bool:
        """Return whether a value is `promisify(exec)`, which runs a shell when called later."""
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        is_promise = function is not None and text_of(function).rpartition(".")[2] == "promisify"
        return is_promise and any(self._kind(one) is RUN_BY_SHELL for one in arguments(node))

    def dangers(self) -> Iterator[tuple[Node, str]]:
        """Yield every construct with what it does, in source order."""
        called: set[int] = set()
        for node in self.nodes:
            if node.type in ("call_expression", "new_expression"):
                callee = bare(node.child_by_field_name("function") or node.child_by_field_name("constructor"))
                if callee is not None:
                    called.add(callee.id)
                if self._is_promised(node):
                    called.update(bare(one).id for one in arguments(node))  # type: ignore[union-attr]
        for node in self.nodes:
            what = self._of_node(node) or (self._of_reference(node) if node.id not in called else None)
            if what is not None:
                yield node, what

    def _of_node(self, node: Node) -> str | None:
        if node.type in ("call_expression", "new_expression"):
            return self._of_call(node)
        if node.type == "assignment_expression":
            return self._of_setting(
                property_of(bare(node.child_by_field_name("left"))), node.child_by_field_name("right")
            )
        if node.type == "augmented_assignment_expression":
            return self._of_setting(property_of(node.child_by_field_name("left")), node.child_by_field_name("right"))
        if node.type == "pair":
            return self._of_setting(_key(node.child_by_field_name("key")), node.child_by_field_name("value"))
        if node.type in ("property_identifier", "string_fragment", "identifier"):
            name = text_of(node)
            if name == "dangerouslySetInnerHTML" and self._kind_of_parent(node) != "property_signature":
                return LOADED_AS_MARKUP
            return UNVERIFIED if name == "NODE_TLS_REJECT_UNAUTHORIZED" else None
        return None

    def _of_setting(self, name: str | None, value: Node | None) -> str | None:
        if name is None or value is None:
            return None
        if name == "rejectUnauthorized":
            return UNVERIFIED if _is_off(value) else None
        if name in _MARKUP:
            return None if _is_fixed(value) else LOADED_AS_MARKUP
        is_shell = name == "shell" and self.uses_processes and (text_of(value) == "true" or value.type == "string")
        return RUN_BY_SHELL if is_shell else None

    def _of_call(self, node: Node) -> str | None:
        callee = bare(node.child_by_field_name("function") or node.child_by_field_name("constructor"))
        if callee is None:
            return None
        given = arguments(node)
        kind = self._kind(callee)
        if kind is not None:
            wanted = given if text_of(callee).endswith("Function") else given[:1]
            return None if all(_is_fixed(one) for one in wanted) else kind
        name, holder = property_of(callee), bare(callee.child_by_field_name("object"))
        if name == "constructor" and property_of(holder) == "constructor":
            return RUN_AS_CODE
        if name in _WRITERS and holder is not None and text_of(holder).rpartition(".")[2] == "document":
            return LOADED_AS_MARKUP
        if name == "insertAdjacentHTML" and not all(_is_fixed(one) for one in given):
            return LOADED_AS_MARKUP
        if name not in _SHELLS or all(_is_fixed(one) for one in given[:1]):
            return None
        return RUN_BY_SHELL if self._is_callback(holder) else None

    def _is_callback(self, holder: Node | None) -> bool:
        """Return whether a name is the parameter of a function given to `import("child_process").then`."""
        node = holder
        while node is not None and holder is not None and holder.type == "identifier":
            if node.type == "call_expression":
                function = node.child_by_field_name("function")
                if function is not None and property_of(function) == "then":
                    return self._is_module(bare(function.child_by_field_name("object")))
            node = self.parents.get(node.id)
        return False

    def _of_reference(self, node: Node) -> str | None:
        """Return what a dangerous function does that is passed on: its call is elsewhere."""
        if node.type not in _NAMES or (kind := self._kind(node)) is None:
            return None
        parent = self.parents.get(node.id)
        if parent is None or parent.type in _BINDINGS or parent.type == "unary_expression":
            return None
        if parent.type == "variable_declarator" and parent.child_by_field_name("name") == node:
            return None
        if parent.type == "binary_expression" and any(child.type in _ASKING for child in parent.children):
            return None
        if not text_of(node).endswith("Function"):
            return kind
        # `Function` alone is usually the name of a type.
        if parent.type == "member_expression":
            return kind if property_of(parent) in ("call", "apply", "bind") else None
        owner = self.parents.get(parent.id) if parent.type == "arguments" else None
        is_reflect = owner is not None and text_of(owner.child_by_field_name("function")).startswith("Reflect.")
        return kind if is_reflect or parent.type == "variable_declarator" else None

    def _kind_of_parent(self, node: Node) -> str:
        parent = self.parents.get(node.id)
        return parent.type if parent is not None else ""

    def _kind(self, node: Node | None) -> str | None:
        """Return what an expression does when called."""
        node = bare(node)
        if node is None:
            return None
        if node.type in ("identifier", "shorthand_property_identifier"):
            name = text_of(node)
            if name == "eval" or (name == "Function" and name not in self.own):
                return RUN_AS_CODE
            return RUN_BY_SHELL if name in self.shells else None
        member, holder = property_of(node), bare(node.child_by_field_name("object"))
        if member in _SHELLS and self._is_module(holder):
            return RUN_BY_SHELL
        if member in _MACHINES and text_of(holder) == "vm":
            return RUN_AS_CODE
        is_global = member in ("eval", "Function") and holder is not None and text_of(holder) in _GLOBALS
        return RUN_AS_CODE if is_global else None

    def _is_module(self, node: Node | None) -> bool:
        """Return whether an expression is the module that starts processes."""
        node = bare(node)
        if node is None:
            return False
        if node.type == "identifier":
            return text_of(node) in self.modules
        if node.type == "call_expression":
            function, given = node.child_by_field_name("function"), arguments(node)
            name = text_of(function).rpartition(".")[2]
            return name in ("require", "import") and bool(given) and folded(given[0]) in _MODULE
        return property_of(node) == "child_process" or (
            property_of(node) == "default" and is_short(node) and self._is_module(node.child_by_field_name("object"))
        )


def walked(source: str, suffix: str) -> tuple[list[Node], dict[int, Node]]:
    """Return a script's nodes, parents first, and the parent of each by its id."""
    return _placed(parser_of(suffix).parse(source.encode("utf-8", "surrogateescape")).root_node)


def _placed(root: Node) -> tuple[list[Node], dict[int, Node]]:
    nodes = list(_walk(root))
    # tree-sitter's `parent` takes time proportional to the parent's width.
    return nodes, {child.id: node for node in nodes for child in node.children}


def _walk(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _key(node: Node | None) -> str | None:
    if node is not None and node.type == "computed_property_name":
        return folded(node.named_children[0]) if node.named_children else None
    return folded(node) if node is not None and node.type == "string" else text_of(node)


def _is_fixed(node: Node) -> bool:
    """Return whether an expression consists of literals, joined by `+` at any length, and fetches no code."""
    waiting: list[Node | None] = [node]
    texts: list[str] = []
    while waiting:
        one = bare(waiting.pop())
        if one is None:
            return False
        text = folded(one)
        if text is not None:
            texts.append(text)
        elif one.type == "binary_expression" and any(child.type == "+" for child in one.children):
            waiting += [one.child_by_field_name("right"), one.child_by_field_name("left")]
        elif one.type not in ("number", "null", "undefined", "true", "false"):
            return False
    return not fetches_and_runs(plain("".join(texts)))


def _is_off(node: Node) -> bool:
    return "".join(text_of(bare(node)).split()) in ("false", "0", "!1", "!true", "null", "Boolean(0)", "Boolean(false)")
