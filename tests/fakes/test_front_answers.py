"""What the fake answers is what GitHub's description says: on the front's own routes, and on the emulator's."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest

from tests.fakes.conftest import Asking, Shop
from tests.fakes.contract import judge_answer, operation
from tests.fakes.front.exchange import Answer, Exchange
from tests.fakes.front.routes import ROUTES

# Pages of the web site, stores outside the API, and what is GraphQL or OpenID: not in the REST description.
ELSEWHERE = ("/settings", "/organizations", "/_bed", "/_services", "/graphql", "/api/graphql", "/login/oauth")
# Signing in has tests of its own (test_signing_in.py), which compare its answers too.
SIGNING_IN = ("/user/installations", "/applications/")
EVERYTHING = {
    "actions": "read",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "security_events": "write",
    "statuses": "read",
}
NOTES = [{"path": "app.py", "start_line": 10, "end_line": 10, "annotation_level": "warning", "message": "Ten"}]


class Judging:
    """Asks, and looks at every answer; remembers which of the front's routes were tried."""

    def __init__(self, ask: Asking, tried: set[tuple[str, str]]) -> None:
        self.client = ask
        self._tried = tried

    def __call__(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        answer = self.client(method, path, body)
        assert answer.status_code == status, answer.text
        data = answer.json() if answer.content and "json" in answer.headers["content-type"] else None
        exchange = Exchange(method, path.partition("?")[0], "", {}, b"")
        found = judge_answer(exchange, Answer(status, data))
        assert found == []
        self._tried |= {
            (m, template)
            for m, template, pattern, _ in ROUTES.table
            if m == method and pattern.fullmatch(exchange.path)
        }
        return data


def test_every_route_answers_as_described(shop: Shop, asking, subtests: pytest.Subtests):
    """What no scenario below goes through was never compared with the description, and is found out here."""
    tried: set[tuple[str, str]] = set()
    shop.github.grant(**EVERYTHING)
    for scenario in SCENARIOS:
        with subtests.test(scenario.__name__):
            scenario(shop, Judging(asking(**EVERYTHING), tried), Judging(asking(), tried))
    ours = {
        (method, template) for method, template, _, _ in ROUTES.table if not template.startswith(ELSEWHERE + SIGNING_IN)
    }
    assert ours - tried == set()
    for method, template in ours:
        filled = template.replace("{", "").replace("}", "").replace("archive_format", "zip")
        assert operation(method, filled), (method, template)


def reading_a_pull_request(shop: Shop, ask: Judging, as_app: Judging) -> None:
    here = f"/repos/{shop.repo}"
    ask("GET", here)
    ask("GET", f"{here}/pulls")
    ask("GET", f"{here}/pulls/1")
    ask("GET", f"{here}/pulls/1/commits")
    files = ask("GET", f"{here}/pulls/1/files")
    assert [(each["filename"], each["status"], each["additions"]) for each in files] == [
        ("app.py", "modified", 1),
        ("new.py", "added", 1),
    ]
    assert files[0]["patch"].startswith("@@ -7,7 +7,7 @@")
    assert len(ask("GET", f"{here}/pulls/1/files?per_page=1&page=2")) == 1
    assert ask("GET", f"{here}/issues/1")["pull_request"]["url"].endswith("/pulls/1")
    assert [each["number"] for each in ask("GET", f"{here}/commits/{shop.head}/pulls")] == [1]
    assert ask("GET", f"{here}/collaborators/ada/permission")["role_name"] == "write"


def reading_the_past(shop: Shop, ask: Judging, as_app: Judging) -> None:
    here = f"/repos/{shop.repo}"
    made = ask("GET", f"{here}/activity?ref=refs/heads/change")
    assert [(each["after"], each["activity_type"]) for each in made] == [(shop.head, "branch_creation")]
    shop.github.mark_draft(1)
    shop.github.mark_ready(1)
    told = ask("GET", f"{here}/issues/1/timeline")
    assert [each["event"] for each in told] == ["committed", "convert_to_draft", "ready_for_review"]
    assert ask("GET", f"{here}/commits?sha=main&since=2020-01-01T00:00:00Z")
    assert ask("GET", f"{here}/commits?sha=main&since=2100-01-01T00:00:00Z") == []
    ask("GET", f"{here}/pulls/comments?sort=created&direction=desc")


def reading_code(shop: Shop, ask: Judging, as_app: Judging) -> None:
    here = f"/repos/{shop.repo}"
    assert ask("GET", f"{here}/compare/main...{shop.head}")["total_commits"] == 1
    assert ask("GET", f"{here}/commits/{shop.head}")["sha"] == shop.head
    assert ask("GET", f"{here}/contents/folder/two.txt?ref=main")["type"] == "file"
    shop.github.require_checks("ci")
    assert ask("GET", f"{here}/branches/main")["protection"]["required_status_checks"]["contexts"] == ["ci"]
    (rule,) = ask("GET", f"{here}/rules/branches/main")
    assert rule["parameters"]["required_status_checks"] == [{"context": "ci"}]


def check_runs(shop: Shop, ask: Judging, as_app: Judging) -> None:
    here = f"/repos/{shop.repo}"
    wanted = {"name": "Assay", "head_sha": shop.head, "status": "in_progress", "external_id": "run-1"}
    run = ask("POST", f"{here}/check-runs", wanted, status=201)
    assert (run["app"]["id"], run["pull_requests"][0]["number"]) == (shop.github.app_id, 1)
    output = {"title": "T", "summary": "S", "text": "X", "annotations": NOTES}
    button = {"label": "Re-run", "description": "Judge again", "identifier": "rerun"}
    for _ in range(2):
        run = ask("PATCH", f"{here}/check-runs/{run['id']}", {"output": output, "actions": [button]})
    assert run["output"]["annotations_count"] == 2  # added to what was there
    assert ask("PATCH", f"{here}/check-runs/{run['id']}", {"conclusion": "neutral"})["status"] == "completed"
    assert [each["message"] for each in ask("GET", f"{here}/check-runs/{run['id']}/annotations")] == ["Ten", "Ten"]
    assert ask("GET", f"{here}/check-runs/{run['id']}")["external_id"] == "run-1"
    ask("POST", f"{here}/check-runs/{run['id']}/rerequest", status=201)
    assert shop.github.delivery("check_run", "rerequested").payload["check_run"]["status"] == "completed"
    shop.github.check(shop.head, "ci", "failure")
    both = ask("GET", f"{here}/commits/{shop.head}/check-runs")["check_runs"]
    assert {each["name"]: each["app"]["slug"] for each in both} == {"ci": "github-actions", "Assay": "assay-test"}
    ours = ask("GET", f"{here}/commits/{shop.head}/check-runs?app_id={shop.github.app_id}")
    assert [each["name"] for each in ours["check_runs"]] == ["Assay"]
    assert ask("GET", f"{here}/commits/{shop.head}/check-suites")["total_count"] == 1


TOO_MUCH: list[dict[str, Any]] = [
    {"output": {"title": "T", "summary": "S", "annotations": NOTES * 51}},
    {"output": {"title": "T", "summary": "x" * 65_536}},
    {"output": {"title": "x" * 256, "summary": "S"}},
    {"actions": [{"label": "x" * 21, "description": "d", "identifier": "i"}]},
    {"actions": [{"label": "l", "description": "d", "identifier": str(number)} for number in range(4)]},
]


@pytest.mark.soak
def test_what_is_too_much_for_a_check_run_is_refused(shop: Shop, asking, subtests: pytest.Subtests):
    ask = asking(checks="write")
    for number, wrong in enumerate(TOO_MUCH):
        with subtests.test(number=number):
            wanted = {"name": "A", "head_sha": shop.head} | wrong
            assert ask("POST", f"/repos/{shop.repo}/check-runs", wanted).status_code == 422
    shop.github.violations.clear()
    assert shop.github.check_runs(shop.head) == []


def test_another_app_s_check_run_is_not_ours_to_change(shop: Shop, asking):
    number = shop.github.check(shop.head, "ci")
    assert asking(checks="write")("PATCH", f"/repos/{shop.repo}/check-runs/{number}", {"name": "x"}).status_code == 403


def statuses(shop: Shop, ask: Judging, as_app: Judging) -> None:
    here = f"/repos/{shop.repo}/commits/{shop.head}"
    assert ask("GET", f"{here}/status")["state"] == "pending"
    shop.github.status(shop.head, "failure", "build")
    shop.github.status(shop.head, "success", "build", description="At last")
    shop.github.status(shop.head, "success", "lint")
    combined = ask("GET", f"{here}/status")
    assert (combined["state"], combined["total_count"]) == ("success", 2)
    assert len(ask("GET", f"{here}/statuses")) == 3
    assert ask("GET", f"/repos/{shop.repo}/commits/change/status")["sha"] == shop.head


def a_status_is_written(shop: Shop, ask: Judging, as_app: Judging) -> None:
    ask.client.token = shop.github.person("ada")
    ask("POST", f"/repos/{shop.repo}/statuses/{shop.head}", {"state": "pending"}, status=201)


def conversation(shop: Shop, ask: Judging, as_app: Judging) -> None:
    here = f"/repos/{shop.repo}/issues"
    comment = ask("POST", f"{here}/1/comments", {"body": "Hello"}, status=201)
    ask("PATCH", f"{here}/comments/{comment['id']}", {"body": "Hello again"})
    assert ask("GET", f"{here}/1/comments")[0]["body"] == "Hello again"
    ask("POST", f"{here}/1/labels", {"labels": ["risk:low"]})
    ask("GET", f"{here}/1/labels")
    ask("DELETE", f"{here}/1/labels/risk:low")
    ask("POST", f"/repos/{shop.repo}/labels", {"name": "risk:high", "color": "ff0000"}, status=201)
    for place in (f"{here}/comments/{comment['id']}", f"{here}/1"):
        reaction = ask("POST", f"{place}/reactions", {"content": "eyes"}, status=201)
        assert ask("POST", f"{place}/reactions", {"content": "eyes"})["id"] == reaction["id"]
        assert len(ask("GET", f"{place}/reactions")) == 1
        ask("DELETE", f"{place}/reactions/{reaction['id']}", status=204)
    assert shop.github.reactions(comment["id"]) == []


def reviews(shop: Shop, ask: Judging, as_app: Judging) -> None:
    here = f"/repos/{shop.repo}/pulls"
    notes = [
        {"path": "app.py", "line": 10, "start_line": 9, "side": "RIGHT", "start_side": "RIGHT", "body": "Why?"},
        {"path": "new.py", "line": 1, "body": "New"},
    ]
    review = ask("POST", f"{here}/1/reviews", {"event": "COMMENT", "body": "See", "comments": notes})
    made = ask("GET", f"{here}/1/reviews/{review['id']}/comments")
    assert [(each["line"], each["start_line"]) for each in made] == [(10, 9), (1, None)]
    ask("GET", f"{here}/1/reviews")
    one = ask("POST", f"{here}/1/comments", {
        "body": "One", "commit_id": shop.head, "path": "app.py", "line": 10, "side": "RIGHT",
    }, status=201)  # fmt: skip
    ask("POST", f"{here}/1/comments/{one['id']}/replies", {"body": "Two"}, status=201)
    listed = ask("GET", f"{here}/1/comments")
    assert [each["line"] for each in listed] == [10, 1, 10, 10]
    ask("GET", f"{here}/comments/{one['id']}")
    reaction = ask("POST", f"{here}/comments/{one['id']}/reactions", {"content": "+1"}, status=201)
    ask("GET", f"{here}/comments/{one['id']}/reactions")
    ask("DELETE", f"{here}/comments/{one['id']}/reactions/{reaction['id']}", status=204)
    created = [each for each in shop.github.deliveries if each.event == "pull_request_review_comment"]
    assert [each.payload["comment"]["line"] for each in created[:2]] == [10, 1]


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ({"path": "app.py", "line": 25, "body": "x"}, "Line could not be resolved"),
        ({"path": "folder/two.txt", "line": 1, "body": "x"}, "Path could not be resolved"),
        ({"path": "app.py", "line": 10, "start_line": 12, "body": "x"}, "Start line must precede the end line"),
    ],
)
def test_a_note_that_is_not_on_the_diff_spoils_the_whole_review(shop: Shop, asking, note, why):
    good = {"path": "new.py", "line": 1, "body": "New"}
    wanted = {"event": "COMMENT", "body": "See", "comments": [good, note]}
    answer = asking(pull_requests="write")("POST", f"/repos/{shop.repo}/pulls/1/reviews", wanted)
    assert (answer.status_code, answer.json()["errors"]) == (422, [why])
    assert shop.github.reviews(1) == []


