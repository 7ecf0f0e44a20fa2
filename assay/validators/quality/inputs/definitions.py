"""Names a source file defines: functions, classes and constants, found by pattern in many languages.

There is no grammar: one linear pattern per language, on text with blanked comments and strings (or on raw text to
count conventions over many files, where a rare name inside a string does no harm).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from assay.validators.changes import language_table
from assay.validators.changes.language_table import languages, names_of, suffixes


class NameKind(StrEnum):
    """Kind of a name, as conventions distinguish them."""

    function = "function"
    method = "method"
    class_ = "class"
    constant = "constant"


@dataclass(frozen=True, slots=True)
class Definition:
    """Name and its line (1-based). `indent` is the width of the white space before it."""

    name: str
    kind: NameKind
    line: int
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Language:
    """Family of suffixes, and the pattern of its definitions."""

    name: str
    suffixes: tuple[str, ...]
    pattern: re.Pattern[str]


def _patterns(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.MULTILINE)


_PYTHON = _patterns(
    r"^(?P<i1>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<function>\w+)[ \t]*[(\[]",
    r"^(?P<i2>[ \t]*)class[ \t]+(?P<class>\w+)",
    # Only a plain literal at the top of a module is a constant by intent.
    r"^(?P<constant>[A-Za-z_]\w*)[ \t]*(?::[ \t]*(?:Final|int|str|float|bytes"
    r"|bool)\b[^=\n]*)?=[ \t]*(?=[-\d\"'(]?[\d\"'][^\n]*$)",
)
_JAVASCRIPT = _patterns(
    r"^(?P<i1>[ \t]*)(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:async[ \t]+)?function[ "
    r"\t]*\*?[ \t]*(?P<function>[\w$]+)[ \t]*[(<]",
    r"^(?P<i2>[ \t]*)(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:class"
    r"|interface|enum)[ \t]+(?P<class>[\w$]+)",
    r"^(?P<i3>[ \t]*)(?:export[ \t]+)?(?:const"
    r"|let)[ \t]+(?P<arrow>[\w$]+)[ \t]*(?::[^=\n]{1,200})?=[ \t]*(?:async[ \t]*)?(?:function\b|\([^()"
    r"\n]{0,200}\)[ \t]*(?::[^=\n]{1,100})?=>|\w+[ \t]*=>)",
    r"^(?P<i4>[ \t]+)(?:(?:public|private|protected|static|async|override|readonly)[ \t]+)*(?:(?:get"
    r"|set)[ \t]+)?\#?(?P<method>[A-Za-z_$][\w$]*)[ \t]*(?:<[^<>\n]{1,100}>)?\([^;=\n]{0,200}\)[ \t]*"
    r"(?::[^={}\n]{1,120})?\{[ \t]*$",
)
_JAVA = _patterns(
    r"^(?P<i1>[ \t]*)(?:@\w+[ \t]+)*(?:(?:public|protected|private|static|final|abstract|synchronized"
    r"|default|sealed|data|open|override|suspend|internal|virtual|async|partial"
    r"|readonly)[ \t]+)*(?:class|interface|enum|record|object|struct)[ \t]+(?P<class>\w+)",
    r"^(?P<i2>[ \t]*)(?:(?:public|protected|private|static|final|abstract|synchronized|open|override"
    r"|suspend|internal|inline)[ \t]+)*fun[ \t]+(?:<[^<>\n]{1,100}>[ \t]*)?(?P<function>\w+)[ \t]*\(",
    r"^(?P<i3>[ \t]+)(?:(?:public|protected|private|static|final|abstract|synchronized|default"
    r"|internal|virtual|override|async)[ \t]+)+[\w<>\[\],.?]+[ \t]+(?P<method>\w+)[ \t]*\([^;\n]*$",
)
_GO = _patterns(
    r"^func[ \t]+(?:\([^()\n]{1,100}\)[ \t]*)?(?P<function>\w+)[ \t]*[(\[]",
    r"^type[ \t]+(?P<class>\w+)[ \t]",
)
_RUST = _patterns(
    r"^(?P<i1>[ \t]*)(?:pub(?:\([^()\n]{1,40}\))?[ \t]+)?(?:(?:const|async|unsafe)[ \t]+)*fn[ \t]+(?P<function>\w+)",
    r"^(?P<i2>[ \t]*)(?:pub(?:\([^()\n]{1,40}\))?[ \t]+)?(?:struct|enum|trait|union)[ \t]+(?P<class>\w+)",
)
_RUBY = _patterns(
    r"^(?P<i1>[ \t]*)def[ \t]+(?:self\.)?(?P<function>\w+)",
    r"^(?P<i2>[ \t]*)(?:class|module)[ \t]+(?P<class>\w+)",
)
_PHP = _patterns(
    r"^(?P<i1>[ \t]*)(?:(?:public|protected|private|static|final"
    r"|abstract)[ \t]+)*function[ \t]+&?(?P<function>\w+)[ \t]*\(",
    r"^(?P<i2>[ \t]*)(?:(?:final|abstract|readonly)[ \t]+)*(?:class|interface|trait|enum)[ \t]+(?P<class>\w+)",
)

_PATTERNS = {
    "python": _PYTHON,
    **dict.fromkeys(("javascript", "jsx", "typescript", "tsx", "vue", "svelte"), _JAVASCRIPT),
    **dict.fromkeys(("java", "kotlin", "csharp"), _JAVA),
    "go": _GO,
    "rust": _RUST,
    "ruby": _RUBY,
    "php": _PHP,
}
_TOGETHER = ((("javascript", "jsx"), "JavaScript"), (("typescript", "tsx", "vue", "svelte"), "TypeScript"))
"""Languages with common conventions."""
COVERED = languages(*_PATTERNS)


def _language(key: str) -> Language:
    keys, name = next((one for one in _TOGETHER if key in one[0]), ((key,), next(names_of((key,)))))
    return Language(name, suffixes(*keys), _PATTERNS[key])


_BY_KEY = {key: _language(key) for key in _PATTERNS}
_NOT_METHODS = frozenset(
    "if for while switch catch function return else do try with constructor super await new typeof".split()
)
_KINDS = {
    "function": NameKind.function,
    "arrow": NameKind.function,
    "method": NameKind.method,
    "class": NameKind.class_,
    "constant": NameKind.constant,
}


def language_of(path: str) -> Language | None:
    """Return the language whose definitions are supported, by the file's suffix."""
    row = language_table.language_of(path)
    return _BY_KEY.get(row.key) if row is not None else None


def definitions(text: str, language: Language) -> Iterator[Definition]:
    """Yield every definition in the text, top to bottom."""
    line, counted = 1, 0
    for match in language.pattern.finditer(text):
        group = match.lastgroup
        if group is None or group not in _KINDS:
            continue
        name = match.group(group)
        if group == "method" and name in _NOT_METHODS:
            continue
        start = match.start(group)
        line += text.count("\n", counted, start)
        counted = start
        before = text[text.rfind("\n", 0, start) + 1 : start]
        yield Definition(name, _KINDS[group], line, len(before) - len(before.lstrip()))
