"""Whatever a file holds, reading it gives a configuration or problems with lines: never a traceback, never a hang."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.validators.configuration.checking import KnownNames
from assay.validators.configuration.layers import MOST_PROBLEMS, in_force
from assay.validators.configuration.loading import LoadedConfiguration, load_file
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.reading import read_layer
from assay.validators.configuration.weakened import leaves
from assay.validators.errors import ConfigurationError, ConfigurationProblem
from tests.examples import num_examples

KNOWN = KnownNames(rules=("complexity",), signals=("surface",))
KEYS = [part for key, _ in leaves(ValidationConfig()) for part in key.split(".")]
WORDS = [
    *KEYS,
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
    problems: tuple[ConfigurationProblem, ...] = ()
    config = None
    try:
        config = in_force((), read_layer("assay.yml", text.encode("utf-8", "surrogatepass")), "", KNOWN).config
    except ConfigurationError as error:
        problems = error.problems
    assert (config is None) == bool(problems)
    for problem in problems:
        assert problem.message
        assert problem.line is None or 1 <= problem.line <= num_lines
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
