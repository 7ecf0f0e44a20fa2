"""Embedders: the one that ships works alone, the others ask as their services want it and believe nothing unseen."""

from __future__ import annotations

import socket

import numpy as np
import pytest

from assay.embedding import posting
from assay.embedding.embedder import EmbeddingSettings, EmbeddingUnavailable
from assay.embedding.register import EMBEDDERS
from tests.embedding.conftest import Answer, listed

KEY = "key-that-nobody-may-see"


def made(provider, service, **settings):
    return EMBEDDERS[provider](EmbeddingSettings(provider, base_url=service.url, **{"api_key": KEY, **settings}))


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr("assay.embedding.posting.time.sleep", lambda _: None)


# ------------------------------------------------------------------ the one that ships


def test_the_bundled_one_needs_no_network_and_puts_like_beside_like(monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection"))
    embedder = EMBEDDERS["bundled"](EmbeddingSettings())
    rows = embedder.embed(["close the file handle", "the file handle must be closed", "sort imports by name"])
    assert rows.shape[0] == 3
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_the_same_text_has_the_same_row_whatever_stands_beside_it():
    embedder = EMBEDDERS["bundled"](EmbeddingSettings())
    alone = embedder.embed(["no magic numbers"])[0]
    beside = embedder.embed(["x" * 5_000, "no magic numbers", "", "\ud800 half a character", "!?"])
    assert np.allclose(alone, beside[1], atol=1e-6)
    assert not beside[2].any()
    assert not beside[4].any()


def test_no_text_at_all_is_no_row():
    assert len(EMBEDDERS["bundled"](EmbeddingSettings()).embed([])) == 0


# ------------------------------------------------------------------ services


@pytest.mark.parametrize(
    ("provider", "settings", "path", "sent"),
    [
        ("voyage", {}, "/v1/embeddings", {"model": "voyage-3.5", "input": ["ab", "c"]}),
        (
            "voyage",
            {"model": "voyage-code-3", "num_dimensions": 256},
            "/v1/embeddings",
            {"model": "voyage-code-3", "output_dimension": 256, "input": ["ab", "c"]},
        ),
        (
            "openai_compatible",
            {"model": "nomic", "num_dimensions": 8},
            "/embeddings",
            {"model": "nomic", "encoding_format": "float", "dimensions": 8, "input": ["ab", "c"]},
        ),
    ],
)
def test_a_listing_service_is_asked_in_its_own_words(service, provider, settings, path, sent):
    service.answer = listed
    rows = made(provider, service, **settings).embed(["ab", "c"])
    (asked,) = service.asked
    assert (asked.path, asked.body) == (path, sent)
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert np.allclose(rows, [[2 / 5**0.5, 1 / 5**0.5], [1 / 2**0.5, 1 / 2**0.5]])


def test_many_texts_are_asked_for_in_batches_and_come_back_in_their_order(service):
    service.answer = listed
    rows = made("voyage", service).embed(["x" * (1 + place % 7) for place in range(200)])
    assert [len(asked.body["input"]) for asked in service.asked] == [96, 96, 8]
    assert np.allclose(rows[:, 0] / rows[:, 1], [1 + place % 7 for place in range(200)])


def test_an_empty_text_is_a_row_of_nothing(service):
    service.answer = listed
    rows = made("openai_compatible", service, model="m").embed(["  ", "ab"])
    assert not rows[0].any()
    assert rows[1].any()


def test_no_key_is_sent_where_there_is_none(service):
    service.answer = listed
    made("openai_compatible", service, model="m", api_key="").embed(["ab"])
    assert "authorization" not in service.asked[0].headers


def test_bedrock_asks_titan_one_by_one_and_cohere_in_batches(service):
    service.answer = lambda asked: Answer({"embedding": [float(len(asked.body["inputText"])), 0.0]})
    rows = made("bedrock", service, num_dimensions=256).embed(["ab", "", "c"])
    assert [asked.body for asked in service.asked] == [
        {"inputText": "ab", "dimensions": 256, "normalize": True},
        {"inputText": "c", "dimensions": 256, "normalize": True},
    ]
    assert service.asked[0].path == "/model/amazon.titan-embed-text-v2%3A0/invoke"
    assert rows.tolist() == [[1, 0], [0, 0], [1, 0]]
    service.asked.clear()
    service.answer = lambda asked: Answer({"embeddings": [[3.0, 4.0] for _ in asked.body["texts"]]})
    rows = made("bedrock", service, model="cohere.embed-english-v3").embed(["a", "b"])
    assert service.asked[0].body == {"texts": ["a", "b"], "input_type": "clustering"}
    assert np.allclose(rows, [[0.6, 0.8]] * 2)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(b"<html>", 200), "not JSON"),
        (Answer({"data": "x"}), "unknown response format"),
        (Answer({"data": []}), "0 rows for 2 texts"),
        (Answer({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}), "wrong ones"),
        (
            Answer({"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]}),
            "invalid row of numbers",
        ),
        (
            Answer(b'{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}'),
            "invalid row of numbers",
        ),
        (
            Answer({"data": [{"index": 0, "embedding": [True]}, {"index": 1, "embedding": ["1"]}]}),
            "invalid row of numbers",
        ),
        (Answer(b"x", 200, {"content-encoding": "gzip"}), "compressed"),
        (Answer({"error": f"bad key {KEY}"}, 401), "HTTP 401"),
        (Answer(b"", 302, {"location": "http://elsewhere.invalid/"}), "HTTP 302"),
    ],
)
def test_an_answer_that_does_not_fit_is_one_line_without_the_key(service, answer, said):
    service.answer = lambda _: answer
    with pytest.raises(EmbeddingUnavailable, match=said) as caught:
        made("voyage", service).embed(["ab", "cd"])
    assert KEY not in str(caught.value)
    assert not caught.value.may_pass
    assert len(service.asked) == 1


