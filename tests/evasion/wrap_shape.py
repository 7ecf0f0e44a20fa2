"""Wrappers that write the same dangerous call in another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from tests.evasion.changes import Change, Entry, Program
from tests.evasion.payloads import PYTHON, SCRIPT
from tests.evasion.wrapper import Stage, Wrapper


@dataclass(frozen=True, slots=True)
class _Form:
    """How a call is written: `{module}`, `{name}`, `{callee}` and `{arguments}` are put in.

    `imports` comes instead of the program's own where it is given; `before` precedes the function.
    """

    call: str
    imports: str | None = None
    before: str = ""
    body: str = PYTHON
    needs_module: bool = False
    needs_builtin: bool = False
    languages: tuple[str, ...] = ("python",)


_IN_CLASS = """\
{imports}

from flask import request


class Answer:
    found = {call}
"""
_AT_TOP = "{imports}\n\nfrom flask import request\n\nfound = {call}\n"
_IN_DEFAULT = "{imports}\n\nfrom flask import request\n\n\ndef answer(found={call}):\n    return found\n"
_IN_DECORATOR = "{imports}\n\nfrom flask import request\n\n\n@{call}\ndef answer():\n    return 1\n"
_IN_ONE_LINE = "{imports}\n\n\ndef answer(request): first = 1; return {call}\n"
_IN_LAMBDA = "{imports}\n\nanswer = lambda request: {call}\n"
_IN_ASYNC = "{imports}\n\n\nasync def answer(request):\n    async for one in request.more:\n        yield {call}\n"
_IN_WITH = "{imports}\n\n\ndef answer(request):\n    with open({call}) as found:\n        return found.read()\n"
_IN_EXCEPT = (
    "{imports}\n\n\ndef answer(request):\n    try:\n        return 1 / 0\n    except OSError:\n        return {call}\n"
)
_IN_MATCH = (
    "{imports}\n\n\ndef answer(request):\n    match 1:\n        case _ if {call}:\n            return 1\n    return 2\n"
)
_IN_IF = "{imports}\n\nif True:\n    def answer(request):\n        if 1 and {call}:\n            return 1\n"
_NESTED = (
    "{imports}\n\n\ndef outer():\n    def middle():\n        def inner(request):\n            return {call}\n"
    "        return inner\n    return middle\n"
)
_OTHER_NAME = (
    "{imports}\n\n\ndef harmless(value):\n    return {call}\n\n\ndef answer(request):\n    return harmless({first})\n"
)

_PYTHON: dict[str, _Form] = {
    "module-alias": _Form("m.{name}({arguments})", "import {module} as m"),
    "module-alias-dotted": _Form("{module}.{name}({arguments})", "import json, {module}, sys", needs_module=True),
    "from-import": _Form("{name}({arguments})", "from {module} import {name}", needs_module=True),
    "from-import-as": _Form("run({arguments})", "from {module} import {name} as run"),
    "from-import-many": _Form("run({arguments})", "from {module} import (\n    {name} as run,\n)", needs_module=True),
    "star-import": _Form("{name}({arguments})", "from {module} import *", needs_module=True),
    "import-in-function": _Form(
        "m.{name}({arguments})", "", body="def answer(request):\n    import {{module}} as m\n    return {call}\n"
    ),
    "assigned": _Form("run({arguments})", before="run = {callee}"),
    "assigned-chain": _Form("walk({arguments})", before="go = run = {callee}\nwalk = run"),
    "assigned-typed": _Form("run({arguments})", before="run: object = {callee}"),
    "unpacked": _Form("run({arguments})", before="run, other = {callee}, len"),
    "attribute": _Form("Box.run({arguments})", before="class Box:\n    run = {callee}"),
    "in-dict": _Form('RUN["go"]({arguments})', before='RUN = {{"go": {callee}}}'),
    "in-list": _Form("[{callee}][0]({arguments})"),
    "getattr": _Form('getattr(m, "{name}")({arguments})', "import {module} as m"),
    "getattr-joined": _Form('getattr(m, "{name_a}" + "{name_b}")({arguments})', "import {module} as m"),
    "getattr-adjacent": _Form('getattr(m, "{name_a}" "{name_b}")({arguments})', "import {module} as m"),
    "dunder-dict": _Form('m.__dict__["{name}"]({arguments})', "import {module} as m"),
    "vars": _Form('vars(m)["{name}"]({arguments})', "import {module} as m"),
    "dunder-import": _Form('__import__("{module}").{name}({arguments})', ""),
    "import-module": _Form('importlib.import_module("{module}").{name}({arguments})', "import importlib"),
    "sys-modules": _Form('sys.modules["{module}"].{name}({arguments})', "import sys\nimport {module}"),
    "builtins-dunder": _Form('__builtins__["{name}"]({arguments})', "", needs_builtin=True),
    "call-dunder": _Form("{callee}.__call__({arguments})"),
    "partial": _Form("partial({callee}, {arguments})()", "from functools import partial\nimport {module}"),
    "map": _Form("list(map({callee}, [{first}]))"),
    "parentheses": _Form("({callee})({arguments})"),
    "blank-before": _Form("{callee} ({arguments})"),
    "tab-before": _Form("{callee}\t({arguments})"),
    "blanks-in-name": _Form("{spaced}({arguments})"),
    "split-lines": _Form("{callee}(\n        {arguments},\n    )"),
    "split-before": _Form("(\n        {callee}\n        ({arguments})\n    )"),
    "split-every": _Form("({split}\n    (\n    {arguments}\n    ))"),
    "backslash": _Form("{callee} \\\n        ({arguments})"),
    "backslash-name": _Form("{backslashed}({arguments})"),
    "comment-between": _Form("({callee}  # the safe one\n        ({arguments}))"),
    "hash-in-text": _Form('[" #", {callee}({arguments})]'),
    "hash-in-text-single": _Form("(' # ' and None) or {callee}({arguments})"),
    "behind-text": _Form('("' + "x" * 2100 + '" and {callee}({arguments}))'),
    "behind-blanks": _Form("(" + " " * 2100 + "{callee}({arguments}))"),
    "starred": _Form("{callee}(*[{first}]{rest})"),
    "walrus": _Form("(run := {callee})({arguments})"),
    "conditional": _Form("({callee} if request else len)({arguments})"),
    "boolean": _Form("(None or {callee})({arguments})"),
    "f-string": _Form("f'{{{callee}({quoted})}}'"),
    "format-spec": _Form("f'{{1:{{{callee}({quoted})}}}}'"),
    "comprehension": _Form("[{callee}({arguments}) for _ in range(1)]"),
    "generator": _Form("next({callee}({arguments}) for _ in (1,))"),
    "dict-value": _Form("{{1: {callee}({arguments})}}"),
    "subscript": _Form("[0, 1][{callee}({arguments})]"),
    "keyword": _Form("dict(value={callee}({arguments}))"),
    "type-comment": _Form("{callee}({arguments})  # type: ignore"),
    "full-width": _Form("{wide}({arguments})"),
    "ligature": _Form("{callee}({arguments}) if 'ﬁ' else ﬁ"),
    "commented-out-copy": _Form("{callee}({arguments})", before="# {callee}({arguments})"),
    "in-class": _Form("{callee}({arguments})", body=_IN_CLASS),
    "at-top": _Form("{callee}({arguments})", body=_AT_TOP),
    "in-default": _Form("{callee}({arguments})", body=_IN_DEFAULT),
    "in-decorator": _Form("{callee}({arguments})", body=_IN_DECORATOR),
    "in-one-line": _Form("{callee}({arguments})", body=_IN_ONE_LINE),
    "in-lambda": _Form("{callee}({arguments})", body=_IN_LAMBDA),
    "in-async": _Form("{callee}({arguments})", body=_IN_ASYNC),
    "in-with": _Form("{callee}({arguments})", body=_IN_WITH),
    "in-except": _Form("{callee}({arguments})", body=_IN_EXCEPT),
    "in-match": _Form("{callee}({arguments})", body=_IN_MATCH),
    "in-if": _Form("{callee}({arguments})", body=_IN_IF),
    "nested": _Form("{callee}({arguments})", body=_NESTED),
    "handed-on": _Form("{callee}({value})", body=_OTHER_NAME),
}

_TOP_SCRIPT = "{imports}\nconst req: any = (globalThis as any).request;\nexport const found = {call};\n"
_ARROW = "{imports}\nexport const answer = (req: any) => {call};\n"
_CLASS = "{imports}\nexport class Answer {{\n  static run(req: any) {{\n    return {call};\n  }}\n  #hidden = 1;\n}}\n"
_FIELD = "{imports}\nexport class Answer {{\n  found = (req: any) => {call};\n}}\n"
_DEFAULT = "{imports}\nexport function answer(req: any, found = {call}) {{\n  return found;\n}}\n"
_GENERATOR = "{imports}\nexport async function* answer(req: any) {{\n  yield await {call};\n}}\n"
_ONE = "{imports} export function answer(req: any) {{ return {call} }}\n"


def _script_form(
    call: str,
    imports: str | None = None,
    body: str = SCRIPT,
    *,
    needs_module: bool = False,
    needs_builtin: bool = False,
) -> _Form:
    return _Form(call, imports, "", body, needs_module, needs_builtin, ("typescript",))


_SCRIPT: dict[str, _Form] = {
    "module-alias": _script_form("m.{name}({arguments})", 'import * as m from "{module}";', needs_module=True),
    "default-alias": _script_form("m.{name}({arguments})", 'import m from "{module}";', needs_module=True),
    "named-import": _script_form("{name}({arguments})", 'import {{ {name} }} from "{module}";', needs_module=True),
    "named-import-as": _script_form(
        "run({arguments})", 'import {{ {name} as run }} from "{module}";', needs_module=True
    ),
    "named-import-lines": _script_form(
        "run({arguments})", 'import {{\n  {name} as run,\n}} from "{module}";', needs_module=True
    ),
    "bare-module": _script_form(
        "run({arguments})", 'import {{ {name} as run }} from "child_process";', needs_module=True
    ),
    "require": _script_form('require("{module}").{name}({arguments})', "", needs_module=True),
    "require-destructured": _script_form(
        "run({arguments})", 'const {{ {name}: run }} = require("{module}");', needs_module=True
    ),
    "dynamic-import": _script_form('import("{module}").then((m) => m.{name}({arguments}))', "", needs_module=True),
    "assigned": _script_form("run({arguments})", "{imports}\nconst run = {callee};"),
    "indirect": _script_form("(0, {callee})({arguments})"),
    "optional": _script_form("{callee}?.({arguments})"),
    "global-this": _script_form("globalThis.eval({arguments})", needs_builtin=True),
    "global-index": _script_form('(globalThis as any)["{name}"]({arguments})', needs_builtin=True),
    "constructor": _script_form('[].constructor.constructor("q", {arguments})()', needs_builtin=True),
    "function": _script_form('new Function("q", {arguments})()', needs_builtin=True),
    "function-plain": _script_form("Function({arguments})()", needs_builtin=True),
    "call": _script_form("{callee}.call(null, {arguments})"),
    "apply": _script_form("{callee}.apply(null, [{arguments}])"),
    "bind": _script_form("{callee}.bind(null)({arguments})"),
    "reflect": _script_form("Reflect.apply({callee}, null, [{arguments}])"),
    "mapped": _script_form("[{arguments}].map({callee})"),
    "parentheses": _script_form("({callee})({arguments})"),
    "cast": _script_form("({callee} as any)({arguments})"),
    "not-null": _script_form("{callee}!({arguments})"),
    "blank-before": _script_form("{callee} ({arguments})"),
    "comment-between": _script_form("{callee}/* the safe one */({arguments})"),
    "newline-before": _script_form("{callee}\n    ({arguments})"),
    "split-lines": _script_form("{callee}(\n    {arguments},\n  )"),
    "slashes-in-text": _script_form('["see // ", {callee}({arguments})]'),
    "address-in-text": _script_form('[" //example.org", {callee}({arguments})]'),
    "behind-text": _script_form('["' + "x" * 2100 + '", {callee}({arguments})]'),
    "escaped-name": _script_form("{escaped}({arguments})"),
    "index": _script_form("{index}({arguments})", "{imports}"),
    "template": _script_form("`${{{callee}({arguments})}}`"),
    "spread": _script_form("{callee}(...[{arguments}])"),
    "comma": _script_form("(1, {callee}({arguments}))"),
    "conditional": _script_form("(req ? {callee} : String)({arguments})"),
    "at-top": _script_form("{callee}({arguments})", body=_TOP_SCRIPT),
    "arrow": _script_form("{callee}({arguments})", body=_ARROW),
    "in-class": _script_form("{callee}({arguments})", body=_CLASS),
    "in-field": _script_form("{callee}({arguments})", body=_FIELD),
    "in-default": _script_form("{callee}({arguments})", body=_DEFAULT),
    "in-generator": _script_form("{callee}({arguments})", body=_GENERATOR),
    "one-line": _script_form("{callee}({arguments})", body=_ONE),
}


def _shaped(change: Change, form: _Form) -> Change | None:
    program = change.program
    if program is None or change.language not in form.languages:
        return None
    if form.needs_builtin and "." in program.callee:
        return None
    if "{first}]" in form.call and "{rest}" not in form.call and ", " in program.arguments:
        return None
    values = _values(program, is_python=change.language == "python")
    if form.needs_module and values["has_module"] != "yes":
        return None
    own = "\n".join(program.imports)
    imports = own if form.imports is None else form.imports.format(**values, imports=own)
    before = form.before.format(**values)
    head = f"{imports}\n\n\n{before}\n" if before else imports
    call = form.call.format(**values)
    text = form.body.format(imports=head, call=call, first=values["first"])
    if "{{module}}" in form.body:
        text = text.format(**values)
    return replace(change.with_data(text.lstrip("\n")), program=None)


def _values(program: Program, *, is_python: bool) -> dict[str, str]:
    module, _, name = program.callee.rpartition(".")
    first, comma, rest = program.arguments.partition(", ")
    where = module or "builtins"
    if not is_python and module:
        where = "node:child_process"
    half = len(name) // 2
    return {
        "callee": program.callee,
        "arguments": program.arguments,
        "first": first,
        "rest": comma + rest,
        "value": program.arguments.replace(first, "value"),
        "quoted": program.arguments.replace('"', '"'),
        "module": where,
        "name": name,
        "name_a": name[:half],
        "name_b": name[half:],
        "spaced": program.callee.replace(".", " . "),
        "split": program.callee.replace(".", "\n    .\n    "),
        "backslashed": program.callee.replace(".", ".\\\n") if module else f"\\\n        {name}",
        "wide": "".join(chr(ord(char) + 0xFEE0) if char.isalpha() else char for char in program.callee),
        "escaped": f"{module}.\\u{ord(name[0]):04x}{name[1:]}" if module else f"\\u{ord(name[0]):04x}{name[1:]}",
        "index": f'{module}["{name}"]' if module else f'(globalThis as any)["{name}"]',
        "global_": module or "0",
        "has_module": "yes" if module else "no",
    }


def _handed_on(change: Change) -> Change | None:
    """Another module of the change imports the function and nothing else."""
    program = change.program
    module, _, name = program.callee.rpartition(".") if program is not None else ("", "", "")
    if program is None or not module or change.language != "python" or ", " in program.arguments:
        return None
    other = Entry(f"from {module} import {name} as read\n".encode())
    text = program.body.format(imports="from shop.compatible import read", call=f"read({program.arguments})")
    return replace(change.with_data(text), program=None).with_files({"shop/compatible.py": other})


def _wrappers() -> Iterator[tuple[str, Callable[[Change], Change | None]]]:
    for name, form in _PYTHON.items():
        yield f"py-{name}", partial(_shaped, form=form)
    yield "py-re-exported", _handed_on
    for name, form in _SCRIPT.items():
        yield f"ts-{name}", partial(_shaped, form=form)


SHAPES = tuple(Wrapper(name, Stage.shape, apply) for name, apply in _wrappers())
