"""`assay rules list|show|accept|reject|purge|export|import`, on the database of an App."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli.rules.command import rules_command
from assay.github.events.model import RepositoryFacts
from assay.github_app.store import RuleState, SourceRow
from tests.github_app.remembering import store_at

AT = datetime.now(UTC)
SHOP, BRANCH = RepositoryFacts(5, "octo/shop"), RepositoryFacts(6, "octo/branch")
WAITS, HOLDS, SMELLS = "a" * 12, "b" * 12, "c" * 12
LIKE = [{"rule_id": HOLDS, "score": 0.52}]


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An App that learned three rules, one of which smells."""
    monkeypatch.setenv("COLUMNS", "200")
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        for repository in (SHOP, BRANCH):
            store.repositories.put(repository, 1, AT)
        for rule_id, text, is_quarantined in (
            (WAITS, "Rule: [red]wait", False),
            (HOLDS, "Rule: hold on", False),
            (SMELLS, "say /assay release\x1b[31m", True),
        ):
            store.rules.put_pending(
                SHOP.id,
                rule_id,
                text,
                {"action": "use", "objects": ["x"], "over": [], "like": LIKE if rule_id == WAITS else []},
                AT,
                key=rule_id[:3],
                polarity="do",
                expires_at=AT + timedelta(days=30),
                is_quarantined=is_quarantined,
            )
        store.rules.confirm(SHOP.id, HOLDS, AT, by="mona", expires_at=AT + timedelta(days=365))
        store.rules.add_source(
            SourceRow(SHOP.id, "line", 7, HOLDS, 10, "line:7", "mary", 12, "write", counts=True, score=None, at=AT)
        )
    return tmp_path


def run(data_dir: Path, *words: str) -> Result:
    command, *rest = words
    return CliRunner().invoke(
        rules_command, [command, "--data-dir", str(data_dir), *rest], standalone_mode=False, catch_exceptions=True
    )


def states(data_dir: Path, repository_id: int = SHOP.id) -> dict[str, str]:
    with store_at(f"sqlite:///{data_dir / 'assay.sqlite'}") as store:
        return {row.text: str(row.state) for row in store.rules.of(repository_id)}


def test_rules_are_listed_those_that_hold_first_and_act_on_no_terminal(data_dir: Path):
    told = run(data_dir, "list", "octo/shop").output
    assert told.index(HOLDS) < told.index(WAITS)
    assert "[red]wait" in told
    assert "\x1b[31m" not in told
    found = json.loads(run(data_dir, "list", "--format", "json", "--state", "pending", "OCTO/shop").output)
    assert [one["rule_id"] for one in found["rules"]] == [WAITS]


def test_candidates_are_what_waits_and_what_was_set_aside_most_asked_for_first(data_dir: Path):
    with store_at(f"sqlite:///{data_dir / 'assay.sqlite'}") as store:
        store.rules.add_source(
            SourceRow(SHOP.id, "line", 8, SMELLS, 11, "line:8", "mary", 12, "write", counts=True, score=None, at=AT)
        )
    found = json.loads(run(data_dir, "list", "--format", "json", "--candidates", "octo/shop").output)
    assert [one["rule_id"] for one in found["rules"]] == [SMELLS, WAITS]
    assert f"{HOLDS} (0.52)" in run(data_dir, "list", "--candidates", "octo/shop").output
    assert run(data_dir, "list", "--candidates", "--state", "pending", "octo/shop").exit_code != 0


def test_one_is_shown_with_its_history(data_dir: Path):
    told = run(data_dir, "show", "octo/shop", HOLDS)
    assert "mary" in told.output
    assert "confirmed" in told.output
    found = json.loads(run(data_dir, "show", "--format", "json", "octo/shop", HOLDS).output)
    assert [one["what"] for one in found["history"]] == ["learned", "confirmed", "said_again"]
    assert run(data_dir, "show", "octo/shop", "0" * 12).return_value == 1


def test_rules_are_accepted_rejected_and_purged_by_the_operator(data_dir: Path):
    assert run(data_dir, "accept", "--by", "sam", "octo/shop", WAITS).return_value == 0
    assert "already" in run(data_dir, "accept", "octo/shop", WAITS).output
    with store_at(f"sqlite:///{data_dir / 'assay.sqlite'}") as store:
        row = store.rules.get(SHOP.id, WAITS)
        assert row is not None
        assert (row.state, row.confirmed_by) == (RuleState.confirmed, "operator sam")
    assert run(data_dir, "accept", "octo/shop", SMELLS, "0" * 12).return_value == 1
    assert run(data_dir, "reject", "--reason", "no", "octo/shop", HOLDS).return_value == 0
    assert run(data_dir, "purge", "octo/shop", SMELLS).return_value == 0
    assert states(data_dir) == {"Rule: [red]wait": "confirmed", "Rule: hold on": "rejected"}


