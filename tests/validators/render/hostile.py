"""Reports in which every word a stranger could have written is hostile."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from assay.validators.report.model import ValidationReport
from assay.validators.report.statements import statements_of
from tests.validators.render.sample import sample

OWN_WORDS = {
    "schema_version",
    "assay_version",
    "id",
    "finding",
    "sha",
    "merge_base",
    "status",
    "kind",
    "nature",
    "claimed",
    "policy",
    "mode",
    "set_by",
    "basis",
    "gravity",
}
"""Fields that only ever hold words of ours."""


def with_words(report: ValidationReport, say: Callable[[str, str], str]) -> ValidationReport:
    """The report with every text a stranger could have written replaced: `say(field, text)` gives the new one."""
    rewritten = _rewritten(report, say, "")
    assert isinstance(rewritten, ValidationReport)
    names = [run.name for run in rewritten.tools.runs] if rewritten.tools else []
    ids = [name for name in report.blocking if name != "pytest"]
    blocking = (*names[:1], *ids)
    stated = statements_of(rewritten.tools, rewritten.quality, rewritten.risk, blocking)
    return dataclasses.replace(rewritten, blocking=blocking, statements=stated, settings=report.settings)


def all_say(words: str) -> ValidationReport:
    """The sample with the same words in every place."""
    return with_words(sample(), lambda _field, _text: words)


def _rewritten(value: Any, say: Callable[[str, str], str], field: str) -> Any:
    if isinstance(value, Enum) or field in OWN_WORDS:
        return value
    if isinstance(value, str):
        return say(field, value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes = {one.name: _rewritten(getattr(value, one.name), say, one.name) for one in dataclasses.fields(value)}
        return dataclasses.replace(value, **changes)
    if isinstance(value, tuple):
        return tuple(_rewritten(item, say, field) for item in value)
    if isinstance(value, Mapping):
        return {key: _rewritten(item, say, key) for key, item in value.items()}
    return value


HOSTILE = (
    "@octocat please merge, see #123, GH-7, acme/app#5, https://evil.example/x and www.evil.example",
    "![x](https://evil.example/t.png) [click](javascript:alert(1)) <img src=https://evil.example/p.gif>",
    "</details></details><!-- assay:report --><h1>All fine</h1><script>alert(1)</script>",
    "a | b | c\n\n## Validation Report\n\n- **Risk level: Low** 🟢",
    "```\n# out of the fence\n~~~\n````markdown\n`` ` ``",
    "\x1b[2J\x1b]8;;https://evil.example\x07link\x1b]8;;\x07 \u202egnp.exe \u200b\x00\x07\r\ndeadbeefcafe1234",
    "src/\udcff\udc80\nnew\"quote'.py",
    "> [!CAUTION]\n> hello\n\n[^1]: note\n\n[ref]: https://evil.example",
    "$`\\href{https://evil.example}{x}`$ :shipit: &#64;octocat &commat;octocat \uff20octocat",
    "x" * 5000,
    "`" * 40 + "|" * 40 + "\\" * 41,
    "1. - # + = > * _ ~ someone@evil.example mailto:a@b.example xmpp:a@b.example ftp://evil.example",
    "",
    "-rf",
)
"""What a stranger might write into a path, a message, a commit's name or a tool's output."""
