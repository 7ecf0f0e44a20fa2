"""Dangerous constructs in Python, found in the syntax tree: another name, layout or import does not hide them."""

from __future__ import annotations

import ast
import builtins
import re
import unicodedata
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from assay.validators.dangers.danger import LOADED, LONGEST_KEY, RUN_AS_CODE, RUN_BY_SHELL, RUNNING, UNVERIFIED, Danger
from assay.validators.dangers.fetched_code import fetches_and_runs, plain
from assay.validators.dangers.python_flow import PythonFlow
from assay.validators.languages.python.names import last_name
from assay.validators.languages.python.trees import nodes, parsed, walk

MOST_DANGERS = 500
"""Maximum constructs per file."""
MOST_DEPTH = 60
"""Maximum depth of an expression that is followed; a tree may be deeper than Python's stack."""
MOST_REPAIRS = 60
"""Maximum unparsable lines removed, one after the other, to parse the rest."""

_HINT = re.compile(
    "verify|hostname|CERT|ssl|eval|exec|system|popen|shell|getoutput|ickle|dill|marshal|shelve|yaml|builtin|__import__"
    "|import_module|getattr|setattr|__dict__|vars|modules|sh"
)
_PICKLES = ("pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve", "jsonpickle")
_CALLS = {
    "builtins.eval": RUN_AS_CODE,
    "builtins.exec": RUN_AS_CODE,
    "os.system": RUN_BY_SHELL,
    "os.popen": RUN_BY_SHELL,
    "posix.system": RUN_BY_SHELL,
    "subprocess.getoutput": RUN_BY_SHELL,
    "subprocess.getstatusoutput": RUN_BY_SHELL,
    "asyncio.create_subprocess_shell": RUN_BY_SHELL,
    "yaml.unsafe_load": LOADED,
    "yaml.full_load": LOADED,
    "yaml.load": LOADED,
    "ssl._create_unverified_context": UNVERIFIED,
    **{f"{module}.{name}": LOADED for module in _PICKLES for name in ("load", "loads", "open", "decode", "Unpickler")},
}
"""Functions that are dangerous to call with data, by full name."""
_PASSED_ON = {**_CALLS, "ssl.CERT_NONE": UNVERIFIED}
_CHECKS = frozenset(("verify", "check_hostname"))
_MODULES = frozenset(name.partition(".")[0] for name in _PASSED_ON)
_SAFE_LOADERS = ("SafeLoader", "BaseLoader")
_BUILTIN_SPACES = frozenset(("builtins", "__builtins__", "__builtin__"))


def python_dangers(source: str, entered: Collection[str] = ()) -> tuple[list[Danger], Sequence[int]]:
    """Return the constructs of a module, and the unparsable lines (1-based; all if nothing parses).

    `entered` are functions that other modules call with text from a request.
    """
    if _HINT.search(source if source.isascii() else unicodedata.normalize("NFKC", source)) is None:
        return [], ()
    whole = parsed(source)
    if whole is not None:
        return list(islice(_PythonConstructs(whole, entered).dangers(), MOST_DANGERS)), ()
    lines = source.split("\n")
    unread: list[int] = []
    for _ in range(MOST_REPAIRS):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse("\n".join(lines))
        except SyntaxError as error:
            at = (error.lineno or 0) - 1
            if not 0 <= at < len(lines) or at + 1 in unread:
                break
            unread.append(at + 1)
            lines[at] = lines[at][: len(lines[at]) - len(lines[at].lstrip())] + "pass"
            continue
        except (ValueError, RecursionError, MemoryError):
            break
        return list(islice(_PythonConstructs(tree, entered).dangers(), MOST_DANGERS)), unread
    return [], range(1, len(lines) + 1)


