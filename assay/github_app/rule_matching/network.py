"""What a small network makes of comments: whether one holds a rule, and whether two give the same advice.

It has read some ten thousand comments in many wordings (docs/learning/comparing.md says which and how), ships with the
package and needs no network, key or second processor. What it says is a number to be weighed, never a verdict: it is
good at "the same words, the opposite advice", and poor at telling that two comments have nothing to do with each other.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import as_file, files
from typing import Any

from assay.embedding.embedder import EmbeddingUnavailable

MOST_PIECES = 62
"""Pieces of words that are read of each text: the network was taught on texts of up to that length."""

MOST_CHARACTERS = 1_500
"""More characters never make fewer pieces than are read."""

BOUND = 6.0
"""Opinions lie between minus this and this, in the unit of log odds."""

HARDLY_MORE = 2.5
"""Of two comments that do not share most of their words it is hardly ever surer than this."""

_BEGIN, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


def alike(a: str, b: str) -> float:
    """How sure the network is that two comments give the same advice, whichever comes first.

    Raises `EmbeddingUnavailable` where what runs it is not installed.
    """
    return _alike(*sorted((a[:MOST_CHARACTERS], b[:MOST_CHARACTERS])))


def holds_rule(text: str) -> float:
    """How sure the network is that a comment holds advice for other changes too. Raises `EmbeddingUnavailable`."""
    return _holds_rule(text[:MOST_CHARACTERS])


@lru_cache(maxsize=8192)
def _alike(a: str, b: str) -> float:
    opinion = (_opinions(a, b)[0] + _opinions(b, a)[0]) / 2
    return round(max(-BOUND, min(BOUND, opinion)), 4)


@lru_cache(maxsize=8192)
def _holds_rule(text: str) -> float:
    return round(_opinions(text)[1], 4)


def _opinions(*texts: str) -> tuple[float, float]:
    """Log odds that two texts give the same advice, and that one text holds a rule; one means nothing for the other.

    One at a time: how numbers are rounded depends on all that is computed together, and an answer must not depend on
    what else was asked.
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
    """Words cut into known pieces, in lower case and without accents."""
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
    return EmbeddingUnavailable(f"the package {package} is not installed: take Assay's extra `embed`")
