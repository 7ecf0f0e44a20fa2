"""The page of experiments: all of them, or the one that its address names."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from assay.github_app.outcomes.experiments import create
from assay.github_app.store import Store, Variant
from tests.github_app.dashboard.conftest import NOW


def test_an_experiment_has_its_figures_at_the_address_that_the_list_links_to(guest: TestClient, store: Store):
    create(store, 11, "new-words", (Variant("old", 1), Variant("new", 1)), NOW)
    address = "/experiments?repo=octo%2Fshop&amp;experiment=new-words"
    assert f'href="{address}"' in guest.get("/experiments").text
    shown = guest.get(address.replace("&amp;", "&")).text
    assert "Experiment new-words" in shown
    assert "which decides" in shown


@pytest.mark.parametrize("query", ["repo=octo/shop&experiment=unknown", "repo=octo/none&experiment=new-words"])
def test_an_experiment_that_is_not_there_is_said_so(guest: TestClient, query: str):
    assert guest.get(f"/experiments?{query}").status_code == 404