def test_what_may_pass_is_tried_again(service):
    answers = [Answer({}, 503), Answer({}, 429)]
    service.answer = lambda asked: answers.pop() if answers else listed(asked)
    assert made("voyage", service).embed(["ab"]).shape == (1, 2)
    assert len(service.asked) == 3
    service.answer = lambda _: Answer({}, 503)
    with pytest.raises(EmbeddingUnavailable, match="HTTP 503") as caught:
        made("voyage", service).embed(["ab"])
    assert caught.value.may_pass


def test_a_body_without_end_is_cut(service, monkeypatch):
    monkeypatch.setattr(posting, "MOST_BYTES", 1_000)
    service.answer = lambda _: Answer(b" " * 10_000)
    with pytest.raises(EmbeddingUnavailable, match="too large"):
        made("voyage", service).embed(["ab"])


def test_nobody_listening_may_pass(service):
    embedder = made("voyage", service)
    service.close()
    with pytest.raises(EmbeddingUnavailable, match="no connection") as caught:
        embedder.embed(["ab"])
    assert caught.value.may_pass


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (EmbeddingSettings("voyage"), "ASSAY_EMBEDDING_KEY"),
        (EmbeddingSettings("openai_compatible", base_url="http://x"), "ASSAY_EMBEDDING_MODEL"),
        (EmbeddingSettings("bedrock"), "ASSAY_EMBEDDING_KEY"),
        (EmbeddingSettings("bedrock", api_key=KEY, region="nowhere.evil/"), "ASSAY_EMBEDDING_REGION"),
        (EmbeddingSettings("voyage", api_key=KEY, base_url="file:///etc/passwd"), "http"),
        (EmbeddingSettings("voyage", api_key=KEY, base_url="https://user:pass@host"), "without a user"),
        (EmbeddingSettings("voyage", api_key="key\r\nx-other: 1"), "invalid characters"),
    ],
)
def test_what_is_not_set_up_says_what_to_set(settings, said):
    with pytest.raises(EmbeddingUnavailable, match=said):
        EMBEDDERS[settings.provider](settings)


def test_settings_never_show_the_key():
    assert KEY not in repr(EmbeddingSettings("voyage", api_key=KEY))
