"""Interface changes of a Python package, by griffe, which reads and never imports.

Only the necessary files are exported for it: the changed ones, the `__init__` files above them, and what they
import from the same package (for inherited members and re-exports).
"""

from __future__ import annotations

import ast
import logging
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import griffe

from assay.validators.changes.change import SourceTree, decoded
from assay.validators.changes.language_table import suffixes
from assay.validators.languages.python.trees import nodes, parsed
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.risk.api.difference import MOST_FILES, NameChange
from assay.validators.risk.api.published import Package
from assay.validators.risk.api.python_breakages import (
    OTHER_FORM,
    OTHER_TYPE,
    breaks,
    compatible,
    defined,
    in_words,
    is_worth_telling,
)
from assay.validators.risk.api.python_interface import dynamic_names, interface, names_given_by_getattr
from assay.validators.risk.api.python_parameters import breaks_positions_only, is_another_name

logging.getLogger("griffe").setLevel(logging.CRITICAL)


def compare(
    package: Package, base: SourceTree, head: SourceTree, base_files: Iterable[str], head_files: Iterable[str]
) -> list[NameChange]:
    """Return every difference between the public interfaces of these files of a package."""
    with tempfile.TemporaryDirectory(prefix="assay-api-") as folder:
        old = _loaded(package, base, base_files, Path(folder, "base"))
        new = _loaded(package, head, head_files, Path(folder, "head"))
        if old is None or new is None:
            return []
        found = [*_broken(old, new, package), *_lost_by_getattr(old, new, package), *_compatible(old, new, package)]
    real = (one for one in found if one.file in base or one.file in head)
    unique = {(one.canonical, one.what): one for one in sorted(real, key=lambda one: one.exported)}
    return sorted(unique.values(), key=lambda one: (one.file, one.line or 0, one.path))


@dataclass(frozen=True, slots=True)
class _Side:
    module: griffe.Module
    root: Path


def _loaded(package: Package, tree: SourceTree, files: Iterable[str], root: Path) -> _Side | None:
    """Return the package as griffe reads it from exported copies; None if there is no such package."""
    inside = [path for path in files if path.startswith(f"{package.path}/") and path in tree][:MOST_FILES]
    for path, content in tree.read_many(inside):
        # One file that Python cannot parse would cost griffe the whole package.
        if content is not None and interface(decoded(content)) is not None:
            target = root / path[len(package.folder) :].lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            _make_packages(target.parent, root)
    if not (root / package.name.replace(".", "/")).is_dir():
        return None
    loader = griffe.GriffeLoader(search_paths=[root], allow_inspection=False, force_inspection=False)
    module = loader.load(package.name, try_relative_path=False)
    if not isinstance(module, griffe.Module):
        return None
    loader.resolve_aliases(implicit=True, external=False)
    _mark_reexports(module, package.name)
    return _Side(module, root)


def _make_packages(folder: Path, root: Path) -> None:
    """Add the `__init__` files missing below the package: Python imports such folders, griffe skips them."""
    while folder.parent != root and folder != root:
        if not any((folder / f"__init__{suffix}").exists() for suffix in suffixes("python")):
            (folder / "__init__.py").touch()
        folder = folder.parent


def _mark_reexports(module: griffe.Module, package: str) -> None:
    """Mark an `__init__`'s unused imports from its package as public if there is no `__all__`."""
    used = _used_names(module) if module.is_init_module and module.exports is None else frozenset()
    for name, member in module.members.items():
        if member.is_alias:
            is_own = str(member.target_path).startswith(f"{package}.")  # type: ignore[union-attr]
            if _is_cyclic(member):
                # `from .version import version`: the name hides its module, and griffe recurses without end.
                member.public = False
            elif module.exports is None and module.is_init_module and is_own and name not in used | {"annotations"}:
                member.public = not name.startswith("_")
        elif isinstance(member, griffe.Module):
            _mark_reexports(member, package)


def _used_names(module: griffe.Module) -> frozenset[str]:
    path = module.filepath
    tree = parsed(path.read_bytes()) if not isinstance(path, list) else None
    return frozenset(node.id for node in nodes(tree) if isinstance(node, ast.Name)) if tree is not None else frozenset()


def _is_cyclic(alias: Any) -> bool:
    try:
        return alias.final_target is None
    except griffe.CyclicAliasError:
        return True
    except griffe.AliasResolutionError:
        return False


def _broken(old: _Side, new: _Side, package: Package) -> Iterator[NameChange]:
    top = _offered(old.module)
    for breakage in griffe.find_breaking_changes(old.module, new.module):
        if not is_worth_telling(breakage) or is_another_name(breakage, old.module):
            continue
        owner: Any = breakage.obj
        is_gone = breakage.kind is griffe.BreakageKind.OBJECT_REMOVED
        # A name that is no longer re-exported is removed here, but may still exist where it is defined.
        canonical = owner.path if is_gone and owner.is_alias and not owner.inherited else _canonical(owner)
        path = _public_path(canonical, top)
        if _is_private(path):
            continue
        is_deprecated = breaks_positions_only(breakage, old.module)
        is_top = owner.path.count(".") == package.name.count(".") + 1 and (owner.is_alias or not owner.is_module)
        yield NameChange(
            kind=ApiChangeKind.breaking if breaks(breakage) else ApiChangeKind.non_breaking,
            path=path,
            canonical=canonical,
            what=in_words(breakage, is_deprecated=is_deprecated),
            file=_file(owner, old if is_gone else new, package),
            line=None if is_gone else _line(owner),
            exported=path != canonical or is_top or _is_below(canonical, top),
            is_deprecated=is_deprecated,
        )


