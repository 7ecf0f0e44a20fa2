"""Python methods that break what their parent's method promises: more arguments, or no implementation."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import ChangedFile, ChangeSet, SourceTree, shown, text_at
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.symbol_graph import SymbolGraph
from assay.validators.languages.language import Origin
from assay.validators.languages.python.module_files import is_module
from assay.validators.languages.python.trees import parsed
from assay.validators.progress import Deadline
from assay.validators.quality.design.finding import design_finding
from assay.validators.report.model import Finding

_FREE = ("__init__", "__new__", "__init_subclass__", "__class_getitem__", "__call__", "__post_init__")
"""Methods whose arguments may differ from the parent's."""
_HARMLESS = ("staticmethod", "classmethod", "abstractmethod", "override", "final")
_Method = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Takes:
    """Arguments of a method, without `self`: required ones, the most by position, required keywords, and open ends."""

    num_required: int
    num_most: int
    required_keywords: frozenset[str]
    names: frozenset[str]
    is_open: bool


def files_with_overrides(change: ChangeSet) -> list[ChangedFile]:
    """Return the Python files in which the change touches what a method of a subclass takes, or takes away its body."""
    files = (file for file in change.existing(Nature.source) if is_module(file.path) and file.added)
    return [file for file in files if any(_may_break(file, node) for node in _inheriting(change.head, file.path))]


def _inheriting(tree: SourceTree, path: str) -> Iterator[_Method]:
    """Yield the methods of classes with parents."""
    module = parsed(text_at(tree, path))
    for one in module.body if module is not None else ():
        if isinstance(one, ast.ClassDef) and one.bases:
            yield from (node for node in one.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _may_break(file: ChangedFile, node: _Method) -> bool:
    takes_other = file.touches(node.lineno, node.body[0].lineno)
    return not _is_free(node.name) and (takes_other or (_only_raises(node) and _is_touched(file, node)))


def _is_free(name: str) -> bool:
    return name in _FREE or (name.startswith("_") and not name.startswith("__"))


def broken_overrides(
    change: ChangeSet, files: Sequence[ChangedFile], head: ImportGraph, deadline: Deadline
) -> Iterator[Finding]:
    """Yield overrides in these files that callers of the parent cannot call, or that only raise NotImplementedError."""
    paths = sorted(file.path for file in files if file.path in head.graph)
    tree = SymbolGraph(head, paths, deadline)
    tree.load(sorted({other for path in paths for other in head.imported_by(path)}))
    for file in files:
        yield from _of_file(change, file, tree)


def _is_touched(file: ChangedFile, node: _Method) -> bool:
    return file.touches(node.lineno, node.end_lineno or node.lineno)


def _of_file(change: ChangeSet, file: ChangedFile, tree: SymbolGraph) -> Iterator[Finding]:
    classes = _classes(change.head, file.path)
    before = _classes(change.base, file.base_path) if file.base_path is not None else {}
    for name, methods in classes.items():
        for parent in tree.values.bases(Origin(file.path, name))[0]:
            theirs = _classes(change.head, parent.file).get(parent.name, {})
            for method, node in methods.items():
                known = theirs.get(method)
                if known is None or not _is_touched(file, node):
                    continue
                why = _breaks(node, known)
                old = before.get(name, {}).get(method)
                if why is None or (old is not None and _breaks(old, known) is not None):
                    continue
                part, message = why
                if part == "not-implemented" and not _implements_others(methods, method):
                    continue
                place = f"{shown(parent.file)}:{known.lineno}"
                text = f"{name}.{method} {message} {parent.name}.{method} ({place})"
                yield design_finding(part, file.path, node.lineno, text, f"{name}.{method} {part}")


def _classes(tree: SourceTree, path: str) -> dict[str, dict[str, _Method]]:
    """Return class -> method -> its node, of the top level of a file; none for a broken file."""
    module = parsed(text_at(tree, path))
    if module is None:
        return {}
    return {
        one.name: {node.name: node for node in one.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        for one in module.body
        if isinstance(one, ast.ClassDef)
    }


def _breaks(own: _Method, parent: _Method) -> tuple[str, str] | None:
    """Return the part of the rule and what a method does against its parent's; None if nothing."""
    if _is_free(own.name) or _is_special(own, parent):
        return None
    ours, theirs = _takes(own), _takes(parent)
    missing = sorted(ours.required_keywords - theirs.names)
    if not theirs.is_open and (ours.num_required > theirs.num_most or missing):
        more = f"`{missing[0]}`" if missing else f"{ours.num_required} arguments"
        return "override", f"requires {more}, which callers do not give to"
    if _only_raises(own) and not _only_raises(parent) and not _is_empty(parent):
        return "not-implemented", "only raises NotImplementedError, although it inherits from"
    return None


def _is_special(own: _Method, parent: _Method) -> bool:
    """Return whether decorators decide what a method takes."""
    for node in (own, parent):
        for one in node.decorator_list:
            name = one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else ""
            if name not in _HARMLESS:
                return True
    return _kind(own) != _kind(parent)


def _kind(node: _Method) -> str:
    names = [one.id for one in node.decorator_list if isinstance(one, ast.Name)]
    return next((name for name in ("staticmethod", "classmethod") if name in names), "")


def _takes(node: _Method) -> _Takes:
    arguments = node.args
    by_position = [*arguments.posonlyargs, *arguments.args]
    bound = 0 if _kind(node) == "staticmethod" else 1
    num = max(0, len(by_position) - bound)
    keywords = [
        one.arg for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default is None
    ]
    names = frozenset(one.arg for one in (*by_position, *arguments.kwonlyargs))
    is_open = arguments.vararg is not None or arguments.kwarg is not None
    return _Takes(max(0, num - len(arguments.defaults)), num, frozenset(keywords), names, is_open)


def _body(node: _Method) -> list[ast.stmt]:
    """Return the statements without the docstring."""
    first, *rest = node.body
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return rest if is_docstring and isinstance(first, ast.Expr) else node.body


def _only_raises(node: _Method) -> bool:
    body = _body(node)
    if len(body) != 1 or not isinstance(body[0], ast.Raise) or body[0].exc is None:
        return False
    raised = body[0].exc.func if isinstance(body[0].exc, ast.Call) else body[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _is_empty(node: _Method) -> bool:
    body = _body(node)
    return not body or all(isinstance(one, ast.Pass) or _is_ellipsis(one) for one in body)


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def _implements_others(methods: dict[str, _Method], method: str) -> bool:
    others = [node for name, node in methods.items() if name != method and name not in _FREE]
    return any(not _only_raises(node) and not _is_empty(node) for node in others)
