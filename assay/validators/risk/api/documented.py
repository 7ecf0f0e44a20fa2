"""Search of the documentation for a name: by directive, or by its dotted name in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from assay.validators.changes.change import ChangeSet, decoded
from assay.validators.changes.classify import Nature

MOST_FILES = 3000
MOST_BYTES = 30 * 1024 * 1024
_TEXTS = (".rst", ".md", ".mdx", ".txt", ".adoc")
_HISTORY = re.compile(
    r"(^|/)(change|history|news|release|migrat|upgrad|whats?[-_]?new|authors|contribut|licen[sc]e|deprecat)[^/]*$|(^|/)(changelog|changes|news|newsfragments|releases|whatsnew)(\.d)?/",
    re.IGNORECASE,
)
"""Release notes; a name there is history, not a promise."""
_FOR_DEVELOPERS = re.compile(
    r"(^|/)(wiki|plans?|designs?|adrs?|decisions|rfcs?|proposals|notes|internals?|\.[^/]+)/"
    r"|(^|/)(agents|claude|todo|roadmap|development|architecture)[^/]*$|[-_]plan\.\w+$",
    re.IGNORECASE,
)
"""Documents that name internals in code spans too."""
_DIRECTIVE = re.compile(
    r"(?:^|\n)[ \t]*(?:\.\. |```\{|:::[ \t]*)(?:py:)?(?:auto)?"
    r"(?:class|function|method|attribute|data|exception|module|decorator|property|members|currentmodule)?"
    r"(?:::|\}|)[ \t]+([\w.]{1,300})"
)
_CODE = re.compile(r"```[^`]{1,20000}```|`[^`\n]{1,200}`")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_DOTTED = re.compile(r"\b[A-Za-z_]\w{0,80}(?:\.[A-Za-z_]\w{0,80}){1,8}\b")


class Documents:
    """Documentation of a change's base, read on first use."""

    def __init__(self, change: ChangeSet) -> None:
        self._tree, self._nature_of = change.base, change.nature_of

    def mention(self, *names: str) -> bool:
        """Return whether one of these dotted names, or the class that holds it, is documented."""
        for name in names:
            parts = name.split(".")
            if name in self._dotted or ".".join(parts[-2:]) in self._directives or name in self._directives:
                return True
            # `.. class:: Request` in a file with `.. module:: pkg.http` names only the last part; it stands for its
            # members, and the module may re-export it from one inside it.
            for at in (len(parts) - 1, len(parts) - 2):
                modules = [".".join(parts[:end]) for end in range(min(2, at), at + 1)] if at > 0 else []
                is_class = at == len(parts) - 1 or parts[at][:1].isupper()
                if is_class and parts[at] in self._directives and any(map(self._names, modules)):
                    return True
        return False

    def _names(self, module: str) -> bool:
        return module in self._dotted or module in self._directives

    def show(self, name: str) -> bool:
        """Return whether the last part of a dotted name is in a code span or block of a document for users."""
        return name.rpartition(".")[2] in self._code_words

    @cached_property
    def _code_words(self) -> frozenset[str]:
        texts = (text for path, text in self._documents if not _FOR_DEVELOPERS.search(path))
        spans = (match[0] for text in texts for match in _CODE.finditer(text))
        return frozenset(word for span in spans for word in _WORD.findall(span))

    @property
    def _texts(self) -> Iterator[str]:
        return (text for _, text in self._documents)

    @cached_property
    def _documents(self) -> list[tuple[str, str]]:
        paths = [
            path
            for path in self._tree.paths
            if path.endswith(_TEXTS) and self._nature_of(path) is Nature.docs and not _HISTORY.search(path)
        ]
        found, size = [], 0
        for path, content in self._tree.read_many(paths[:MOST_FILES]):
            size += len(content or b"")
            if content and size <= MOST_BYTES:
                found.append((path, decoded(content)))
        return found

    @cached_property
    def _directives(self) -> frozenset[str]:
        return frozenset(match[1].rstrip(".") for text in self._texts for match in _DIRECTIVE.finditer(text))

    @cached_property
    def _dotted(self) -> frozenset[str]:
        """Every dotted name in a text, and its prefixes: `a.b.c` mentions `a.b`."""
        found = {match[0] for text in self._texts for match in _DOTTED.finditer(text)}
        for name in list(found):
            while (name := name.rpartition(".")[0]).count(".") and name not in found:
                found.add(name)
        return frozenset(found)
