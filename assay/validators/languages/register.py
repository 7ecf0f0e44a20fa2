"""Register `LANGUAGES`, in the order in which they are asked for a file."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.languages.engine.c_includes import CIncludes
from assay.validators.languages.engine.csharp_names import CsharpNames
from assay.validators.languages.engine.go_packages import GoPackages
from assay.validators.languages.engine.java_types import JavaTypes
from assay.validators.languages.engine.kotlin_names import KotlinNames
from assay.validators.languages.engine.language import CFamily, JavaScript, Language, Python
from assay.validators.languages.engine.php_classes import PhpClasses
from assay.validators.languages.engine.rows import CPP, CSHARP, GO, JAVA, KOTLIN, PHP, PYTHON, RUBY, RUST, SCRIPTS
from assay.validators.languages.engine.ruby_constants import RubyConstants
from assay.validators.languages.engine.rust_modules import RustModules
from assay.validators.languages.javascript.modules import JavaScriptModules
from assay.validators.languages.python.modules import PythonModules

LANGUAGES: dict[str, Language] = {
    member.name: member
    for member in (
        Python(PYTHON, PythonModules),
        JavaScript(SCRIPTS["javascript"], JavaScriptModules),
        Language(GO, GoPackages),
        Language(JAVA, JavaTypes),
        Language(PHP, PhpClasses),
        Language(RUBY, RubyConstants),
        Language(KOTLIN, KotlinNames),
        Language(CSHARP, CsharpNames),
        Language(RUST, RustModules),
        CFamily(CPP, CIncludes),
    )
}

TOGETHER = (frozenset({"java", "kotlin"}),)
"""Languages whose files name each other's types."""


def language_reading(path: str, first_bytes: bytes = b"") -> tuple[str, str] | None:
    """Return name and dialect of the language that reads a file; `first_bytes` matter for one without a suffix."""
    found = ((name, one.dialect(path, first_bytes)) for name, one in LANGUAGES.items())
    return next(((name, dialect) for name, dialect in found if dialect is not None), None)


def language_at(path: str) -> Language | None:
    """Return the language of a file by its name."""
    found = language_reading(path)
    return LANGUAGES[found[0]] if found is not None else None


def languages_using(path: str, first_bytes: bytes = b"") -> frozenset[str]:
    """Return the languages in which an import may lead to a file; for one of no language, those that import any."""
    found = language_reading(path, first_bytes)
    if found is None:
        return frozenset(name for name, one in LANGUAGES.items() if one.row.imports_any)
    return next((group for group in groups() if found[0] in group), frozenset())


def groups() -> Iterator[frozenset[str]]:
    """Yield the languages, those together whose files name each other's types."""
    yield from TOGETHER
    yield from (frozenset({name}) for name in LANGUAGES if not any(name in group for group in TOGETHER))
