"""A document as one HTML file: no script, no external resources, light and dark."""

from __future__ import annotations

from importlib import resources

from assay.escape import utf8, visible
from assay.memory_eval.render.document import Bar, Cards, Document, Line, Table

MOST_TEXT = 2000


def html(document: Document) -> str:
    """Return the whole page; untrusted text is escaped, and a policy forbids scripts and external resources."""
    from jinja2 import Environment, StrictUndefined  # slow to import, and only pages need it

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["shown"] = lambda text: visible(text, MOST_TEXT)
    environment.tests |= {
        "bar": lambda part: isinstance(part, Bar),
        "line": lambda part: isinstance(part, Line),
        "table": lambda part: isinstance(part, Table),
        "cards": lambda part: isinstance(part, Cards),
    }
    source = resources.files("assay.memory_eval.render").joinpath("document.html.j2").read_text("utf-8")
    return utf8(environment.from_string(source).render(document=document))
