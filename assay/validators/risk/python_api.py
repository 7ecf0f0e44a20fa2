"""How the public interface of a Python package changed, by griffe, which reads and never imports.

Only the files that matter are written out for it: those changed, the `__init__` files above them, and what they import
of the same package (for inherited members and re-exports).
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import griffe

from assay.validators.change import SourceTree
from assay.validators.report import ApiChangeKind
from assay.validators.risk.published import Package

logging.getLogger("griffe").setLevel(logging.CRITICAL)

MOST_FILES = 200
"""Files of one package given to griffe; more would only add inherited members from afar."""
_BREAKING = frozenset(
    {
        griffe.BreakageKind.PARAMETER_MOVED,
        griffe.BreakageKind.PARAMETER_REMOVED,
        griffe.BreakageKind.PARAMETER_CHANGED_KIND,
        griffe.BreakageKind.PARAMETER_CHANGED_REQUIRED,
        griffe.BreakageKind.PARAMETER_ADDED_REQUIRED,
        griffe.BreakageKind.OBJECT_REMOVED,
        griffe.BreakageKind.OBJECT_CHANGED_KIND,
        griffe.BreakageKind.CLASS_REMOVED_BASE,
    }
)
_MARKER_BASES = frozenset({"object", "Generic", "Protocol", "ABC", "NamedTuple", "TypedDict"})
_INTERNAL_VALUES = (
    "logging.getLogger",
    "getLogger",
    "TypeVar",
    "typing.TypeVar",
    "ParamSpec",
    "t.TypeVar",
    "re.compile",
)
"""Module-level names bound to these serve their own module, whatever they are called."""

_CALLERS = frozenset(
    "command group callback route get post put patch delete head options websocket fixture task shared_task "
    "listens_for hookimpl".split()
)
"""Decorators after which a function is called by a framework, with arguments the framework knows by name."""
_CONTAINER_NAMES = frozenset(name for kind in (dict, list, str, Exception) for name in dir(kind))


@dataclass(frozen=True, slots=True)
class Difference:
    """One change of what others may use. `path` is the name by which they know it, `canonical` where it is defined.

    `exported` says that the package's top level offers it.
    """

    kind: ApiChangeKind
    path: str
    canonical: str
    what: str
    file: str
    line: int | None
    exported: bool


def compare(
    package: Package, base: SourceTree, head: SourceTree, base_files: Iterable[str], head_files: Iterable[str]
) -> list[Difference]:
    """Every difference between the public interfaces of these files of a package."""
    with tempfile.TemporaryDirectory(prefix="assay-api-") as folder:
        old = _loaded(package, base, base_files, Path(folder, "base"))
        new = _loaded(package, head, head_files, Path(folder, "head"))
        if old is None or new is None:
            return []
        found = [*_broken(old, new, package), *_added(old, new, package)]
    unique = {(one.canonical, one.what): one for one in sorted(found, key=lambda one: one.exported)}
    return sorted(unique.values(), key=lambda one: (one.file, one.line or 0, one.path))


@dataclass(frozen=True, slots=True)
class _Side:
    module: griffe.Module
    root: Path


def _loaded(package: Package, tree: SourceTree, files: Iterable[str], root: Path) -> _Side | None:
    """The package as griffe sees it, from copies of our own making; None where there is no such package."""
    inside = [path for path in files if path.startswith(f"{package.path}/") and path in tree][:MOST_FILES]
    for path, content in tree.read_many(inside):
        if content is not None:
            target = root / path[len(package.folder) :].lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    if not (root / package.name).is_dir():
        return None
    loader = griffe.GriffeLoader(search_paths=[root], allow_inspection=False, force_inspection=False)
    module = loader.load(package.name, try_relative_path=False)
    if not isinstance(module, griffe.Module):
        return None
    loader.resolve_aliases(implicit=True, external=False)
    _mark_reexports(module, package.name)
    return _Side(module, root)


def _mark_reexports(module: griffe.Module, package: str) -> None:
    """In an `__init__` without `__all__`, names brought in from the same package are offered to others."""
    for name, member in module.members.items():
        if member.is_alias:
            is_own = str(member.target_path).startswith(f"{package}.")  # type: ignore[union-attr]
            if _is_cyclic(member):
                # `from .version import version`: the name hides the module it comes from, and griffe runs in a circle.
                member.public = False
            elif module.exports is None and module.is_init_module and is_own and not name.startswith("_"):
                member.public = True
        elif isinstance(member, griffe.Module):
            _mark_reexports(member, package)


def _is_cyclic(alias: Any) -> bool:
    try:
        return alias.final_target is None
    except griffe.CyclicAliasError:
        return True
    except griffe.AliasResolutionError:
        return False


def _broken(old: _Side, new: _Side, package: Package) -> Iterator[Difference]:
    top = _offered(old.module)
    for breakage in griffe.find_breaking_changes(old.module, new.module):
        owner = breakage.obj
        is_gone = breakage.kind is griffe.BreakageKind.OBJECT_REMOVED
        canonical = _canonical(owner)
        if _is_internal(owner, breakage) or _is_entry_point(owner, breakage):
            continue
        yield Difference(
            kind=ApiChangeKind.breaking if _breaks(breakage) else ApiChangeKind.non_breaking,
            path=_public_path(canonical, top),
            canonical=canonical,
            what=_in_words(breakage),
            file=_file(owner, old if is_gone else new, package),
            line=None if is_gone else _line(owner),
            exported=_public_path(canonical, top) != canonical or owner.path.count(".") == 1 or _is_top(canonical, top),
        )


def _offered(module: griffe.Module) -> Mapping[str, str]:
    """Where it is defined -> the name, for everything the package's top level offers."""
    found: dict[str, str] = {}
    for name, member in module.members.items():
        if member.is_public and (member.is_alias or not member.is_module):
            found[_canonical(member)] = f"{module.path}.{name}"
    return found


