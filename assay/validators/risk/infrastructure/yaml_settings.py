"""Settings of Kubernetes, Compose, Helm values and CloudFormation; JSON is YAML too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.io.structured_files import Node, yaml_documents
from assay.validators.risk.infrastructure.settings import MOST_VALUE, Setting

_TEMPLATE = re.compile(r"\{\{[^{}\n]{0,500}\}\}")
_ONLY_TEMPLATE = re.compile(r"^[ \t]*(?:- )?\{\{.*\}\}[ \t]*$", re.MULTILINE)
"""Line of a Helm chart that decides which of the others there are."""


def kubernetes(text: str) -> Iterator[Setting]:
    """Yield the settings of every object of a manifest or of a chart's template."""
    if "{{" in text:
        text = _TEMPLATE.sub("x", _ONLY_TEMPLATE.sub("", text))
    for document in yaml_documents(text):
        for one in document.items or (document.at("items").items if document.at("kind").text == "List" else [document]):
            kind = one.at("kind").text
            if kind == "CustomResourceDefinition":
                yield Setting(f"{kind}/{one.at('metadata', 'name').text}", (), "", one.line)
            elif kind and one.get("apiVersion") is not None:
                yield from _settings(f"{kind}/{one.at('metadata', 'name').text}", one)


def compose(text: str) -> Iterator[Setting]:
    """Yield the settings of every service."""
    for document in yaml_documents(text):
        for name, service in document.at("services").pairs.items():
            for one in _settings(f"service {name}", service):
                yield from _of_service(one)


def _of_service(one: Setting) -> Iterator[Setting]:
    """Yield a setting, with the name of a variable or the port of the container in its key."""
    if one.path[:1] == ("environment",) and len(one.path) == 2 and "=" in one.value:
        name, _, value = one.value.partition("=")
        yield one._replace(path=("environment", name), value=value)
    elif one.path[:1] == ("ports",) and len(one.path) == 2:
        yield one._replace(path=("ports", one.value.rpartition(":")[2]))
    else:
        yield one


def helm_values(text: str) -> Iterator[Setting]:
    """Yield the settings of a chart's values."""
    for document in yaml_documents(text):
        yield from _settings("values", document)


def cloudformation(text: str) -> Iterator[Setting]:
    """Yield the settings of every resource."""
    for document in yaml_documents(text):
        for name, one in document.at("Resources").pairs.items():
            for setting in _settings(f"{one.at('Type').text} {name}", one):
                is_property = setting.path[:1] == ("Properties",)
                yield setting._replace(path=setting.path[1:]) if is_property else setting


def _settings(resource: str, node: Node, path: tuple[str, ...] = ()) -> Iterator[Setting]:
    for name, child in node.pairs.items():
        yield from _settings(resource, child, (*path, name))
    for at, child in enumerate(node.items):
        name = child.at("name").text
        yield from _settings(resource, child, (*path, f"={name}" if name else f"#{at}"))
    if isinstance(node.value, str) or (node.value is None and path):
        yield Setting(resource, path, node.text[:MOST_VALUE], node.line)
