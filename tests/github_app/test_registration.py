"""Registering the App: the form, GitHub's answer, and what is left on disk."""

from __future__ import annotations

import html
import json
import re
import stat
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from assay.github.errors import GithubRefused, SettingsError
from assay.github_app.ops.permissions import EVENTS, PERMISSIONS
from assay.github_app.ops.registration import Credentials, Registration, api_of, check, keep, make_page, manifest
from assay.github_app.ops.settings import read_settings

ANSWER = {
    "id": 7,
    "slug": "assay-here",
    "html_url": "https://github.com/apps/assay-here",
    "pem": "-----BEGIN RSA PRIVATE KEY-----\nnot a key\n-----END RSA PRIVATE KEY-----\n",
    "webhook_secret": "s3cret",
    "client_id": "Iv1.abc",
    "client_secret": "very-s3cret",
    "owner": {"login": "octo"},
}


class Here:
    """The page, with what GitHub would answer, and what came of it."""

    def __init__(self, wanted: Registration, answer: object = ANSWER) -> None:
        self.codes: list[str] = []
        self.made: list[Credentials] = []
        self._answer = answer
        page = make_page(wanted, "http://127.0.0.1:8081/registered", self._exchange, self.made.append)
        self.client = TestClient(page, base_url="http://127.0.0.1:8081")

    def _exchange(self, code: str):
        self.codes.append(code)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def state(self) -> str:
        found = re.search(r'action="[^"]*\?state=([^"]+)"', self.client.get("/").text)
        assert found
        return found[1]


@pytest.fixture
def wanted(tmp_path: Path) -> Registration:
    return Registration("Assay here", tmp_path / "data", "https://assay.example.com")


def test_the_form_hands_github_the_manifest(wanted: Registration):
    page = Here(wanted).client.get("/").text
    assert 'action="https://github.com/settings/apps/new?state=' in page
    found = re.search(r'name="manifest" value="([^"]*)"', page)
    assert found
    sent = json.loads(html.unescape(found[1]))
    assert sent == manifest(wanted, "http://127.0.0.1:8081/registered")
    assert sent["hook_attributes"]["url"] == "https://assay.example.com/webhooks/github"
    assert sent["default_permissions"] == {**PERMISSIONS, "contents": "write"}
    assert sent["default_events"] == list(EVENTS)
    assert sent["public"] is False


def test_an_app_that_is_to_propose_nothing_cannot_write_code(tmp_path: Path):
    app = Registration("A", tmp_path / "data", instruction_files=False)
    assert manifest(app, "http://127.0.0.1:8081/registered")["default_permissions"] == dict(PERMISSIONS)
    keep(app, Credentials(id=1, slug="a", html_url="https://github.com/apps/a", pem=SecretStr("key")))
    assert "instruction_files = false" in (app.data_dir / "assay.toml").read_text()


def test_an_app_that_may_upload_does_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "data"))
    app = Registration("A", tmp_path / "data", sarif_upload=True)
    assert manifest(app, "http://127.0.0.1:8081/registered")["default_permissions"]["security_events"] == "write"
    keep(app, Credentials(id=1, slug="a", html_url="https://github.com/apps/a", pem=SecretStr("key")))
    assert read_settings().sarif_upload


def test_an_organization_registers_on_its_own_page(wanted: Registration):
    page = Here(Registration("A", wanted.data_dir, None, "octo-org")).client.get("/").text
    assert 'action="https://github.com/organizations/octo-org/settings/apps/new?state=' in page
    assert "No --public-url" in page


def test_what_github_answers_is_kept_for_its_owner_alone_and_read_back(
    wanted: Registration, monkeypatch: pytest.MonkeyPatch
):
    here = Here(wanted)
    answer = here.client.get("/registered", params={"code": "abc123", "state": here.state()})
    assert answer.status_code == 200
    assert here.codes == ["abc123"]
    assert here.made[0].slug == "assay-here"
    assert "s3cret" not in answer.text
    assert stat.S_IMODE(wanted.data_dir.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in wanted.data_dir.iterdir()} == {0o600}
    monkeypatch.setenv("ASSAY_DATA_DIR", str(wanted.data_dir))
    settings = read_settings()
    assert (settings.app_id, settings.secret(), settings.public_url) == (7, "s3cret", "https://assay.example.com")
    assert settings.key() == ANSWER["pem"]
    assert "s3cret" not in repr(settings)


@pytest.mark.parametrize("given", [{}, {"state": "forged"}, {"state": "\u00e9"}])
def test_an_answer_to_another_form_is_refused(wanted: Registration, given: dict[str, str]):
    here = Here(wanted)
    assert here.client.get("/registered", params={"code": "abc", **given}).status_code == 403
    assert here.codes == []
    assert not wanted.data_dir.exists()


@pytest.mark.parametrize("code", ["", "../../user", "a" * 300, "a b"])
def test_a_code_that_is_none_goes_nowhere(wanted: Registration, code: str):
    here = Here(wanted)
    assert here.client.get("/registered", params={"code": code, "state": here.state()}).status_code == 400
    assert here.codes == []


@pytest.mark.parametrize(
    "answer", [{}, {"id": 1}, GithubRefused(404, "exchange the code", "the code is used up")], ids=str
)
def test_a_useless_answer_leaves_nothing_behind(wanted: Registration, answer: object):
    here = Here(wanted, answer)
    assert here.client.get("/registered", params={"code": "abc", "state": here.state()}).status_code == 502
    assert here.made == []
    assert not wanted.data_dir.exists()


def test_credentials_that_are_there_are_never_overwritten(wanted: Registration):
    check(wanted)
    keep(wanted, Credentials.model_validate(ANSWER))
    with pytest.raises(SettingsError, match=r"settings\.already-registered"):
        check(wanted)
    with pytest.raises(SettingsError, match=r"settings\.not-writable"):
        keep(wanted, Credentials.model_validate(ANSWER))


def test_a_link_in_the_place_of_a_secret_is_not_followed(wanted: Registration, tmp_path: Path):
    wanted.data_dir.mkdir()
    (wanted.data_dir / "app.webhook-secret").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SettingsError, match=r"settings\.not-writable"):
        keep(wanted, Credentials.model_validate(ANSWER))
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("name", "organization", "said"),
    [("", None, "--name"), ("x" * 35, None, "34 characters"), ("A", "a/b", "--organization")],
)
def test_a_wish_github_would_refuse_is_refused_here(tmp_path: Path, name: str, organization: str | None, said: str):
    with pytest.raises(SettingsError, match=said):
        check(Registration(name, tmp_path / "data", organization=organization))


@pytest.mark.parametrize(
    "url", ["github.example.com", "ftp://x", "https://", "https://a b", "https://x/?q", "https://u@x"]
)
def test_an_address_that_is_none_is_refused_before_github_sees_it(tmp_path: Path, url: str):
    with pytest.raises(SettingsError, match="--github-url: must be an http"):
        check(Registration("A", tmp_path / "data", github_url=url))
    with pytest.raises(SettingsError, match="--public-url: must be an http"):
        check(Registration("A", tmp_path / "data", public_url=url))


@pytest.mark.parametrize(
    ("web", "api"),
    [
        ("https://github.com", "https://api.github.com"),
        ("https://octo.ghe.com", "https://api.octo.ghe.com"),
        ("https://github.example.com", "https://github.example.com/api/v3"),
    ],
)
def test_each_kind_of_github_has_its_api(web: str, api: str):
    assert api_of(web) == api


def test_markup_in_a_name_stays_text(tmp_path: Path):
    page = Here(Registration('"><script>', tmp_path / "data")).client.get("/").text
    assert "<script>" not in page