def _public_path(canonical: str, top: Mapping[str, str]) -> str:
    """The shortest name users know a thing by."""
    head = canonical
    while head:
        if head in top:
            return top[head] + canonical[len(head) :]
        head = head.rpartition(".")[0]
    return canonical


def _is_top(canonical: str, top: Mapping[str, str]) -> bool:
    return any(canonical == known or canonical.startswith(f"{known}.") for known in top)


def _breaks(breakage: griffe.Breakage) -> bool:
    """Whether callers break: an alias in the old place, a lost marker base or a lost dunder do not count."""
    if breakage.kind not in _BREAKING:
        return False
    if breakage.kind is griffe.BreakageKind.OBJECT_CHANGED_KIND:
        was, now = str(breakage.old_value.value), str(breakage.new_value.value)
        return not (was in {"function", "class"} and now == "attribute") and not (was == "function" and now == "class")
    if breakage.kind is griffe.BreakageKind.CLASS_REMOVED_BASE:
        names = {_last(base) for base in breakage.old_value} - {_last(base) for base in breakage.new_value}
        return bool(names - _MARKER_BASES - _inherited(breakage.obj))
    if breakage.kind is griffe.BreakageKind.OBJECT_REMOVED:
        name = breakage.obj.name
        if name.startswith("__") and name.endswith("__"):
            return name in {"__call__", "__enter__", "__aenter__"}
        owner = _defined(breakage.obj)
        return not (_is_method(owner) and name in _CONTAINER_NAMES and _has_outer_base(owner.parent))
    return True


def _defined(owner: Any) -> Any:
    """The thing itself, where a class only inherits it or a module only passes it on, as far as that is known."""
    try:
        return owner.final_target if owner.is_alias else owner
    except (griffe.AliasResolutionError, griffe.CyclicAliasError):
        return owner


def _is_method(owner: Any) -> bool:
    return not owner.is_alias and owner.parent is not None and bool(owner.parent.is_class)


def _has_outer_base(owner: Any) -> bool:
    """Whether a class inherits from one outside the package, which may have the method too (`get` of a dict)."""
    return len(owner.resolved_bases) < len(owner.bases)


def _inherited(owner: Any) -> set[str]:
    try:
        return {base.name for base in owner.mro()}
    except Exception:  # noqa: BLE001 - griffe raises ValueError and its own errors for hierarchies it cannot order
        return set()


def _last(base: Any) -> str:
    return str(base).partition("[")[0].rpartition(".")[2]


