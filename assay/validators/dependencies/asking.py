"""Facts of packages, asked in the background from the moment on that they are named.

asking = Asking(packages)
…
facts = asking.facts()   # waits until WAIT_S after the start
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
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


Release = tuple[str, str, str]
"""Ecosystem, name and exact version."""


class Asking:
    """Questions on packages, in the order in which they matter; asked in threads from the start.

    deps.dev and OSV are asked apart: what one of them answered in time is there whatever becomes of the other.
    """

    def __init__(self, packages: Iterable[Package]) -> None:
        self._packages = list(dict.fromkeys(packages))
        self._until_s = time.monotonic() + WAIT_S
        self._found: dict[Package, PackageFacts] = {}
        self._known: dict[Release, dict[str, Vulnerability]] = {}
        self._failed = {"deps.dev": "", "OSV": ""}
        self._thread = threading.Thread(target=self._run, name="registries", daemon=True)
        self._thread.start()

    def facts(self) -> Mapping[Package, PackageFacts]:
        """Return the facts of every package; of those without an answer, why."""
        self._thread.join(max(0.0, self._until_s - time.monotonic()))
        return {one: self._facts(one) for one in self._packages}

    def _facts(self, package: Package) -> PackageFacts:
        late = f"no answer within {WAIT_S:g} s"
        pinned = PackageFacts(version=package.version, is_pinned=package.version is not None)
        if package.ecosystem not in SYSTEMS:
            return replace(pinned, why_unknown=f"no registry for {package.ecosystem} is asked")
        unasked = "" if SYSTEMS[package.ecosystem][0] is None else self._failed["deps.dev"] or f"deps.dev: {late}"
        facts = self._found.get(package, replace(pinned, why_unknown=unasked))
        if facts.version is None:
            return facts
        now = self._known.get((package.ecosystem, package.name, facts.version))
        if now is None:
            return replace(facts, why_unknown=facts.why_unknown or self._failed["OSV"] or f"OSV: {late}")
        was = self._known.get((package.ecosystem, package.name, package.before or ""), {})
        fixes = tuple(name for name in was if name not in now)
        return replace(facts, vulnerabilities=tuple(now.values()), fixes=fixes)

    def _run(self) -> None:
        known = [one for one in self._packages if one.ecosystem in SYSTEMS]
        named = [one for one in known if SYSTEMS[one.ecosystem][0] is not None]
        exact = [
            (one.ecosystem, one.name, version) for one in known for version in (one.version, one.before) if version
        ]
        for one in named[MOST_ASKED:]:
            self._found[one] = PackageFacts(
                version=one.version, why_unknown=f"only the first {MOST_ASKED} packages are asked about"
            )
        try:
            with HttpClient() as client, ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="registry") as pool:
                registries = Registries(client, self._until_s)
                with ThreadPoolExecutor(1, thread_name_prefix="vulnerabilities") as other:
                    other.submit(self._ask_osv, registries, exact)
                    list(pool.map(lambda one: self._ask_deps_dev(registries, one), named[:MOST_ASKED]))
                usual = [(one.ecosystem, one.name, version) for one, version in self._usual()]
                self._ask_osv(registries, [one for one in usual if one not in self._known])
        except HttpFailed as failed:
            self._failed = dict.fromkeys(self._failed, str(failed))

    def _usual(self) -> Iterator[tuple[Package, str]]:
        """Yield the packages without an exact version, with the version that the registry installs."""
        yield from ((one, facts.version) for one, facts in self._found.items() if facts.version and not one.version)

    def _ask_deps_dev(self, registries: Registries, package: Package) -> None:
        with self._noting("deps.dev"):
            self._found[package] = _of_versions(registries, package)

    def _ask_osv(self, registries: Registries, releases: Sequence[Release]) -> None:
        releases = list(dict.fromkeys(releases))
        if not releases:
            return
        with self._noting("OSV"), ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="vulnerability") as pool:
            ids = dict(zip(releases, registries.affecting(releases), strict=True))
            names = list(dict.fromkeys(name for each in ids.values() for name in each))[:MOST_DETAILS]
            details = dict(zip(names, pool.map(_quiet(registries.vulnerability), names), strict=True))
            for release, each in ids.items():
                self._known[release] = {
                    name: _vulnerability(name, details.get(name), *release[1:]) for name in _distinct(each, details)
                }

    @contextmanager
    def _noting(self, service: str) -> Iterator[None]:
        """Keep why a service gave no answer."""
        try:
            yield
        except NotAnswered as failed:
            self._failed[service] = f"{service}: {failed}"
        except Exception as error:  # noqa: BLE001 - an answer that no document describes must not end the report
            self._failed[service] = f"{service}: an answer could not be read: {type(error).__name__}"


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
    word = _SEVERITIES.get(_plain(said, "database_specific", "severity").upper())
    return Vulnerability(
        name[:MOST_TEXT], word or _severity(said) or "unknown", _plain(said, "summary"), _fixed(said, package, version)
    )


def _severity(said: Mapping[str, Any]) -> str | None:
    """Return the gravest severity of the vectors of CVSS."""
    # Loaded only for a vulnerability without a severity in words.
    from cvss import CVSS2, CVSS3, CVSS4  # type: ignore[import-untyped]
    from cvss.exceptions import CVSSError  # type: ignore[import-untyped]

    found: list[str] = []
    for one in islice(dicts(said.get("severity")), 5):
        kind = {"CVSS_V2": CVSS2, "CVSS_V3": CVSS3, "CVSS_V4": CVSS4}.get(_plain(one, "type"))
        with suppress(CVSSError):
            found += [_SEVERITIES.get(kind(_plain(one, "score")).severities()[0].upper(), "low")] if kind else []
    return max(found, key=list(_SEVERITIES.values()).index, default=None)


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
