"""Register `LANGUAGES`, in the order in which they are asked for a file."""

from __future__ import annotations

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
