"""What a change opens, switches off or deletes: the rows of `rules.yaml` on the settings of both sides."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from itertools import islice
from typing import Any, NamedTuple

import yaml

from assay.validators.io.structured_files import YAML_LOADER, Unreadable
from assay.validators.progress import Deadline
from assay.validators.risk.infrastructure.line_settings import dockerfile, flake
from assay.validators.risk.infrastructure.settings import Setting
from assay.validators.risk.infrastructure.terraform import terraform
from assay.validators.risk.infrastructure.yaml_settings import cloudformation, compose, helm_values, kubernetes
from assay.validators.wording import quoted

READERS: Mapping[str, Callable[[str], Iterator[Setting]]] = {
    "terraform": terraform,
    "kubernetes": kubernetes,
    "helm": helm_values,
    "compose": compose,
    "cloudformation": cloudformation,
    "dockerfile": dockerfile,
    "flake": flake,
}
MOST_SETTINGS = 10_000
MOST_OF_RULE = 100
"""Maximum settings of one resource that one rule is about."""
_NUMBER = re.compile(r"\d{1,6}")


class Found(NamedTuple):
    """One effect of a change: the kind of its statement, its text, its file and its line in the head."""

    kind: str
    text: str
    file: str
    line: int | None


class Rule(NamedTuple):
    """Row of `rules.yaml`, its expressions compiled."""

    kind: str
    formats: tuple[str, ...]
    how: str
    says: str
    key: re.Pattern[str]
    value: re.Pattern[str]
    resource: re.Pattern[str]
    before: re.Pattern[str] | None
    not_key: re.Pattern[str] | None
    having: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    unless: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]


@dataclass(frozen=True)
class Side:
    """Settings of one side of a file, by resource."""

    settings: Sequence[Setting]

    @cached_property
    def resources(self) -> Mapping[str, list[Setting]]:
        """Resource -> its settings."""
        found: dict[str, list[Setting]] = defaultdict(list)
        for one in self.settings:
            found[one.resource].append(one)
        return dict(found)

    def hits(self, rule: Rule) -> Iterator[Setting]:
        """Yield the settings that a rule is about."""
        for resource, settings in self.resources.items():
            if rule.resource.fullmatch(resource):
                found = islice((one for one in settings if _matches(rule, one)), MOST_OF_RULE)
                yield from (one for one in found if _holds(rule, one, settings))


@dataclass(frozen=True)
class Compared:
    """File of one format, before and after the change."""

    file: str
    format: str
    before: Side
    after: Side


@dataclass
class Comparison:
    """All infrastructure files of a change: what moves from one to another is not new."""

    pairs: Sequence[Compared]
    deadline: Deadline
    _reported: set[tuple[str, str, str, str]] = field(default_factory=set)

    def found(self) -> Iterator[Found]:
        """Yield every effect, one for each setting and kind; raise `OutOfTime`."""
        for rule in rules():
            self.deadline.check("infrastructure")
            pairs = [one for one in self.pairs if one.format in rule.formats]
            for pair, setting in getattr(self, f"_{rule.how}")(rule, pairs) if pairs else ():
                key = pair.file, setting.resource, setting.key, rule.kind
                if key not in self._reported:
                    self._reported.add(key)
                    says = rule.says.format(key=setting.key, value=quoted(setting.value))
                    line = setting.line if setting.line > 0 else None
                    yield Found(rule.kind, f"{quoted(setting.resource or pair.file)}: {says}", pair.file, line)

    def _now(self, rule: Rule, pairs: Sequence[Compared]) -> Iterator[tuple[Compared, Setting]]:
        """Yield the settings of the head without a counterpart: the same, moved in its resource, or of a gone one."""
        old = [one for pair in pairs for one in pair.before.hits(rule)]
        new = [(pair, one) for pair in pairs for one in pair.after.hits(rule)]
        kept = self._names("after")
        ways: tuple[Callable[[Setting], object], ...] = (
            lambda one: (one.resource, one.key, one.value),
            lambda one: (one.resource, one.value),
            lambda one: one.value,
        )
        for way in ways[:2]:
            old, new = _unpaired(old, new, way)
        yield from _unpaired([one for one in old if one.resource not in kept], new, ways[2])[1]

    def _changed(self, rule: Rule, pairs: Sequence[Compared]) -> Iterator[tuple[Compared, Setting]]:
        for pair, one in self._now(rule, pairs):
            before = self._other(pair, one.resource, "before")
            was = [old.value for old in before if old.key == one.key]
            if rule.before.match(was[0]) if rule.before and was else before and not rule.before:
                yield pair, one

    def _added(self, rule: Rule, pairs: Sequence[Compared]) -> Iterator[tuple[Compared, Setting]]:
        for pair, one in self._now(rule, pairs):
            before = self._other(pair, one.resource, "before")
            if before and all(old.key != one.key for old in before):
                yield pair, one

    def _lost(self, rule: Rule, pairs: Sequence[Compared]) -> Iterator[tuple[Compared, Setting]]:
        for pair in pairs:
            for one in pair.before.hits(rule):
                after = self._other(pair, one.resource, "after")
                paths = {now.path for now in self._other(pair, one.resource, "before")}
                still = [now for now in after if _matches(rule, now)]
                is_moved = any(now.path not in paths or now.key == one.key for now in still)
                is_there = any(now.path[: len(one.item)] == one.item for now in after)
                if is_there and not is_moved:
                    line = next((now.line for now in after if now.key == one.key), min(now.line for now in after))
                    yield pair, one._replace(line=line)

    def _loosened(self, rule: Rule, pairs: Sequence[Compared]) -> Iterator[tuple[Compared, Setting]]:
        for pair, one in self._lost(rule, pairs):
            now = next((now for now in self._other(pair, one.resource, "after") if now.key == one.key), None)
            if now is not None:
                yield pair, one

    def _gone(self, rule: Rule, pairs: Sequence[Compared]) -> Iterator[tuple[Compared, Setting]]:
        left = self._names("after") | self._kept
        for pair in pairs:
            for name, settings in pair.before.resources.items():
                if name not in left and rule.resource.fullmatch(name) and _holds(rule, settings[0], settings):
                    yield pair, Setting(name, (), "", 0)

    def _fewer(self, rule: Rule, pairs: Sequence[Compared]) -> Iterator[tuple[Compared, Setting]]:
        for pair in pairs:
            for one in pair.after.hits(rule):
                was = [old.value for old in self._other(pair, one.resource, "before") if old.key == one.key]
                if len(was) == 1 and _number(was[0]) > 1 >= _number(one.value) >= 0:
                    yield pair, one

    def _other(self, pair: Compared, resource: str, side: str) -> Sequence[Setting]:
        """Return the settings of a resource on a side: in the same file, or else in any that has it."""
        found: list[Setting] = getattr(pair, side).resources.get(resource, [])
        others = (getattr(one, side).resources.get(resource) for one in self.pairs if one.format == pair.format)
        return found or (next(filter(None, others), []) if resource not in ("values", "", "image", "inputs") else [])

    def _names(self, side: str) -> set[str]:
        return {name for pair in self.pairs for name in getattr(pair, side).resources}

    @cached_property
    def _kept(self) -> set[str]:
        """Resources that `moved` and `removed` blocks of Terraform name: these are not destroyed."""
        blocks = [one for pair in self.pairs for one in pair.after.settings if one.resource in ("moved", "removed")]
        return {one.value for one in blocks if one.key == "from"}


def read(format_name: str, text: str) -> list[Setting]:
    """Return the settings of a file. Raises `Unreadable`."""
    found = list(islice(READERS[format_name](text), MOST_SETTINGS + 1)) if text.strip() else []
    if len(found) > MOST_SETTINGS:
        raise Unreadable(f"more than {MOST_SETTINGS} settings")
    return found


def _unpaired(
    old: Sequence[Setting], new: Sequence[tuple[Compared, Setting]], way: Callable[[Setting], object]
) -> tuple[list[Setting], list[tuple[Compared, Setting]]]:
    """Return what is left of both sides where each setting of the base accounts for one of the head that is alike."""
    known, used, left = Counter(map(way, old)), Counter[object](), []
    for pair, one in new:
        if used[way(one)] < known[way(one)]:
            used[way(one)] += 1
        else:
            left.append((pair, one))
    rest = []
    for was in old:
        used[way(was)] -= 1
        if used[way(was)] < 0:
            rest.append(was)
    return rest, left


def _matches(rule: Rule, one: Setting) -> bool:
    key = one.key
    if not one.path or not rule.key.fullmatch(key) or not rule.value.fullmatch(one.value):
        return False
    return rule.not_key is None or rule.not_key.fullmatch(key) is None


def _holds(rule: Rule, one: Setting, settings: Sequence[Setting]) -> bool:
    """Return whether the blocks around a setting have what the rule asks for, and nothing that excludes it."""
    if not rule.having and not rule.unless:
        return True
    around = [near for near in settings if near.path[:-1] == one.path[: len(near.path) - 1] or _is_inside(near, one)]
    return _has_all(rule.having, around) and not _has_any(rule.unless, around)


def _is_inside(near: Setting, one: Setting) -> bool:
    """Return whether a setting is in the block of another: an item of its lists, or a value of its blocks."""
    block = one.path[: 1 + max((at for at, part in enumerate(one.path[:-1]) if part[:1] in "#="), default=-1)]
    return near.path[: len(block)] == block


_Pairs = tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]


def _has_all(wanted: _Pairs, around: Sequence[Setting]) -> bool:
    return all(any(_is(one, pair) for one in around) for pair in wanted)


def _has_any(unwanted: _Pairs, around: Sequence[Setting]) -> bool:
    return any(_is(one, pair) for one in around for pair in unwanted)


def _is(one: Setting, pair: tuple[re.Pattern[str], re.Pattern[str]]) -> bool:
    return bool(pair[0].fullmatch(one.key) and pair[1].fullmatch(one.value))


def _number(text: str) -> int:
    return int(text) if _NUMBER.fullmatch(text) else -1


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rows of `rules.yaml`."""
    text = (files(__package__) / "rules.yaml").read_text("utf-8")
    return tuple(_rule(row) for row in yaml.load(text, YAML_LOADER))  # noqa: S506 - a safe loader


def _rule(row: Mapping[str, Any]) -> Rule:
    return Rule(
        row["kind"],
        tuple(row["formats"]),
        row["how"],
        row["says"],
        _ending(row.get("key", ".*")),
        re.compile(row.get("value", ".*")),
        re.compile(row.get("resource", ".*")),
        re.compile(row["before"]) if "before" in row else None,
        re.compile(row["not_key"]) if "not_key" in row else None,
        _pairs(row.get("with")),
        _pairs(row.get("unless")),
    )


def _pairs(said: Mapping[str, str] | None) -> _Pairs:
    return tuple((_ending(key), re.compile(value)) for key, value in (said or {}).items())


def _ending(key: str) -> re.Pattern[str]:
    """Return the pattern of a dotted key that ends so."""
    flags, key = ("(?i)", key[4:]) if key.startswith("(?i)") else ("", key)
    return re.compile(f"{flags}(?:.*\\.)?(?:{key})")
