"""Versions of prompts through the interface: listed with who ran under them, read, and compared."""

from __future__ import annotations

import pytest

from assay.github.events.model import RepositoryFacts
from assay.github_app.store import DeclaredBy, Scope
from tests.codes import code_of
from tests.github_app.api.serving import SHOP, Served
from tests.github_app.remembering import after, pull

HERE = "/api/v1/repos/acme/shop/prompts"
OLD, NEW, BARE = "a" * 64, "b" * 64, "team/checkout-7"


@pytest.fixture
def filled(api_on_both: Served) -> Served:
    """A repository with two versions of its instructions, and one that was only named."""
    store = api_on_both.store
    texts = {"AGENTS.md": "Be kind.\nRun the tests.\n", "old.md": "x\n"}
    store.prompt_versions.put(SHOP.id, OLD, "files", texts, after())
    hostile = {"AGENTS.md": "Be kind.\n\x1b[31mRun the linter.\u202e\n", "new.md": "y\n"}
    store.prompt_versions.put(SHOP.id, NEW, "files", hostile, after(days=1))
    store.prompt_versions.put(SHOP.id, BARE, "declared", {}, after(days=2))
    store.pulls.see(pull(base_repository_id=SHOP.id), RepositoryFacts(SHOP.id, SHOP.full_name), after())
    store.pulls.declare(SHOP.id, 7, DeclaredBy.files, after(), prompt_version=OLD)
    store.tasks.put(SHOP.id, "t", after(), prompt_version=OLD)
    return api_on_both


def test_versions_are_listed_with_who_ran_under_them(filled: Served):
    rows = filled.get(HERE).json()["versions"]
    assert [(row["version"], row["pulls"], row["num_tasks"]) for row in rows] == [
        (OLD, [7], 1), (NEW, [], 0), (BARE, [], 0),
    ]  # fmt: skip


def test_two_versions_are_compared_and_nothing_in_them_acts(filled: Served):
    found = filled.get(f"{HERE}/bbbb", before="aaaa").json()
    assert (found["version"], found["before"]) == (NEW, OLD)
    changes = {one["path"]: (one["change"], one["lines"][2:]) for one in found["difference"]}
    assert changes["AGENTS.md"][0] == "changed"
    assert {"-Run the tests.", "+Run the linter.\\u202e"} <= set(changes["AGENTS.md"][1])
    assert (changes["new.md"][0], changes["old.md"][0]) == ("added", "removed")
    assert filled.get(f"{HERE}/aaaa", before=OLD).json()["difference"] == []


def test_one_goes_back_to_a_version_by_its_texts(filled: Served):
    assert filled.get(f"{HERE}/aaaaaa").json()["texts"]["AGENTS.md"] == "Be kind.\nRun the tests.\n"
    assert filled.get(f"{HERE}/{BARE}").json()["texts"] == {}


@pytest.mark.parametrize("name", ["aaa", "zzzz", "%00", "team"])
def test_a_version_that_is_not_there_is_one_line(filled: Served, name: str):
    refused = filled.get(f"{HERE}/{name}")
    if name == "team":
        assert refused.json()["version"] == BARE, "a name may be shortened"
        return
    assert (refused.status_code, code_of(refused.json()["detail"])) == (404, "prompt.unknown-version")
    assert filled.get(f"{HERE}/{OLD}", before=name).status_code == 404


def test_prompts_are_for_who_may_read_figures(filled: Served):
    assert filled.get(HERE, filled.token(Scope.rules_read)).status_code == 403
    assert filled.get(HERE.replace("shop", "secret")).status_code == 404
