"""Tools' settings that a change makes less strict: rules off, thresholds moved, paths left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from assay.validators.changes.change import ChangedFile, ChangeSet
from assay.validators.changes.classify import Nature
from assay.validators.report.model import Statement
from assay.validators.risk.ci.tool_settings import Value, settings_in
from assay.validators.wording import listed

_LEVELS = {
    level: rank
    for rank, names in enumerate(
        (
            "off none 0 false allow disabled",
            "silent hint suggestion information info",
            "warning warn 1",
            "error 2 true on deny",
            "forbid",
        )
    )
    for level in names.split()
}
_MODES = {mode: rank for rank, mode in enumerate("off basic standard recommended strict all".split())}
_NULLABLE = {mode: rank for rank, mode in enumerate("disable annotations warnings enable".split())}
_FOLLOW = {mode: rank for rank, mode in enumerate("skip silent normal".split())}
_SWITCH = {"false": 0, "no": 0, "disable": 0, "true": 1, "yes": 1, "enable": 1}
_STYLE = re.compile(
    r"(?:[EW][1235]|D|Q|COM|ISC|SA1)\d*|(?:rules\.)?(?:prettier/.*|.*\b(?:quotes|semi|indent|camelcase|max-len)"
    r"|.*newline.*|.*spac(?:e|ing)\b.*|.*sort-.*|lines-.*|comma-.*)|(?:Layout|Style|Naming)/.*",
    re.IGNORECASE,
)
"""Rules of layout, names and documentation, which formatters replace."""
_FAMILY = (
    "noImplicitAny strictNullChecks strictFunctionTypes strictBindCallApply strictPropertyInitialization "
    "strictBuiltinIteratorReturn noImplicitThis useUnknownInCatchVariables alwaysStrict"
).split()
"""What `strict` of tsc switches on: https://www.typescriptlang.org/tsconfig/#strict."""
_ALONE = (
    "noUnusedLocals noUnusedParameters noImplicitReturns noImplicitOverride noFallthroughCasesInSwitch "
    "noUncheckedIndexedAccess exactOptionalPropertyTypes noUncheckedSideEffectImports"
).split()
"""Switches of tsc outside `strict`."""
_MYPY = r"(?:strict\w*|disallow_\w+|check_untyped_defs|warn_(?!unused_conf)\w+|no_implicit_\w+|extra_checks)"
_BY_FILE = ("tsc", "the compiler")
"""Tools whose settings files stand each for itself; others are one for a folder."""
_SELECTED = {"ruff": ("E4", "E7", "E9", "F"), "flake8": ("E", "F", "W", "C90")}
"""Rules that the tools select by default, and tools whose ignored rules may not be selected."""
_IGNORE = re.compile(r"(?:lint\.)?(?:extend-)?ignore")
_KIN = (
    frozenset(("ruff", "flake8", "pylint")),
    frozenset(("mypy", "pyright")),
    frozenset(("eslint", "biome")),
    *(frozenset((tool,)) for tool in ("golangci-lint", "rubocop", "phpstan", "detekt")),
)
"""Tools that replace each other."""
MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class _Weaker:
    """How a setting became less strict. `is_whole`: nothing is checked any more; `is_style`: only layout is not."""

    text: str
    is_whole: bool = False
    is_style: bool = False


_Judge = Callable[[str, Value | None, Value | None], _Weaker | None]


def _ordered(ranks: dict[str, int], off: str = "", *, lax: bool = False) -> _Judge:
    """Judge by the rank of a word; `off` is the word that ends the whole check, `lax`: a higher one is less strict."""
    sign = -1 if lax else 1
    loosest = min(sign * rank for rank in ranks.values())

    def judge(key: str, old: Value | None, new: Value | None) -> _Weaker | None:
        before, after = (ranks.get(one) if isinstance(one, str) else None for one in (old, new))
        if new is None:
            is_weaker = not lax and before is not None and before > loosest
            return _Weaker(f"`{key}` is not set any more") if is_weaker else None
        if after is None or (before is None and old is not None):
            return None
        if sign * after < sign * before if before is not None else sign * after == loosest:
            instead = f" instead of {old}" if old is not None else ""
            return _Weaker(f"`{key}` is {new}{instead}", is_whole=bool(off) and new == off)
        return None

    return judge


def _number(*, strict: bool) -> _Judge:
    """Judge by a number; `strict`: a higher one is stricter."""

    def judge(key: str, old: Value | None, new: Value | None) -> _Weaker | None:
        before, after = _as_number(old), _as_number(new)
        if before is None or (after is None and new is not None):
            return None
        if after is None:
            return _Weaker(f"`{key}` is not set any more")
        return _Weaker(f"`{key}` is {new} instead of {old}") if (after < before) is strict and after != before else None

    return judge


def _as_number(value: Value | None) -> float | None:
    text = "10" if value == "max" else value
    return float(text) if isinstance(text, str) and re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", text) else None


