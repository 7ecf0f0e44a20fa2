"""Uses of other modules' names in a Python file.

An imported name counts as used. For an imported module, its attributes (`module.name`) are searched in the text,
without strings and comments. A module passed on as a value (`getattr(module, …)`) may be used in any way.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cached_property

from assay.validators.languages.language import EVERYTHING, Import, Origin, WantedNames
from assay.validators.languages.python.modules import PythonModules
from assay.validators.languages.python.strings import without_strings

_IMPORT_LINE = re.compile(
    r"^[ \t]*+(?:from\b[ \t.\w]*+(?:\([^)]*+\)|\*)?[^\n;]*+|import\b[^\n;]*+)",
    re.MULTILINE,
)
_TEST = re.compile(r"test_.*\.py|.*_test\.py|tests?\.py|conftest\.py")
_PARENTS = re.compile(r"^[ \t]*+class\s++\w++\s*+(?:\[[^]]*+\])?\(([^:]{0,2000})", re.MULTILINE)


BUILT_IN = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float, io.TextIOWrapper, io.BytesIO)
    for name in dir(kind)
    if not name.startswith("_")
)
"""Method names of built-in Python values."""


class PythonTree(PythonModules):
    """Resolver over the modules and packages of one tree."""

    def loaded_with(self, path: str) -> Iterator[str]:
        """Yield the `conftest.py` files above a test, nearest first."""
        folder, _, name = path.rpartition("/")
        if not _TEST.fullmatch(name):
            return
        while True:
            conftest = f"{folder}/conftest.py" if folder else "conftest.py"
            if conftest in self.sources and conftest != path:
                yield conftest
            if not folder:
                return
            folder = folder.rpartition("/")[0]

    def uses(self, path: str, content: bytes, wanted: WantedNames) -> set[tuple[str, str]]:
        importer = _PythonImporter(self, path, content, wanted)
        for item in self.sources.scan(path).imports:
            importer.record(item)
        return importer.found

    def passes_on(self, path: str, content: bytes, wanted: WantedNames) -> bool:  # noqa: ARG002 - imports tell it all
        """Return whether another file can reach a wanted name through the file at `path`.

        That holds for a package's `__init__` and for star imports; other modules do not re-export.
        """
        is_init = path.rpartition("/")[2].startswith("__init__.")
        for item in self.sources.scan(path).imports:
            place = self.place(path, item.target)
            if item.is_star and place.file is not None and _brings(self, place.file, wanted):
                return True
            if is_init and item.is_top:
                asked = [name for name, _ in item.names]
                trails = [self.trail(place.file, name) for name in asked] if place.file is not None else []
                files = {place.file, *(self.submodule(path, place, name) for name in asked)}
                if any(file in wanted for file in files) or any(o.file in wanted for trail in trails for o in trail):
                    return True
        return False


def _brings(modules: PythonModules, file: str, wanted: WantedNames) -> bool:
    """Return whether a star import of `file` may bind a wanted name."""
    return any(
        any(origin.file == target for origin in modules.trail(file, name))
        for target, names in wanted.items()
        for name in {name.partition(".")[0] for name in names}
    )


class _PythonImporter:
    """One file and the uses of its imports."""

    def __init__(self, modules: PythonModules, path: str, content: bytes, wanted: WantedNames) -> None:
        self._modules = modules
        self._path = path
        self._wanted = wanted
        self._content = content
        self._done: set[tuple[str, str]] = set()
        self._with_methods: set[str] = set()
        self.found: set[tuple[str, str]] = set()

    def record(self, item: Import) -> None:
        """Record the uses of one import."""
        place = self._modules.place(self._path, item.target)
        if not item.names:
            if place.file is not None and place.why is None:
                self._module(item.alias or item.target, place.file)
            return
        for name, local in item.names:
            module = self._modules.submodule(self._path, place, name)
            if module is not None:
                self._module(local, module)
            elif place.file is not None and name == EVERYTHING:
                self._star(place.file)
            elif place.file is not None:
                self._name(local, self._modules.trail(place.file, name))

    def _name(self, local: str, trail: tuple[Origin, ...]) -> None:
        """Record a name imported from a module."""
        for origin in trail:
            self._take(origin, local)
        if not trail[-1].name:
            self._module(local, trail[-1].file)

    def _star(self, file: str) -> None:
        """Record a star import: the module's wanted names that occur in the text."""
        for target, names in self._wanted.items():
            if target == file and "__all__" in names:
                self.found.add((target, "__all__"))
            for name in {name.partition(".")[0] for name in names}:
                if any(origin == Origin(target, name) for origin in self._modules.trail(file, name)):
                    if re.search(rf"(?<![\w.]){re.escape(name)}\b", self._text):
                        self._take(Origin(target, name), name)
                    self._take_methods(target)

    def _module(self, local: str, file: str) -> None:
        """Record a module bound to `local` (`a.b` for `import a.b`): its attributes, and those of submodules."""
        if (local, file) in self._done or not self._may_lead(file):
            return
        self._done.add((local, file))
        dotted = r"\s*+\.\s*+".join(re.escape(part) for part in local.split("."))
        for match in re.finditer(rf"(?<![\w.]){dotted}\b((?:\s*+\.\s*+\w++)*+)(?!\s*+=[^=])", self._text):
            self._attributes(file, [part.strip() for part in match[1].split(".")[1:]])
        self._take_methods(file)

    def _may_lead(self, file: str) -> bool:
        """Return whether attributes of a module can be or lead to wanted names."""
        if file in self._wanted or _brings(self._modules, file, self._wanted):
            return True
        folder, _, name = file.rpartition("/")
        if not name.startswith("__init__."):
            return False
        start = f"{folder}/" if folder else ""
        trails = (self._modules.trail(file, local) for local in self._modules.bound(file))
        return any(target.startswith(start) for target in self._wanted) or any(
            origin.file in self._wanted for trail in trails for origin in trail
        )

    def _attributes(self, file: str, attributes: list[str]) -> None:
        """Record `module.a.b`, also through submodules; a module without attributes is used as a whole."""
        for name in attributes:
            trail = self._modules.trail(file, name)
            for origin in trail:
                self._take(origin, name)
            following = trail[-1].file if not trail[-1].name else self._modules.child(file, name)
            if following is None:
                return
            file = following
        self.found.update((file, name) for name in self._wanted.get(file, ()))

    def _take(self, origin: Origin, local: str) -> None:
        """Record a top-level name, with the methods of a class that run implicitly or are inherited."""
        for name in self._wanted.get(origin.file, ()):
            first, _, method = name.partition(".")
            if first == origin.name and (not method or _is_special(method) or self._is_parent(local)):
                self.found.add((origin.file, name))
        if origin.name:
            self._take_methods(origin.file)

    def _take_methods(self, file: str) -> None:
        """Record methods: `.method` anywhere in a file that imports their module, on values of any name.

        A method that built-in values have too (`append`, `get`) counts only if the file names its class. Special
        methods, and calls on `self` and `super()`, are those of the file's own classes and their parents: see `_take`.
        """
        if file in self._with_methods:
            return
        self._with_methods.add(file)
        for name in self._wanted.get(file, ()):
            owner, _, method = name.partition(".")
            if (
                not method
                or _is_special(method)
                or (method in BUILT_IN and re.search(rf"\b{re.escape(owner)}\b".encode(), self._content) is None)
            ):
                continue
            if re.search(rf"(?<!\bsuper\(\))(?<!\bself)\.\s*+{re.escape(method)}\b", self._text):
                self.found.add((file, name))

    def _is_parent(self, name: str) -> bool:
        wanted = re.compile(rf"\b{re.escape(name)}\b")
        return any(wanted.search(match[1]) for match in _PARENTS.finditer(self._text))

    @cached_property
    def _text(self) -> str:
        """The code without strings, comments and import statements."""
        return _IMPORT_LINE.sub("", without_strings(self._content).decode("utf-8", "surrogateescape"))


def _is_special(method: str) -> bool:
    return method.startswith("__") and method.endswith("__")
