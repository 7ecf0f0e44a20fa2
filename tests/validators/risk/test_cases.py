"""What each signal says of small changes: the cases are data, in tests/cases/risk/<signal>.yml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from assay.validators.report.risk_facts import Affected
from assay.validators.report.unknown import open_questions
from assay.validators.risk.dependencies.supply_facts.readers import READERS
from tests.examples import one_of_each
from tests.validators.risk.changes import CASES, OF_THE_CHANGE, Case, Changes, assess, cases, places_of, said_of

ALL = cases()


def _kind(index: int) -> tuple[str, ...]:
    """Return the signal and level of a case, of a quick one its name too."""
    case = ALL[index]
    return case.signal, case.expect.get("level", "none"), case.name if case.is_quick else ""


FIRST_OF_EACH = one_of_each(range(len(ALL)), _kind)


@pytest.fixture(scope="module")
def case_changes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Changes]:
    with Changes(tmp_path_factory.mktemp("cases") / "repository", [(case.base, case.head) for case in ALL]) as made:
        yield made


@pytest.mark.parametrize("index", FIRST_OF_EACH, ids=[str(case) for case in ALL])
def test_a_change_is_judged_as_its_case_says(case_changes: Changes, index: int):
    case = ALL[index]
    assessment = assess(case_changes.at(index), case.config, only=case.signal)
    failed = [note for note in assessment.not_checked if "it failed" in note.why]
    assert failed == []
    _holds(case, assessment, said_of(assessment, case.signal))


def test_every_signal_has_cases_that_find_and_cases_that_pass():
    told = {
        signal.name: {case.expect.get("level", "none") for case in ALL if case.signal == signal.name}
        for signal in OF_THE_CHANGE
    }
    of_other_tiers = {"coverage", "found"}
    assert {name for name, levels in told.items() if "none" not in levels} - of_other_tiers == set()
    assert {name for name, levels in told.items() if not levels - {"none"}} - of_other_tiers == set()
    assert {path.name.partition(".")[0] for path in CASES.glob("*.yml")} <= set(told)


def test_every_reader_of_facts_has_a_case_that_finds():
    """A reader without its case is found by leaving it out: the facts of each are told apart by their words."""
    told = {reader.name: _WORDS_OF_FACTS[reader.name] for reader in READERS}
    found = " ".join(str(case.expect) for case in ALL if case.signal == "supply_chain")
    assert [name for name, words in told.items() if words not in found] == []


_WORDS_OF_FACTS = {
    "run_on_install": "runs on installation",
    "registries": ".npmrc:2",
    "pre_commit": "follow main",
    "promises": "no longer installed",
}


def _holds(case: Case, assessment, said) -> None:
    expect = dict(case.expect)
    level = expect.pop("level", None)
    assert (str(said[0].level or said[0].gravity) if said else None) == level, said
    _first_holds(expect, said)
    texts = places_of(said)
    for words in _listed(expect.pop("evidence", [])):
        assert any(words in text for text in texts), texts
    for words in _listed(expect.pop("no_evidence", [])):
        assert not any(words in text for text in texts), texts
    _figures_hold(expect, assessment)
    unknown = [f"{one.question}: {one.what}" for one in open_questions(assessment.not_checked)]
    for words in _listed(expect.pop("unknown", [])):
        assert words in unknown, unknown
    if "no_unknown" in expect:
        assert expect.pop("no_unknown") not in [str(one.question) for one in open_questions(assessment.not_checked)]
    said = [f"{note.what}: {note.why}" for note in assessment.not_checked]
    for words in _listed(expect.pop("not_checked", [])):
        assert any(words in note for note in said), said
    left_out = _listed(expect.pop("no_not_checked", []))
    assert not [note for note in said if any(words in note for words in left_out)]
    packages = [
        f"{one.name} {one.before} -> {one.version} {one.scope} {one.manifest}:{one.line}"
        for one in assessment.new_dependencies
    ]
    if "packages" in expect:
        assert packages == expect.pop("packages")
    interfaces = [f"{one.symbol} {one.kind}: {one.what}" for one in assessment.api_changes]
    if "api" in expect:
        assert interfaces == expect.pop("api")
    wanted = expect.pop("interface", {})
    judged = {name: _judged(assessment, name) for names in wanted.values() for name in names}
    # What is only known to be compatible by what a type stands for may be unknown.
    assert {name: said.partition("_")[0] for said, names in wanted.items() for name in names} == judged
    _dependents_hold(expect, assessment)
    assert expect == {}, "a case may not ask for what nobody checks"


def _judged(assessment, name: str) -> str:
    """Return the gravest that is said of a name and its members: breaking, unknown or, silent too, compatible."""
    kinds = {str(one.kind) for one in assessment.api_changes if re.match(rf"{re.escape(name)}(?![\w$])", one.symbol)}
    own = re.compile("|".join(rf"\b{re.escape(one)}\b" for one in {name, name.partition(".")[2] or name}))
    asked = [one.what for one in open_questions(assessment.not_checked) if one.question == "interface"]
    kinds |= {"unknown" for what in asked if own.search(what)}
    return next((kind for kind in ("breaking", "unknown") if kind in kinds), "compatible")


def _first_holds(expect: dict[str, Any], said) -> None:
    for words in _listed(expect.pop("says", [])):
        assert words in said[0].text
    assert set(_listed(expect.pop("kind", []))) <= {one.kind for one in said}
    if "advice" in expect:
        assert said[0].advice == expect.pop("advice")


def _dependents_hold(expect: dict[str, Any], assessment) -> None:
    if "dependents" in expect:
        assert list(map(_reached, assessment.dependents)) == expect.pop("dependents")
    if "first_tests" in expect:
        first = [one for one in assessment.dependents if one.is_test and one.affected is Affected.run_first]
        assert f"{len(first)} of {assessment.num_tests_total}" == expect.pop("first_tests")


def _reached(one) -> str:
    names = ",".join([*one.uses, *(f"{name}?" for name in one.may_use)])
    return f"{one.path} {one.distance}{' test' if one.is_test else ''} {names}".strip()


def _figures_hold(expect: dict[str, Any], assessment) -> None:
    if "num_source" in expect:
        surface = assessment.surface
        figures = [surface.num_source_files, surface.num_source_added, surface.num_source_removed]
        assert figures == expect.pop("num_source")


def _listed(said) -> list[str]:
    return [said] if isinstance(said, str) else list(said)
