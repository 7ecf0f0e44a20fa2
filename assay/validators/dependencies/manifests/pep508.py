"""Requirement line as in pip and every Python manifest."""

from __future__ import annotations

import re

from assay.validators.dependencies.manifests.manifest import Declared, Scope, Unclear

_EGG = re.compile(r"#(?:.*&)?egg=([A-Za-z0-9_.-]{1,200})")
_ARCHIVE = re.compile(r"[a-z+]{2,20}://[^/]{1,200}/[^/]{1,200}/([\w.-]{1,200})/(?:-/)?(?:archive|tarball|zipball)/")
"""Repository of a forge's archive, whose last part is a tag or commit."""
_LAST = re.compile(
    r"[a-z+]{2,20}://[^#?]{0,2000}/([A-Za-z0-9][\w.-]{0,200}?)(?:\.git|\.zip|\.whl|\.tar\.\w+)?(?:@[^/]*)?/?(?:[#?]|$)"
)
"""Last part of an address without a name."""
_ADDRESS = re.compile(r"[a-z+]{2,20}://|\.{0,2}/|[\w./-]+\.(whl|tar\.gz|zip)$")


def declared(line: str, scope: Scope) -> Declared | Unclear:
    """Return the package of a line: a PEP 508 requirement, or an address with `#egg=` or a name as its last part."""
    from packaging.requirements import InvalidRequirement, Requirement  # loaded only for a manifest
    from packaging.utils import canonicalize_name

    try:
        read = Requirement(line)
    except (InvalidRequirement, RecursionError):
        return _from_address(line, scope)
    version = f"@ {read.url}" if read.url else str(read.specifier) or None
    return Declared("pypi", canonicalize_name(read.name), version, scope)


def _from_address(line: str, scope: Scope) -> Declared | Unclear:
    if _ADDRESS.match(line) is None:
        return Unclear(f"{line[:80]!r} is not a requirement")
    from packaging.utils import canonicalize_name

    named = _EGG.search(line) or _ARCHIVE.match(line) or _LAST.search(line)
    if named is None:
        return Unclear(f"{line[:80]!r} does not say which package it is")
    return Declared("pypi", canonicalize_name(named[1]), f"@ {line.partition('#')[0]}", scope)
