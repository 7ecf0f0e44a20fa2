"""The App itself: its registration, its tokens, its installation."""

from __future__ import annotations

import json
import secrets
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode

from tests.fakes.front.dressing import app
from tests.fakes.front.exchange import Answer, Exchange, page_of, refused
from tests.fakes.front.routing import ROUTES
from tests.fakes.front.state import APP_SLUG
from tests.fakes.front.tokens import Token

if TYPE_CHECKING:
    from tests.fakes.github_front import Front


@ROUTES.on("POST", "/app/installations/{installation_id}/access_tokens")
async def access_token(front: Front, exchange: Exchange) -> Answer:
    """Let the emulator make a token, and remember how far it reaches."""
    if exchange.token is None or exchange.token.kind != "app":
        return refused(401, "A JSON web token could not be decoded")
    if front.state.suspended:
        return refused(403, "This installation has been suspended")
    asked = (exchange.json or {}).get("permissions") or {}
    # The emulator would refuse metadata, which every token has.
    body = (exchange.json or {}) | ({"permissions": asked} if asked else {})
    answer = await front.passed_on(exchange, body)
    if answer.status == 201:
        made = answer.body
        made["permissions"] = {"metadata": "read"} | made["permissions"]
        named = made.get("repositories")
        if named is not None:
            made["repositories"] = [await front.known(f"/repos/{each['full_name']}") for each in named]
        front.state.tokens[made["token"]] = Token(
            made["token"],
            "installation",
            installation_id=int(exchange.params["installation_id"]),
            permissions=made["permissions"],
            repositories=None if named is None else frozenset(each["full_name"] for each in named),
            expires_at=datetime.fromisoformat(made["expires_at"]).timestamp(),
        )
    return answer


@ROUTES.on("DELETE", "/installation/token")
async def give_back(front: Front, exchange: Exchange) -> Answer:
    """A token that is no longer needed."""
    if exchange.token is None or exchange.token.kind != "installation":
        return refused(401, "Bad credentials")
    front.state.tokens.pop(exchange.token.value, None)
    return Answer(204)


@ROUTES.on("GET", "/installation/repositories")
async def repositories(front: Front, exchange: Exchange) -> Answer:
    """The repositories a token reaches."""
    token = exchange.token
    if token is None or token.kind != "installation":
        return refused(403, "You must authenticate with an installation access token in order to list repositories.")
    names = [name for name in front.state.repositories if token.reaches(name) and name not in front.state.forks]
    found = [await front.known(f"/repos/{name}") for name in names]
    selection = "all" if token.repositories is None else "selected"
    page = page_of(found, exchange)
    return Answer(200, {"total_count": len(found), "repository_selection": selection, "repositories": page})


@ROUTES.on("GET", "/app")
async def itself(front: Front, exchange: Exchange) -> Answer:
    """The App as its JWT sees it."""
    answer = await front.passed_on(exchange)
    if answer.status == 200:
        granted = {"permissions": answer.body["permissions"], "events": front.state.events}
        answer.body = app(front) | granted | {"installations_count": 1}
    return answer


@ROUTES.on("GET", "/apps/{app_slug}")
async def by_slug(front: Front, exchange: Exchange) -> Answer:
    """The App as anybody sees it."""
    return Answer(200, app(front)) if exchange.params["app_slug"] == APP_SLUG else refused(404, "Not Found")


# ------------------------------------------------------------------ registration by a manifest


@ROUTES.on("POST", "/settings/apps/new")
async def registered(front: Front, exchange: Exchange) -> Answer:
    """The page a browser posts the manifest to; the click on "Create" is taken for granted."""
    manifest = json.loads(parse_qs(exchange.body.decode())["manifest"][0])
    code = secrets.token_hex(20)
    front.state.manifests[code] = manifest
    back = {"code": code} | ({"state": exchange.query["state"]} if "state" in exchange.query else {})
    return Answer(302, None, {"location": f"{manifest['redirect_url']}?{urlencode(back)}"})


@ROUTES.on("POST", "/organizations/{org}/settings/apps/new")
async def registered_by_organization(front: Front, exchange: Exchange) -> Answer:
    """The same for an organization."""
    return await registered(front, exchange)


@ROUTES.on("POST", "/app-manifests/{code}/conversions")
async def conversion(front: Front, exchange: Exchange) -> Answer:
    """What was registered, keys included: once."""
    manifest = front.state.manifests.pop(exchange.params["code"], None)
    if manifest is None:
        return refused(404, "Not Found")
    slug = manifest.get("name", "an app").lower().replace(" ", "-")
    made = app(front, next(front.state.ids), slug, manifest.get("name", "an app"))
    made |= {"permissions": manifest.get("default_permissions", {}), "events": manifest.get("default_events", [])}
    made |= {"client_secret": secrets.token_hex(20), "webhook_secret": secrets.token_hex(20)}
    return Answer(201, made | {"pem": front.new_private_key()})