def _is_internal(owner: Any, breakage: griffe.Breakage) -> bool:
    """Whether a module-level name is one nobody imports: a logger, a type variable."""
    if breakage.kind is not griffe.BreakageKind.OBJECT_REMOVED or owner.is_alias or not owner.is_attribute:
        return False
    value = str(owner.value or "")
    if owner.name in {"logger", "log", "TYPE_CHECKING"} or value.startswith(_INTERNAL_VALUES):
        return True
    # A lower-case variable of a module is working space, unless the module lists what it offers.
    return owner.parent.is_module and owner.name.islower() and owner.parent.exports is None


def _is_entry_point(owner: Any, breakage: griffe.Breakage) -> bool:
    """Whether a changed signature belongs to a function its decorator calls: a command, a route, a fixture."""
    if not breakage.kind.name.startswith("PARAMETER_") or owner.is_alias or not owner.is_function:
        return False
    decorators = (str(decorator.value).partition("(")[0].rpartition(".")[2] for decorator in owner.decorators)
    return not _CALLERS.isdisjoint(decorators)


def _added(old: _Side, new: _Side, package: Package) -> Iterator[Difference]:
    """Names that are new: nobody can have relied on their absence."""
    top = _offered(new.module)
    before = {_canonical(member) for member in _public_members(old.module)}
    for member in _public_members(new.module):
        canonical = _canonical(member)
        if (
            canonical not in before
            and not member.is_alias
            and not member.name.startswith("__")
            and canonical.rpartition(".")[0] in before | {new.module.path}
        ):
            path = _public_path(canonical, top)
            yield Difference(
                ApiChangeKind.non_breaking,
                path,
                canonical,
                f"new {member.kind.value}",
                _file(member, new, package),
                _line(member),
                path != canonical,
            )


def _public_members(owner: Any) -> Iterator[Any]:
    yield owner
    for member in owner.members.values():
        if member.is_public and not member.is_alias:
            if member.is_module or member.is_class:
                yield from _public_members(member)
            else:
                yield member


def _in_words(breakage: griffe.Breakage) -> str:
    kind = breakage.kind
    name = getattr(breakage.old_value or breakage.new_value, "name", "")
    if kind is griffe.BreakageKind.OBJECT_REMOVED:
        return "removed"
    if kind is griffe.BreakageKind.OBJECT_CHANGED_KIND:
        return f"was a {breakage.old_value.value}, is a {breakage.new_value.value}"
    if kind is griffe.BreakageKind.CLASS_REMOVED_BASE:
        return "lost a base class"
    words = {
        griffe.BreakageKind.PARAMETER_MOVED: f"parameter {name} moved",
        griffe.BreakageKind.PARAMETER_REMOVED: f"parameter {name} removed",
        griffe.BreakageKind.PARAMETER_CHANGED_KIND: f"parameter {name} is passed another way",
        griffe.BreakageKind.PARAMETER_CHANGED_DEFAULT: f"parameter {name} has another default",
        griffe.BreakageKind.PARAMETER_CHANGED_REQUIRED: f"parameter {name} is required now",
        griffe.BreakageKind.PARAMETER_ADDED_REQUIRED: f"new required parameter {name}",
        griffe.BreakageKind.RETURN_CHANGED_TYPE: "returns another type",
    }
    return words.get(kind, str(kind.value).lower())


def _canonical(owner: Any) -> str:
    """Where a thing is defined, following re-exports as far as they are known."""
    if owner.is_alias:
        try:
            return str(owner.final_target.canonical_path)
        except (griffe.AliasResolutionError, griffe.CyclicAliasError):
            return str(owner.target_path)
    return str(owner.canonical_path)


def _file(owner: Any, side: _Side, package: Package) -> str:
    """The repository's path of the file a thing stands in."""
    holder = owner.parent if owner.is_alias else owner
    path = holder.filepath
    one = path[0] if isinstance(path, list) else path
    relative = one.relative_to(side.root).as_posix()
    return f"{package.folder}/{relative}" if package.folder else relative


def _line(owner: Any) -> int | None:
    line = owner.alias_lineno if owner.is_alias else owner.lineno
    return int(line) if line else None
