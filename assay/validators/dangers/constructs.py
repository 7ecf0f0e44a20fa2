"""Dangerous constructs in the syntax tree of a Python module or a script, under any layout, name or import."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from assay.validators.dangers.danger import (
    LOADED,
    LOADED_AS_MARKUP,
    LONGEST_KEY,
    RUN_AS_CODE,
    RUN_BY_SHELL,
    RUNNING,
    UNVERIFIED,
    Danger,
)
from assay.validators.dangers.fetched_code import fetches_and_runs, plain
from assay.validators.dangers.flow import ModuleFlow
from assay.validators.dangers.meanings import Meanings, imported, promised_by
from assay.validators.dangers.syntax import (
    CALLS,
    NAMES,
    PYTHON,
    SETTERS,
    Tree,
    arguments,
    bare,
    callee_of,
    folded,
    holder_of,
    last_name,
    property_of,
    text_of,
    walk,
)

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_DANGERS = 500
"""Maximum constructs per file."""


def _is_off(node: Node) -> bool:
    return "".join(text_of(node).split()) in ("False", "false", "0", "!1", "!true")


def _is_shell(node: Node) -> bool:
    return text_of(node) in ("True", "true", "1") or node.type == "string"


def _is_data(node: Node) -> bool:
    """Return whether an expression is more than literals, or fetches code."""
    text = folded(node)
    return text is None or fetches_and_runs(plain(text))


@dataclass(frozen=True)
class _Language:
    """Dangers of one language, without which word a file has none, and the nodes that set something."""

    hint: re.Pattern[str]
    builtins: frozenset[str]
    """Names of the object that holds the built-in functions."""
    calls: Mapping[str, str]
    """Full name of a function or constant -> its danger if it is called with data or passed on."""
    settings: Mapping[str, tuple[str, Callable[[Node], bool]]]
    """Name of an option or attribute -> its danger, and which values bring it."""
    setters: Mapping[str, tuple[str, str]]


_PICKLES = ("pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve", "jsonpickle")
_PYTHON = _Language(
    re.compile(
        "verify|hostname|CERT|ssl|eval|exec|system|popen|shell|getoutput|ickle|dill|marshal|shelve|yaml|builtin"
        "|__import__|import_module|getattr|['\"]-c"
    ),
    frozenset(("builtins", "__builtins__", "__builtin__")),
    {
        **dict.fromkeys(("builtins.eval", "builtins.exec"), RUN_AS_CODE),
        **dict.fromkeys(("os.system", "os.popen", "posix.system", "subprocess.getoutput"), RUN_BY_SHELL),
        **dict.fromkeys(("subprocess.getstatusoutput", "asyncio.create_subprocess_shell"), RUN_BY_SHELL),
        **dict.fromkeys(("yaml.unsafe_load", "yaml.full_load", "yaml.load"), LOADED),
        **{f"{one}.{name}": LOADED for one in _PICKLES for name in ("load", "loads", "open", "decode", "Unpickler")},
        **dict.fromkeys(("ssl._create_unverified_context", "ssl.CERT_NONE"), UNVERIFIED),
    },
    {
        **dict.fromkeys(("verify", "check_hostname"), (UNVERIFIED, _is_off)),
        "cert_reqs": (UNVERIFIED, lambda node: folded(node) == "CERT_NONE"),
        "shell": (RUN_BY_SHELL, _is_shell),
    },
    {kind: SETTERS[kind] for kind in ("assignment", "default_parameter", "typed_default_parameter")},
)
_SCRIPT = _Language(
    re.compile(r"eval|Function|runIn|Script|child_process|rejectUnauthorized|TLS_REJECT|HTML|document|constructor|\\u"),
    frozenset("globalThis window self global top parent frames".split()),
    {
        **dict.fromkeys(("builtins.eval", "builtins.Function", "vm.compileFunction", "vm.Script"), RUN_AS_CODE),
        **dict.fromkeys(("vm.runInNewContext", "vm.runInThisContext", "vm.runInContext"), RUN_AS_CODE),
        **dict.fromkeys(("child_process.exec", "child_process.execSync"), RUN_BY_SHELL),
    },
    {
        "rejectUnauthorized": (UNVERIFIED, _is_off),
        "shell": (RUN_BY_SHELL, _is_shell),
        **dict.fromkeys(("innerHTML", "outerHTML"), (LOADED_AS_MARKUP, _is_data)),
    },
    {
        **{kind: SETTERS[kind] for kind in ("assignment_expression", "augmented_assignment_expression")},
        "pair": ("key", "value"),
    },
)
_WORDS = {"dangerouslySetInnerHTML": LOADED_AS_MARKUP, "NODE_TLS_REJECT_UNAUTHORIZED": UNVERIFIED}
"""Names that are dangerous wherever a script has them."""
_FUNCTION = "builtins.Function"
"""Its name alone is usually the name of a type."""
_SHELLS = frozenset(("sh", "bash", "zsh", "dash"))
_SAFE_LOADERS = ("SafeLoader", "BaseLoader")
_PASSED = (*NAMES, *CALLS, "attribute", "member_expression", "subscript", "subscript_expression")
_NAMED = {
    **{kind: fields[0] for kind, fields in SETTERS.items()},
    **dict.fromkeys("keyword_argument function_definition class_definition function_declaration".split(), "name"),
    **dict.fromkeys("class_declaration method_definition".split(), "name"),
    "attribute": "attribute",
}
"""Node -> the field that names something without using it."""
_NAMING = frozenset(
    "type type_query unary_expression comparison_operator dotted_name aliased_import parameters lambda_parameters "
    "typed_parameter list_splat_pattern dictionary_splat_pattern pattern_list tuple_pattern as_pattern_target "
    "global_statement nonlocal_statement delete_statement import_specifier import_clause namespace_import catch_clause "
    "import_require_clause formal_parameters export_specifier object_pattern array_pattern pair_pattern".split()
)
"""Nodes whose names are not values that could be called."""
_COMPARING = frozenset(("instanceof", "===", "!==", "==", "!="))
_LAYOUT = frozenset(("comment", ",", "(", ")", "string_start", "string_end", '"', "'", "`"))


def constructs(source: str, suffix: str, entered: Collection[str] = ()) -> list[Danger]:
    """Return the constructs of a module, also where it does not parse as a whole.

    `entered` are functions that other modules call with text from a request.
    """
    language = _PYTHON if suffix in PYTHON else _SCRIPT
    if language.hint.search(source if source.isascii() else unicodedata.normalize("NFKC", source)) is None:
        return []
    return list(islice(_Constructs(Tree(source, suffix), language, entered).dangers(), MOST_DANGERS))


class _Constructs:
    """One module, searched for constructs."""

    def __init__(self, tree: Tree, language: _Language, entered: Collection[str]) -> None:
        self.tree = tree
        self.language = language
        self.entered = entered
        self.meanings = Meanings(tree, language.calls, language.builtins)
        self.starts_processes = tree.is_python or any("child_process" in text_of(node) for node in tree.of("string"))

    @cached_property
    def _flow(self) -> ModuleFlow:
        return ModuleFlow(self.tree, self.entered)

    def dangers(self) -> Iterator[Danger]:
        """Yield every construct, in no order."""
        for node, what in self._found():
            if what is not None:
                is_fed = what in RUNNING and self._flow.reaches(node)
                words = (text_of(part) for part in walk(node) if not part.children and part.type not in _LAYOUT)
                text = " ".join(islice(words, LONGEST_KEY))[:LONGEST_KEY]
                key = f"{what}{' from a request' if is_fed else ''}: {text}"
                yield Danger(node.start_point[0] + 1, what, key, is_fed)

    def _found(self) -> Iterator[tuple[Node, str | None]]:
        calls = self.tree.of(*CALLS)
        for node in calls:
            yield node, self._of_call(node)
        for node in self.tree.of(*self.language.setters):
            target, value = map(node.child_by_field_name, self.language.setters[node.type])
            name = last_name(bare(target)) or folded(target) or text_of(target)
            what = self._of_setting(name, value)
            yield node, what if what is not RUN_BY_SHELL or node.type != "assignment" else None
        for node in self.tree.of("import_from_statement"):
            yield node, self._of_import(node)
        if not self.tree.is_python:
            for node in self.tree.of("property_identifier", "string_fragment", "identifier"):
                yield node, _WORDS.get(text_of(node)) if self.tree.parent_type(node) != "property_signature" else None
        called = {one.id for node in calls for one in (callee_of(node), promised_by(node)) if one is not None}
        for node in self.tree.of(*_PASSED):
            if node.id not in called:
                yield node, self._of_reference(node)

    def _of_setting(self, name: str, value: Node | None) -> str | None:
        value = bare(value)
        if value is None or name not in self.language.settings or (name == "shell" and not self.starts_processes):
            return None
        what, brings = self.language.settings[name]
        return what if brings(value) else None

    def _of_import(self, node: Node) -> str | None:
        """Return what an imported function does that the module does not use: it is there for other modules."""
        module = text_of(node.child_by_field_name("module_name"))
        kept = (name for name, local in imported(node) if local not in self._used)
        return next((what for name in kept if (what := self.language.calls.get(f"{module}.{name}"))), None)

    @cached_property
    def _used(self) -> set[str]:
        return {text_of(node) for node in self.tree.of(*NAMES) if self._is_used(node)}

    def _of_call(self, node: Node) -> str | None:
        callee, given = callee_of(node), arguments(node)
        full = self.meanings.of(callee)
        for name in full:
            what = self.language.calls.get(name)
            if what is not None and not self._is_safe(name, what, given):
                return what
        return self._of_arguments(full, given) if self.tree.is_python else _of_method(callee, given)

    def _is_safe(self, name: str, what: str, given: Sequence[Node]) -> bool:
        if name == "yaml.load":
            loaders = [bare(one.child_by_field_name("value") or one) for one in given]
            return any(last_name(loader).endswith(_SAFE_LOADERS) for loader in loaders)
        if what is LOADED:  # what the same module wrote is safe
            written = [bare(one) for one in given[:1]]
            dumps = f"{name.rpartition('.')[0]}.dumps"
            return any(one is not None and dumps in self.meanings.of(callee_of(one)) for one in written)
        return what is not UNVERIFIED and not any(map(_is_data, given if name == _FUNCTION else given[:1]))

    def _of_arguments(self, full: Collection[str], given: Sequence[Node]) -> str | None:
        """Return the danger of a call's options, or of `sh -c` as its command."""
        for one in given:
            if one.type == "keyword_argument":
                name = text_of(one.child_by_field_name("name"))
                what = self._of_setting(name, one.child_by_field_name("value"))
                if what is not None and (what is not RUN_BY_SHELL or _is_data(given[0])):
                    return what
        words = given[0].named_children if given and given[0].type in ("list", "tuple") else []
        if len(words) < 3 or not any(name.startswith("subprocess.") for name in full):
            return None
        is_shell = (folded(words[0]) or "").rpartition("/")[2] in _SHELLS and folded(words[1]) == "-c"
        return RUN_BY_SHELL if is_shell and _is_data(words[2]) else None

    def _of_reference(self, node: Node) -> str | None:
        """Return what a dangerous function does that is passed on: its call is elsewhere."""
        is_bound = self.tree.parent_type(node) == "variable_declarator"
        for name in self.meanings.of(node):
            what = self.language.calls.get(name)
            if what is not None and (name != _FUNCTION or is_bound) and self._is_used(node):
                return what
        return None

    def _is_used(self, node: Node) -> bool:
        """Return whether a name or member is a value here, not only named, compared or declared."""
        parent = self.tree.parents.get(node.id)
        if parent is None or parent.type in _NAMING:
            return False
        named = parent.child_by_field_name(_NAMED.get(parent.type, "")) if parent.type in _NAMED else None
        if named is not None and named.id == node.id:
            return False
        if parent.type == "argument_list" and self.tree.parent_type(parent) == "class_definition":
            return False
        return parent.type != "binary_expression" or not any(child.type in _COMPARING for child in parent.children)


def _of_method(callee: Node | None, given: Sequence[Node]) -> str | None:
    """Return the danger of a script's call by the name of its method."""
    name, holder = property_of(callee), holder_of(callee)
    if name == "constructor" and property_of(holder) == "constructor":
        return RUN_AS_CODE
    is_written = name in ("write", "writeln") and last_name(holder) == "document"
    is_inserted = name == "insertAdjacentHTML" and any(map(_is_data, given))
    return LOADED_AS_MARKUP if is_written or is_inserted else None
