"""Whatever a file holds, reading it gives a configuration or problems with lines: never a traceback, never a hang."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.validators.configuration.checking import KnownNames, check
from assay.validators.configuration.layers import MOST_PROBLEMS
from assay.validators.configuration.loading import LoadedConfiguration, load_file
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.place import Problem, Unusable
from assay.validators.configuration.weakened import leaves
from assay.validators.configuration.yaml_file import read_yaml
from assay.validators.errors import ConfigurationError
from tests.examples import num_examples

KNOWN = KnownNames(rules=("complexity",), signals=("surface",))
KEYS = [part for key, _ in leaves(ValidationConfig()) for part in key.split(".")]
WORDS = [
    *KEYS,
    "timeout_seconds",
    "run",
    "id",
    "message",
    "paths",
    "off",
    "yes",
    "null",
    "~",
    "1e999",
    "0x1",
    "&a",
    "*a",
]
TEXT = st.one_of(st.sampled_from(WORDS), st.text(max_size=12))
PIECES = st.sampled_from(
    [
        *WORDS,
        "\n",
        "\n",
        "\r",
        "\r\n",
        "\x85",
        "\u2028",
        "  ",
        "  ",
        ": ",
        ": ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "|",
        ">",
        "'",
        '"',
        "#",
        "---",
        "...",
        "!x ",
        "?",
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=15,
)


def read(text: str) -> ValidationConfig | None:
    """The configuration, or None with at least one problem, each on a line of the file."""
    num_lines = len(re.findall("\r\n?|\n", text)) + 1
    config: ValidationConfig | None = None
    more: list[Problem] = []
    try:
        place, problems = read_yaml(text)
        config, more = check(place, KNOWN)
    except Unusable as refused:
        problems = more = [Problem(refused.line or 1, refused.message, refused.code)]
    for problem in (*problems, *more):
        assert 1 <= problem.line <= num_lines
        assert problem.message
    assert (config is None) == bool(more)
    return config


@given(st.text(max_size=200) | st.text(alphabet="\r\n\x85\u2028\u2029\x0b\x0c\x1c a:[]{}'\"-?|>#", max_size=60))
def test_any_text_is_read_as_yaml_or_refused(text: str):
    read(text)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_text_that_nearly_is_a_configuration_is_read_or_refused(text: str):
    read(text)


@given(VALUES)
def test_any_values_are_read_or_refused(value: Any):
    read(json.dumps(value))


@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6))
def test_real_keys_with_any_values_are_read_or_refused(value: Any):
    read(yaml.safe_dump(value, allow_unicode=True))


@settings(max_examples=num_examples(30))
@given(data=st.binary(max_size=200))
def test_any_bytes_in_a_file_give_a_configuration_or_one_error(data: bytes, tmp_path_factory: Any):
    file: Path = tmp_path_factory.mktemp("any") / "assay.yml"
    file.write_bytes(data)
    problems = None
    try:
        assert isinstance(load_file(file, KNOWN), LoadedConfiguration)
    except ConfigurationError as error:
        problems = error.problems
    assert problems is None or 0 < len(problems) <= MOST_PROBLEMS + 1


def test_what_is_written_out_is_read_back_the_same():
    config = ValidationConfig.model_validate({"mode": "enforce", "exclude": ["a"], "tier1": {"commands": ["x"]}})
    assert read(yaml.safe_dump(config.model_dump(mode="json", by_alias=True))) == config
    assert read(yaml.safe_dump(config.model_dump(mode="json", by_alias=False))) == config
