"""What GitHub makes of Markdown: its own parser, then what it does to the text that comes out of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options
from markdown_it import MarkdownIt

TAGS = frozenset("h1 h2 h3 p ul ol li table thead tbody tr th td code pre strong em br details summary".split())
"""What a report may consist of."""
VOID = frozenset(("br", "img", "input", "hr"))

# What GitHub turns into links in text that is not code, and a few things only some renderers do.
FILTERS = {
    "mention": re.compile(r"(?:^|[^\w@/`])@[A-Za-z0-9]|\w@[A-Za-z0-9]"),
    "issue": re.compile(r"#\d|\bGH-\d", re.IGNORECASE),
    "commit": re.compile(r"\b[0-9a-f]{7,40}\b", re.ASCII),
    "address": re.compile(r"://|\bwww\.\w|\b(?:mailto|xmpp):\w", re.IGNORECASE),
    "advisory": re.compile(r"\b(?:CVE-\d|GHSA-\w)", re.IGNORECASE),
    "emoji": re.compile(r"(?<!:):[a-z+_-][\w+-]*:(?!:)"),
    "unseen": re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"),
}


@dataclass
class Rendered(HTMLParser):
    """The page a report becomes."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str | None]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1] == tag, f"</{tag}> closes <{self._open[-1]}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        (self.codes if {"code", "pre"} & set(self._open) else self.texts).append(data)
        if {"h1", "h2", "h3"} & set(self._open):
            self.headings[-1] += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def active(self) -> list[str]:
        """Everything in the page that does something, or hides something."""
        found = [f"<{tag}>" for tag in self.tags if tag not in TAGS]
        found += [f"<!--{comment}-->" for comment in self.comments]
        found += [f"{name}={value}" for tag, name, value in self.attributes if not _harmless(tag, name, value)]
        for text in self.texts:
            found += [f"{what}: {text!r}" for what, pattern in FILTERS.items() if pattern.search(text)]
        found += [f"unseen: {code!r}" for code in self.codes if FILTERS["unseen"].search(code)]
        return found


def shown_by_github(markdown: str) -> Rendered:
    """Through GitHub's fork of cmark, raw HTML let through so that it can be seen."""
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE)
    return _parsed(html.replace("\x00", "\ufffd"))


def shown_by_others(markdown: str) -> Rendered:
    """Through another parser of the same language."""
    return _parsed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown))


def _parsed(html: str) -> Rendered:
    page = Rendered()
    page.feed(html)
    page.close()
    return page


def _harmless(tag: str, name: str, value: str | None) -> bool:
    return (
        (tag, name) in (("th", "align"), ("td", "align"), ("th", "style"), ("td", "style"), ("ol", "start"))
        or (tag == "code" and name == "class" and value in ("language-text", "language-markdown"))
        or (tag == "pre" and name == "lang" and value in ("text", "markdown"))
    )
