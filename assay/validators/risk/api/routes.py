"""HTTP routes that the change removes, by the ways in which common frameworks declare them.

Found by pattern in the changed files of both sides, together: a route that moves to another file stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from assay.validators.changes.change import FileKind, SourceTree, decoded
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.io.structured_files import LIMIT_CHARACTERS
from assay.validators.languages.source_text import split_source
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.risk.api.difference import NameChange
from assay.validators.risk.signal import RiskContext

MOST_ROUTES = 1000
"""Maximum routes of a file, of one framework."""
_TEXT = r"(?:[rRuU]?[\"'`](?P<path>[^\"'`\n]{0,300})[\"'`])"
_VERB = r"(?P<verb>get|post|put|delete|patch|options|head)"
_ARGUMENT = r"\s*(?:(?:value|path)\s*=\s*)?[\[{]?\s*"
_PARAMETER = re.compile(r"<[^<>/]*>|\{[^{}/]*\}|:\w+|\(\?P<\w+>[^()]*\)")


@dataclass(frozen=True, slots=True)
class _Framework:
    """Way to declare routes: `route` has the groups `path`, and may have `verb`, `verbs` and `owner`.

    `prefix` matches what begins the paths: of an `owner` by its name, else of all that follow it. With `only`, files
    without a match declare nothing.
    """

    endings: tuple[str, ...]
    route: re.Pattern[str]
    prefix: re.Pattern[str] | None = None
    only: re.Pattern[str] | None = None


def _framework(languages: str, route: str, prefix: str = "", only: str = "") -> _Framework:
    compiled = (re.compile(each, re.MULTILINE) if each else None for each in (prefix, only))
    return _Framework(suffixes(*languages.split()), re.compile(route, re.MULTILINE), *compiled)


_SCRIPTS = "javascript jsx typescript tsx"
_FRAMEWORKS = (
    # Flask, FastAPI, Starlette, Sanic
    _framework(
        "python",
        rf"^[ \t]*@(?P<owner>\w+)(?:\.\w+)?\.(?:{_VERB}|route|websocket)\(\s*{_TEXT}"
        r"(?:[^()\n]{0,200}methods\s*=\s*[\[(](?P<verbs>[^\])\n]{0,100}))?",
        r"^[ \t]*(?P<owner>\w+)\s*=\s*(?:\w+\.)?(?:APIRouter|Blueprint)"
        rf"\([^()]{{0,400}}?\b(?:url_)?prefix\s*=\s*{_TEXT}",
    ),
    # Django
    _framework("python", rf"^[ \t]*(?:re_)?path\(\s*{_TEXT}\s*,(?!\s*include\b)", only=r"^urlpatterns\b"),
    # Express, Koa, Fastify
    _framework(
        _SCRIPTS,
        rf"\b(?:app|api|server|fastify|\w*[rR]outes?r?)\.(?:{_VERB}|all|del)\(\s*(?=[\"'`]/){_TEXT}\s*,",
    ),
    # NestJS
    _framework(
        _SCRIPTS,
        rf"^[ \t]*@(?i:{_VERB}|all)\(\s*{_TEXT}?\s*\)",
        rf"^[ \t]*@Controller\(\s*{_TEXT}?",
        only=r"@Controller\(",
    ),
    # Spring
    _framework(
        "java kotlin",
        rf"^[ \t]*@(?i:{_VERB}|request)Mapping\b(?:\({_ARGUMENT}{_TEXT}?)?",
        rf"@RequestMapping\({_ARGUMENT}{_TEXT}[^()\n]{{0,200}}\)"
        r"\s*(?:@[\w.]+(?:\([^()\n]{0,200}\))?\s*){0,20}(?:\w+ ){0,5}class\b",
        only=r"Controller\b",
    ),
    # ASP.NET
    _framework("csharp", rf"^[ \t]*\[Http(?i:{_VERB})(?:\(\s*{_TEXT}?)?", rf"^[ \t]*\[Route\(\s*{_TEXT}"),
    _framework("csharp", rf"\.Map(?i:{_VERB})\(\s*{_TEXT}"),
    # Laravel
    _framework("php", rf"\bRoute::(?:{_VERB}|any|resource|apiResource|view|redirect)\(\s*{_TEXT}"),
    # Rails
    _framework(
        "ruby",
        rf"^[ \t]*(?:{_VERB}|match|resources?)\s+(?:{_TEXT}|:(?P<path2>\w+))",
        only=r"\.routes\.draw\b",
    ),
    # net/http, gin, echo, chi
    _framework(
        "go",
        rf"\.(?:(?i:{_VERB}|any)|Handle(?:Func)?)\(\s*(?=[\"`](?:[A-Z]+ )?/){_TEXT}\s*,",
    ),
)


def of_routes(context: RiskContext) -> Iterator[NameChange]:
    """Yield the routes that no changed file declares any more, in whatever form."""
    files = [one for one in context.change.files if one.nature is Nature.source and one.kind is FileKind.text]
    files = [one for one in files if not one.is_example and one.path.endswith(_ENDINGS)]
    after = dict(_texts(context.change.head, [one.path for one in files if one.exists]))
    declared = {_key(name) for path, text in after.items() for name, _ in _routes(path, text)}
    now = {one.base_path: one.path for one in files if one.base_path is not None}
    for base_path, text in _texts(context.change.base, list(now)):
        if context.deadline.passed:
            break
        for name, written in dict(_routes(base_path, text)).items():
            is_written = any(f"{written}{quote}" in each for each in after.values() for quote in "\"'`")
            if _key(name) not in declared and not (written and is_written):
                declared.add(_key(name))
                what, place = "removed", now[base_path]
                yield NameChange(ApiChangeKind.breaking, name, name, what, place, None, exported=False)


def _key(name: str) -> str:
    """Return a route without the names of its parameters, which say nothing to clients."""
    return _PARAMETER.sub("{}", name)


def _texts(tree: SourceTree, paths: list[str]) -> Iterator[tuple[str, str]]:
    """Yield files without their comments."""
    for path, content in tree.read_many(paths, LIMIT_CHARACTERS):
        yield path, "\n".join(split_source(decoded(content or b""), path).bare_lines)


_ENDINGS = tuple(ending for each in _FRAMEWORKS for ending in each.endings)


def _routes(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield each route, and its path as it is written."""
    for framework in _FRAMEWORKS:
        if path.endswith(framework.endings) and (framework.only is None or framework.only.search(text)):
            yield from _of_framework(framework, text)


def _of_framework(framework: _Framework, text: str) -> Iterator[tuple[str, str]]:
    begins = list(islice(framework.prefix.finditer(text), MOST_ROUTES)) if framework.prefix is not None else []
    owners = {match["owner"]: match["path"] for match in begins if "owner" in match.re.groupindex}
    for match in islice(framework.route.finditer(text), MOST_ROUTES):
        if any(one.start() < match.end() <= one.end() for one in begins):
            continue
        said = {name: value for name, value in match.groupdict().items() if value is not None}
        path = said.get("path", said.get("path2", ""))
        if "owner" in said:
            begin = owners.get(said["owner"], "")
        else:
            begin = next((one["path"] or "" for one in reversed(begins) if one.end() <= match.start()), "")
        verb, _, named = path.rpartition(" ")  # `GET /orders` of net/http
        whole = "/" + "/".join(part for each in (begin, named) if (part := each.strip("/")))
        for each in re.findall(r"\w+", said.get("verbs", "")) or [said.get("verb", verb)]:
            yield f"{each.upper()} {whole}".strip(), path
