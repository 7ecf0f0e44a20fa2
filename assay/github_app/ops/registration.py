"""Registering the App with one click: GitHub's manifest flow, from a small page on this machine.

    this page --(form: the manifest)--> GitHub: "Create GitHub App" --(code)--> this page --> credentials on disk

The code is worth one hour and one use; a random state ties GitHub's answer to the form we made. Credentials are
written once, readable by their owner alone, and never shown.
"""

from __future__ import annotations

import html
import json
import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, SecretStr, ValidationError

from assay.github.errors import GithubAppError, SettingsError
from assay.github_app.permissions import EVENTS, PERMISSIONS

NAME_LENGTH = 34
"""GitHub: "The name cannot be longer than 34 characters"."""

_CODE = re.compile(r"[A-Za-z0-9_-]{1,255}")
_ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?")
_FILES = ("app.private-key.pem", "app.webhook-secret", "app.client-secret", "assay.toml")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the App shall be called, whose it is (None: the person who clicks), and where GitHub reaches it."""

    name: str
    data_dir: Path
    public_url: str | None = None
    organization: str | None = None
    github_url: str = "https://github.com"
    sarif_upload: bool = False
    agents_md: bool = False


class Credentials(BaseModel):
    """What GitHub answers when the manifest's code is exchanged."""

    id: int
    slug: str
    html_url: str
    pem: SecretStr
    webhook_secret: SecretStr | None = None
    client_id: str | None = None
    client_secret: SecretStr | None = None


Exchange = Callable[[str], Mapping[str, Any]]
"""From the code to GitHub's answer (`POST /app-manifests/{code}/conversions`)."""


def manifest(wanted: Wanted, redirect_url: str) -> dict[str, Any]:
    """The App as GitHub is asked to make it."""
    permissions = dict(PERMISSIONS)
    if wanted.sarif_upload:
        permissions["security_events"] = "write"
    if wanted.agents_md:
        permissions["contents"] = "write"
    made: dict[str, Any] = {
        "name": wanted.name,
        "url": wanted.public_url or "https://github.com/apps",
        "description": "Judges what coding agents bring: does it work, is it good code, what can it break?",
        "public": False,
        "redirect_url": redirect_url,
        "default_permissions": permissions,
        "default_events": list(EVENTS),
        "request_oauth_on_install": False,
    }
    if wanted.public_url:
        made["hook_attributes"] = {"url": f"{wanted.public_url}/webhooks/github", "active": True}
        made["callback_urls"] = [f"{wanted.public_url}/sign-in/callback"]
    return made


def check(wanted: Wanted) -> None:
    """Say what is wrong with the wish before GitHub does.

    Raises:
        SettingsError: the name or organization is no name, or credentials of another App are already there.
    """
    if not wanted.name.strip() or len(wanted.name) > NAME_LENGTH:
        raise SettingsError(f"--name: at most {NAME_LENGTH} characters, and not empty (GitHub's limit)")
    if wanted.organization is not None and not _ORGANIZATION.fullmatch(wanted.organization):
        raise SettingsError(f"--organization: {wanted.organization!r} is no account name")
    for option, url in (("--github-url", wanted.github_url), ("--public-url", wanted.public_url)):
        if url is not None and not _ADDRESS.fullmatch(url):
            raise SettingsError(f"{option}: say an http(s) address such as https://assay.example.com, not {url!r}")
    there = [str(wanted.data_dir / name) for name in _FILES if (wanted.data_dir / name).exists()]
    if there:
        raise SettingsError(f"an App is registered here already ({', '.join(there)}); choose another --data-dir")
    try:
        wanted.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"--data-dir: {wanted.data_dir} cannot be made: {error.strerror}") from None
    if not os.access(wanted.data_dir, os.W_OK | os.X_OK):
        raise SettingsError(f"--data-dir: {wanted.data_dir} cannot be written")