@pytest.mark.soak
def test_nobody_approves_what_is_their_own(shop: Shop):
    with pytest.raises(AssertionError, match="approve your own"):
        shop.github.review(1, "APPROVE", by="ada")
    shop.github.review(1, "APPROVE", by="rui")
    assert shop.github.delivery("pull_request_review", "submitted").payload["review"]["state"].lower() == "approved"


def the_app_and_its_webhook(shop: Shop, ask: Judging, as_app: Judging) -> None:
    assert as_app("GET", "/app")["slug"] == shop.github.app_slug
    as_app("GET", f"/apps/{shop.github.app_slug}")
    as_app("GET", "/app/installations")
    as_app("GET", f"/app/installations/{shop.github.installation_id}")
    as_app("GET", f"/repos/{shop.repo}/installation")
    wanted = {"repositories": ["shop"], "permissions": {"contents": "read"}}
    path = f"/app/installations/{shop.github.installation_id}/access_tokens"
    assert as_app("POST", path, wanted, status=201)["repositories"][0]["full_name"] == shop.repo
    as_app("GET", "/app/hook/config")
    first, *_ = listed = as_app("GET", "/app/hook/deliveries?per_page=2")
    assert len(listed) == 2
    assert as_app("GET", f"/app/hook/deliveries/{first['id']}")["request"]["payload"]["repository"]["name"] == "shop"
    as_app("POST", f"/app/hook/deliveries/{first['id']}/attempts", status=202)
    again = as_app("GET", "/app/hook/deliveries")[0]
    assert (again["guid"], again["redelivery"]) == (first["guid"], True)
    assert ask("GET", "/installation/repositories")["total_count"] == 1
    ask("DELETE", "/installation/token", status=204)


