"""The rules of a repository over HTTP: handed to agents, decided about by those who hold the right token."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from assay.github_app.store import RuleChange, RuleState, Scope, SourceRow
from tests.github_app.api.serving import AT, OTHER, SHOP, Served

HERE = f"/api/v1/repos/{SHOP.full_name}/rules"
WAITS, HOLDS, FOREIGN = "a" * 12, "b" * 12, "c" * 12


@pytest.fixture
def ruled(api: Served) -> Served:
    """A rule that waits, one that holds for TypeScript below `src`, and one of another repository."""
    rules = api.store.rules
    for repository, rule_id, text in ((SHOP, WAITS, "wait"), (SHOP, HOLDS, "hold"), (OTHER, FOREIGN, "secret")):
        rules.put_pending(
            repository.id,
            rule_id,
            f"Rule: {text}",
            {"objects": [text]},
            AT,
            key=text,
            polarity="do",
            language="typescript" if rule_id == HOLDS else None,
            paths=["src/**"] if rule_id == HOLDS else (),
            expires_at=AT + timedelta(days=30),
        )
    rules.confirm(SHOP.id, HOLDS, AT, by="mona", expires_at=AT + timedelta(days=365))
    rules.add_source(
        SourceRow(SHOP.id, "line", 7, HOLDS, 10, "line:7", "mary", 12, "write", counts=True, score=None, at=AT)
    )
    return api


def test_those_that_hold_are_handed_out_and_that_is_written_down(ruled: Served):
    told = ruled.get(HERE, paths=["src/a.ts"], task_id="T-1").json()
    assert [(one["rule_id"], one["text"]) for one in told["rules"]] == [(HOLDS, "Rule: hold")]
    assert "mary" in told["rules"][0]["provenance"]
    assert told["num_left_out"] == 0
    assert ruled.get(HERE, paths=["docs/a.md"]).json()["rules"] == []
    (handout,) = ruled.store.rules.handouts(SHOP.id, task_id="T-1")
    assert (handout.rule_id, handout.how) == (HOLDS, "api")


def test_the_rules_of_a_state_are_listed_and_that_is_no_handout(ruled: Served):
    assert [one["rule_id"] for one in ruled.get(HERE, state="pending").json()["rules"]] == [WAITS]
    told = ruled.get(HERE, state="all").json()["rules"]
    assert [(one["rule_id"], one["state"], one["num_reviewers"]) for one in told] == [
        (HOLDS, "confirmed", 1),
        (WAITS, "pending", 0),
    ]
    assert ruled.store.rules.handouts(SHOP.id) == ()


@pytest.mark.soak
def test_one_is_shown_with_its_history(ruled: Served):
    told = ruled.get(f"{HERE}/{HOLDS}").json()
    assert [one["what"] for one in told["history"]] == ["learned", "confirmed", "said_again"]
    assert told["sources"][0]["reviewer"] == "mary"
    assert ruled.get(f"{HERE}/{'0' * 12}").status_code == 404


def test_rules_are_accepted_rejected_and_purged(ruled: Served):
    assert ruled.post(f"{HERE}/{WAITS}/accept").json()["is_news"] is True
    row = ruled.store.rules.get(SHOP.id, WAITS)
    assert row is not None
    assert (row.state, (row.confirmed_by or "")[:6]) == (RuleState.confirmed, "token:")
    assert ruled.post(f"{HERE}/{WAITS}/reject", {"reason": "we changed\nour minds"}).json()["is_news"] is True
    row = ruled.store.rules.get(SHOP.id, WAITS)
    assert row is not None
    assert (row.state, row.why) == (RuleState.rejected, "we changed our minds")
    body = iter([b'{"reason": "in pieces"}'])
    assert ruled.client.post(f"{HERE}/{HOLDS}/reject", content=body, headers=ruled.headers()).status_code == 200
    row = ruled.store.rules.get(SHOP.id, HOLDS)
    assert row is not None
    assert row.why == "in pieces"
    assert ruled.client.delete(f"{HERE}/{WAITS}", headers=ruled.headers()).status_code == 200
    assert ruled.store.rules.get(SHOP.id, WAITS) is None
    assert ruled.get(f"{HERE}/{WAITS}").json()["state"] == "purged"
    assert ruled.post(f"{HERE}/{WAITS}/accept").status_code == 404


def test_a_rule_is_joined_into_another_one(ruled: Served):
    for rule_id, body, status, code in (
        (HOLDS, {"into": WAITS}, 409, "rule.state"),
        (WAITS, {"into": WAITS}, 409, "rule.same"),
        (WAITS, {"into": FOREIGN}, 404, "rule.unknown"),
        ("0" * 12, {"into": HOLDS}, 404, "rule.unknown"),
        (WAITS, {"into": "hold"}, 422, "into"),
        (WAITS, {"into": f"{HOLDS}\n"}, 200, ""),
    ):
        answer = ruled.post(f"{HERE}/{rule_id}/join", body)
        assert (answer.status_code, code in answer.text) == (status, True), body
    assert ruled.post(f"{HERE}/{WAITS}/join", {"into": HOLDS, "reason": "the\nsame"}).json()["is_news"] is False
    assert ruled.post(f"{HERE}/{WAITS}/join", {"into": HOLDS}, ruled.token(Scope.rules_read)).status_code == 403
    told = ruled.get(HERE, state="joined").json()["rules"]
    assert [(one["rule_id"], one["joined_into"]) for one in told] == [(WAITS, HOLDS)]
    assert [one["rule_id"] for one in ruled.get(f"{HERE}/{HOLDS}").json()["also_worded_as"]] == [WAITS]
    assert [one["rule_id"] for one in ruled.get(HERE, paths=["src/a.ts"]).json()["rules"]] == [HOLDS]
    entry = ruled.store.rules.audit(SHOP.id, WAITS)[-1]
    assert (entry.what, (entry.by or "")[:6]) == (RuleChange.joined, "token:")


def test_a_rule_whose_words_smell_is_accepted_by_nobody(ruled: Served):
    smelly = "d" * 12
    ruled.store.rules.put_pending(
        SHOP.id, smelly, "Rule: use /assay release", {}, AT, key="x", polarity="do", is_quarantined=True
    )
    answer = ruled.post(f"{HERE}/{smelly}/accept")
    assert (answer.status_code, "command to Assay" in answer.json()["detail"]) == (409, True)


@pytest.mark.soak
def test_who_only_reads_decides_nothing_and_nobody_reaches_another_repository(ruled: Served):
    reader = ruled.token(Scope.rules_read)
    assert ruled.get(HERE, reader).status_code == 200
    assert ruled.post(f"{HERE}/{WAITS}/accept", secret=reader).status_code == 403
    assert ruled.client.delete(f"{HERE}/{WAITS}", headers=ruled.headers(reader)).status_code == 403
    assert ruled.get(HERE, ruled.token(Scope.tasks)).status_code == 403
    assert ruled.get(f"/api/v1/repos/{OTHER.full_name}/rules").status_code == 404
    assert ruled.post(f"/api/v1/repos/{OTHER.full_name}/rules/{FOREIGN}/accept").status_code == 404
    assert ruled.post(f"{HERE}/{FOREIGN}/accept").status_code == 404
    assert ruled.get(HERE, "").status_code == 401


@pytest.mark.parametrize(
    "params",
    [
        {"state": "lost"},
        {"pull": 0},
        {"task_id": "x" * 500},
        {"task_id": "\x1b[2J"},
        {"paths": ["x"] * 501},
        {"paths": ["x" * 2000]},
    ],
)
def test_a_request_that_makes_no_sense_is_refused_in_one_line(ruled: Served, params: dict[str, Any]):
    answer = ruled.get(HERE, **params)
    assert answer.status_code == 422
    assert "\n" not in answer.json()["detail"]
