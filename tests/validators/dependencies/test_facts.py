"""What is said of packages by what registries answer: the cases are data, in tests/cases/dependencies/facts.yml."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.validators.configuration.model import Mode, ValidationConfig
from assay.validators.dependencies import asking
from assay.validators.dependencies.asking import Asking
from assay.validators.dependencies.look_alikes import look_alike
from assay.validators.dependencies.registries import Package
from assay.validators.policy.verdict import decide
from assay.validators.report.model import RiskAssessment, Tier
from assay.validators.risk.assess import assess_risk
from assay.validators.risk.dependencies.new_dependencies import NewDependenciesSignal
from assay.validators.run.pipeline import Options, validate
from tests.conftest import ROOT
from tests.fakes.registries import FakeRegistries, serving
from tests.tables import read_yaml
from tests.validators.risk.changes import Changes

CASES = read_yaml(ROOT / "tests" / "cases" / "dependencies" / "facts.yml")
ALIKE = read_yaml(ROOT / "tests" / "cases" / "dependencies" / "look_alikes.yml")
OF_FACTS = ("package_", "licence_", "dependency_back")
WS = Package("npm", "ws", "8.0.0")


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Changes]:
    with Changes(tmp_path_factory.mktemp("facts") / "repository") as made:
        yield made


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeRegistries]:
    with serving(FakeRegistries({"NPM ws": {"8.0.0": {"days": 400}}})) as served:
        monkeypatch.setenv("ASSAY_DEPS_DEV_URL", served.url)
        monkeypatch.setenv("ASSAY_OSV_URL", served.url)
        monkeypatch.delenv("ASSAY_OFFLINE")
        monkeypatch.setattr("assay.validators.dependencies.registries._PAUSES_S", (0.0, 0.0, 0.0))
        yield served


def _assessed(changes: Changes, case: Mapping[str, Any]) -> RiskAssessment:
    config = ValidationConfig.model_validate({"dependencies": case.get("config", {})})
    return assess_risk(changes.of(case["base"], case["head"]), config, signals=[NewDependenciesSignal()])


@pytest.mark.parametrize("name", CASES)
def test_what_registries_say_of_a_package(name: str, changes: Changes, registries: FakeRegistries):
    case = CASES[name]
    for key, value in case.get("registry", {"packages": {}}).items():
        setattr(registries, key, value)
    assessment = _assessed(changes, case)
    said = [
        f"{one.kind} {text}"
        for one in assessment.statements
        if one.kind.startswith(OF_FACTS)
        for text in (one.text, *(more.text for more in one.evidence))
    ]
    wanted = [one.partition(" ")[::2] for one in case["says"]]
    found = [[one for one in said if one.startswith(kind + " ") and words in one] for kind, words in wanted]
    assert [len(one) for one in found] == [1] * len(wanted), said
    assert len(said) == len(wanted), said
    assert not any("it failed" in note.why for note in assessment.not_checked)
    assert case.get("not_checked", "") in " ".join(note.why for note in assessment.not_checked)
    never = case.get("never_asked")
    assert never is None or not any(never in path for path in registries.asked)


def test_the_report_lists_licence_dates_and_vulnerabilities(changes: Changes, registries: FakeRegistries):
    registries.packages = {"NPM ws": {"7.0.0": {"days": 900}, "8.0.0": {"days": 400, "attested": True}}}
    change = changes.of({"package.json": "{}"}, {"package.json": '{"dependencies": {"ws": "8.0.0"}}'})
    report = validate(change, ValidationConfig(), Options(tiers=[Tier.risk]))
    assert report.risk is not None
    (one,) = report.risk.new_dependencies
    facts = one.facts
    assert facts is not None
    assert (facts.licence, facts.is_attested, facts.num_versions, facts.vulnerabilities) == ("MIT", True, 2, ())
    assert facts.first_published is not None
    assert facts.published is not None
    assert facts.first_published < facts.published == facts.newest_published


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ({"refusals": [500] * 99}, "HTTP status 500"),
        ({"refusals": [403] * 99}, "HTTP status 403"),
        ({"body": b"<html>"}, "not JSON"),
        ({"body": b"[" * 100_000}, "not JSON"),
        ({"body": b"[]"}, "not a JSON object"),
        ({"body": b"x" * 9_000_000}, "too large"),
    ],
)
def test_an_answer_that_is_none_is_not_checked(setting: Mapping[str, Any], why: str, registries: FakeRegistries):
    for key, value in setting.items():
        setattr(registries, key, value)
    facts = Asking([WS]).facts()[WS]
    assert facts.exists is None
    assert why in facts.why_unknown


def test_a_document_of_another_form_is_no_fact(registries: FakeRegistries):
    versions = [1, {"versionKey": 7}, None, {"versionKey": {"version": "8.0.0"}, "publishedAt": "yesterday"}]
    registries.body = json.dumps({"versions": versions, "licenses": 5, "results": [[]]}).encode()
    facts = Asking([WS]).facts()[WS]
    assert (facts.licence, facts.published, facts.vulnerabilities) == (None, None, ())


def test_a_refusal_that_passes_is_asked_again(registries: FakeRegistries):
    registries.refusals = [429]
    assert Asking([WS]).facts()[WS].licence == "MIT"


def test_a_registry_that_does_not_answer_is_not_waited_for(registries: FakeRegistries, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(asking, "WAIT_S", 0.5)
    registries.pause_s = 5.0
    facts = Asking([WS]).facts()[WS]
    assert (facts.exists, "no answer" in facts.why_unknown) == (None, True)


@pytest.mark.parametrize(
    ("silent", "licence", "ids"), [("/v3/", None, ("GHSA-1",)), ("/v1/", "MIT", None)], ids=["deps.dev", "OSV"]
)
def test_a_service_without_an_answer_does_not_hold_the_other(
    silent: str,
    licence: str | None,
    ids: tuple[str, ...] | None,
    registries: FakeRegistries,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(asking, "WAIT_S", 1.5)
    registries.found, registries.vulnerabilities = {"NPM ws 8.0.0": ["GHSA-1"]}, {"GHSA-1": {"summary": "runs code"}}
    registries.pause_s, registries.pause_at = 5.0, silent
    facts = Asking([WS]).facts()[WS]
    assert facts.licence == licence
    known = facts.vulnerabilities
    assert (None if known is None else tuple(one.id for one in known)) == ids
    assert "no answer" in facts.why_unknown


@pytest.mark.parametrize(
    ("vectors", "severity"),
    [
        ([("CVSS_V3", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H")], "critical"),
        ([("CVSS_V3", "CVSS:3.0/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N")], "low"),
        ([("CVSS_V4", "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N")], "critical"),
        ([("CVSS_V2", "AV:N/AC:L/Au:N/C:N/I:N/A:C")], "high"),
        ([("CVSS_V3", "x" * 5000), ("Ubuntu", "low"), ("CVSS_V4", "CVSS:4.0/AV:Z")], "unknown"),
    ],
)
def test_a_severity_is_read_from_vectors(vectors: Sequence[tuple[str, str]], severity: str, registries: FakeRegistries):
    said = [{"type": kind, "score": score} for kind, score in vectors]
    registries.found, registries.vulnerabilities = {"NPM ws 8.0.0": ["CVE-1"]}, {"CVE-1": {"severity": said}}
    (found,) = Asking([WS]).facts()[WS].vulnerabilities or ()
    assert found.severity == severity


def test_nothing_is_asked_offline(changes: Changes, registries: FakeRegistries):
    head = {"package.json": '{"dependencies": {"ws": "8.0.0"}}'}
    assessment = _assessed(changes, {"base": {"package.json": "{}"}, "head": head, "config": {"offline": True}})
    assert "offline" in " ".join(note.why for note in assessment.not_checked)
    assert not registries.asked


def test_an_answer_is_kept_for_the_day(registries: FakeRegistries, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("ASSAY_NO_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Asking([WS]).facts() == Asking([WS]).facts()
    assert registries.asked["/v3/systems/NPM/packages/ws"] == 1


@pytest.mark.parametrize("address", ["http://registry.example.com", "https://user:word@registry.example.com", "x"])
def test_no_name_goes_to_an_address_that_others_can_read(address: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_DEPS_DEV_URL", address)
    monkeypatch.setenv("ASSAY_OSV_URL", address)
    assert "not an https address" in Asking([WS]).facts()[WS].why_unknown


def test_an_invented_name_holds_the_change_where_the_verdict_is_enforced(changes: Changes, registries: FakeRegistries):
    registries.packages = {}
    case = {"base": {"package.json": "{}"}, "head": {"package.json": '{"dependencies": {"wss-xyz": "1.0.0"}}'}}
    assessment = _assessed(changes, case)
    held = {mode: decide(ValidationConfig(mode=mode), None, None, assessment) for mode in Mode}
    assert held[Mode.enforce].reasons == ("package does not exist: approval required",)
    assert (held[Mode.enforce].hold, held[Mode.advisory].hold) == (True, False)


@pytest.mark.parametrize("key", ALIKE)
def test_a_name_that_may_be_taken_for_a_much_used_one(key: str):
    ecosystem, _, name = key.partition(" ")
    found = look_alike(ecosystem, name.strip('"'))
    assert (found.name if found else None) == ALIKE[key]


@pytest.mark.parametrize(("days", "is_said"), [(20, True), (364, True), (366, False)])
def test_an_old_package_is_no_imitation(days: int, is_said: bool, changes: Changes, registries: FakeRegistries):
    registries.packages = {"PYPI reqeusts": {"1.0": {"days": days}}}
    case = {"base": {"requirements.txt": ""}, "head": {"requirements.txt": "reqeusts==1.0\n"}}
    assert ("package_alike" in {one.kind for one in _assessed(changes, case).statements}) == is_said


@pytest.mark.parametrize(("name", "is_said"), [("reqeusts", True), ("python-requests", False)])
def test_offline_an_affix_alone_is_not_named(name: str, is_said: bool, changes: Changes):
    case = {"base": {"requirements.txt": ""}, "head": {"requirements.txt": f"{name}==1.0\n"}}
    assert ("package_alike" in {one.kind for one in _assessed(changes, case).statements}) == is_said