def an_app_is_registered_by_a_manifest(shop: Shop, ask: Judging, as_app: Judging) -> None:
    manifest = {
        "name": "My Assay",
        "url": "http://x",
        "redirect_url": "http://127.0.0.1:1/back",
        "default_events": ["push"],
    }
    for place in ("/settings/apps/new", "/organizations/acme/settings/apps/new"):
        sent = ask.client._client.post(f"{place}?state=abc", data={"manifest": json.dumps(manifest)})
        assert sent.headers["location"].startswith("http://127.0.0.1:1/back?code=")
        assert sent.headers["location"].endswith("&state=abc")
        code = sent.headers["location"].split("code=")[1].split("&")[0]
        made = ask("POST", f"/app-manifests/{code}/conversions", status=201)
        assert made["pem"].startswith("-----BEGIN RSA PRIVATE KEY-----")
        assert ask.client("POST", f"/app-manifests/{code}/conversions").status_code == 404


def runs_and_artifacts(shop: Shop, ask: Judging, as_app: Judging) -> None:
    here = f"/repos/{shop.repo}/actions"
    number = shop.github.workflow_run(shop.head, {"assay": {"report.json": "{}"}})
    assert ask("GET", f"{here}/runs/{number}")["head_sha"] == shop.head
    assert ask("GET", f"{here}/runs?head_sha={shop.head}")["total_count"] == 1
    (artifact,) = ask("GET", f"{here}/runs/{number}/artifacts")["artifacts"]
    assert ask("GET", f"{here}/artifacts")["total_count"] == 1
    ask("GET", f"{here}/artifacts/{artifact['id']}")
    ask("GET", f"{here}/artifacts/{artifact['id']}/zip", status=302)
    address = ask.client("GET", f"{here}/artifacts/{artifact['id']}/zip").headers["location"]
    assert ask.client("GET", address).content[:2] == b"PK"
    assert shop.github.violations == ["a token was sent to the store of artifacts, which belongs to somebody else"]
    shop.github.violations.clear()


def sarif_is_unpacked(shop: Shop, ask: Judging, as_app: Judging) -> None:
    sarif = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "Assay"}}, "results": []}]}
    packed = base64.b64encode(gzip.compress(json.dumps(sarif).encode())).decode()
    here = f"/repos/{shop.repo}/code-scanning/sarifs"
    made = ask("POST", here, {"commit_sha": shop.head, "ref": "refs/pull/1/head", "sarif": packed}, status=202)
    assert ask("GET", f"{here}/{made['id']}")["processing_status"] == "complete"
    assert shop.github.sarifs[0]["sarif"] == sarif


SCENARIOS = [
    statuses,
    a_status_is_written,
    reading_a_pull_request,
    reading_code,
    reading_the_past,
    check_runs,
    conversation,
    reviews,
    runs_and_artifacts,
    sarif_is_unpacked,
    an_app_is_registered_by_a_manifest,
    the_app_and_its_webhook,
]
