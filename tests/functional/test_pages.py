"""The pages in a real browser: who gets in, what each may see, and what they can decide there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.examples import IS_SOAK
from tests.fakes.browser import chromium, runs_here
from tests.fakes.github import FakeGitHub
from tests.fakes.github_server import GitHubServer
from tests.functional.pages_bed import DESKTOP, PHONE, SHOTS, Bed, pages_in, shot, troubles
from tests.github_app.dashboard.world import PROMPTS, RULES

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PAGES = {
    "overview": "/",
    "attention": "/attention",
    "pull": "/repos/acme/shop/pulls/9",
    "risk": "/risk",
    "metrics": "/figures?by=agent",
    "prompt_version": f"/prompts/acme/shop/{PROMPTS[1]}",
    "experiments": "/experiments",
    "experiment": "/experiments?repo=acme/shop&experiment=examples",
    "rules": "/rules",
    "rule": f"/rules/acme/shop/{next(iter(RULES))}",
    "tasks": "/tasks",
    "memory": "/memory",
}
CHARTS = {"risk": 3, "metrics": 7, "memory": 1, "experiment": 1, "rules": 1, "tasks": 1}
"""Pages with charts, and how many the made-up team has figures for."""
SMALL = ("overview", "attention", "pull", "metrics")
LOOKED_AT = {name: address for name, address in PAGES.items() if IS_SOAK or SHOTS or name in SMALL}
LOOKS = [(DESKTOP, False), (PHONE, True), *([(DESKTOP, True), (PHONE, False)] if SHOTS else [])]
"""Colours do not hang on the width, nor the width on colours: two looks show both."""


@pytest.fixture(scope="module")
def bed(github_server: GitHubServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    if not runs_here():
        pytest.skip("the tests' browser is for Linux on x86-64")
    folder = tmp_path_factory.mktemp("pages")
    github = FakeGitHub(github_server, folder / "github")
    with chromium() as browser, pages_in(folder / "data", github, browser) as bed:
        yield bed
    violations = list(github.violations)
    github.close()
    assert violations == []


# ------------------------------------------------------------------ who gets in


def test_somebody_signs_in_through_github_and_out_again(bed: Bed):
    with bed.window() as page:
        bed.sign_in(page, "ada")
        expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
        expect(page.locator("header")).to_contain_text("ada")
        cookies = {cookie["name"]: cookie for cookie in page.context.cookies()}
        assert cookies["assay_session"]["httpOnly"]
        assert cookies["assay_session"]["sameSite"] == "Lax"
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in with GitHub")).to_be_visible()
        # The number of the session is worth nothing any more, wherever a copy of it may be.
        copied = cookies["assay_session"]
        page.context.add_cookies([{"name": copied["name"], "value": copied["value"], "url": bed.url}])
        page.goto("/")
        expect(page.get_by_role("link", name="Sign in with GitHub")).to_be_visible()
    users = [token for token in bed.github.state.tokens.values() if token.kind == "user" and token.login == "ada"]
    assert users == [], "GitHub was told to forget the token"


@pytest.mark.soak
def test_no_token_and_no_secret_of_a_sign_in_is_stored_in_the_clear(bed: Bed):
    with bed.window() as page:
        bed.sign_in(page, "rita")
        (session,) = [cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "assay_session"]
    (value,) = [
        value for value, token in bed.github.state.tokens.items() if token.login == "rita" and token.kind == "user"
    ]
    kept = b"".join(path.read_bytes() for path in bed.web.folder.glob("assay.sqlite*"))
    assert value.encode() not in kept
    assert session.encode() not in kept
    asked = [exchange for exchange in bed.github.requests if exchange.path == "/login/oauth/authorize"]
    assert asked[-1].query["code_challenge_method"] == "S256"


@pytest.mark.soak
def test_a_sign_in_leads_on_to_the_page_that_was_asked_for(bed: Bed):
    with bed.window() as page:
        page.goto("/risk?repo=acme/shop&period=90")
        page.get_by_role("link", name="Sign in with GitHub").click()
        page.locator("form", has=page.locator("input[name=login][value='ada']")).locator("button").click()
        expect(page).to_have_url(f"{bed.url}/risk?repo=acme/shop&period=90")


def test_a_stranger_sees_nothing(bed: Bed, subtests: pytest.Subtests):
    """Nobody at all, then somebody with an account and no right: the same as for what never was."""
    with bed.window() as page:
        for name, address in PAGES.items():
            with subtests.test(name):
                answer = page.goto(address)
                assert answer is not None
                assert answer.status == 401
                assert "acme" not in page.inner_text("main")


def test_somebody_without_rights_sees_no_repository(bed: Bed):
    with bed.window() as page:
        bed.sign_in(page, "sam")
        for name, address in PAGES.items():
            answer = page.goto(address)
            assert answer is not None
            is_about_the_shop = "acme/shop" in address
            assert answer.status == (404 if is_about_the_shop else 200), name
            assert "acme" not in page.inner_text("body"), name


@pytest.mark.soak
def test_what_somebody_may_not_know_of_is_as_if_it_never_was(bed: Bed):
    with bed.window() as page:
        bed.sign_in(page, "ada")
        for address in ("/repos/acme/vault/pulls/1", "/rules/acme/vault/f123456789ab", "/risk?repo=acme/vault"):
            answer, never = page.goto(address), page.content()
            assert answer is not None
            assert answer.status == 404
            page.goto(address.replace("vault", "never"))
            assert page.content() == never
        for address in PAGES.values():
            page.goto(address)
            assert "vault" not in page.content(), address
    with bed.window() as page:
        bed.sign_in(page, "rita")
        page.goto("/rules")
        expect(page.locator("main")).to_contain_text("keep the master key offline")


@pytest.mark.soak
def test_rights_that_were_taken_away_are_gone_with_the_next_look(bed: Bed, monkeypatch: pytest.MonkeyPatch):
    with bed.window() as page:
        bed.sign_in(page, "rita")
        monkeypatch.setattr("assay.github_app.web.dashboard.access.sessions.FRESH_S", -1)
        bed.github.person("rita", role="none", repo=bed.vault)
        try:
            answer = page.goto("/repos/acme/vault/pulls/1")
            assert answer is not None
            assert answer.status == 404
            bed.github.state.tokens = {
                value: token for value, token in bed.github.state.tokens.items() if token.kind != "user"
            }
            page.goto("/")
            expect(page.get_by_role("link", name="Sign in with GitHub")).to_be_visible()
        finally:
            bed.github.person("rita", role="read", repo=bed.vault)


@pytest.mark.soak
def test_the_operators_link_opens_everything_once(bed: Bed):
    with bed.window() as page:
        bed.enter(page)
        link = page.url
        expect(page.locator("header")).to_contain_text("the operator")
        page.goto("/rules")
        expect(page.locator("main")).to_contain_text("keep the master key offline")
        page.goto(link)
    with bed.window() as page:
        page.goto(link)
        expect(page.get_by_role("link", name="Sign in with GitHub")).to_be_visible()


# ------------------------------------------------------------------ deciding


@pytest.mark.soak
def test_a_maintainer_accepts_and_purges_a_rule(bed: Bed):
    accepted, purged = list(RULES)[1:3]
    with bed.window() as page:
        bed.sign_in(page, "ada")
        page.goto("/rules")
        page.get_by_role("link", name=RULES[accepted].replace("`", "")).click()
        page.get_by_role("button", name="Accept this rule").click()
        expect(page.locator(".facts")).to_contain_text("confirmed")
        page.goto(f"/rules/acme/shop/{purged}")
        page.get_by_role("button", name="Purge this rule").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(RULES[purged])
        page.get_by_label("I understand that its text cannot be restored").check()
        page.get_by_role("button", name="Purge this rule").click()
        page.wait_for_url(re.compile(r"/rules\?repo="))
        expect(page.locator("main")).not_to_contain_text(RULES[purged])
        page.goto(f"/rules/acme/shop/{purged}")
        expect(page.get_by_role("heading", level=1)).to_have_text("Purged rule")
        expect(page.locator("#history")).to_contain_text("ada")
    shop_id = bed.github.repository_id(bed.shop)
    rule = bed.store.rules.get(shop_id, accepted)
    assert rule is not None
    assert (str(rule.state), rule.confirmed_by) == ("confirmed", "ada")
    assert bed.store.rules.get(shop_id, purged) is None


def test_a_maintainer_withdraws_an_insight_and_a_reader_does_not(bed: Bed):
    with bed.window(size=PHONE) as page:
        bed.sign_in(page, "ada")
        page.goto("/tasks?repo=acme/shop")
        page.locator("#answers tbody a").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Insight")
        assert troubles(page) == []
        page.get_by_label("Why").fill("it is wrong")
        page.get_by_role("button", name="Withdraw").click()
        expect(page.locator(".facts")).to_contain_text("it is wrong")
        address = page.url
    with bed.window() as page:
        bed.sign_in(page, "rita")
        page.goto(address)
        expect(page.get_by_role("button", name="Deliver to agents")).to_have_count(0)
        token = page.locator("input[name=form_token]").first.input_value()
        assert page.request.post(address, form={"decision": "deliver", "form_token": token}).status == 403


@pytest.mark.soak
def test_whoever_only_reads_has_no_form_and_cannot_send_one(bed: Bed):
    address = f"/rules/acme/shop/{next(iter(RULES))}"
    with bed.window() as page:
        bed.sign_in(page, "rita")
        page.goto(address)
        expect(page.get_by_role("button", name=re.compile("rule"))).to_have_count(0)
        token = page.locator("input[name=form_token]").first.input_value()
        sent = page.request.post(address, form={"decision": "reject", "form_token": token})
        assert sent.status == 403
    with bed.window() as page:
        bed.sign_in(page, "sam")
        token = page.locator("input[name=form_token]").first.input_value()
        sent = page.request.post(address, form={"decision": "reject", "form_token": token})
        assert sent.status == 404
    rule = bed.store.rules.get(bed.github.repository_id(bed.shop), next(iter(RULES)))
    assert rule is not None
    assert str(rule.state) == "confirmed"


def test_a_form_of_another_site_or_session_does_nothing(bed: Bed):
    address = f"/rules/acme/shop/{next(iter(RULES))}"
    with bed.window() as page:
        bed.sign_in(page, "ada")
        right = page.locator("input[name=form_token]").first.input_value()
        for token, site in (("", "same-origin"), ("0" * 64, "same-origin"), (right, "cross-site")):
            form: dict[str, str | float | bool] = {"decision": "reject", "form_token": token}
            assert page.request.post(address, form=form, headers={"sec-fetch-site": site}).status == 403
    rule = bed.store.rules.get(bed.github.repository_id(bed.shop), next(iter(RULES)))
    assert rule is not None
    assert str(rule.state) == "confirmed"


# ------------------------------------------------------------------ each page


@pytest.mark.parametrize(
    ("size", "dark"),
    [pytest.param(*look, marks=pytest.mark.soak if number else ()) for number, look in enumerate(LOOKS)],
    ids=[f"{'phone' if one is PHONE else 'desktop'}-{'dark' if two else 'light'}" for one, two in LOOKS],
)
def test_every_page_is_accessible_and_fits(size: ViewportSize, dark: bool, bed: Bed):
    with bed.window(dark=dark, size=size) as page:
        bed.sign_in(page, "ada")
        for name, address in LOOKED_AT.items():
            answer = page.goto(address)
            assert answer is not None
            assert answer.status == 200, name
            shot(page, f"{name}-{'phone' if size is PHONE else 'desktop'}-{'dark' if dark else 'light'}")
            assert troubles(page) == [], name
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide == 0, f"{name} is {wide} pixels wider than the window"


@pytest.mark.soak
def test_the_page_before_the_door_is_accessible(bed: Bed):
    with bed.window() as page:
        page.goto("/")
        shot(page, "closed-desktop-light")
        assert troubles(page) == []


@pytest.mark.soak
def test_each_chart_is_drawn_described_and_has_its_data(bed: Bed, subtests: pytest.Subtests):
    with bed.window() as page:
        bed.sign_in(page, "ada")
        for name, num_charts in CHARTS.items():
            with subtests.test(name):
                page.goto(PAGES[name])
                pictures = page.locator("figure svg[role=img]")
                expect(pictures).to_have_count(num_charts)
                for place in range(num_charts):
                    _is_drawn(bed, page, place)


def _is_drawn(bed: Bed, page: Page, place: int) -> None:
    picture = page.locator("figure svg[role=img]").nth(place)
    assert len(picture.get_attribute("aria-label") or "") > 20
    assert picture.locator("path, rect").count() > 3
    box = picture.bounding_box()
    assert box is not None
    assert box["width"] > 300
    block = page.locator("section.block", has=page.locator("figure")).nth(place)
    href = block.get_by_role("link", name=re.compile("as CSV")).get_attribute("href")
    answer = page.request.get(f"{bed.url}{href}")
    assert answer.headers["content-type"].startswith("text/csv")
    lines = answer.text().splitlines()
    block.locator("summary").click()
    assert len(lines) == block.locator("tbody tr").count() + 1


@pytest.mark.soak
def test_a_table_sorts_without_a_script(bed: Bed):
    with bed.window() as page:
        bed.sign_in(page, "ada")
        page.goto("/rules")
        heading = page.get_by_role("columnheader", name="Repeats")
        heading.get_by_role("link").click()
        expect(heading).to_have_attribute("aria-sort", "ascending")
        heading.get_by_role("link").click()
        expect(heading).to_have_attribute("aria-sort", "descending")
        expect(page.locator("#rules tbody tr").first).to_contain_text("explicit types")
        assert page.locator("script").count() == 0


@pytest.mark.soak
def test_everything_is_reached_by_keyboard(bed: Bed):
    with bed.window() as page:
        bed.sign_in(page, "ada")
        page.goto("/risk")
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to the content")
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.get_by_label("Repository", exact=True)).to_be_focused()
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        reached = set()
        for _ in range(60):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.textContent.trim()"))
        assert {"Show", "Risk by week as CSV", "The data of this chart"} <= reached


@pytest.mark.soak
def test_empty_pages_say_what_to_do(bed: Bed):
    with bed.window() as page:
        bed.sign_in(page, "sam")
        for name, address in PAGES.items():
            if "acme" in address:
                continue
            page.goto(address)
            assert page.locator(".empty").count() > 0, name
            shot(page, f"{name}-empty")