def make_page(wanted: Wanted, redirect_url: str, exchange: Exchange, done: Callable[[Credentials], None]) -> FastAPI:
    """The page with the form, and the place GitHub comes back to. `done` is called when all is stored."""
    state = secrets.token_urlsafe(24)
    page = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @page.get("/", response_class=HTMLResponse)
    def ask() -> str:
        return _form(wanted, manifest(wanted, redirect_url), state)

    @page.get("/registered", response_class=HTMLResponse)
    def registered(request: Request) -> HTMLResponse:
        given = request.query_params
        if not secrets.compare_digest(given.get("state", "").encode(), state.encode()):
            return _told("This answer does not belong to the form on this machine. Start again.", 403)
        code = given.get("code", "")
        if not _CODE.fullmatch(code):
            return _told("GitHub sent no usable code. Start again.", 400)
        try:
            made = Credentials.model_validate(exchange(code))
            keep(wanted, made)
        except ValidationError:
            return _told("GitHub's answer holds no credentials. Start again.", 502)
        except GithubAppError as error:
            return _told(str(error), 502)
        done(made)
        return _told(f"{made.slug} is registered. Close this page and go on in the terminal.", 200)

    return page


def keep(wanted: Wanted, made: Credentials) -> None:
    """Write the credentials and the settings that name them; what is there already is never overwritten.

    Raises:
        SettingsError: a file exists, or the folder cannot be written.
    """
    lines = [f"app_id = {made.id}"]
    if wanted.public_url:
        lines.append(f"public_url = {json.dumps(wanted.public_url)}")
    if wanted.github_url != "https://github.com":
        lines.append(f"github_url = {json.dumps(wanted.github_url)}")
        lines.append(f"github_api_url = {json.dumps(api_of(wanted.github_url))}")
    if made.client_id:
        lines.append(f"client_id = {json.dumps(made.client_id)}")
    files = {
        "app.private-key.pem": made.pem.get_secret_value(),
        "app.webhook-secret": (made.webhook_secret or SecretStr(secrets.token_hex(32))).get_secret_value() + "\n",
        "app.client-secret": made.client_secret.get_secret_value() + "\n" if made.client_secret else None,
        "assay.toml": "\n".join(lines) + "\n",
    }
    try:
        wanted.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in files.items():
            if text is not None:
                _write_once(wanted.data_dir / name, text)
    except OSError as error:
        raise SettingsError(f"the credentials cannot be kept in {wanted.data_dir}: {error.strerror}") from None


def api_of(github_url: str) -> str:
    """Where the API of a GitHub is: github.com, a data-residency host (`*.ghe.com`), or an Enterprise Server."""
    if github_url == "https://github.com":
        return "https://api.github.com"
    scheme, _, host = github_url.partition("://")
    if host.endswith(".ghe.com"):
        return f"{scheme}://api.{host}"
    return f"{github_url}/api/v3"


def _write_once(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _form(wanted: Wanted, made: Mapping[str, Any], state: str) -> str:
    place = f"/organizations/{wanted.organization}/settings/apps/new" if wanted.organization else "/settings/apps/new"
    action = html.escape(f"{wanted.github_url}{place}?state={state}", quote=True)
    rows = "".join(f"<li><code>{name}</code>: {level}</li>" for name, level in made["default_permissions"].items())
    hook = made.get("hook_attributes", {}).get("url")
    reached = (
        f"<p>Webhooks will go to <code>{html.escape(hook)}</code>.</p>"
        if hook
        else "<p><strong>No --public-url was given:</strong> the App will hear nothing until its webhook is set.</p>"
    )
    return _page(
        f"<h1>Register {html.escape(wanted.name)}</h1><p>It asks for</p><ul>{rows}</ul>{reached}"
        f'<form method="post" action="{action}">'
        f'<input type="hidden" name="manifest" value="{html.escape(json.dumps(made), quote=True)}">'
        f"<button>Go on to GitHub</button></form>"
    )


def _told(text: str, status: int) -> HTMLResponse:
    return HTMLResponse(_page(f"<p>{html.escape(text)}</p>"), status_code=status)


def _page(body: str) -> str:
    style = "body{font:16px/1.5 system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem}button{font:inherit}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Assay</title><style>{style}</style>{body}</html>'
    )