def _list(*, strict: bool) -> _Judge:
    """Judge by the words of a list; `strict`: one fewer is less strict, else one more."""

    def judge(key: str, old: Value | None, new: Value | None) -> _Weaker | None:
        before, after = (one if isinstance(one, tuple) else () if one is None else (one,) for one in (old, new))
        if strict and not before:
            return None
        less, more = (before, after) if strict else (after, before)
        moved = [one for one in less if one not in more and not any(one.startswith(other) for other in more if strict)]
        if not moved:
            return None
        verb = "loses" if strict else "gains"
        is_style = all(_STYLE.fullmatch(one) for one in moved)
        return _Weaker(f"`{key}` {verb} {listed(moved, MOST_NAMED)}", strict and not after, is_style)

    return judge


_STRICT, _LAX = _list(strict=True), _list(strict=False)
_ON, _FREE = _ordered(_SWITCH), _ordered(_SWITCH, lax=True)
_LEVEL = _ordered(_LEVELS)
_MORE, _LESS = _number(strict=True), _number(strict=False)
_PATHS = "paths"
_ROWS: tuple[tuple[re.Pattern[str], _Judge | str], ...] = tuple(
    (re.compile(pattern), judge)
    for pattern, judge in (
        (r"pyright:typeCheckingMode", _ordered(_MODES, "off")),
        (r"pyright:(?:.*\.)?(?:report|strict[A-Z])\w+", _LEVEL),
        (r"pyright:(?:exclude|ignore)", _PATHS),
        (r"pyright:strict", _STRICT),
        (r"mypy:ignore_errors", _ordered(_SWITCH, "true", lax=True)),
        (r"mypy:(?:.*\.)?(?:ignore_errors|implicit_\w+|allow_\w+)", _FREE),
        (rf"mypy:(?:.*\.)?{_MYPY}", _ON),
        (r"mypy:(?:.*\.)?follow_imports", _ordered(_FOLLOW)),
        (r"mypy:(?:.*\.)?disable_error_code", _LAX),
        (r"mypy:(?:.*\.)?enable_error_code", _STRICT),
        (r"mypy:exclude", _PATHS),
        (r"(?:ruff|flake8):(?:lint\.)?(?:extend-)?select", _STRICT),
        (r"(?:ruff|flake8):(?:lint\.)?(?:extend-)?ignore", _LAX),
        (r"ruff:(?:lint\.)?(?:extend-)?per-file-ignores\..*", _LAX),
        (r"(?:ruff|flake8):(?:lint\.)?(?:extend-)?exclude", _PATHS),
        (r"(?:ruff|flake8|pylint):.*max-(?!line|doc|module|attr)\w[\w-]*", _LESS),
        (r"pylint:(?:.*\.)?disable", _LAX),
        (r"pylint:(?:.*\.)?enable", _STRICT),
        (r"pylint:(?:.*\.)?fail-under", _MORE),
        (r"pylint:(?:.*\.)?ignore(?:-paths|-patterns)?", _PATHS),
        (r"eslint:(?:.*\.)?rules\.[^\[]*", _LEVEL),
        (r"eslint:(?:ignorePatterns|ignores)", _PATHS),
        (r"biome:linter\.enabled", _ordered(_SWITCH, "false")),
        (r"biome:(?:.*\.)?linter\.rules\.(?:recommended|all)", _ON),
        (r"biome:(?:.*\.)?linter\.rules\.\w+\.\w+", _LEVEL),
        (r"biome:(?:files|linter)\.ignore", _PATHS),
        (rf"tsc:(?:strict|checkJs|{'|'.join((*_FAMILY, *_ALONE))})", _ON),
        (r"tsc:allowUn(?:reachable|used)\w+", _FREE),
        (r"golangci-lint:linters\.enable", _STRICT),
        (r"golangci-lint:linters\.disable", _LAX),
        (r"golangci-lint:linters\.default", _ordered({"none": 0, "fast": 1, "standard": 2, "all": 3})),
        (r"golangci-lint:(?:run\.skip|issues\.exclude|linters\.exclusions\.path).*", _PATHS),
        (r"golangci-lint:run\.tests", _ON),
        (r"cargo:lints\.\w+\.[\w-]+", _LEVEL),
        (r"clippy:.*threshold", _LESS),
        (r"rubocop:AllCops\.Exclude|rubocop:.*\.Exclude", _PATHS),
        (r"rubocop:AllCops\.DisabledByDefault", _ordered(_SWITCH, "true", lax=True)),
        (r"rubocop:[\w/]+\.Enabled", _ON),
        (r"rubocop:Metrics/\w+\.Max", _LESS),
        (r"phpstan:parameters\.level", _MORE),
        (r"phpstan:parameters\.ignoreErrors", _LAX),
        (r"phpstan:parameters\.excludePaths.*", _PATHS),
        (r"the compiler:Nullable", _ordered(_NULLABLE)),
        (r"the compiler:(?:TreatWarningsAsErrors|EnableNETAnalyzers|RunAnalyzers\w*|EnforceCodeStyleInBuild)", _ON),
        (r"the compiler:(?:NoWarn|WarningsNotAsErrors)", _LAX),
        (r"the compiler:WarningLevel", _MORE),
        (r"\.NET analyzers:.*\.severity", _LEVEL),
        (r"detekt:[\w.-]+\.active", _ON),
        (r"detekt:(?:build\.maxIssues|.*\.(?:threshold|allowed\w+))", _LESS),
        (r"pytest:xfail_strict", _ON),
    )
)  # fmt: skip


