"""Small neural network for comments: does one hold a rule, and do two give the same advice?

It was trained on some ten thousand comments (docs/learning/comparing.md), ships with the package, needs neither network
access nor a key, and runs on one core. Its output is one feature among others: it detects "same words, opposite advice"
well, and unrelated comments badly.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import as_file, files
from typing import Any

from assay.embedding.embedder import EmbeddingUnavailable

MOST_PIECES = 62
"""Maximum word pieces per text, as in training."""

MOST_CHARACTERS = 1_500
"""Maximum characters per text; longer texts never have fewer pieces than the limit."""

BOUND = 6.0
"""Bound of the opinions, in log odds."""

HARDLY_MORE = 2.5
"""Highest opinion, with rare exceptions, on two comments that share few words."""

_BEGIN, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


def alike(a: str, b: str) -> float:
    """Return the log odds that two comments give the same advice; symmetric.

    Raises `EmbeddingUnavailable` if its runtime is not installed.
    """
    return _alike(*sorted((a[:MOST_CHARACTERS], b[:MOST_CHARACTERS])))


def holds_rule(text: str) -> float:
    """Return the log odds that a comment holds a reusable rule. Raises `EmbeddingUnavailable`."""
    return _holds_rule(text[:MOST_CHARACTERS])


@lru_cache(maxsize=8192)
def _alike(a: str, b: str) -> float:
    opinion = (_opinions(a, b)[0] + _opinions(b, a)[0]) / 2
    return round(max(-BOUND, min(BOUND, opinion)), 4)


@lru_cache(maxsize=8192)
def _holds_rule(text: str) -> float:
    return round(_opinions(text)[1], 4)


def _opinions(*texts: str) -> tuple[float, float]:
    """Return log odds for the same advice (two texts) and for holding a rule (one text).

    Each call runs a batch of one, because rounding depends on the batch and answers must not.
    """
    import numpy as np

    vocabulary = _vocabulary()
    pieces, kinds = [vocabulary[_BEGIN]], [0]
    for kind, text in enumerate(texts):
        said = [*_tokenizer().encode(_clean(text), add_special_tokens=False).ids[:MOST_PIECES], vocabulary[_END]]
        pieces += said
        kinds += [kind] * len(said)
    given = {"input_ids": np.array([pieces], np.int64), "token_type_ids": np.array([kinds], np.int64)}
    same, rule = _session().run(None, given)[0][0]
    return float(same), float(rule)


def _clean(text: str) -> str:
    return "".join(char if unicodedata.category(char) != "Cs" else " " for char in text)


@cache
def _vocabulary() -> Mapping[str, int]:
    lines = _folder().joinpath("vocabulary.txt").read_text("utf-8").splitlines()
    return {piece: place for place, piece in enumerate(lines)}


@cache
def _tokenizer() -> Any:
    """Build a WordPiece tokenizer: lower case, no accents."""
    try:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    except ImportError:
        raise _missing("tokenizers") from None
    tokenizer = Tokenizer(models.WordPiece(dict(_vocabulary()), unk_token=_UNKNOWN, max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


@cache
def _session() -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise _missing("onnxruntime") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    with as_file(_folder().joinpath("network.onnx")) as file:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _folder() -> Any:
    return files("assay.github_app.rule_matching").joinpath("trained")


def _missing(package: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(f"the package {package} is not installed: install Assay with the extra `embed`")
