"""Handlers of requests that read raw input and validate nothing, in Python, JavaScript and TypeScript.

A handler is a function under a route decorator, or the function given to a route call. It validates if its text, with
the decorators or the route call around it, calls a function that is named for validation or conversion. Parameters that
a framework validates by their types (FastAPI) are not raw input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from assay.validators.changes.language_table import is_in, languages
from assay.validators.quality.inputs.changed_texts import ReadFile

_SCRIPT_KEYS = ("javascript", "jsx", "typescript", "tsx")
HANDLER_LANGUAGES = ("python", *_SCRIPT_KEYS)
MOST_HANDLERS = 200
"""Handlers that are read of one file."""
MOST_HANDLER_LINES = 400
MOST_HANDLER_CHARACTERS = 40_000
_ROUTE = re.compile(r"^([ \t]*)@[\w.]+\.(?:get|post|put|patch|delete|route|api_route)\s*\(", re.MULTILINE)
_DEF = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)")
_PYTHON_INPUT = re.compile(
    r"\brequest\s*\.\s*(?:args|form|json|get_json|get_data|data|values|files|GET|POST|body|query_params|query|post|headers"
    r"|cookies)\b"
)
_ROUTE_CALL = re.compile(
    r"(?<![\w.$])(?:app|api|server|fastify|\w*[rR]outer|routes?)\s*\.\s*(?:get|post|put|patch|delete|all)\s*\("
)
_SCRIPT_INPUT = re.compile(
    r"\b(?:req|request)\s*\.\s*(?:body|query|params|headers|cookies)\b|\bctx\s*\.\s*(?:request\s*\.\s*body|query|params)\b"
    r"|\bc\s*\.\s*req\s*\.\s*(?:json|query|param|parseBody|formData)\b"
)
_VALIDATES = re.compile(
    r"valid|schema|serializ|sanitiz|safeparse|celebrate|\bjoi\b|\bz\s*\.|\bajv\b|\byup\b|\bparse\w*\s*\(|\bcheck\w*\s*\("
    r"|\bform\w*\s*\(|\bassert_\w*\s*\(|\babort\s*\(|\b(?:int|float|uuid|decimal|number|boolean|parseint)\s*\(",
    re.IGNORECASE,
)


def unvalidated_handlers(file: ReadFile) -> list[tuple[int, int, str]]:
    """Return (first line, last line, reason) of each changed handler that reads raw input and does not validate it."""
    code = file.head.code
    is_python = is_in(file.file.path, languages("python"))
    found = _python_handlers(code) if is_python else _script_handlers(code)
    reads = _PYTHON_INPUT if is_python else _SCRIPT_INPUT
    bad: list[tuple[int, int, str]] = []
    for start, text in islice(found, MOST_HANDLERS):
        read = reads.search(text)
        last = start + text.rstrip("\n").count("\n")
        if read is None or _VALIDATES.search(text) or not file.file.touches(start, last):
            continue
        line = start + text.count("\n", 0, read.start())
        bad.append((line, line, f"reads `{' '.join(read[0].split())}` and validates nothing"))
    return bad


def _python_handlers(code: str) -> Iterator[tuple[int, str]]:
    """Yield the first line and text of each decorated function, its decorators included."""
    lines = code.split("\n")
    for match in _ROUTE.finditer(code):
        start = code.count("\n", 0, match.start())
        indent = len(match[1].expandtabs())
        head = next((i for i in range(start, min(start + 30, len(lines))) if _DEF.match(lines[i])), None)
        if head is None:
            continue
        end = head + 1
        while end < min(len(lines), head + MOST_HANDLER_LINES):
            line = lines[end].expandtabs()
            if line.strip() and len(line) - len(line.lstrip()) <= indent and not line.lstrip().startswith(")"):
                break
            end += 1
        yield start + 1, "\n".join(lines[start:end])


def _script_handlers(code: str) -> Iterator[tuple[int, str]]:
    """Yield the first line and text of each route call, up to its closing bracket, and of handlers it names."""
    partners = _partners(code)
    for match in _ROUTE_CALL.finditer(code):
        end = partners.get(match.end() - 1, 0)
        if not 0 < end - match.start() < MOST_HANDLER_CHARACTERS:
            continue
        call = code[match.start() : end + 1]
        if _SCRIPT_INPUT.search(call):
            yield 1 + code.count("\n", 0, match.start()), call
            continue
        for name in re.findall(r",\s*(\w+)\s*(?=[,)])", call)[-1:]:
            if (own := _function(code, name, partners)) is not None and not _VALIDATES.search(call):
                yield own


def _function(code: str, name: str, partners: Mapping[int, int]) -> tuple[int, str] | None:
    """Return the first line and text of a function of this file."""
    found = re.search(rf"(?:function\s+{name}\s*\(|\b(?:const|let)\s+{name}\s*=)", code)
    if found is None:
        return None
    opening = code.find("{", found.end())
    end = partners.get(opening)
    if end is None or opening - found.end() > 400:
        return None
    return 1 + code.count("\n", 0, found.start()), code[found.start() : end + 1]


def _partners(code: str) -> dict[int, int]:
    """Return the index of each opening bracket with that of its closing one."""
    open_: list[int] = []
    partners: dict[int, int] = {}
    for match in re.finditer(r"[(\[{)\]}]", code):
        if match[0] in "([{":
            open_.append(match.start())
        elif open_:
            partners[open_.pop()] = match.start()
    return partners
