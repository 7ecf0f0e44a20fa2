"""GitHub's word on the App's installations: suspended or not, and which permissions each lacks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.github.client import Github, understood
from assay.github.errors import GithubAppError, SettingsError
from assay.github_app.ops.permissions import lacking_permissions
from assay.github_app.ops.settings import Settings

KEEP_S = 600.0
"""Seconds after which GitHub is asked again."""
RETRY_S = 60.0
"""The same after a failure."""
WAIT_S = 2.0
"""Seconds that a page waits for the answer; later pages show it."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Grant:
    """One installation as GitHub lists it. `page` is its settings page; `lacking` as `checks: write`."""

    id: int
    page: str
    is_suspended: bool
    lacking: tuple[str, ...]


class Installations:
    """Installations by id, asked of GitHub in the background, so that no page waits longer than `WAIT_S`."""

    def __init__(self, settings: Settings, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._asking: threading.Thread | None = None
        self._ask_from: float | None = None
        self._known: Mapping[int, Grant] | None = None

    def known(self) -> Mapping[int, Grant] | None:
        """Return the installations as last listed; None if GitHub has not answered yet."""
        with self._lock:
            if self._ask_from is None or self._clock_s() >= self._ask_from:
                self._ask_from = self._clock_s() + KEEP_S
                self._asking = threading.Thread(target=self._ask, name="installations", daemon=True)
                self._asking.start()
            asking = self._asking
        if asking is not None and self._known is None:
            asking.join(WAIT_S)
        return self._known

    def _ask(self) -> None:
        try:
            self._known = self._listed()
        except GithubAppError as error:
            self._ask_from = self._clock_s() + RETRY_S
            _log.warning("installations could not be listed: %s", error)

    def _listed(self) -> Mapping[int, Grant]:
        settings = self._settings
        if settings.app_id is None:
            raise SettingsError("ASSAY_APP_ID is not set", code="settings.missing")
        with Github(settings.app_id, settings.key(), settings.github_api_url) as github:
            found = [understood(self._grant, one, "the installations") for one in github.installations()]
        return {one.id: one for one in found}

    def _grant(self, data: Mapping[str, Any]) -> Grant:
        lacking = lacking_permissions(data.get("permissions"), sarif_upload=self._settings.sarif_upload)
        page = str(data.get("html_url") or "")
        is_ours = page.startswith(f"{self._settings.github_url}/")
        return Grant(int(data["id"]), page if is_ours else "", data.get("suspended_at") is not None, lacking)
