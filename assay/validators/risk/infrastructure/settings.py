"""Settings of infrastructure files in one form, whatever the format: resource, dotted key, value, line."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from assay.validators.dependencies.manifests.docker import DOCKER

MOST_VALUE = 300
MOST_KEY = 200


class Setting(NamedTuple):
    """One value of a resource.

    `path` are the names that lead to it; an item of a list is `=name` if it has one, else `#` and its position.
    """

    resource: str
    path: tuple[str, ...]
    value: str
    line: int

    @property
    def key(self) -> str:
        """The path as a text, without positions."""
        return _key(self.path)

    @property
    def item(self) -> tuple[str, ...]:
        """The path to the innermost item that has a name, such as a container of a pod."""
        named = [at for at, part in enumerate(self.path) if part.startswith("=")]
        return self.path[: named[-1] + 1] if named else ()


_COMPOSE = re.compile(r"(?:docker-)?compose[^/]*\.ya?ml")
_VALUES = re.compile(r"values[^/]*\.ya?ml")
_CLOUDFORMATION = re.compile(r"\"?Type\"?:\s{0,9}[\"']?AWS::|AWSTemplateFormatVersion")
_KUBERNETES = re.compile(r"^[ \t{]{0,9}[\"']?apiVersion[\"']?:", re.MULTILINE)


_SUFFIXES = frozenset(".tf .tfvars .tofu .hcl .nix .yaml .yml .json .template .tpl".split())


@lru_cache(50_000)
def _key(path: tuple[str, ...]) -> str:
    return ".".join(part.removeprefix("=") for part in path if not part.startswith("#"))[:MOST_KEY]


def may_be(path: str) -> bool:
    """Return whether a file of this name may be infrastructure."""
    return PurePosixPath(path).suffix in _SUFFIXES or DOCKER.claims(path)


def format_of(path: str, text: str) -> str:
    """Return the format of a file by its name, and where names say too little by its text; "" for any other file."""
    pure = PurePosixPath(path)
    if DOCKER.claims(path):
        return "dockerfile"
    if pure.suffix in (".tf", ".tfvars", ".tofu", ".hcl"):
        return "terraform"
    if pure.name == "flake.nix":
        return "flake"
    if pure.suffix not in (".yaml", ".yml", ".json", ".template", ".tpl"):
        return ""
    if _COMPOSE.fullmatch(pure.name):
        return "compose"
    if _VALUES.fullmatch(pure.name):
        return "helm"
    if _CLOUDFORMATION.search(text):
        return "cloudformation"
    return "kubernetes" if _KUBERNETES.search(text) else ""
