"""Filter and wording of griffe's breakages: those that break users of a package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import griffe

_KINDS = griffe.BreakageKind
_BREAKING = (
    *(_KINDS.PARAMETER_MOVED, _KINDS.PARAMETER_REMOVED, _KINDS.PARAMETER_CHANGED_KIND),
    *(_KINDS.PARAMETER_CHANGED_REQUIRED, _KINDS.PARAMETER_ADDED_REQUIRED),
)
"""Kinds of changes that break callers in any case."""
_WORDS = {
    _KINDS.PARAMETER_MOVED: "parameter {} moved",
    _KINDS.PARAMETER_REMOVED: "parameter {} removed",
    _KINDS.PARAMETER_CHANGED_KIND: "parameter {} is passed another way",
    _KINDS.PARAMETER_CHANGED_DEFAULT: "parameter {} has another default",
    _KINDS.PARAMETER_CHANGED_REQUIRED: "parameter {} is required now",
    _KINDS.PARAMETER_ADDED_REQUIRED: "new required parameter {}",
    _KINDS.RETURN_CHANGED_TYPE: "returns another type",
    _KINDS.OBJECT_REMOVED: "removed",
    _KINDS.CLASS_REMOVED_BASE: "lost a base class",
}
_MARKER_BASES = frozenset("object Generic Protocol ABC NamedTuple TypedDict".split())
_CALLED_DUNDERS = frozenset("__call__ __enter__ __aenter__ __iter__ __aiter__ __getitem__ __len__ __contains__".split())
_INTERNAL_VALUES = tuple("logging.getLogger getLogger TypeVar typing.TypeVar t.TypeVar ParamSpec re.compile".split())
"""Module-level names bound to these are private, whatever their name."""
_CALLERS = frozenset(
    "command group callback route get post put patch delete head options websocket fixture task shared_task "
    "listens_for hookimpl".split()
)
"""Decorators that register a function with a framework, which calls it by known argument names."""
_RECEIVERS = frozenset("self cls mcs klass".split())
_COLLECTING = frozenset({griffe.ParameterKind.var_positional, griffe.ParameterKind.var_keyword})
_GIVES_CONSTRUCTOR = re.compile(r"\battrs?\b|\b(?:define|frozen|mutable|NamedTuple|TypedDict|BaseModel|Struct)\b")
OTHER_TYPE, OTHER_FORM = "has another type", "has another form"
"""Ends of descriptions of changes that may break users. The form: decorators, overloads, fields of a constructor."""
_CONTAINER_NAMES = frozenset(name for kind in (dict, list, str, Exception) for name in dir(kind))


def is_worth_telling(breakage: griffe.Breakage) -> bool:
    """Return whether users may depend on it: not on loggers, nor on signatures only a framework calls."""
    owner: Any = breakage.obj
    if owner.is_alias:
        return not getattr(owner, "wildcard", None)
    if breakage.kind.name.startswith("PARAMETER_"):
        return not (owner.is_function and (_is_called_by_framework(owner) or _is_only_renamed(breakage)))
    return not (breakage.kind is _KINDS.OBJECT_REMOVED and owner.is_attribute and _is_working_space(owner))


def breaks(breakage: griffe.Breakage) -> bool:
    """Return whether callers break; an alias at the old place, a marker base or a convenience does not count."""
    if breakage.kind is _KINDS.OBJECT_CHANGED_KIND:
        was, now = str(breakage.old_value.value), str(breakage.new_value.value)
        return now != "attribute" and (was, now) != ("function", "class")
    if breakage.kind is _KINDS.CLASS_REMOVED_BASE:
        gone = {_last(base) for base in breakage.old_value} - {_last(base) for base in breakage.new_value}
        return bool(gone - _MARKER_BASES - _ancestors(breakage.obj))
    if breakage.kind is _KINDS.OBJECT_REMOVED:
        return _is_missed(defined(breakage.obj))
    return breakage.kind in _BREAKING


def in_words(breakage: griffe.Breakage, *, is_deprecated: bool = False) -> str:
    """Return a description without the object's name; a deprecated parameter is still taken from `**kwargs`."""
    if breakage.kind is _KINDS.OBJECT_CHANGED_KIND:
        return f"was {breakage.old_value.value}, is {breakage.new_value.value}"
    name = getattr(breakage.old_value or breakage.new_value, "name", "")
    if is_deprecated and breakage.kind is _KINDS.PARAMETER_REMOVED:
        return f"parameter {name} is passed by keyword only"
    return _WORDS.get(breakage.kind, str(breakage.kind.value)).format(name)


