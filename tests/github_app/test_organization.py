"""The App validates under the configuration of the organization, as its repository `.github` has it."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.github.events.model import PushEvent, RepositoryFacts
from assay.github_app.handlers import handle
from assay.github_app.learning.repository_settings import configuration_on
from assay.github_app.ops.permissions import FOR_CHECKOUT
from assay.github_app.outcomes.record.recording import record
from assay.github_app.runtime.organization import KEPT_S, inheriting
from assay.validators import ConfigurationError, ValidationReport
from assay.validators.configuration.model import Mode
from tests.github_app.rooms import Room
from tests.github_app.test_configuration_in_force import merged, validated
from tests.repositories import RealRepository

ORG = "acme/.github/.github/assay.yml"
OWN = "tier1: {enabled: false}\ntier2: {enabled: false}\nmode: advisory\n"
LOCKING = "locked: [mode]\nmode: enforce\ntier3: {riskThresholdForHold: high}\n"


def hosted(room: Room, folder: Path, files: dict[str, str], name: str = ".github", *, private: bool = True) -> str:
    """Another repository of the organization, in which the App is not installed."""
    full_name = room.github.create_repository(name, private=private)
    pushed(room, folder, files, full_name)
    return full_name


def pushed(room: Room, folder: Path, files: dict[str, str], full_name: str = "acme/.github") -> str:
    repository = RealRepository(folder / full_name.replace("/", "_"))
    sha = repository.commit("Configure", files)
    room.github.push(repository, "main", repo=full_name)
    return sha


def install(room: Room, full_name: str = "acme/.github") -> None:
    """The App is installed there, too."""
    facts = RepositoryFacts(room.github.repository_id(full_name), full_name, "main", is_private=True)
    room.store.repositories.put(facts, room.github.installation_id, datetime.now(UTC))


def outcome(report: ValidationReport) -> tuple[str, str]:
    return report.mode, report.settings["hold_at"]


def test_a_repository_is_validated_under_its_organizations_configuration(room: Room, tmp_path: Path):
    merged(room, OWN)
    hosted(room, tmp_path, {".github/assay.yml": LOCKING})
    install(room)
    room.store.runs.begin(*room.place, room.head, "opened", datetime.now(UTC))
    report = validated(room, tmp_path)
    assert outcome(report) == ("enforce", "high")
    assert report.tools is None, "the repository's own keys hold as well"
    assert [source["file"] for source in report.settings["sources"]] == [".github/assay.yml", ORG]
    assert {note.what: f"{ORG}:1" in note.why for note in report.not_checked}["`mode` in .github/assay.yml:3"]


@pytest.mark.parametrize(
    ("private", "mode"), [(True, "advisory"), (False, "enforce")], ids=["private", "public, which everyone reads"]
)
def test_where_the_app_is_not_installed_only_a_public_file_counts(room: Room, tmp_path: Path, private: bool, mode: str):
    hosted(room, tmp_path, {".github/assay.yml": "mode: enforce\n"}, private=private)
    assert effective(room) is Mode(mode)


def effective(room: Room) -> Mode:
    with room.context.repo(room.repository_id, FOR_CHECKOUT) as repo:
        return configuration_on(repo, "main", inheriting(room.context, room.repository_id)).mode


def test_a_broken_file_stops_the_validation_with_one_line(room: Room, tmp_path: Path):
    merged(room, OWN)
    hosted(room, tmp_path, {".github/assay.yml": "# ours\nmode: stern\n"})
    install(room)
    room.store.runs.begin(*room.place, room.head, "opened", datetime.now(UTC))
    report = validated(room, tmp_path)
    assert (report.configuration_at_fault, report.risk) == (True, None)
    assert [reason.rpartition(" `mode`")[0] for reason in report.reasons] == [f"config.invalid-value: {ORG}:2:"]


@pytest.mark.parametrize(
    ("content", "code"),
    [({".github/assay.yml/x": "1\n"}, "config.not-inherited"), ({"README.md": "none\n"}, None)],
    ids=["a folder", "no file"],
)
def test_a_path_that_is_no_file_is_an_error_and_a_missing_file_is_none(
    room: Room, tmp_path: Path, content: dict[str, str], code: str | None
):
    hosted(room, tmp_path, content)
    install(room)
    if code is None:
        assert effective(room) is Mode.advisory
        return
    with pytest.raises(ConfigurationError) as raised:
        effective(room)
    assert [(one.file, one.code) for one in raised.value.problems] == [(ORG, code)]


def test_a_file_is_read_once_in_two_minutes_and_again_after_a_push(room: Room, tmp_path: Path):
    hosted(room, tmp_path, {".github/assay.yml": "mode: advisory\n"})
    install(room)
    now = datetime.now(UTC)
    room.context = dataclasses.replace(room.context, clock=lambda: now)
    assert effective(room) is Mode.advisory
    pushed(room, tmp_path, {".github/assay.yml": "mode: enforce\n"})
    assert effective(room) is Mode.advisory
    later = dataclasses.replace(room.context, clock=lambda: now + timedelta(seconds=KEPT_S))
    handed, room.context = room.context, later
    assert effective(room) is Mode.enforce
    sha = pushed(room, tmp_path, {".github/assay.yml": "mode: advisory\ncomments: none\n"})
    event = room.heard("push", lambda payload: payload["after"] == sha)
    assert isinstance(event, PushEvent)
    room.context = handed
    handle(event, room.context)
    assert effective(room) is Mode.advisory


@pytest.mark.parametrize(
    ("name", "extends", "line"),
    [
        ("standards", "acme/standards", None),
        ("standards", "Acme/none", 2),
        ("standards", "other/standards", 2),
        ("standards", "acme/shop", 2),
    ],
)
def test_a_repository_extends_one_of_the_same_owner(
    room: Room, tmp_path: Path, name: str, extends: str, line: int | None
):
    hosted(room, tmp_path, {".github/assay.yml": "mode: enforce\n"}, name)
    install(room, f"acme/{name}")
    merged(room, f"\nextends: {extends}\n")
    if line is None:
        assert effective(room) is Mode.enforce
        return
    with pytest.raises(ConfigurationError) as raised:
        effective(room)
    assert [(one.line, one.code) for one in raised.value.problems] == [(line, "config.not-inherited")]


def test_a_public_repository_extends_no_private_one(room: Room, tmp_path: Path):
    hosted(room, tmp_path, {".github/assay.yml": "mode: enforce\n"}, "standards")
    install(room, "acme/standards")
    merged(room, "extends: acme/standards\n")
    facts = RepositoryFacts(room.repository_id, room.full_name, "main", is_private=False)
    room.store.repositories.put(facts, room.github.installation_id, datetime.now(UTC))
    with pytest.raises(ConfigurationError, match="a public repository cannot extend a private one"):
        effective(room)


def test_the_organizations_repository_does_not_inherit_from_itself(room: Room, tmp_path: Path):
    full_name = hosted(room, tmp_path, {".github/assay.yml": "mode: [\n"})
    install(room)
    found = inheriting(room.context, room.github.repository_id(full_name))(None)
    assert (found.repository, found.files) == (full_name, ())


def test_a_change_cannot_bring_the_organizations_file(room: Room, tmp_path: Path):
    """A pull request has a file of that name, and one that extends: neither is in force."""
    hosted(room, tmp_path, {".github/assay.yml": LOCKING})
    install(room)
    room.push({".github/assay.yml": "mode: advisory\nextends: acme/shop\nlocked: []\n"})
    room.store.runs.begin(*room.place, room.head, "opened", datetime.now(UTC))
    assert outcome(validated(room, tmp_path)) == ("enforce", "high")


def test_a_merged_push_to_another_repository_records_nothing_of_ours(room: Room, tmp_path: Path):
    hosted(room, tmp_path, {".github/assay.yml": "mode: enforce\n"})
    event = room.heard("push", lambda payload: payload["repository"]["name"] == ".github")
    record(event, room.store, datetime.now(UTC))
    handle(event, room.context)
    assert list(room.store.runs.of_pull(*room.place)) == []
