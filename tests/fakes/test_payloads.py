"""GitHub's example payloads are all there."""

from __future__ import annotations

from tests.fakes.front.deliveries import signature
from tests.fakes.payloads import examples, signed


def test_all_of_them_are_read_and_can_be_told_apart():
    assert len(examples()) == len({each.name for each in examples()}) == 329
    assert {"pull_request", "check_run", "merge_group", "ping"} <= {each.event for each in examples()}


def test_they_are_signed_as_github_signs():
    example = examples()[0]
    headers = signed(example.body, "secret", example.event)
    assert headers["X-Hub-Signature-256"] == signature(example.body, "secret")
    assert headers["X-GitHub-Event"] == example.event
    assert headers["X-GitHub-Delivery"] != signed(example.body, "secret", example.event)["X-GitHub-Delivery"]
