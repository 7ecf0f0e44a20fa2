"""A repository's configuration over its organization's: what is merged, what is locked, and where each key is from."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.validators.changes.inherited import Inherited, InheritedFile
from assay.validators.configuration.layers import lock_of
from assay.validators.configuration.loading import (
    ConfigurationSource,
    LoadedConfiguration,
    extends_of,
    load_configuration,
)
from assay.validators.configuration.model import Comments, Mode, ValidationConfig
from assay.validators.configuration.reading import Origin
from assay.validators.configuration.weakened import leaves
from assay.validators.errors import ConfigurationError
from assay.validators.report.model import Gate, Severity
from assay.validators.run.pipeline import known_names

ORG = "acme/.github/.github/assay.yml"
NAMED = "acme/standards/.github/assay.yml"
OWN = ".github/assay.yml"


class OneFile:
    """A tree that has a configuration and nothing else."""

    name = "main"

    def __init__(self, text: str | None) -> None:
        self.paths = [] if text is None else [OWN]
        self._text = text

    def __contains__(self, path: object) -> bool:
        return path in self.paths

    def is_link(self, path: str) -> bool:
        return False

    def read(self, path: str, limit: int = 0) -> bytes | None:
        return (self._text or "").encode()


def loaded(
    own: str | None, *inherited: str | InheritedFile, repository: str = "acme/shop", known: bool = True
) -> LoadedConfiguration:
    """The configuration of `own` over the organization's file, and over the one it names if there are two."""
    files = [
        one if isinstance(one, InheritedFile) else InheritedFile(name, one, is_named=name == NAMED)
        for one, name in zip(inherited, (ORG, NAMED), strict=False)
    ]
    above = Inherited(repository, tuple(files))
    return load_configuration(OneFile(own), known_names() if known else None, inherited=above)  # type: ignore[arg-type]


def problems(own: str | None, *inherited: str | InheritedFile) -> list[tuple[str, int | None, str]]:
    with pytest.raises(ConfigurationError) as raised:
        loaded(own, *inherited)
    return [(one.file, one.line, one.code) for one in raised.value.problems]


def test_a_repository_without_a_file_has_its_organizations():
    found = loaded(None, "mode: enforce\ntier1:\n  gate: strict\n")
    assert (found.config.mode, found.config.tier1.gate, found.file) == (Mode.enforce, Gate.strict, None)
    assert found.origins == {"mode": Origin(ORG, 1), "tier1.gate": Origin(ORG, 3)}
    assert found.sources == (ConfigurationSource(ORG),)


def test_sections_and_names_are_merged_and_lists_are_replaced():
    org = """\
exclude: [a/, b/]
tier1: {gate: strict, timeoutSeconds: 60, commands: [make]}
tier2:
  severities: {naming: off, complexity: error}
agents: {claude-code: {mention: "@claude"}}
"""
    own = """\
exclude: [c/]
tier1: {timeoutSeconds: 90, commands: null}
tier2:
  severities: {naming: info}
agents: {copilot: {mention: "@copilot"}}
tier3:
"""
    config = loaded(own, org).config
    assert config.exclude == ("c/",)
    assert (config.tier1.gate, config.tier1.timeout_seconds, config.tier1.commands) == (Gate.strict, 90, None)
    assert config.tier2.severities == {"naming": Severity.info, "complexity": Severity.error}
    assert set(config.agents) == {"claude-code", "copilot"}


def test_a_named_repository_stands_between_organization_and_repository():
    found = loaded("comments: none\nextends: acme/standards\n", "mode: enforce\ncomments: all\n", "mode: advisory\n")
    assert (found.config.mode, found.config.comments) == (Mode.advisory, Comments.none)
    assert (found.origins["mode"], found.origins["comments"]) == (Origin(NAMED, 1), Origin(OWN, 1))
    assert [source.file for source in found.sources] == [OWN, NAMED, ORG]
    assert found.notes == ()


def test_a_locked_key_keeps_the_organizations_value_and_the_report_says_so():
    org = "locked: [mode, tier1.gate, tier2.severities.complexity, comments]\nmode: enforce\ntier1: {gate: strict}\n"
    own = "mode: advisory\ntier1:\n  gate: informational\n  network: false\ntier2:\n  severities:\n"
    own += "    complexity: off\n    naming: off\ncomments: blocking\n"
    found = loaded(own, org)
    assert (found.config.mode, found.config.tier1.gate, found.config.tier1.network) == (
        Mode.enforce,
        Gate.strict,
        False,
    )
    assert found.config.tier2.severities == {"naming": "off"}
    # `comments: blocking` is the default, which is what is locked.
    assert [note.what for note in found.notes] == [
        f"`mode` in {OWN}:1",
        f"`tier1.gate` in {OWN}:3",
        f"`tier2.severities.complexity` in {OWN}:7",
    ]
    assert all(f"{ORG}:1" in note.why for note in found.notes)


