"""The way to GitHub and back belongs to one browser; forms come from our own pages, and are small."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.github_app.ops.settings import read_settings
from assay.github_app.store import Store
from assay.github_app.web.dashboard import LoginLinks, add_pages
from assay.github_app.web.dashboard.forms import MOST_FORM_BYTES
from tests.examples import sampled
from tests.github_app.dashboard.conftest import SECRET

PUBLIC = "https://assay.example.com"


@pytest.fixture
def browser(store: Store, tmp_path: Path) -> TestClient:
    """Somebody before the door of an App people can sign in to. Its GitHub answers nothing."""
    settings = read_settings(
        data_dir=tmp_path, webhook_secret=SECRET, client_id="Iv1", client_secret="client secret", public_url=PUBLIC,
        github_url="http://127.0.0.1:1", github_api_url="http://127.0.0.1:1",
    )  # fmt: skip
    app = FastAPI()
    add_pages(app, settings, store, LoginLinks(SECRET))
    return TestClient(app, base_url=PUBLIC, follow_redirects=False)


def begun(browser: TestClient) -> dict[str, str]:
    """What GitHub is sent when somebody begins."""
    sent = browser.get("/sign-in")
    assert sent.status_code == 303
    return {name: values[0] for name, values in parse_qs(urlsplit(sent.headers["location"]).query).items()}


def test_github_is_sent_a_state_and_a_challenge_that_are_new_each_time(browser: TestClient):
    first, second = begun(browser), begun(browser)
    assert first["redirect_uri"] == f"{PUBLIC}/sign-in/callback"
    assert first["code_challenge_method"] == "S256"
    for name in ("state", "code_challenge"):
        assert len(first[name]) >= 43
        assert first[name] != second[name]


def test_the_cookies_are_for_this_site_and_no_script(browser: TestClient):
    sent = browser.get("/sign-in").headers["set-cookie"].lower()
    assert {"httponly", "secure", "samesite=lax", "path=/sign-in"} <= {part.strip() for part in sent.split(";")}
    assert "client secret" not in sent


@pytest.mark.parametrize("change", ["no cookie", "another state", "no state", "a made-up cookie"])
def test_an_answer_to_no_question_of_this_browser_signs_nobody_in(change: str, browser: TestClient):
    """Somebody else's code, put into a victim's browser, would sign the victim in as the attacker."""
    state = begun(browser)["state"]
    if change == "no cookie":
        browser.cookies.clear()
    elif change == "a made-up cookie":
        browser.cookies.clear()
        browser.cookies.set("assay_signing_in", "gAAAA_made_up", path="/sign-in")
    given = {"another state": "x" * 43, "no state": ""}.get(change, state)
    answer = browser.get("/sign-in/callback", params={"code": "a" * 20, "state": given})
    assert answer.status_code == 403
    assert "assay_session" not in answer.headers.get("set-cookie", "")


def test_somebody_who_did_not_agree_is_told_so(browser: TestClient):
    state = begun(browser)["state"]
    answer = browser.get("/sign-in/callback", params={"error": "access_denied", "state": state})
    assert answer.status_code == 403
    assert "did not let you sign in" in answer.text


def test_a_github_that_does_not_answer_is_said_so(browser: TestClient):
    state = begun(browser)["state"]
    answer = browser.get("/sign-in/callback", params={"code": "a" * 20, "state": state})
    assert answer.status_code == 502
    assert "GitHub did not complete" in answer.text
    assert "client secret" not in answer.text


def test_without_a_client_nobody_is_sent_to_github(visitor: TestClient):
    answer = visitor.get("/sign-in", follow_redirects=False)
    assert answer.status_code == 404
    assert "not set up here" in answer.text
    assert visitor.get("/sign-in/callback").status_code == 403


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    sampled(
        [
            ({}, b"", 403),
            ({}, b"form_token=wrong", 403),
            ({"sec-fetch-site": "cross-site"}, b"form_token=x", 403),
            ({"sec-fetch-site": "same-site"}, b"form_token=x", 403),
            ({"content-type": "application/json"}, b"{}", 415),
            ({}, b"x=" + b"y" * MOST_FORM_BYTES, 413),
            ({}, b"&".join(b"x=1" for _ in range(100)), 400),
            ({}, "x=é".encode(), 400),
        ],
        3,
    ),
    ids=["empty", "wrong", "cross-site", "same-site", "json", "large", "many", "not-ascii"],
)
def test_a_form_that_is_not_ours_does_nothing(headers: dict[str, str], body: bytes, status: int, guest: TestClient):
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert guest.post("/sign-out", content=body, headers=form | headers).status_code == status
    assert guest.get("/").status_code == 200, "still signed in"


def test_the_operator_signs_out(guest: TestClient):
    token = guest.get("/").text.split('name="form_token" value="')[1].split('"')[0]
    assert guest.post("/sign-out", data={"form_token": token}, follow_redirects=False).status_code == 303
    assert guest.get("/").status_code == 401