def compatible(old: Any, new: Any) -> Iterator[str]:
    """Yield what else differs between two definitions of a name: what breaks no call, or is not compared."""
    if old.kind is not new.kind or (new.is_function and _is_called_by_framework(new)):
        return
    if _form(old) != _form(new):
        yield OTHER_FORM
    if (new.is_attribute or new.is_function) and _spelled(old) != _spelled(new):  # of a function: what it returns
        yield OTHER_TYPE if new.is_attribute else f"result {OTHER_TYPE}"
    before = {_key(one): one for one in old.parameters} if old.is_function else {}
    for one in new.parameters if new.is_function else ():
        if (was := before.get(_key(one))) is not None:
            yield from [f"parameter {one.name} {OTHER_TYPE}"] if _spelled(was) != _spelled(one) else []
        elif not one.required:
            yield f"new parameter {one.name}"


def _form(owner: Any) -> list[str]:
    marks = [str(each.value) for each in getattr(owner, "decorators", ())]
    if owner.is_class:
        has_fields = _GIVES_CONSTRUCTOR.search(" ".join([*marks, *map(str, owner.bases)]))
        fields = owner.attributes.values() if has_fields else ()
        return [*marks, *(f"{one.name}: {_spelled(one)} = {one.value}" for one in fields)]
    if not owner.is_function:
        return marks
    overloads = (str([_spelled(one) for one in each.parameters]) for each in owner.overloads or ())
    return [*marks, *sorted(owner.labels), *overloads]


def _key(parameter: griffe.Parameter) -> object:
    """Return its name, or the kind of `*args` and `**kwargs`, whose names callers cannot use."""
    return parameter.kind if parameter.kind in _COLLECTING else parameter.name


def _spelled(owner: Any) -> str:
    """Return an annotation in one spelling: `Optional[List[int]]` and `list[int] | None` are equal."""
    text = re.sub(r"[\"'\s]|\b(?:typing|t|abc|collections\.abc)\.", "", str(owner.annotation or ""))
    return re.sub(r"^Optional\[(.*)\]$", r"\1|None", text).lower()


def _is_missed(owner: Any) -> bool:
    """Return whether a removed name has no substitute: `object` has most dunders, an external base may have others."""
    is_method = not owner.is_alias and owner.parent is not None and bool(owner.parent.is_class)
    has_outer_base = is_method and len(owner.parent.resolved_bases) < len(owner.parent.bases)
    if owner.name.startswith("__") and owner.name.endswith("__"):
        return owner.name in _CALLED_DUNDERS and not has_outer_base
    return not (has_outer_base and owner.name in _CONTAINER_NAMES)


def defined(owner: Any) -> Any:
    """Return the object itself behind an inheritance or re-export, as far as it is known."""
    try:
        return owner.final_target if owner.is_alias else owner
    except (griffe.AliasResolutionError, griffe.CyclicAliasError):
        return owner


def _ancestors(owner: Any) -> set[str]:
    try:
        return {base.name for base in owner.mro()}
    except Exception:  # noqa: BLE001 - griffe raises ValueError and its own errors for hierarchies it cannot order
        return set()


def _last(base: Any) -> str:
    return str(base).partition("[")[0].rpartition(".")[2]


def _is_working_space(owner: Any) -> bool:
    """Return whether a module-level name is rarely imported: a logger, a type variable, a lower-case variable.

    In a module with `__all__`, listed names count as imported; so does another name of a definition.
    """
    if owner.name in {"logger", "log", "TYPE_CHECKING"} or str(owner.value or "").startswith(_INTERNAL_VALUES):
        return True
    is_other_name = str(owner.value) in owner.parent.members
    return bool(owner.parent.is_module and owner.name.islower() and owner.parent.exports is None and not is_other_name)


def _is_only_renamed(breakage: griffe.Breakage) -> bool:
    """Return whether a parameter that callers cannot name was renamed: `self` and `cls`, `*args`, `**kwargs`."""
    parameter: Any = breakage.old_value if isinstance(breakage.old_value, griffe.Parameter) else breakage.new_value
    owner: Any = breakage.obj
    if not isinstance(parameter, griffe.Parameter):
        return False
    if breakage.kind is _KINDS.PARAMETER_MOVED and _place(breakage.old_value) == _place(breakage.new_value):
        return True
    if parameter.name in _RECEIVERS and parameter.required and owner.parent is not None and owner.parent.is_class:
        return True
    return parameter.kind in _COLLECTING and (
        breakage.kind is not _KINDS.PARAMETER_REMOVED or any(one.kind is parameter.kind for one in owner.parameters)
    )


def _place(parameter: Any) -> int:
    """Return the place of an argument in a call: a class method's `cls` has none, a static method has no `cls`."""
    owner = parameter.function
    names = [one.name for one in owner.parameters]
    return names.index(parameter.name) - ("classmethod" in owner.labels)


def _is_called_by_framework(owner: Any) -> bool:
    names = (str(decorator.value).partition("(")[0].rpartition(".")[2] for decorator in owner.decorators)
    return not _CALLERS.isdisjoint(names)