def test_a_locked_section_locks_all_below_it_whatever_it_holds():
    found = loaded("tier1:\n  enabled: false\n  tomato: 1\n", "locked:\n  - tier1\n")
    assert found.config.tier1 == ValidationConfig().tier1
    assert {note.what for note in found.notes} == {f"`tier1.enabled` in {OWN}:2", f"`tier1.tomato` in {OWN}:3"}
    assert {note.why.partition(",")[0] for note in found.notes} == {f"locked by {ORG}:2"}


def test_a_locked_gate_is_locked_for_each_command():
    org = "locked: [tier1.gate, tier2.severities]\n"
    own = "tier1:\n  commands:\n    - pytest\n    - run: make\n      gate: informational\n"
    found = loaded(own, org)
    _, make = found.config.tier1.commands or ()
    assert not isinstance(make, str)
    assert (make.run, make.gate) == ("make", None)
    assert [note.what for note in found.notes] == [f"`tier1.commands[1].gate` in {OWN}:5"]


def test_a_repository_cannot_unlock_nor_enforce_by_a_list():
    found = loaded("locked: []\nenforceIn: ['!shop']\nmode: advisory\n", "locked: [mode]\nmode: enforce\n")
    assert found.config.mode is Mode.enforce


def test_a_locked_extends_leaves_the_named_file_out():
    found = loaded("extends: acme/standards\n", "locked: [extends]\n", "mode: enforce\n")
    assert (found.config.mode, found.config.extends) == (Mode.advisory, None)


def test_locks_of_the_named_file_hold_too_but_not_against_the_organization():
    found = loaded("tier1: {network: false}\nmode: enforce\n", "locked: [mode]\n", "mode: enforce\nlocked: [tier1]\n")
    assert (found.config.mode, found.config.tier1.network) == (Mode.advisory, True)
    assert [note.what for note in found.notes] == [
        f"`mode` in {NAMED}:1",
        f"`tier1.network` in {OWN}:1",
        f"`mode` in {OWN}:2",
    ]


@pytest.mark.parametrize(
    ("patterns", "mode"),
    [
        ("[shop]", "enforce"),
        ("[SHOP]", "enforce"),
        ("['s*']", "enforce"),
        ("['*', '!sho?']", "advisory"),
        ("['!shop', '*']", "enforce"),
        ("[shopping, acme]", "advisory"),
    ],
)
def test_enforce_mode_is_rolled_out_by_a_list(patterns: str, mode: str):
    found = loaded("mode: advisory\n", f"locked: [mode]\nmode: advisory\nenforceIn: {patterns}\n")
    assert found.config.mode == mode
    assert found.origins["mode"] == Origin(ORG, 3 if mode == "enforce" else 2)
    assert [note.what for note in found.notes] == ([f"`mode` in {OWN}:1"] if mode == "enforce" else [])


@pytest.mark.parametrize(
    ("own", "inherited", "expected"),
    [
        (None, ["mode: stern\n"], [(ORG, 1, "config.invalid-value")]),
        ("mode: enforce\n", ["a: 1\nmode: enforce\n"], [(ORG, 1, "config.unknown-key")]),
        ("", ["\nlocked: [tier1.gat]\n"], [(ORG, 2, "config.unknown-name")]),
        ("", ["mode: [\n"], [(ORG, 2, "config.invalid-syntax")]),
        ("", ["mode: enforce\n", "- a\n"], [(NAMED, 1, "config.invalid-value")]),
        ("\nmode: stern\n", ["mode: enforce\n"], [(OWN, 2, "config.invalid-value")]),
        ("", ["x" * 300_000], [(ORG, None, "config.too-large")]),
        ("", ["mode: \udcff"], [(ORG, 1, "config.not-text")]),
    ],
)
def test_a_broken_file_is_named_with_its_line(own: str | None, inherited: list[str], expected: list[Any]):
    assert problems(own, *inherited) == expected


def test_values_that_are_only_wrong_together_are_told_where_the_repository_sets_them():
    own = "tier3:\n  coverage:\n    high: 60\n"
    assert problems(own, "tier3: {coverage: {medium: 55}}\n") == [(OWN, 2, "config.invalid-value")]
    # 90 alone is more than the default of `medium`, and right over the organization's.
    coverage = loaded("tier3: {coverage: {high: 90}}", "tier3: {coverage: {medium: 95}}").config.tier3.coverage
    assert (coverage.medium, coverage.high) == (95, 90)


