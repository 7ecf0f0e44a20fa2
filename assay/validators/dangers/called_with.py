"""Functions that a module calls with text from a request."""

from __future__ import annotations

from assay.validators.dangers.dangerous_script import SCRIPTS, walked
from assay.validators.dangers.python_flow import PythonFlow
from assay.validators.dangers.script_flow import ScriptFlow
from assay.validators.language_table import bare_suffixes
from assay.validators.languages.python.trees import parsed

_PYTHON = bare_suffixes("python")


def called_with_text(suffix: str, source: str) -> set[str]:
    """Return the last parts of their names; empty if the module cannot be parsed."""
    ending = suffix.lower().lstrip(".")
    if "req" not in source:
        return set()
    if ending in SCRIPTS:
        return ScriptFlow(*walked(source, ending)).flow.called_with_text()
    if ending not in _PYTHON:
        return set()
    module = parsed(source)
    try:
        return set() if module is None else PythonFlow(module).flow.called_with_text()
    except RecursionError:
        return set()
