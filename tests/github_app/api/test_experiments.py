"""A harness asks for the variant of a task, and anybody with a token for figures how the variants stand."""

from __future__ import annotations

from typing import Any

import pytest

from assay.github_app.outcomes.experiments import create
from assay.github_app.store import Scope, Variant
from tests.codes import code_of
from tests.github_app.api.serving import AT, SHOP, Served
from tests.github_app.identity_tokens import token as identity

HERE = "/api/v1/repos/acme/shop/experiments/words"


def begun(api: Served) -> None:
    create(api.store, SHOP.id, "words", [Variant("a", 1), Variant("b", 1)], AT)


def test_a_task_is_given_a_variant_once_and_for_good(api: Served):
    begun(api)
    first = api.post(f"{HERE}/assignments", {"task_id": "t1"})
    assert first.status_code == 200, first.text
    assert first.json()["variant"] in ("a", "b")
    assert api.post(f"{HERE}/assignments", {"task_id": "t1"}).json() == first.json()
    shown = api.get(HERE)
    assert sum(shown.json()["num_assigned"].values()) == 1
    assert "salt" not in shown.text


def test_what_is_not_there_or_not_the_callers_is_refused(api: Served):
    begun(api)
    assert api.post(f"{HERE[:-5]}other/assignments", {"task_id": "t1"}).status_code == 404
    assert api.get(f"{HERE[:-5]}other").status_code == 404
    assert api.get(HERE.replace("shop", "secret")).status_code == 404
    assert api.post(f"{HERE}/assignments", {"task_id": "t1", "variant": "b"}).status_code == 422
    assert api.post(f"{HERE}/assignments", {"task_id": "t1"}, api.token(Scope.metrics_read)).status_code == 403
    api.store.experiments.end(SHOP.id, "words", AT, by=None, conclusion="")
    late = api.post(f"{HERE}/assignments", {"task_id": "t9"})
    assert (late.status_code, code_of(late.json()["detail"])) == (409, "experiment.ended")


def test_an_experiment_is_begun_listed_compared_and_ended(api: Served):
    every = HERE.removesuffix("/words")
    wanted = {"name": "words", "variants": [{"name": "a", "share": 3}, {"name": "b"}], "metric": "failed"}
    made = api.post(every, wanted)
    assert made.status_code == 200, made.text
    assert [one["share"] for one in made.json()["variants"]] == [0.75, 0.25]
    assert made.json()["created_by"].startswith("token:")
    assert [one["experiment"] for one in api.get(every).json()["experiments"]] == ["words"]
    api.post(f"{HERE}/assignments", {"task_id": "t1"})
    api.post("/api/v1/tasks", {"id": "t1", "status": "FAILED"})
    outcomes = [one for one in api.get(HERE).json()["outcomes"] if one["metric"] == "failed"]
    assert sorted((one["num"], one["value"]) for one in outcomes) == [(0, None), (1, 1.0)]
    assert [one["moved"] for one in outcomes] == [None, "too_few"]
    ended = [api.post(f"{HERE}/end", {"conclusion": "no news"}).json()["is_news"] for _ in range(2)]
    assert ended == [True, False]
    assert api.get(HERE).json()["conclusion"] == "no news"
    assert "salt" not in api.get(every).text + made.text


def test_a_job_decides_nothing_about_experiments(api: Served):
    begun(api)
    wanted = {"name": "more", "variants": [{"name": "a"}, {"name": "b"}]}
    for path, body in ((HERE.removesuffix("/words"), wanted), (f"{HERE}/end", {})):
        assert api.post(path, body, identity()).status_code == 403
    assert api.get(HERE).json()["ended_at"] is None


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"variants": [{"name": "a"}]}, 422, "experiment.invalid"),
        ({"metric": "luck"}, 422, "experiment.invalid"),
        ({"variants": [{"name": "a", "prompt_version": "v9"}, {"name": "b"}]}, 422, "experiment.invalid"),
        ({"name": "words"}, 409, "experiment.exists"),
    ],
)
def test_an_experiment_that_makes_no_sense_is_refused(api: Served, more: dict[str, Any], status: int, code: str):
    begun(api)
    wanted = {"name": "more", "variants": [{"name": "a"}, {"name": "b"}], **more}
    refused = api.post(HERE.removesuffix("/words"), wanted)
    assert (refused.status_code, code_of(refused.json()["detail"])) == (status, code)