def test_a_severity_of_the_organizations_rule_may_outlive_the_rule():
    rule = "{id: own, message: No., forbid: x}"
    org = f"tier2: {{customRules: [{rule}], severities: {{repository_rules.own: error}}}}\n"
    assert loaded("tier2: {severities: {repository_rules.own: info}}\n", org).config.tier2.custom_rules
    assert loaded("tier2: {customRules: []}\n", org).config.tier2.custom_rules == ()


def test_what_could_not_be_read_is_an_error():
    missing = InheritedFile(NAMED, None, "not there", is_named=True)
    assert problems("mode: enforce\nextends: acme/standards\n", "", missing) == [(OWN, 2, "config.not-inherited")]
    assert problems(None, InheritedFile(ORG, None, "a folder")) == [(ORG, None, "config.not-inherited")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("extends: acme/standards\nx: 1\n", "acme/standards"),
        ("extends: ../x\n", None),
        ("extends: [a/b]\n", None),
        ("mode: [\n", None),
        ("mode: enforce\n", None),
        ("", None),
        (None, None),
    ],
)
def test_the_repository_that_a_file_extends_is_read_without_the_rest(text: str | None, name: str | None):
    assert extends_of(OneFile(text)) == name  # type: ignore[arg-type]


# ------------------------------------------------------------------ whatever the files hold

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "mode": st.sampled_from(["advisory", "enforce"]),
    "exclude": st.lists(st.sampled_from(["a/", "*.b"]), max_size=2),
    "tier1.gate": st.sampled_from(["strict", "regression_only", "informational"]),
    "tier1.network": st.booleans(),
    "tier1.commands": st.lists(
        st.sampled_from(["make", {"run": "x", "gate": "informational"}, {"run": "y", "gate": "strict"}]), max_size=2
    ),
    "tier2.severities.naming": st.sampled_from(["off", "info", "error"]),
    "tier2.severities.complexity": st.sampled_from(["off", "info", "error"]),
    "tier2.complexity.nesting": st.integers(1, 9),
    "tier3.coverage.medium": st.integers(1, 100),
    "tier3.coverage.high": st.integers(1, 100),
    "tier3.signals.surface": st.booleans(),
    "agents.codex.mention": st.sampled_from(["@a", "@b"]),
}
LOCKS = st.lists(
    st.sampled_from([*VALUES, "tier1", "tier2", "tier2.severities", "tier2.complexity", "tier3.coverage", "agents"]),
    max_size=4,
    unique=True,
)


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in flat.items():
        *above, last = key.split(".")
        place = data
        for part in above:
            place = place.setdefault(part, {})
        place[last] = value
    return data


FILES = st.fixed_dictionaries({}, optional=VALUES).map(nested)


def configured(own: dict[str, Any] | None, *inherited: dict[str, Any]) -> ValidationConfig:
    """The configuration; an example in which the files are wrong together is given up."""
    try:
        return loaded(None if own is None else yaml.safe_dump(own), *map(json.dumps, inherited), known=False).config
    except ConfigurationError:
        assume(False)
        raise


def flat(config: ValidationConfig) -> dict[str, Any]:
    """Every value by its dotted key; names of a free mapping are keys."""
    return {key: value for key, value in leaves(config) if value != {}}


@given(org=FILES, own=FILES, locks=LOCKS)
def test_no_file_of_a_repository_changes_a_locked_key(org: dict[str, Any], own: dict[str, Any], locks: list[str]):
    org["locked"] = locks
    config = configured(own, org)
    found, wanted = flat(config), flat(configured(None, org))
    locked = {key for key in {*found, *wanted} if lock_of(key, locks)}
    assert {key: found.get(key) for key in locked} == {key: wanted.get(key) for key in locked}
    if lock_of("tier1.gate", locks) and "commands" in own.get("tier1", {}) and not lock_of("tier1.commands", locks):
        assert all(isinstance(one, str) or one.gate is None for one in config.tier1.commands or ())


@given(org=FILES, own=FILES)
def test_merging_a_file_again_changes_nothing(org: dict[str, Any], own: dict[str, Any]):
    assert configured(org, org) == configured(None, org) == configured(org)
    assert configured(own, org, own) == configured(own, org)


@given(org=FILES, own=FILES)
def test_each_key_is_the_repositorys_else_the_organizations_else_the_default(org: dict[str, Any], own: dict[str, Any]):
    found, default = flat(configured(own, org)), flat(ValidationConfig())
    of_own, of_org = flat(configured(own)), flat(configured(org))
    set_by = {name: set(origins(data)) for name, data in (("own", own), ("org", org))}
    for key, value in found.items():
        is_own, is_org = (any(lock_of(one, [key]) for one in set_by[name]) for name in ("own", "org"))
        assert value == (of_own if is_own else of_org if is_org else default)[key]


def origins(data: dict[str, Any]) -> dict[str, Origin]:
    """The places of the keys that a file sets."""
    return dict(loaded(yaml.safe_dump(data), known=False).origins)
