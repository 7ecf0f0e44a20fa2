"""HTML pages: no script, no external resources, light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from typing import Any

from assay.escape import utf8, visible

_FOLDER = resources.files("assay.memory_eval.render")
_STYLE = re.compile(r"<style>\n(.*?)</style>", re.DOTALL)


def page_of(template: str, most_text: int, filters: dict[str, Callable[..., str]], **parts: Any) -> str:
    """Return a whole page; untrusted text is escaped, and a policy forbids scripts and external resources.

    The filter `shown` returns a text as one visible line of at most `most_text` characters.
    """
    from jinja2 import Environment, StrictUndefined  # slow to import, and only pages need it

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"shown": lambda text, most=most_text: visible(str(text), most), **filters}
    source = _FOLDER.joinpath(template).read_text("utf-8")
    return utf8(environment.from_string(source).render(**parts))


def report_style() -> str:
    """Return the style sheet of the report, which all pages share."""
    style = _STYLE.search(_FOLDER.joinpath("report.html.j2").read_text("utf-8"))
    return style[1] if style else ""
