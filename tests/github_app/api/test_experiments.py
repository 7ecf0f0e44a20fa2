"""A harness asks for the variant of a task, and anybody with a token for figures how the variants stand."""

from __future__ import annotations

from assay.github_app.outcomes.experiments.experiments import create
from assay.github_app.store import Scope, Variant
from tests.github_app.api.serving import AT, SHOP, Served

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
    assert api.post(f"{HERE}/assignments", {"task_id": "t9"}).status_code == 409
