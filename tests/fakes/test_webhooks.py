"""Webhooks of the fake are as GitHub describes them, signed, and delivered as GitHub does."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

from tests.fakes.conftest import Shop
from tests.fakes.contract import judge_webhook
from tests.fakes.front.deliveries import signature


class Listener(http.server.ThreadingHTTPServer):
    """Takes webhooks and answers with `status`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 202
        self.heard: list[tuple[dict[str, str], bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/webhooks/github"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.heard.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing on the console."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A server that hears webhooks."""
    server = Listener()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_webhooks_are_as_github_describes_them(shop: Shop, asking):
    github, number = shop.github, shop.number
    ask = asking(checks="write", pull_requests="write")
    button = {"label": "Re-run", "description": "Judge again", "identifier": "rerun"}
    wanted = {"name": "Assay", "head_sha": shop.head, "actions": [button]}
    run = ask("POST", f"/repos/{shop.repo}/check-runs", wanted).json()
    github.press(run["id"], "rerun")
    github.rerequest(run["id"])
    ask("PATCH", f"/repos/{shop.repo}/check-runs/{run['id']}", {"conclusion": "success"})
    github.status(shop.head, "success")
    github.check(shop.head, "ci", "failure")
    github.ask_suite(shop.head)
    github.ask_suite(shop.head, "rerequested", by="rui")
    github.label(number, "a label")
    github.comment(number, "/assay help", by="rui")
    github.review(number, "COMMENT", "See", [{"path": "new.py", "line": 1, "body": "?"}], by="rui")
    made = github.reviews(number)[0]["comments"][0]["id"]
    github.resolve(number, made, by="rui")
    github.mark_draft(number)
    github.mark_ready(number)
    github.edit_pull(number, title="Other", by="ada")
    github.close_pull(number)
    github.reopen_pull(number)
    github.push(shop.work, "change")
    shop.work.commit("More", {"new.py": "x = 2\n"})
    github.push(shop.work, "change")
    github.dequeue(github.enqueue(number))
    github.workflow_run(shop.head)
    github.suspend()
    github.suspend(undo=True)
    github.merge(number)
    github.delivery("pull_request", "reopened")
    github.delivery("pull_request", "edited")
    seen = {(each.event, each.action) for each in github.deliveries}
    assert seen >= {
        ("check_run", "created"), ("check_run", "completed"), ("check_run", "requested_action"),
        ("check_run", "rerequested"), ("issue_comment", "created"),
        ("merge_group", "checks_requested"), ("merge_group", "destroyed"),
        ("check_suite", "completed"), ("check_suite", "requested"), ("check_suite", "rerequested"),
        ("pull_request", "closed"), ("pull_request", "labeled"),
        ("pull_request", "opened"), ("pull_request", "ready_for_review"), ("pull_request", "synchronize"),
        ("pull_request_review", "submitted"), ("pull_request_review_comment", "created"),
        ("pull_request_review_thread", "resolved"), ("push", None), ("status", None),
        ("installation", "suspend"), ("installation", "unsuspend"), ("workflow_run", "completed"),
    }  # fmt: skip
    wrong = {text for each in github.deliveries for text in judge_webhook(each.event, each.payload)}
    assert wrong == set()


@pytest.mark.soak
def test_a_webhook_is_delivered_signed_and_noted(shop: Shop, listener: Listener):
    shop.github.deliver_to(listener.url)
    shop.github.comment(shop.number, "Hello")
    delivery = shop.github.delivery("issue_comment", "created")
    shop.github.settled()
    ((headers, body),) = listener.heard
    assert headers["x-github-event"] == "issue_comment"
    assert headers["x-github-delivery"] == delivery.guid
    assert headers["x-hub-signature-256"] == signature(body, shop.github.webhook_secret)
    assert (delivery.status_code, delivery.status) == (202, "OK")


@pytest.mark.soak
def test_a_failed_delivery_is_noted_and_not_tried_again(shop: Shop, listener: Listener):
    shop.github.deliver_to(listener.url)
    listener.status = 500
    shop.github.mark_draft(shop.number)
    shop.github.settled()
    failed = shop.github.deliveries[-1]
    assert (len(listener.heard), failed.status_code) == (1, 500)
    listener.status = 202
    shop.github.redeliver(failed)
    shop.github.settled()
    assert listener.heard[0][0]["x-github-delivery"] == listener.heard[1][0]["x-github-delivery"]


def test_nobody_at_home_is_noted_too(shop: Shop):
    shop.github.deliver_to("http://127.0.0.1:9/")
    shop.github.mark_draft(shop.number)
    shop.github.settled()
    assert shop.github.deliveries[-1].status == "failed to connect to host: ConnectError"


@pytest.mark.soak
def test_any_webhook_can_be_sent(shop: Shop):
    delivery = shop.github.send("ping", {"zen": "Keep it logically awesome.", "hook_id": 777, "hook": {}})
    assert delivery.payload["installation"]["id"] == shop.github.installation_id
    assert delivery.headers["X-GitHub-Event"] == "ping"


@pytest.mark.soak
def test_a_check_run_by_another_app_is_told_as_theirs(shop: Shop):
    number = shop.github.check(shop.head, "ci", None)
    shop.github.finish_check(number, "failure")
    payload = shop.github.delivery("check_run", "completed").payload
    assert payload["check_run"]["app"]["slug"] == "github-actions"
    assert payload["check_run"]["pull_requests"][0]["number"] == shop.number
    suite = shop.github.delivery("check_suite", "completed").payload["check_suite"]
    assert (suite["app"]["slug"], suite["conclusion"]) == ("github-actions", "failure")


def test_what_the_app_did_not_subscribe_to_is_not_sent(shop: Shop, asking):
    shop.github.create_repository("other")
    shop.github.subscribe("push")
    asking(pull_requests="write")("POST", f"/repos/{shop.repo}/issues/1/comments", {"body": "x"})
    shop.github.push(shop.work, "main")
    assert {each.event for each in shop.github.deliveries} == {"push", "pull_request"}


@pytest.mark.soak
def test_a_group_in_the_merge_queue_is_a_real_commit(shop: Shop):
    head = shop.github.enqueue(shop.number)
    group = shop.github.delivery("merge_group", "checks_requested").payload["merge_group"]
    assert group["head_sha"] == head
    assert group["head_ref"] == f"refs/heads/gh-readonly-queue/main/pr-1-{shop.base}"
    assert shop.github.get(f"/repos/{shop.repo}/commits/{head}")["parents"][1]["sha"] == shop.head
