"""Flow of request text through a Python module."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from assay.validators.dangers.request_flow import Call, Flow, Function, Reads, Scope
from assay.validators.languages.python.names import last_name

PYTHON_PARTS = frozenset(
    "args form values json data cookies headers files get_json get_data query_params path_params GET POST COOKIES "
    "FILES body query_string query match_info rel_url stream path_info full_path".split()
)
"""Attributes of a request that hold text of its sender."""
_SAFE_FUNCTIONS = frozenset("int float bool UUID len quote isinstance".split())
"""Functions whose result the sender cannot choose."""
_MUTATORS = frozenset("append add extend insert update setdefault push put appendleft write".split())
_OTHER_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class PythonFlow:
    """Flow of one module, and the inputs of its dangerous expressions."""

    def __init__(self, tree: ast.Module, entered: Collection[str] = ()) -> None:
        self._scopes: dict[int, Scope] = {}
        self._parents: dict[int, ast.AST] = {}
        self._entered = frozenset(entered)
        self.flow = Flow()
        nodes = list(self._placed(tree))
        for node in nodes:
            self._note(node)
        self._nodes = nodes
        self.flow.solve(entered)

    def reaches(self, node: ast.AST) -> bool:
        """Return whether request text reaches a dangerous call, or a function that is passed on or renamed."""
        if isinstance(node, ast.Call) and self._holds(_given(node)):
            return True
        names = self.flow.renamed(set(self._bound(node)))
        if not names and not isinstance(node, ast.ImportFrom):
            return self._holds([self._outermost(node)]) if isinstance(node, ast.expr) else False
        if isinstance(node, ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        if names & self._entered:
            return True
        calls = (one for one in self._nodes if isinstance(one, ast.Call) and _mentions(one, names))
        return any(self._holds(_given(one)) for one in calls)

    def _placed(self, tree: ast.Module) -> Iterator[ast.AST]:
        """Yield every node, after recording scope and parent; defaults and decorators belong to the outer scope."""
        waiting: list[tuple[ast.AST, Scope]] = [(tree, Scope())]
        while waiting:
            node, scope = waiting.pop()
            self._scopes[id(node)] = scope
            yield node
            inner = Scope(scope) if isinstance(node, _OTHER_SCOPES) else scope
            if isinstance(node, _OTHER_SCOPES):
                self._define(node, inner)
            for name, value in ast.iter_fields(node):
                place = scope if name in ("decorator_list", "args", "returns") else inner
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, ast.AST):
                        self._parents[id(child)] = node
                        waiting.append((child, place))

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope) -> None:
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        every += [one for one in (node.args.vararg, node.args.kwarg) if one is not None]
        names = [one.arg for one in every]
        function = Function(scope, tuple(names[1:] if names[:1] in (["self"], ["cls"]) else names))
        if isinstance(node, ast.Lambda):
            for name in self._bound(node):
                self.flow.functions.setdefault(name, []).append(function)
        else:
            self.flow.functions.setdefault(node.name, []).append(function)

    def _note(self, node: ast.AST) -> None:
        """Record the flow of one node."""
        flow, scope = self.flow, self._scopes[id(node)]
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
            targets: list[ast.expr] = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value is not None:
                flow.bindings.append((scope, _targets(targets), self._reads(node.value)))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            flow.bindings.append((scope, _targets([node.target]), self._reads(node.iter)))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            flow.bindings.append((scope, _targets([node.optional_vars]), self._reads(node.context_expr)))
        elif isinstance(node, ast.Match):
            names = tuple(
                one.name for one in ast.walk(node) if isinstance(one, (ast.MatchAs, ast.MatchStar)) and one.name
            )
            flow.bindings.append((scope, names, self._reads(node.subject)))
        elif isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)) and node.value is not None:
            flow.returns.append((self._function_of(node), self._reads(node.value)))
        elif isinstance(node, ast.Lambda):
            flow.returns.extend((name, self._reads(node.body)) for name in self._bound(node))
        elif isinstance(node, ast.Call):
            self._note_call(node, scope)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outer = scope.parent or scope
            flow.bindings.extend((outer, (name,), Reads(scope, frozenset((name,)))) for name in node.names)

    def _note_call(self, node: ast.Call, scope: Scope) -> None:
        given: list[tuple[str | None, Reads]] = [(None, self._reads(one)) for one in node.args]
        given += [(keyword.arg, self._reads(keyword.value)) for keyword in node.keywords]
        self.flow.calls.append(Call(last_name(node.func), tuple(given)))
        for one in _given(node):
            if isinstance(one, ast.Lambda):
                names = tuple(argument.arg for argument in one.args.args)
                self.flow.bindings.extend((self._scopes[id(one.body)], names, reads) for _, reads in given)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
            names = _targets([node.func.value])
            self.flow.bindings.extend((scope, names, reads) for _, reads in given)

    def _function_of(self, node: ast.AST) -> str:
        while (parent := self._parents.get(id(node))) is not None:
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return parent.name
            node = parent
        return ""

    def _bound(self, node: ast.AST) -> Iterator[str]:
        """Yield the names an expression is bound to, directly or inside a container, a class or another binding."""
        inner = node
        while (parent := self._parents.get(id(inner))) is not None:
            if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
                yield from _targets(parent.targets if isinstance(parent, ast.Assign) else [parent.target])
            elif isinstance(parent, ast.ClassDef):
                yield parent.name
                return
            elif isinstance(parent, ast.arguments):
                yield from (one.arg for one in (*parent.posonlyargs, *parent.args, *parent.kwonlyargs))
                return
            elif isinstance(parent, (ast.Call, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return
            inner = parent

    def _outermost(self, node: ast.expr) -> ast.expr:
        found = node
        while isinstance(parent := self._parents.get(id(found)), (ast.expr, ast.keyword)):
            if isinstance(parent, ast.Lambda):
                break
            found = parent  # type: ignore[assignment]
        return found

    def _holds(self, given: list[ast.expr]) -> bool:
        return any(self.flow.holds(self._reads(one)) for one in given)

    def _reads(self, node: ast.AST) -> Reads:
        names: set[str] = set()
        carried: set[str] = set()
        calls: set[str] = set()
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if isinstance(one, ast.Call):
                if last_name(one.func) in _SAFE_FUNCTIONS:
                    continue
                if isinstance(one.func, ast.Name) or last_name(getattr(one.func, "value", one)) in ("self", "cls"):
                    calls.add(last_name(one.func))
            if isinstance(one, ast.Name):
                names.add(one.id)
            elif isinstance(one, ast.Attribute):
                names.add(f".{one.attr}")
                if one.attr in PYTHON_PARTS and last_name(one.value):
                    carried.add(last_name(one.value))
            if not isinstance(one, ast.Lambda):
                waiting.extend(ast.iter_child_nodes(one))
        scope = self._scopes.get(id(node)) or Scope()
        return Reads(scope, frozenset(names), frozenset(carried), frozenset(calls), last_name(node) or None)


def _given(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _mentions(node: ast.Call, names: set[str]) -> bool:
    """Return whether a call is to one of these names, or passes one on."""
    parts = (part for one in (node.func, *_given(node)) for part in ast.walk(one))
    return any(
        (part.id if isinstance(part, ast.Name) else f".{part.attr}" if isinstance(part, ast.Attribute) else "") in names
        for part in parts
    )


def _targets(targets: list[ast.expr]) -> tuple[str, ...]:
    """Return the names that targets set: for an attribute its name with a dot, for an element its container."""
    found: list[str] = []
    waiting = list(targets)
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Name):
            found.append(one.id)
        elif isinstance(one, ast.Attribute):
            found.append(f".{one.attr}")
        elif isinstance(one, (ast.Subscript, ast.Starred)):
            waiting.append(one.value)
        elif isinstance(one, (ast.Tuple, ast.List)):
            waiting.extend(one.elts)
    return tuple(found)
