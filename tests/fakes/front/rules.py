"""What a branch asks of a change before it may be merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes.front.exchange import Answer, Exchange, page_of
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front


@ROUTES.on("GET", "/repos/{owner}/{repo}/rules/branches/{branch}")
async def of_branch(front: Front, exchange: Exchange) -> Answer:
    """The rules that hold for a branch."""
    required = front.state.required_checks.get((exchange.repo, exchange.params["branch"]), [])
    rules = []
    if required:
        parameters = {
            "required_status_checks": [{"context": name} for name in required],
            "strict_required_status_checks_policy": False,
        }
        source = {"ruleset_source_type": "Repository", "ruleset_source": exchange.repo, "ruleset_id": 42}
        rules.append({"type": "required_status_checks", "parameters": parameters} | source)
    return Answer(200, page_of(rules, exchange))


@ROUTES.on("GET", "/repos/{owner}/{repo}/branches/{branch}")
async def branch(front: Front, exchange: Exchange) -> Answer:
    """A branch, with the checks its protection requires."""
    answer = await front.passed_on(exchange)
    if answer.status == 200:
        required = front.state.required_checks.get((exchange.repo, exchange.params["branch"]), [])
        answer.body["protected"] = bool(required)
        checks = {
            "enforcement_level": "everyone" if required else "off",
            "contexts": required,
            "checks": [{"context": name, "app_id": None} for name in required],
        }
        answer.body["protection"] = {"enabled": bool(required), "required_status_checks": checks}
        here = f"{front.url}{exchange.path}"
        answer.body["protection_url"] = f"{here}/protection"
        answer.body["_links"] = {"self": here, "html": f"{front.url}/{exchange.repo}/tree/{answer.body['name']}"}
        answer.body["commit"] = await front.known(f"/repos/{exchange.repo}/commits/{answer.body['commit']['sha']}")
    return answer
