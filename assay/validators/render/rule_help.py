"""Addresses of the pages that explain rules."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

from assay.validators.report.model import Finding, Tier

_TOOLS = {
    "eslint": "https://eslint.org/docs/latest/rules/{}",
    "mypy": "https://mypy.readthedocs.io/en/stable/_refs.html#code-{}",
    "pyright": "https://github.com/microsoft/pyright/blob/main/docs/configuration.md#{}",
    "ruff": "https://docs.astral.sh/ruff/rules/#{}",
    "squawk": "https://squawkhq.com/docs/{}",
    "zizmor": "https://docs.zizmor.sh/audits/#{}",
}
"""Page of a rule, by the tool's name."""
_RULE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_OWN_PAGES = {"review": "review/"}
_QUALITY_PAGE = "quality/#{}"


def help_address(finding: Finding, site: str) -> str:
    """Return the page of the finding's rule; "" if none is known.

    `site` is the address of Assay's documentation, "" if it is not published. A rule's name comes from the change's
    own tools, so only plain words become part of an address.
    """
    if finding.tier is Tier.tools:
        page = _TOOLS.get(finding.tool or "", "")
        return page.format(finding.rule) if page and _RULE.fullmatch(finding.rule) else ""
    name = finding.rule.split(".")[0]
    if not site or finding.tier is not Tier.quality or not _RULE.fullmatch(name):
        return ""
    return f"{site.rstrip('/')}/{_OWN_PAGES.get(name, _QUALITY_PAGE.format(name))}"


@cache
def documentation_site() -> str:
    """Return the address under `[project.urls]` that a release has as `Documentation`; "" without one."""
    try:
        urls = metadata("assay-review").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    found = dict(one.split(", ", 1) for one in urls if ", " in one)
    return str(found.get("Documentation", ""))
