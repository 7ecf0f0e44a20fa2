"""Faults to plant into the newest tree of a repository: breaks of contracts, and imports against the layers."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from assay.validators.changes.change import decoded
from assay.validators.changes.classify import Nature, nature_of
from assay.validators.report.review import Side
from assay.validators.vcs.repository import Repository
from tests.bench.planted_python import plants
from tests.review_bench.bench.manifest import Kind, Plant, Planted, Span

LEAST_EDGES = 5
MOST_USES = 5


def required_parameters(repository: Repository, name: str) -> Iterator[Planted]:
    """Functions whose calls all break with one more required argument, found by unique names."""
    commit, sources = _sources(repository)
    for plant in plants(sources):
        if plant.kind != "add-required":
            continue
        nodes = [
            one
            for one in ast.walk(ast.parse(sources[plant.path]))
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name == plant.symbol
        ]
        uses = list(_calls(sources, plant.symbol))[:MOST_USES]
        if len(nodes) == 1 and nodes[0].args.args and not nodes[0].args.defaults and uses:
            yield Planted(
                id=f"{name}-{plant.symbol}-parameter",
                kind=Kind.planted,
                repository=name,
                commit=commit,
                plant=Plant.required_parameter,
                path=plant.path,
                line=nodes[0].lineno,
                uses=tuple(uses),
            )


def _calls(sources: Mapping[str, str], symbol: str) -> Iterator[Span]:
    for path, text in sources.items():
        if f"{symbol}(" not in text or nature_of(path, b"") is not Nature.source:
            continue
        for node in ast.walk(_parsed(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == symbol:
                yield Span(side=Side.head, path=path, start=node.lineno, end=node.lineno)


def layer_bypasses(repository: Repository, name: str) -> Iterator[Planted]:
    """Imports against a direction that at least five files hold, between folders that are not nested.

    Imports are read from the syntax trees, as absolute names of modules.
    """
    commit, sources = _sources(repository)
    modules = {_module(path): path for path in sources if nature_of(path, b"") is Nature.source}
    edges: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for module, path in modules.items():
        for target in _imported(_parsed(sources[path]), module, path.endswith("/__init__.py")):
            other = modules.get(target)
            if other is not None:
                ours, theirs = path.rpartition("/")[0], other.rpartition("/")[0]
                if not _nested(ours, theirs):
                    edges[ours, theirs].setdefault(path, other)
    seen: set[str] = set()
    for (upper, lower), files in sorted(edges.items()):
        if len(files) < LEAST_EDGES or (lower, upper) in edges:
            continue
        below = next((path for path in sorted(set(files.values())) if _is_plain(path)), None)
        above = next((path for path in sorted(files) if _is_plain(path)), None)
        if below is None or above is None or lower in seen:
            continue
        seen.add(lower)
        yield Planted(
            id=f"{name}-{lower.replace('/', '.')[-50:]}-layers",
            kind=Kind.planted,
            repository=name,
            commit=commit,
            plant=Plant.layer_bypass,
            path=below,
            line=_last_import(_parsed(sources[below])),
            target=_module(above),
        )


def _sources(repository: Repository) -> tuple[str, dict[str, str]]:
    commit = repository.resolve("HEAD")
    tree = repository.tree(commit)
    wanted = [path for path in tree.paths if path.endswith(".py")]
    return commit, {path: decoded(text) for path, text in tree.read_many(wanted) if text is not None}


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _module(path: str) -> str:
    name = path.removesuffix(".py").removesuffix("/__init__").removeprefix("src/")
    return name.replace("/", ".")


def _imported(module: ast.Module, name: str, is_package: bool) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = name.split(".")
            above = parts[: len(parts) - node.level + is_package] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{one.name}" for one in node.names)


def _is_plain(path: str) -> bool:
    parts = _module(path).split(".")
    is_shipped = parts[0] not in ("examples", "docs", "tools", "scripts")
    return is_shipped and not path.endswith("/__init__.py") and all(part.isidentifier() for part in parts)


def _nested(one: str, other: str) -> bool:
    return not one or not other or f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _last_import(module: ast.Module) -> int:
    """The last line of the imports at the beginning of a module, or of its docstring."""
    line = 1
    for node in module.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_text and not isinstance(node, (ast.Import, ast.ImportFrom)):
            break
        line = node.end_lineno or line
    return line