@dataclass(slots=True)
class _Side:
    """Settings of one tool in one folder, on one side of the change."""

    settings: dict[str, Value] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


def weaker_tools(change: ChangeSet) -> Iterator[Statement]:
    """Yield, for each tool and folder, what its settings check less than before.

    A setting that moves to another file of the folder is the same.
    """
    sides: tuple[dict[tuple[str, str], _Side], ...] = (defaultdict(_Side), defaultdict(_Side))
    for file in change.files:
        if file.nature in (Nature.test, Nature.vendored, Nature.generated) or file.is_example:
            continue
        for side, tree, path in zip(
            sides, (change.base, change.head), (file.base_path, file.path if file.exists else None), strict=True
        ):
            content = tree.read(path) if path is not None else None
            for tool, settings in settings_in(path or "", content or b"").items():
                one = side[tool, file.path if tool in _BY_FILE else (path or "").rpartition("/")[0]]
                one.settings |= settings
                one.files.append(file.path)
    before, after = sides
    for (tool, folder), was in before.items():
        now = after.get((tool, folder), _Side())
        if not now.settings:
            kin = next((group for group in _KIN if tool in group), frozenset())
            is_left = kin and any(path.startswith(f"{folder}/" if folder else "") for path in change.head.paths)
            if was.settings and is_left and not any(other in kin and at == folder for other, at in after):
                yield Statement("gate_weakened", f"the settings of {tool} are gone", was.files[0])
            continue
        found = list(_weaker(change, tool, was.settings, now.settings))
        if found:
            yield _statement(change.by_path[now.files[0]], tool, found)


def _statement(file: ChangedFile, tool: str, found: list[tuple[str, _Weaker]]) -> Statement:
    is_aside = all(one.is_style or "test" in key or _STYLE.fullmatch(key) for key, one in found)
    is_whole = any(one.is_whole for _, one in found)
    kind = "gate_edited" if is_aside else "gate_loosened" if is_whole else "gate_weakened"
    names = [re.split(r"[.\]]", key)[-1] for key, _ in found]
    line = next((at for at, text in file.added.items() if any(name in text for name in names)), None)
    text = "; ".join(one.text for _, one in found[:MOST_NAMED])
    more = f"; {len(found) - MOST_NAMED} more settings" if len(found) > MOST_NAMED else ""
    return Statement(kind, f"{tool}: {text}{more}", file.path, line)


def _weaker(
    change: ChangeSet, tool: str, old: dict[str, Value], new: dict[str, Value]
) -> Iterator[tuple[str, _Weaker]]:
    is_extended = old.get("extends") != new.get("extends")
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if before == after or (after is None and is_extended):
            continue
        if tool == "tsc" and key in _FAMILY:
            before, after = before or old.get("strict", "false"), after or new.get("strict", "false")
        elif before is None and tool in ("mypy", "tsc") and after == "false":
            continue  # the default
        elif tool in _SELECTED and _IGNORE.fullmatch(key):
            after = tuple(one for one in _as_words(after) if one in _as_words(before) or _is_selected(tool, old, one))
        judge = next((judge for pattern, judge in _ROWS if pattern.fullmatch(f"{tool}:{key}")), None)
        if isinstance(judge, str):
            before, judge = before or (), _LAX
            after = tuple(one for one in _as_words(after) if one in _as_words(before) or _leaves_out(change, one))
        one = judge(key, before, after) if judge is not None else None
        if one is not None:
            yield key, one


def _is_selected(tool: str, settings: dict[str, Value], rule: str) -> bool:
    """Return whether the settings selected a rule, or some of a group of rules: to ignore others loosens nothing."""
    said = {key.removeprefix("lint."): _as_words(value) for key, value in settings.items() if key.endswith("select")}
    chosen = (*(said.get("select") or _SELECTED[tool]), *said.get("extend-select", ()))
    return any(one == "ALL" or rule.startswith(one) or one.startswith(rule) for one in chosen)


def _as_words(value: Value | None) -> Sequence[str]:
    return value if isinstance(value, tuple) else (value,) if value else ()


def _leaves_out(change: ChangeSet, pattern: str) -> bool:
    """Return whether a pattern of paths leaves out code of the base that is neither generated nor vendored."""
    words = [word for word in re.split(r"[*?^$\\()|{}]+", pattern) if word.strip("/.")]
    stem = max(words, key=len, default="").strip("/")
    sought = f"/{stem}/" if pattern.strip("/") == stem else f"/{stem}"
    found = (path for path in change.base.paths if stem and sought in f"/{path}/")
    return any(
        change.nature_of(path) in (Nature.source, Nature.test) for _, path in zip(range(200), found, strict=False)
    )