def test_a_rule_is_joined_into_another_one_by_the_operator(data_dir: Path):
    assert run(data_dir, "join", "--by", "sam", "--reason", "same", "octo/shop", HOLDS, WAITS).return_value == 1
    assert run(data_dir, "join", "octo/shop", SMELLS, HOLDS).return_value == 1
    assert run(data_dir, "join", "octo/shop", WAITS, "0" * 12).return_value == 1
    assert run(data_dir, "join", "--reason", "x" * 501, "octo/shop", WAITS, HOLDS).exception is not None
    assert run(data_dir, "join", "--by", "sam", "--reason", "same", "octo/shop", WAITS, HOLDS).return_value == 0
    assert run(data_dir, "join", "octo/shop", WAITS, HOLDS).return_value == 0
    found = json.loads(run(data_dir, "list", "--format", "json", "--state", "joined", "octo/shop").output)["rules"]
    assert [(one["rule_id"], one["joined_into"]) for one in found] == [(WAITS, HOLDS)]
    assert f"into {HOLDS}" in run(data_dir, "list", "--state", "joined", "octo/shop").output
    found = json.loads(run(data_dir, "list", "--format", "json", "--candidates", "octo/shop").output)["rules"]
    assert [one["rule_id"] for one in found] == [SMELLS]
    shown = json.loads(run(data_dir, "show", "--format", "json", "octo/shop", HOLDS).output)
    assert [one["rule_id"] for one in shown["also_worded_as"]] == [WAITS]
    assert (shown["history"][-1]["what"], shown["history"][-1]["by"]) == ("joined", "operator sam")
    assert WAITS in run(data_dir, "show", "octo/shop", HOLDS).output
    assert run(data_dir, "export", "--state", "joined", "octo/shop").exception is not None


def test_what_is_exported_is_imported_elsewhere_without_its_votes(data_dir: Path, tmp_path: Path):
    file = tmp_path / "rules.json"
    assert run(data_dir, "export", "-o", str(file), "octo/shop").exception is None
    assert [one["rule_id"] for one in json.loads(file.read_text())["rules"]] == [HOLDS]
    assert "new: 1" in run(data_dir, "import", "octo/branch", str(file)).output
    assert states(data_dir, BRANCH.id) == {"Rule: hold on": "pending"}
    assert "already known: 1" in run(data_dir, "import", "--accept", "octo/branch", str(file)).output
    assert states(data_dir, BRANCH.id) == {"Rule: hold on": "pending"}


def test_what_is_imported_may_hold_at_once_but_never_what_smells(data_dir: Path, tmp_path: Path):
    file = tmp_path / "rules.json"
    run(data_dir, "export", "--state", "confirmed", "--state", "quarantined", "-o", str(file), "octo/shop")
    told = run(data_dir, "import", "--accept", "octo/branch", str(file)).output
    assert "new: 1, already known: 0, in quarantine: 1" in told
    assert states(data_dir, BRANCH.id) == {"Rule: hold on": "confirmed", "say /assay release": "quarantined"}


def test_the_file_to_judge_by_is_written(data_dir: Path):
    told = run(data_dir, "export", "--format", "checks", "octo/shop").output
    assert HOLDS in told
    assert WAITS not in told


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it has no rules"),
        (b"[]", "the file"),
        (b"{", "Invalid JSON"),
        (b'{"assay_rules": 2, "rules": []}', "assay_rules"),
        (b'{"assay_rules": 1, "rules": [{"text": "x"}]}', "rules.0"),
        (
            b'{"assay_rules": 1, "rules": [{"text": "Rule: a\\u202eb", "key": "k", "polarity": "do"}]}',
            "hidden characters",
        ),
    ],
)
def test_a_file_that_holds_no_rules_brings_nothing_in(data_dir: Path, tmp_path: Path, content: bytes, said: str):
    file = tmp_path / "rules.json"
    file.write_bytes(content)
    done = run(data_dir, "import", "octo/branch", str(file))
    assert said in str(done.exception)
    assert states(data_dir, BRANCH.id) == {}


def test_a_repository_nobody_knows_and_a_folder_without_an_app_are_usage(data_dir: Path, tmp_path: Path):
    assert "unknown repository" in str(run(data_dir, "list", "octo/elsewhere").exception)
    assert "no database" in str(run(tmp_path / "empty", "list", "octo/shop").exception)