def _lost_by_getattr(old: _Side, new: _Side, package: Package) -> Iterator[NameChange]:
    """Yield names that only the `__getattr__` of a module provided, and that it does not have now."""
    after = {module.path: module for module in _modules(new.module)}
    for module in _modules(old.module):
        now = after.get(module.path)
        if now is None or _is_private(module.path):
            continue
        before, source = dynamic_names(_source(module)), _source(now)
        if not before.names or dynamic_names(source).is_open:
            continue
        left = module.members.keys() | now.members.keys() | names_given_by_getattr(source)
        for name in sorted(before.names - left):
            path, is_top = f"{module.path}.{name}", module is old.module
            yield NameChange(ApiChangeKind.breaking, path, path, "removed", _file(module, old, package), None, is_top)


def _modules(module: griffe.Module) -> Iterator[griffe.Module]:
    yield module
    for member in module.members.values():
        if isinstance(member, griffe.Module):
            yield from _modules(member)


def _source(module: griffe.Module) -> str:
    path = module.filepath
    return "" if isinstance(path, list) else decoded(path.read_bytes())


def _is_private(path: str) -> bool:
    """Return whether a name is in a module or class that starts with an underscore."""
    return any(part.startswith("_") and not part.endswith("__") for part in path.split("."))


def _compatible(old: _Side, new: _Side, package: Package) -> Iterator[NameChange]:
    """Yield names that are new, and so cannot break users, and what else differs in the others."""
    top = _offered(new.module)
    before = {_canonical(member): member for member in _public_members(old.module)}
    reported: set[str] = set()
    for member in _public_members(new.module):
        canonical = _canonical(member)
        was, changes = before.get(canonical), list[str]()
        if was is not None:
            changes = list(compatible(was, member))
        elif (owner := before.get(canonical.rpartition(".")[0])) is not None and not (
            member.name.startswith("__") or _inherits(owner, member.name)
        ):
            changes = [f"new {member.kind.value}"]
            reported.add(canonical)
        path, file, line = _public_path(canonical, top), _file(member, new, package), _line(member)
        is_top = path != canonical
        for one in changes:
            kind = ApiChangeKind.unknown if one.endswith((OTHER_FORM, OTHER_TYPE)) else ApiChangeKind.non_breaking
            yield NameChange(kind, path, canonical, one, file, line, is_top)
    offered = set(_offered(old.module).values())
    for canonical, path in top.items():
        member = new.module[path.partition(".")[2]]
        if member.is_alias and path not in offered and canonical not in reported:
            file, line = _file(member, new, package), _line(member)
            yield NameChange(ApiChangeKind.non_breaking, path, canonical, "new export", file, line, True)


def _offered(module: griffe.Module) -> Mapping[str, str]:
    """Return defining path -> name, for what the top level exports, and other modules from private ones."""
    found: dict[str, str] = {}
    for each in _modules(module):
        for name, member in each.members.items() if not _is_private(each.path) else ():
            is_offered = member.is_alias and _is_private(_canonical(member))
            if member.is_public and (is_offered or (each is module and (member.is_alias or not member.is_module))):
                found.setdefault(_canonical(member), f"{each.path}.{name}")
    return found


def _public_path(canonical: str, top: Mapping[str, str]) -> str:
    """Return the shortest public name of an object."""
    head = canonical
    while head:
        if head in top:
            return top[head] + canonical[len(head) :]
        head = head.rpartition(".")[0]
    return canonical


def _is_below(canonical: str, top: Mapping[str, str]) -> bool:
    return any(canonical == known or canonical.startswith(f"{known}.") for known in top)


def _inherits(owner: Any, name: str) -> bool:
    """Return whether a class has a member from a parent: then its own one only overrides it."""
    try:
        return bool(owner.is_class and name in owner.all_members)
    except Exception:  # noqa: BLE001 - griffe raises ValueError and its own errors for hierarchies it cannot order
        return False


def _public_members(owner: Any) -> Iterator[Any]:
    """Yield an object and what is public in it, what a module exports from a private one included."""
    yield owner
    for name in owner.members.values():
        member = defined(name)
        if member.is_alias or not name.is_public:
            continue
        if not name.is_alias or (owner.is_module and not member.is_module and _is_private(member.canonical_path)):
            if member.is_module or member.is_class:
                yield from _public_members(member)
            else:
                yield member


def _canonical(owner: Any) -> str:
    """Return where an object is defined, following re-exports as far as possible."""
    if owner.is_alias:
        try:
            return str(owner.final_target.canonical_path)
        except (griffe.AliasResolutionError, griffe.CyclicAliasError):
            return str(owner.target_path)
    return str(owner.canonical_path)


def _file(owner: Any, side: _Side, package: Package) -> str:
    """Return the repository path of an object's file."""
    holder = owner.parent if owner.is_alias else owner
    path = holder.filepath
    one = path[0] if isinstance(path, list) else path
    relative = one.relative_to(side.root).as_posix()
    return f"{package.folder}/{relative}" if package.folder else relative


def _line(owner: Any) -> int | None:
    line = owner.alias_lineno if owner.is_alias else owner.lineno
    return int(line) if line else None
