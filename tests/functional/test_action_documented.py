"""Every workflow the documentation tells people to copy is one that GitHub would start."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.fakes.act_run import ASSAY_REPOSITORY, STAND_INS
from tests.fakes.act_workflows import JobNeeds, Workflows, read_yaml
from tests.functional.action_bed import documented

pytestmark = pytest.mark.small

PAGES = sorted(path.name for path in (ROOT / "docs/action").glob("*.md"))
WORKFLOWS = [(page, file, text) for page in PAGES for file, text in documented(page)]


@pytest.mark.parametrize(("page", "file", "text"), WORKFLOWS, ids=[f"{page}-{file}" for page, file, _ in WORKFLOWS])
def test_a_documented_workflow_grants_what_it_calls_and_knows_its_inputs(page: str, file: str, text: str):
    workflows = Workflows(f"acme/shop/.github/workflows/{file}@main", called, lambda *_: NOTHING, inputs_of, {})
    workflows.prepare(text)
    assert read_yaml(text)["permissions"] == {}, "what is not granted is not there"


NOTHING = JobNeeds({"github.token": "none"})


def called(repo: str, file: str, ref: str) -> str:
    assert repo == ASSAY_REPOSITORY
    assert len(ref) == 40, "pinned by a commit"
    return (ROOT / ".github/workflows" / file).read_text()


def inputs_of(uses: str) -> set[str] | None:
    path = uses.partition("@")[0]
    ours = {ASSAY_REPOSITORY: ROOT, "./.assay-action": ROOT, "./.assay-action/memory": ROOT / "memory"}
    home = ours[path] if path in ours else STAND_INS / path.split("/", 1)[1]
    return set(read_yaml((home / "action.yml").read_text()).get("inputs") or {})
