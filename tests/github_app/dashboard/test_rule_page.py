"""The page of a rule: what it may repeat, its other wordings, and the form that joins it into another one."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.github_app.learning.rules.listing import show_rule
from assay.github_app.store import RuleState, SourceRow, Store
from tests.github_app.dashboard.conftest import NOW


def test_a_pending_rule_names_the_rules_that_it_may_repeat(guest: TestClient, store: Store):
    known, gone, waits = "a" * 12, "c" * 12, "b" * 12
    alike = [{"rule_id": known, "score": 0.52}, {"rule_id": gone, "score": 0.4}]
    for rule_id, canonical in ((known, {}), (waits, {"like": alike})):
        store.rules.put_pending(11, rule_id, f"Rule: {rule_id}", canonical, NOW, key=rule_id, polarity="do")
    page = guest.get(f"/rules/octo/shop/{waits}").text
    assert f'href="/rules/octo/shop/{known}"' in page
    assert "0.52" in page
    assert gone not in page
    assert f'href="/rules/octo/shop/{waits}"' not in guest.get(f"/rules/octo/shop/{known}").text


def test_a_rule_is_joined_into_the_one_that_it_may_repeat(guest: TestClient, store: Store):
    known, waits, third = "a" * 12, "b" * 12, "c" * 12
    for rule_id, canonical in ((third, {}), (known, {}), (waits, {"like": [{"rule_id": known, "score": 0.52}]})):
        store.rules.put_pending(11, rule_id, f"Rule: {rule_id}", canonical, NOW, key=rule_id, polarity="do")
    source = SourceRow(11, "line", 7, known, 7, "line:7", "mary", 12, "write", counts=True, score=None, at=NOW)
    store.rules.add_source(source)
    address = f"/rules/octo/shop/{waits}"
    page = guest.get(address).text
    assert re.findall(r'<option value="([0-9a-f]{12})"', page) == [known, third], "first what it may repeat"
    (token,) = set(re.findall(r'name="form_token" value="([^"]+)"', page))
    for sent, status in (
        ({"decision": "join"}, 400),
        ({"decision": "join", "into": "x"}, 400),
        ({"decision": "join", "into": waits}, 409),
        ({"decision": "join", "into": "0" * 12}, 409),
        ({"decision": "join", "into": known, "why": "the same"}, 303),
    ):
        answer = guest.post(address, data={**sent, "form_token": token}, follow_redirects=False)
        assert answer.status_code == status, sent
    assert answer.headers["location"] == f"/rules/octo/shop/{known}"
    row = store.rules.get(11, waits)
    assert row is not None
    assert (row.state, row.joined_into) == (RuleState.joined, known)
    assert f'href="{address}"' in guest.get(f"/rules/octo/shop/{known}").text
    page = guest.get(address).text
    assert f'href="/rules/octo/shop/{known}"' in page
    assert "<option" not in page.split("<main", 1)[-1]


AST = {"check": {"kind": "ast-grep", "language": "Python", "rule": {"pattern": "f($$$)"}}, "why": ""}


@pytest.mark.parametrize(
    ("is_confirmed", "column", "shown", "in_list"),
    [
        (True, AST, ("ast-grep", ""), "true"),
        (True, {"check": None, "why": "it names nothing"}, ("no", "it names nothing"), "false"),
        (True, None, ("no", "no validation has used it yet"), "false"),
        (False, AST, ("no", "only confirmed rules are checked"), "false"),
    ],
)
def test_the_pages_say_whether_a_rule_is_checked_in_code(
    guest: TestClient, store: Store, is_confirmed: bool, column: Any, shown: tuple[str, str], in_list: str
):
    rule = "a" * 12
    store.rules.put_pending(11, rule, "Rule: f", {}, NOW, key=rule, polarity="do")
    if is_confirmed:
        store.rules.confirm(11, rule, NOW, by="mona", expires_at=NOW + timedelta(days=365))
    store.rules.set_check(11, rule, column)
    page = guest.get(f"/rules/octo/shop/{rule}").text
    _, _, fact = page.partition("Checked in code")
    value, why = shown
    assert value in fact[:200]
    assert why in fact[:300]
    table = list(csv.DictReader(io.StringIO(guest.get("/rules?csv=rules").text)))
    assert [(row["rule"], row["checked"]) for row in table if row["rule"] == "Rule: f"] == [("Rule: f", in_list)]
    found = show_rule(store, 11, rule)
    assert found is not None
    assert (found["check"], found["why_unchecked"]) == ((column or {}).get("check") if value != "no" else None, why)


def test_the_code_in_a_rule_is_code_in_its_heading_and_in_links_to_it(guest: TestClient, store: Store):
    rule = "a" * 12
    store.rules.put_pending(11, rule, "Rule: use `log<T>`, not `print`", {}, NOW, key=rule, polarity="do")
    shown = "Rule: use <code>log&lt;T&gt;</code>, not <code>print</code>"
    assert f'<a href="/rules/octo/shop/{rule}">{shown}</a>' in guest.get("/rules").text
    assert f"<h1>{shown}</h1>" in guest.get(f"/rules/octo/shop/{rule}").text
