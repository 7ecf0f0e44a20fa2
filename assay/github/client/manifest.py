"""Exchange of the code of GitHub's manifest flow for the new App's credentials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import github
from github import GithubException

from assay.github.errors import GithubRefused, GithubUnavailable


def exchange(api_url: str, code: str) -> Mapping[str, Any]:
    """Exchange the code, once and within an hour, without a token; return GitHub's response."""
    what = "exchange the code"
    with github.Github(base_url=api_url, timeout=20, retry=0, seconds_between_requests=None) as connection:
        try:
            _, answer = connection.requester.requestJsonAndCheck(
                "POST", f"/app-manifests/{quote(code, safe='')}/conversions"
            )
        except GithubException as error:
            if error.status >= 500:
                raise GithubUnavailable(what, f"it answered {error.status}") from None
            raise GithubRefused(error.status, what, "the code was used or is older than an hour: start again") from None
        except OSError as error:
            raise GithubUnavailable(what, f"no connection to {api_url} ({type(error).__name__})") from None
    return answer if isinstance(answer, dict) else {}
