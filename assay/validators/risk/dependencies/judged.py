"""Statements on packages by what registries say of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from assay.validators.dependencies.look_alikes import look_alike
from assay.validators.dependencies.registries import Package, today
from assay.validators.report.model import Statement
from assay.validators.report.risk_facts import PackageFacts
from assay.validators.report.unknown import NotChecked
from assay.validators.risk.dependencies.licences import is_allowed
from assay.validators.risk.dependencies.own_packages import OwnPackages
from assay.validators.risk.signal import RiskContext
from assay.validators.wording import listed

MALICIOUS = "MAL-"
ESTABLISHED_DAYS = 365
"""Days since its first version from which a package is not an imitation: most of those are removed by then."""
_GRAVE = ("high", "critical")
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where a package is named, and whether it is new there, and directly declared for users."""

    file: str
    line: int | None = None
    is_new: bool = True
    is_direct: bool = True


@dataclass
class Judging:
    """Judges packages one after the other; `not_checked` then has those without an answer, one entry a reason."""

    context: RiskContext
    _unknown: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def statements(self, package: Package, facts: PackageFacts | None, place: Place) -> Iterator[Statement]:
        """Yield what is to be said of a package; without facts, of its name."""
        yield from self._alike(package, facts, place)
        if facts is None:
            return
        if facts.why_unknown:
            self._unknown[facts.why_unknown].append(package.name)
        for kind, text in self._said(package, facts, place):
            yield Statement(kind, text, place.file, place.line)

    def _alike(self, package: Package, facts: PackageFacts | None, place: Place) -> Iterator[Statement]:
        """Yield whether a new package may be taken for a much-used one, unless the registry has had it for long."""
        found = look_alike(package.ecosystem, package.name) if place.is_new else None
        if found is None or (facts is not None and facts.exists is False):
            return
        since = facts.first_published if facts is not None else None
        if found.is_close if since is None else _days_since(since) < ESTABLISHED_DAYS:
            text = f"{package.name} differs from the much-used {found.name} {found.how}"
            yield Statement("package_alike", text, place.file, place.line)

    def not_checked(self) -> Iterator[NotChecked]:
        """Yield one entry for each reason why packages have no facts."""
        for why, names in self._unknown.items():
            what = f"licence, age and known vulnerabilities of {listed(list(dict.fromkeys(names)), _MOST_NAMED)}"
            yield NotChecked(what, why)

    def leave(self, name: str, why: str) -> None:
        """Note a package that no registry was asked about."""
        self._unknown[why].append(name)

    def _said(self, package: Package, facts: PackageFacts, place: Place) -> Iterator[tuple[str, str]]:
        name = f"{package.name} {facts.version}" if facts.version else package.name
        if facts.exists is False:
            why = self._own.why_absent(package)
            if why:
                self._unknown[why].append(package.name)
            elif package.name.startswith("@"):
                yield "package_unlisted", f"{package.name} is not in the public registry ({package.ecosystem})"
            else:
                found = look_alike(package.ecosystem, package.name)
                who = (
                    f"it differs from {found.name} {found.how}"
                    if found
                    else "the first to publish it decides what runs"
                )
                yield "package_absent", f"{package.name} is not in the public registry ({package.ecosystem}): {who}"
            return
        yield from self._vulnerable(name, facts)
        if facts.exists is None:
            return
        if not facts.is_listed:
            yield "package_unlisted", f"{name} is not among the {facts.num_versions} versions that the registry lists"
        elif facts.published is not None and facts.is_pinned and not facts.fixes:
            days = _days_since(facts.published)
            if days < self.context.config.dependencies.minimum_age:
                ago = "today" if days <= 0 else "yesterday" if days == 1 else f"{days} days ago"
                yield "package_young", f"{name} was published {ago} ({facts.published})"
        if facts.is_deprecated and (place.is_new or place.is_direct):
            yield "package_deprecated", f"{name} is deprecated by its authors"
        if place.is_new:
            yield from self._licensed(name, facts, place)

    @cached_property
    def _own(self) -> OwnPackages:
        return OwnPackages.of(self.context.change)

    def _vulnerable(self, name: str, facts: PackageFacts) -> Iterator[tuple[str, str]]:
        for one in facts.vulnerabilities or ():
            if one.id.startswith(MALICIOUS):
                yield "package_malicious", f"{name} is reported as malicious ({one.id}): {one.summary}"
                continue
            kind = "package_vulnerable" if one.severity in _GRAVE else "package_vulnerable_less"
            severity = "of unknown severity" if one.severity == "unknown" else one.severity
            fixed = f"; fixed in {one.fixed}" if one.fixed else ""
            yield kind, f"{name} has {one.id} ({severity}): {one.summary or 'no summary'}{fixed}"

    def _licensed(self, name: str, facts: PackageFacts, place: Place) -> Iterator[tuple[str, str]]:
        wanted = self.context.config.dependencies.licences
        if facts.licence is None:
            if place.is_direct and facts.is_listed:
                yield "package_unlicensed", f"{name} states no licence that is recognised"
        elif (wanted.allow or wanted.deny) and not is_allowed(facts.licence, wanted.allow, wanted.deny):
            yield "licence_denied", f"{name} is under {facts.licence}, which `dependencies.licences` does not allow"


def _days_since(day: str) -> int:
    return (date.fromisoformat(today()) - date.fromisoformat(day)).days
