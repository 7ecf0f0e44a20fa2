"""Registration of the App by GitHub's manifest flow, from a page on this machine.

    this page --(form: the manifest)--> GitHub: "Create GitHub App" --(code)--> this page --> credentials on disk

The code is valid for one hour and one use; a random state ties GitHub's response to our form. Credentials are written
once, readable by their owner only, and never shown.
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
from assay.github_app.ops.permissions import EVENTS, needed_permissions

NAME_LENGTH = 34
"""GitHub: "The name cannot be longer than 34 characters"."""

_CODE = re.compile(r"[A-Za-z0-9_-]{1,255}")
_ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?")
_FILES = ("app.private-key.pem", "app.webhook-secret", "app.client-secret", "assay.toml")


@dataclass(frozen=True, slots=True)
class Registration:
    """Parameters of the App: name, owner (None: the user who clicks), and public address."""

    name: str
    data_dir: Path
    public_url: str | None = None
    organization: str | None = None
    github_url: str = "https://github.com"
    sarif_upload: bool = False
    instruction_files: bool = True


class Credentials(BaseModel):
    """Credentials in GitHub's response to the manifest's code."""

    id: int
    slug: str
    html_url: str
    pem: SecretStr
    webhook_secret: SecretStr | None = None
    client_id: str | None = None
    client_secret: SecretStr | None = None


Exchange = Callable[[str], Mapping[str, Any]]
"""Function from the code to GitHub's response (`POST /app-manifests/{code}/conversions`)."""


def manifest(app: Registration, redirect_url: str) -> dict[str, Any]:
    """Return the manifest of the App."""
    made: dict[str, Any] = {
        "name": app.name,
        "url": app.public_url or "https://github.com/apps",
        "description": "Validates changes of coding agents: do they work, is it good code, what can they break?",
        "public": False,
        "redirect_url": redirect_url,
        "default_permissions": needed_permissions(
            sarif_upload=app.sarif_upload, instruction_files=app.instruction_files
        ),
        "default_events": list(EVENTS),
        "request_oauth_on_install": False,
    }
    if app.public_url:
        made["hook_attributes"] = {"url": f"{app.public_url}/webhooks/github", "active": True}
        made["callback_urls"] = [f"{app.public_url}/sign-in/callback"]
    return made


def check(app: Registration) -> None:
    """Check the parameters before GitHub does.

    Raises:
        SettingsError: a parameter is invalid, or the directory has credentials of another App.
    """
    if not app.name.strip() or len(app.name) > NAME_LENGTH:
        raise SettingsError(f"--name: must have 1 to {NAME_LENGTH} characters (GitHub's limit)")
    if app.organization is not None and not _ORGANIZATION.fullmatch(app.organization):
        raise SettingsError(f"--organization: {app.organization!r} is not an account name")
    for option, url in (("--github-url", app.github_url), ("--public-url", app.public_url)):
        if url is not None and not _ADDRESS.fullmatch(url):
            raise SettingsError(f"{option}: must be an http(s) address such as https://assay.example.com, not {url!r}")
    there = [str(app.data_dir / name) for name in _FILES if (app.data_dir / name).exists()]
    if there:
        raise SettingsError(
            f"--data-dir: already has an App ({', '.join(there)}); choose another directory",
            code="settings.already-registered",
        )
    try:
        app.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"--data-dir: cannot create {app.data_dir}: {error.strerror}") from None
    if not os.access(app.data_dir, os.W_OK | os.X_OK):
        raise SettingsError(f"--data-dir: {app.data_dir} is not writable; choose another directory")


def make_page(app: Registration, redirect_url: str, exchange: Exchange, done: Callable[[Credentials], None]) -> FastAPI:
    """Return the page with the form and the address GitHub redirects to; `done` is called after storing."""
    state = secrets.token_urlsafe(24)
    page = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @page.get("/", response_class=HTMLResponse)
    def ask() -> str:
        return _form(app, manifest(app, redirect_url), state)

    @page.get("/registered", response_class=HTMLResponse)
    def registered(request: Request) -> HTMLResponse:
        given = request.query_params
        if not secrets.compare_digest(given.get("state", "").encode(), state.encode()):
            return _message("This response does not belong to the form on this machine. Start again.", 403)
        code = given.get("code", "")
        if not _CODE.fullmatch(code):
            return _message("GitHub sent no usable code. Start again.", 400)
        try:
            made = Credentials.model_validate(exchange(code))
            keep(app, made)
        except ValidationError:
            return _message("GitHub's response has no credentials. Start again.", 502)
        except GithubAppError as error:
            return _message(str(error), 502)
        done(made)
        return _message(f"{made.slug} is registered. Close this page and continue in the terminal.", 200)

    return page


def keep(app: Registration, made: Credentials) -> None:
    """Write the credentials and the settings file; never overwrite a file.

    Raises:
        SettingsError: a file exists, or the directory is not writable.
    """
    lines = [f"app_id = {made.id}"]
    if app.public_url:
        lines.append(f"public_url = {json.dumps(app.public_url)}")
    if app.github_url != "https://github.com":
        lines.append(f"github_url = {json.dumps(app.github_url)}")
        lines.append(f"github_api_url = {json.dumps(api_of(app.github_url))}")
    if made.client_id:
        lines.append(f"client_id = {json.dumps(made.client_id)}")
    if app.sarif_upload:
        lines.append("sarif_upload = true")
    if not app.instruction_files:
        lines.append("instruction_files = false")
    files = {
        "app.private-key.pem": made.pem.get_secret_value(),
        "app.webhook-secret": (made.webhook_secret or SecretStr(secrets.token_hex(32))).get_secret_value() + "\n",
        "app.client-secret": made.client_secret.get_secret_value() + "\n" if made.client_secret else None,
        "assay.toml": "\n".join(lines) + "\n",
    }
    try:
        app.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in files.items():
            if text is not None:
                _write_once(app.data_dir / name, text)
    except OSError as error:
        raise SettingsError(
            f"cannot write the credentials to {app.data_dir}: {error.strerror}", code="settings.not-writable"
        ) from None


def api_of(github_url: str) -> str:
    """Return the API's address of github.com, a data-residency host (`*.ghe.com`), or an Enterprise Server."""
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


def _form(app: Registration, made: Mapping[str, Any], state: str) -> str:
    place = f"/organizations/{app.organization}/settings/apps/new" if app.organization else "/settings/apps/new"
    action = html.escape(f"{app.github_url}{place}?state={state}", quote=True)
    rows = "".join(f"<li><code>{name}</code>: {level}</li>" for name, level in made["default_permissions"].items())
    hook = made.get("hook_attributes", {}).get("url")
    reached = (
        f"<p>Webhooks will go to <code>{html.escape(hook)}</code>.</p>"
        if hook
        else "<p><strong>No --public-url:</strong> the App receives no events until you set its webhook.</p>"
    )
    return _page(
        f"<h1>Register {html.escape(app.name)}</h1><p>Permissions:</p><ul>{rows}</ul>{reached}"
        f'<form method="post" action="{action}">'
        f'<input type="hidden" name="manifest" value="{html.escape(json.dumps(made), quote=True)}">'
        f"<button>Continue on GitHub</button></form>"
    )


def _message(text: str, status: int) -> HTMLResponse:
    return HTMLResponse(_page(f"<p>{html.escape(text)}</p>"), status_code=status)


def _page(body: str) -> str:
    style = "body{font:16px/1.5 system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem}button{font:inherit}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Assay</title><style>{style}</style>{body}</html>'
    )
