"""Statements on changed lock files: new, moved and dropped packages, hosts, and a second tool's lock file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from assay.validators.changes.change import ChangedFile, shown
from assay.validators.dependencies.lock_files import READERS, LockChange
from assay.validators.dependencies.registries import Package
from assay.validators.report.model import Evidence, Statement
from assay.validators.report.risk_facts import NewDependency, PackageFacts
from assay.validators.report.unknown import NotChecked
from assay.validators.risk.dependencies.importers import imported_by
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.wording import listed

MOST_LISTED = 500
MOST_NAMED = 5
MANY = 20
"""New locked packages from which their number is worth a place on the first screen."""
MOST_VERSIONS = 5
"""Maximum versions listed per package: a project may pin several."""
_EXPORTED = "pylock.toml"
"""Lock file that tools also export next to their own."""
_NUMBERS = re.compile(r"v?\d{1,9}(?:\.\d{1,9})?")


def locked_changes(
    context: RiskContext,
    lock: LockChange,
    declared: Collection[tuple[str, str]],
    shipped: Collection[tuple[str, str]],
    facts: Mapping[Package, PackageFacts],
) -> Iterator[Measure]:
    """Yield newly pinned or moved packages of a changed lock file, except those whose declarations changed.

    `shipped` are the runtime dependencies that a changed manifest has on both sides. The first lock file of a project
    repeats its manifest; only the number of packages is reported.
    """
    file, before, after = lock.file, lock.before, lock.after
    hosts = [] if before is None else [one for one in after.hosts.items() if one[0] not in before.hosts]
    for host, name in hosts:
        text = f"{shown(file.path)} takes {name} from {host}, a host that the lock file of the base does not name"
        yield Statement("source_moved", text, file.path)
    scripts = sorted(after.scripts - (before.scripts if before is not None else after.scripts))
    if scripts:
        text = f"{shown(file.path)} locks packages that run a script at installation: {listed(scripts, MOST_NAMED)}"
        yield Statement("package_script", text, file.path)
    texts, num_new = list[str](), 0
    if before is None:
        texts.append(f"locks its first packages, {len(after.versions)} of them")
        yield from _second(context, file, after.ecosystem)
    else:
        moved = lock.moved(declared)
        new = [name for name in moved if name not in before.versions]
        for name in new[:MOST_LISTED]:
            versions = sorted(moved[name])[:MOST_VERSIONS]
            known = facts.get(Package(after.ecosystem, name, versions[0]))
            yield NewDependency(name, after.ecosystem, file.path, " | ".join(versions), scope="locked", facts=known)
        if len(new) > MOST_LISTED:
            what = f"{len(new) - MOST_LISTED} more new packages in {shown(file.path)}"
            yield NotChecked(what, f"only {MOST_LISTED} are listed")
        kept = [name for name in moved if name in before.versions]
        gone = [name for name in before.versions if name not in after.versions]
        far = [
            name for name in kept if (after.ecosystem, name) in shipped and _is_far(before.versions[name], moved[name])
        ]
        if far:
            each = (f"{name} {' | '.join(before.versions[name])} → {' | '.join(moved[name])}" for name in far)
            what = f"moves runtime dependencies whose declarations stay: {listed([*each], MOST_NAMED)}"
            users = tuple(imported_by(context.change, after.ecosystem, far))
            yield Statement("dependency_moved", f"{shown(file.path)} {what}", file.path, evidence=users)
        parts = ((new, "adds {}"), (kept, "also moves {}" if declared else "moves {}"), (gone, "drops {}"))
        texts += [text.format(_some(names)) for names, text in parts if names]
        num_new = len(new)
    if texts:
        kind = "many_packages" if num_new >= MANY else "lock_moved"
        more = tuple(Evidence(text, file.path) for text in texts[1:])
        yield Statement(kind, f"{shown(file.path)} {texts[0]}", file.path, evidence=more)


def _second(context: RiskContext, file: ChangedFile, ecosystem: str) -> Iterator[Statement]:
    """Yield a statement if another tool's lock file of the same packages stays next to a new one."""
    folder = file.path.rpartition("/")[0]
    names = (
        f"{folder}/{name}".lstrip("/") for name, (kind, _) in READERS.items() if kind == ecosystem and name != _EXPORTED
    )
    trees = context.change.base, context.change.head
    others = [one for one in names if one != file.path and all(one in tree for tree in trees)]
    if others:
        text = f"adds {shown(file.path)} next to {shown(others[0])}: two tools lock the same packages"
        yield Statement("second_lock", text, file.path)


def _is_far(old: Collection[str], new: Collection[str]) -> bool:
    """Return whether the one version of a package becomes one with another major or minor number."""
    numbers = [_NUMBERS.match(one) for side in (old, new) for one in side]
    return len(old) == len(new) == 1 and len({match[0] for match in numbers if match is not None}) == 2


def _some(names: Sequence[str]) -> str:
    more = ", …" if len(names) > MOST_NAMED else ""
    return f"{len(names)} locked package{'s' if len(names) > 1 else ''}: {', '.join(names[:MOST_NAMED])}{more}"