@dataclass
class _PythonConstructs:
    """One module, and the meanings of its names, in any scope."""

    tree: ast.Module
    entered: Collection[str] = ()
    meant: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    own: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        gone = {name.id for node in nodes(self.tree) if isinstance(node, ast.Delete) for name in _names(node)}
        for statement in self.tree.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.own.add(statement.name)
            elif isinstance(statement, (ast.Import, ast.ImportFrom)):
                self.own.update(alias.asname or alias.name for alias in statement.names)
        self.own -= gone
        for node in nodes(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    self.meant[bound].add(alias.name if alias.asname else bound)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                self._import(node)
        self._bind_modules()

    def _import(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                full = {f"{node.module}.{alias.name}"}
                # Other packages re-export the same module: `from kombu.serialization import pickle`.
                self.meant[alias.asname or alias.name] |= full | ({alias.name} & _MODULES)
                continue
            for name in _CALLS:
                module, _, last = name.rpartition(".")
                if module == node.module and not last.startswith("_"):
                    self.meant[last].add(name)

    def _bind_modules(self) -> None:
        """Follow `m = pickle` and the like; a dangerous function that is bound is a separate construct."""
        for _ in range(3):
            before = sum(map(len, self.meant.values()))
            for node in nodes(self.tree):
                if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                    full = self.full_names(node.value) & (_MODULES | _BUILTIN_SPACES)
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for target in targets:
                        if full and isinstance(target, ast.Name):
                            self.meant[target.id] |= full
            if sum(map(len, self.meant.values())) == before:
                return

    def dangers(self) -> Iterator[Danger]:
        """Yield every construct, in no order."""
        called = {id(part) for node in _not_run(self.tree) for part in walk(node)}
        for node in nodes(self.tree):
            if isinstance(node, ast.Call):
                called.add(id(node.func))
            what = self._of_node(node)
            if what is not None and isinstance(node, (ast.expr, ast.stmt, ast.arg)):
                yield self._danger(node, what)
        yield from self._passed_on(called)

    def _passed_on(self, called: set[int]) -> Iterator[Danger]:
        """Yield dangerous functions that are passed on or re-exported: their call is elsewhere."""
        used = {node.id for node in nodes(self.tree) if isinstance(node, ast.Name)}
        for node in nodes(self.tree):
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) and id(node) not in called:
                what = next((_PASSED_ON[name] for name in self.full_names(node) if name in _PASSED_ON), None)
                if what is not None and _is_load(node):
                    yield self._danger(node, what)
            elif isinstance(node, ast.ImportFrom):
                names = {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                what = next((_CALLS[full] for name, full in names.items() if name not in used and full in _CALLS), None)
                if what is not None:
                    yield self._danger(node, what)

    @cached_property
    def _flow(self) -> PythonFlow:
        return PythonFlow(self.tree, self.entered)

    def _danger(self, node: ast.expr | ast.stmt | ast.arg, what: str) -> Danger:
        is_fed = what in RUNNING and self._flow.reaches(node)
        try:
            key = ast.unparse(node)[:LONGEST_KEY]
        except RecursionError:
            key = type(node).__name__
        return Danger(node.lineno, what, f"{what}{' from a request' if is_fed else ''}: {key}", is_fed)

    def _of_node(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            return UNVERIFIED if node.value is not None and _turns_off(node, node.value) else None
        return _of_defaults(node) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) else None

    def full_names(self, node: ast.expr, depth: int = 0) -> set[str]:
        """Return the full dotted names an expression may mean; empty if unclear."""
        if depth > MOST_DEPTH:
            return set()
        if isinstance(node, ast.Name):
            return self._of_name(node.id)
        if isinstance(node, ast.Attribute):
            return self._inside(node.value, node.attr, depth)
        if isinstance(node, ast.NamedExpr):
            return self.full_names(node.value, depth + 1)
        if isinstance(node, ast.Subscript):
            return self._of_subscript(node, depth)
        if isinstance(node, ast.Call) and node.args:
            function = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if function == "getattr" and len(node.args) > 1:
                return self._inside(node.args[0], folded(node.args[1]), depth)
            if function in ("__import__", "import_module"):
                name = folded(node.args[0])
                return {name} if name else set()
        return set()

    def _of_name(self, name: str) -> set[str]:
        # A binding in another scope does not remove the name's meaning here.
        known = self.meant.get(name, set())
        if name in _BUILTIN_SPACES:
            return known | {"builtins"}
        if name in _MODULES:
            return known or {name}
        is_builtin = hasattr(builtins, name) and name not in self.own
        return known | {f"builtins.{name}"} if is_builtin else known

    def _of_subscript(self, node: ast.Subscript, depth: int) -> set[str]:
        name, holder = folded(node.slice), node.value
        if not name:
            return set()
        if isinstance(holder, ast.Attribute) and holder.attr == "modules":
            return {name}
        if isinstance(holder, ast.Attribute) and holder.attr == "__dict__":
            return self._inside(holder.value, name, depth)
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id == "vars":
            return self._inside(holder.args[0], name, depth) if holder.args else set()
        return self._inside(holder, name, depth) & {f"builtins.{name}"}

    def _inside(self, holder: ast.expr, name: str | None, depth: int) -> set[str]:
        return {f"{one}.{name}" for one in self.full_names(holder, depth + 1)} if name else set()

    def _of_call(self, node: ast.Call) -> str | None:
        for name in self.full_names(node.func):
            what = _CALLS.get(name)
            if what is not None and not self._is_safe_call(name, node):
                return what
        if any(_is_on(value) for value in _given(node, "shell")) and not _is_fixed(node.args[:1]):
            return RUN_BY_SHELL
        if node.args and self._starts_shell(node):
            return RUN_BY_SHELL
        if any(_is_off(value) for name in _CHECKS for value in _given(node, name)):
            return UNVERIFIED
        if any(folded(value) == "CERT_NONE" for value in _given(node, "cert_reqs")):
            return UNVERIFIED
        is_set = isinstance(node.func, ast.Name) and node.func.id == "setattr" and len(node.args) == 3
        if is_set and folded(node.args[1]) in _CHECKS and _is_off(node.args[2]):
            return UNVERIFIED
        return None

    def _starts_shell(self, node: ast.Call) -> bool:
        """Return whether the call starts `sh -c` with a command that is not fixed."""
        words = node.args[0].elts if isinstance(node.args[0], (ast.List, ast.Tuple)) else []
        if len(words) < 3 or not any(name.startswith("subprocess.") for name in self.full_names(node.func)):
            return False
        shell = (folded(words[0]) or "").rpartition("/")[2]
        return shell in ("sh", "bash", "zsh", "dash") and folded(words[1]) == "-c" and not _is_fixed(words[2:3])

    def _is_safe_call(self, name: str, node: ast.Call) -> bool:
        if name == "yaml.load":
            loaders = [*node.args[1:2], *_given(node, "Loader")]
            return any(last_name(loader).endswith(_SAFE_LOADERS) for loader in loaders)
        if _CALLS[name] is UNVERIFIED:
            return False
        if _CALLS[name] is LOADED:
            return bool(node.args) and isinstance(node.args[0], ast.Call) and self._is_own_dump(name, node.args[0])
        return _is_fixed(node.args[:1])

    def _is_own_dump(self, name: str, node: ast.Call) -> bool:
        return any(one == f"{name.rpartition('.')[0]}.dumps" for one in self.full_names(node.func))


def _of_defaults(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> str | None:
    named = [*node.args.posonlyargs, *node.args.args]
    pairs = [*zip(reversed(named), reversed(node.args.defaults), strict=False)]
    pairs += [(one, value) for one, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if value]
    for argument, value in pairs:
        if argument.arg == "shell" and _is_on(value):
            return RUN_BY_SHELL
        if argument.arg in _CHECKS and _is_off(value):
            return UNVERIFIED
    return None


def _turns_off(node: ast.Assign | ast.AnnAssign, value: ast.expr) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return not _CHECKS.isdisjoint(map(last_name, targets)) and _is_off(value)


def folded(node: ast.expr, depth: int = 0) -> str | None:
    """Return the text of a constant, of an f-string of constants, or of constants joined by `+`; else None."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if depth > MOST_DEPTH:
        return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = folded(node.left, depth + 1), folded(node.right, depth + 1)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        parts = [
            folded(part.value if isinstance(part, ast.FormattedValue) else part, depth + 1) for part in node.values
        ]
        return None if None in parts else "".join(part or "" for part in parts)
    return None


def _given(node: ast.Call, name: str) -> Iterator[ast.expr]:
    """Yield the values of a keyword argument, given directly or by `**` of a literal dict."""
    for keyword in node.keywords:
        if keyword.arg == name:
            yield keyword.value
        elif keyword.arg is None and isinstance(keyword.value, ast.Dict):
            for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                if key is not None and folded(key) == name:
                    yield value


def _is_fixed(arguments: Sequence[ast.expr]) -> bool:
    """Return whether the first argument is a literal text that fetches no code."""
    return any(
        ((text := folded(argument)) is not None and not fetches_and_runs(plain(text))) or _is_bytes(argument)
        for argument in arguments
    )


def _is_bytes(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bytes)


def _truth(node: ast.expr, depth: int = 0) -> bool | None:
    """Return the truth of an expression of constants, else None."""
    if depth > MOST_DEPTH:
        return None
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _truth(node.operand, depth + 1)
        return None if inner is None else not inner
    is_bool = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("bool", "int")
    if isinstance(node, ast.Call) and is_bool:
        return _truth(node.args[0], depth + 1) if node.args else False
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return bool(node.elts)
    if isinstance(node, ast.Dict):
        return bool(node.keys)
    return None


def _is_on(node: ast.expr) -> bool:
    return _truth(node) is True


def _is_off(node: ast.expr) -> bool:
    """Return whether a value switches off; None leaves the default."""
    is_none = isinstance(node, ast.Constant) and node.value is None
    return _truth(node) is False and not is_none


def _not_run(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield annotations, base classes and comparisons: naming a function there calls nothing."""
    for node in nodes(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None:
            yield node.returns
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation
        elif isinstance(node, ast.ClassDef):
            yield from (base for base in node.bases if isinstance(base, ast.Attribute))
        elif isinstance(node, ast.Compare):
            yield from (one for one in (node.left, *node.comparators) if isinstance(one, (ast.Name, ast.Attribute)))


def _names(node: ast.Delete) -> list[ast.Name]:
    return [target for target in node.targets if isinstance(target, ast.Name)]


def _is_load(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load) or isinstance(node, ast.Call)
