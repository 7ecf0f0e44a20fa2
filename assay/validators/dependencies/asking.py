"""Facts of packages, asked in the background from the moment on that they are named.

asking = Asking(packages)
…
facts = asking.facts()   # waits until WAIT_S after the start
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import Any

from assay.connections.http_client import HttpClient, HttpFailed
from assay.validators.dependencies.registries import SYSTEMS, NotAnswered, Package, Registries, today
from assay.validators.io.json_parts import dicts, inner, text
from assay.validators.report.risk_facts import PackageFacts, Vulnerability

WAIT_S = 10.0
"""Seconds from the start after which a report waits no longer."""
MOST_ASKED = 300
"""Maximum packages whose versions are asked for; vulnerabilities are asked in one batch for all."""
MOST_DETAILS = 100
MOST_TEXT = 200
_AT_ONCE = 12
_SEVERITIES = {"LOW": "low", "MODERATE": "medium", "MEDIUM": "medium", "HIGH": "high", "CRITICAL": "critical"}
_NUMBER = re.compile(r"\d{1,9}")
_UNLISTED = ("golang", "maven")
"""Ecosystems of which no registry has all packages: absence says nothing."""


class Asking:
    """Questions on packages, in the order in which they matter; asked in a thread from the start."""

    def __init__(self, packages: Iterable[Package]) -> None:
        self._packages = list(dict.fromkeys(packages))
        self._until_s = time.monotonic() + WAIT_S
        self._found: dict[Package, PackageFacts] = {}
        self._thread = threading.Thread(target=self._run, name="registries", daemon=True)
        self._thread.start()

    def facts(self) -> Mapping[Package, PackageFacts]:
        """Return the facts of every package; of those without an answer, why."""
        self._thread.join(max(0.0, self._until_s - time.monotonic()))
        late = PackageFacts(why_unknown=f"no answer within {WAIT_S:g} s")
        return {one: self._found.get(one, late) for one in self._packages}

    def _run(self) -> None:
        try:
            with HttpClient() as client, ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="registry") as pool:
                self._ask(Registries(client, self._until_s), pool)
        except HttpFailed as failed:
            self._fail(str(failed))
        except Exception as error:  # noqa: BLE001 - an answer that no document describes must not end the report
            self._fail(f"an answer could not be read: {type(error).__name__}")

    def _fail(self, why: str) -> None:
        self._found = {one: PackageFacts(why_unknown=why) for one in self._packages} | self._found

    def _ask(self, registries: Registries, pool: ThreadPoolExecutor) -> None:
        known = [one for one in self._packages if one.ecosystem in SYSTEMS]
        for one in self._packages:
            if one.ecosystem not in SYSTEMS:
                self._found[one] = PackageFacts(why_unknown=f"no registry for {one.ecosystem} is asked")
        named = [one for one in known if SYSTEMS[one.ecosystem][0] is not None]
        of_versions = {one: pool.submit(_of_versions, registries, one) for one in named[:MOST_ASKED]}
        many = PackageFacts(why_unknown=f"only the first {MOST_ASKED} packages are asked about")
        found = {one: _ended(of_versions[one]) if one in of_versions else many for one in named}
        found |= {one: PackageFacts(version=one.version, is_pinned=True) for one in known if one not in found}
        try:
            found = _with_vulnerabilities(found, registries, pool)
        except NotAnswered as failed:
            found = {
                one: replace(facts, why_unknown=facts.why_unknown or f"OSV: {failed}") for one, facts in found.items()
            }
        self._found |= found


def _ended(asked: Future[PackageFacts]) -> PackageFacts:
    try:
        return asked.result()
    except NotAnswered as failed:
        return PackageFacts(why_unknown=f"deps.dev: {failed}")


def _of_versions(registries: Registries, package: Package) -> PackageFacts:
    """Return what deps.dev says of a package and of its pinned or default version."""
    document = registries.versions(package)
    if document is None:
        if package.ecosystem in _UNLISTED:
            return PackageFacts(
                why_unknown=f"deps.dev does not list it, as it does not list all of {package.ecosystem}"
            )
        return PackageFacts(exists=False, asked=today())
    versions = [*dicts(document.get("versions"))]
    days = {_plain(one, "versionKey", "version"): _day(one) for one in versions}
    usual = next((_plain(one, "versionKey", "version") for one in versions if one.get("isDefault") is True), None)
    version = package.version or usual
    dated = sorted(filter(None, days.values()))
    facts = PackageFacts(
        exists=True,
        version=version,
        is_pinned=package.version is not None,
        is_listed=version in days,
        first_published=dated[0] if dated else None,
        newest_published=dated[-1] if dated else None,
        published=days.get(version or "") or None,
        num_versions=len(versions),
        asked=today(),
    )
    said = registries.version(package, version) if version is not None and facts.is_listed else None
    if said is None:
        return facts
    licences = [_plain(one) for one in _list(said.get("licenses"))]
    known = [one for one in licences if one and one != "non-standard"]
    return replace(
        facts,
        licence=" AND ".join(f"({one})" if " OR " in one and len(known) > 1 else one for one in known) or None,
        is_deprecated=said.get("isDeprecated") is True,
        is_attested=bool(_list(said.get("attestations")) or _list(said.get("slsaProvenances"))),
    )


def _with_vulnerabilities(
    found: Mapping[Package, PackageFacts], registries: Registries, pool: ThreadPoolExecutor
) -> dict[Package, PackageFacts]:
    """Return the facts with the vulnerabilities of their versions, and those that the move fixes."""
    exact = [(one.ecosystem, one.name, facts.version) for one, facts in found.items() if facts.version is not None]
    before = [(one.ecosystem, one.name, one.before) for one in found if one.before is not None]
    asked = [*exact, *before]
    ids = dict(zip(asked, registries.affecting(asked), strict=True)) if asked else {}
    names = list(dict.fromkeys(name for each in ids.values() for name in each))[:MOST_DETAILS]
    details = dict(zip(names, pool.map(_quiet(registries.vulnerability), names), strict=True))
    answered: dict[Package, PackageFacts] = {}
    for one, facts in found.items():
        if facts.version is None:
            answered[one] = facts
            continue
        now = _distinct(ids[one.ecosystem, one.name, facts.version], details)
        was = _distinct(ids[one.ecosystem, one.name, one.before], details) if one.before is not None else {}
        answered[one] = replace(
            facts,
            vulnerabilities=tuple(_vulnerability(name, details.get(name), one.name, facts.version) for name in now),
            fixes=tuple(name for name in was if name not in now),
        )
    return answered


def _quiet(ask: Callable[[str], Mapping[str, Any] | None]) -> Callable[[str], Mapping[str, Any] | None]:
    """Return the question with None for no answer: the id alone is worth its place."""

    def asked(name: str) -> Mapping[str, Any] | None:
        try:
            return ask(name)
        except NotAnswered:
            return None

    return asked


def _distinct(names: Sequence[str], details: Mapping[str, Mapping[str, Any] | None]) -> dict[str, None]:
    """Return the ids without aliases of others and without withdrawn ones; those with a severity first."""
    kept: dict[str, None] = {}
    known: set[str] = set()
    for name in sorted(names, key=lambda one: (not one.startswith("MAL-"), not one.startswith("GHSA-"), one)):
        said = details.get(name) or {}
        aliases = {one for one in _list(said.get("aliases")) if isinstance(one, str)}
        if "withdrawn" not in said and name not in known and not aliases & known:
            kept[name] = None
        known |= {name, *aliases}
    return kept


def _vulnerability(name: str, said: Mapping[str, Any] | None, package: str, version: str) -> Vulnerability:
    said = said or {}
    severity = _SEVERITIES.get(_plain(said, "database_specific", "severity").upper(), "unknown")
    return Vulnerability(name[:MOST_TEXT], severity, _plain(said, "summary"), _fixed(said, package, version))


def _fixed(said: Mapping[str, Any], package: str, version: str) -> str | None:
    """Return the lowest later version that fixes it."""
    fixed = [
        _plain(event, "fixed")
        for affected in islice(dicts(said.get("affected")), 200)
        if _plain(affected, "package", "name").lower() == package.lower()
        for span in islice(dicts(affected.get("ranges")), 200)
        if _plain(span, "type") in ("SEMVER", "ECOSYSTEM")
        for event in islice(dicts(span.get("events")), 200)
    ]
    later = [one for one in fixed if one and _numbers(one) > _numbers(version)]
    return min(later, key=_numbers, default=None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in _NUMBER.findall(version[:MOST_TEXT])[:6])


def _day(version: object) -> str:
    """Return the day of a version's publication; empty if it is none."""
    try:
        return date.fromisoformat(_plain(version, "publishedAt")[:10]).isoformat()
    except ValueError:
        return ""


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _plain(said: object, *keys: str) -> str:
    """Return a text of an answer in one line, without what a terminal would act on; empty if it is none."""
    words = text(inner(said, *keys))[: 4 * MOST_TEXT].split()
    return "".join(char for char in " ".join(words) if char.isprintable())[:MOST_TEXT]
