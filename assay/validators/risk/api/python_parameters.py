"""Parameters that left a function's signature, and that the function still takes from its `**kwargs`."""

from __future__ import annotations

import ast
import textwrap

import griffe

from assay.validators.languages.python.trees import nodes, parsed

_BY_POSITION = frozenset({griffe.ParameterKind.positional_only, griffe.ParameterKind.positional_or_keyword})


def breaks_positions_only(breakage: griffe.Breakage, base: griffe.Module) -> bool:
    """Return whether only callers that pass a deprecated parameter, or one after it, by position break.

    The parameter left the signature, and its name is still accepted.
    """
    old = _in(base, breakage.obj.path)
    new = breakage.obj
    if not isinstance(old, griffe.Function) or not isinstance(new, griffe.Function):
        return False
    kept = _taken_from_keywords(new) & {one.name for one in old.parameters}
    if breakage.kind is griffe.BreakageKind.PARAMETER_REMOVED:
        return breakage.old_value.name in kept
    if breakage.kind is griffe.BreakageKind.PARAMETER_MOVED:
        return bool(kept) and _positions(old, kept) == _positions(new, frozenset())[: len(_positions(old, kept))]
    return False


def is_another_name(breakage: griffe.Breakage, base: griffe.Module) -> bool:
    """Return whether parameters that callers cannot name, as `a` in `def f(a, /)`, have only other names."""
    old, new, given = _in(base, breakage.obj.path), breakage.obj, breakage.old_value or breakage.new_value
    is_by_place = isinstance(given, griffe.Parameter) and given.kind is griffe.ParameterKind.positional_only
    if not is_by_place or not isinstance(old, griffe.Function) or not isinstance(new, griffe.Function):
        return False
    before, after = ([(one.kind, one.required) for one in each.parameters] for each in (old, new))
    return before == after


def _in(module: griffe.Module, path: str) -> object:
    try:
        return module[path.partition(".")[2]]
    except (KeyError, griffe.GriffeError):
        return None


def _positions(function: griffe.Function, without: frozenset[str]) -> list[str]:
    return [one.name for one in function.parameters if one.kind in _BY_POSITION and one.name not in without]


def _taken_from_keywords(function: griffe.Function) -> frozenset[str]:
    """Return the names that the body gives as text, if the function takes `**kwargs`, without its parameters."""
    if not any(one.kind is griffe.ParameterKind.var_keyword for one in function.parameters):
        return frozenset()
    tree = parsed(textwrap.dedent(function.source))
    texts = (node.value for node in nodes(tree) if isinstance(node, ast.Constant)) if tree is not None else ()
    return frozenset(text for text in texts if isinstance(text, str)) - {one.name for one in function.parameters}
