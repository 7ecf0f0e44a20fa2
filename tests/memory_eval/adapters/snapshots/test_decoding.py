"""Pickles and MessagePack become plain data or are refused, whatever their bytes are."""

from __future__ import annotations

import contextlib
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.adapters.snapshots.decoding.msgpack import MOST_DEPTH, MOST_VALUES, Msgpack, NotMsgpack
from assay.memory_eval.adapters.snapshots.decoding.pickle_data import Instance, PickleRefused, decoded_pickle
from assay.memory_eval.adapters.snapshots.object_text import text_of
from tests.memory_eval.adapters.snapshots.msgpack_writer import packed

ALLOWED = {("qdrant_client.http.models.models", "PointStruct")}


@given(st.binary(max_size=300))
def test_any_bytes_are_a_pickle_s_data_or_refused(data: bytes):
    with contextlib.suppress(PickleRefused):
        decoded_pickle(data, ALLOWED)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()


def nested(leaves: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
        max_leaves=20,
    )


# In protocol 2 bytes are a call.
@given(st.tuples(nested(scalars), st.just(2)) | st.tuples(nested(scalars | st.binary()), st.integers(3, 5)))
def test_plain_data_comes_back_from_a_pickle(written: tuple[object, int]):
    value, protocol = written
    assert decoded_pickle(pickle.dumps(value, protocol), ALLOWED) == value


def test_an_allowed_class_becomes_labelled_data():
    head = b"\x80\x04\x8c\x20qdrant_client.http.models.models\x8c\x0bPointStruct\x93)\x81}\x8c\x02id\x8c\x01asb."
    point = decoded_pickle(head, ALLOWED)
    assert isinstance(point, Instance)
    assert point.state == {"id": "a"}


def doubled(first: bytes, times: int, pair: bytes) -> bytes:
    """Return a pickle whose data doubles with every step: each container holds the one before it twice."""
    steps = b"".join(b"q" + bytes([n]) + pair.replace(b"?", b"h" + bytes([n])) for n in range(times))
    return b"\x80\x02" + first + steps + b"."


@pytest.mark.cpu(20)
@pytest.mark.parametrize(
    "data",
    [
        doubled(b"]", 40, b"](??e"),
        doubled(b"]", 40, b"}(K\x01?K\x02?u"),
        doubled(b")", 40, b"(??t"),
        # The pairs are a key of a dictionary: its hash visits all of them.
        doubled(b")", 40, b"(??t")[:-1] + b"q\x28}h\x28K\x01s.",
        # A list grows after it was repeated.
        b"\x80\x02](" + b"]q\x00" + b"h\x00" * 3000 + b"e0"[:1] + b"h\x00(" + b"K\x01" * 3000 + b"e\x86.",
        b"\x80\x02]q\x00h\x00a.",
        b"\x80\x02](X\x00\x00\x10\x00" + b"x" * 2**20 + b"q\x00" + b"h\x00" * 1000 + b"e.",
        b"\x80\x04\x8c\x20qdrant_client.http.models.models\x8c\x0bPointStruct\x93)\x81}q\x00("
        + b"".join(b"M" + number.to_bytes(2, "little") + b"N" for number in range(20_000))
        + b"ub"
        + b"h\x00b" * 100_000
        + b".",
    ],
    ids=["lists", "values", "tuples", "key", "grown", "itself", "text", "attributes"],
)
def test_a_small_pickle_of_large_data_is_refused(data: bytes):
    with pytest.raises(PickleRefused):
        text_of(decoded_pickle(data, ALLOWED))


def test_a_shared_list_is_read():
    shared = ["a", 1, None]
    assert decoded_pickle(pickle.dumps({"a": shared, "b": [shared]}, 4), ALLOWED) == {"a": shared, "b": [shared]}


# ------------------------------------------------------------------ msgpack


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values)
def test_msgpack_comes_back(value: object):
    assert Msgpack().decoded(packed(value)) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_msgpack_or_refused(data: bytes):
    with contextlib.suppress(NotMsgpack):
        Msgpack().decoded(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\x91" * (MOST_DEPTH + 5) + b"\xc0",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\x7f\xff\xff\xff\xc0\xc0",
        b"\xc6\xff\xff\xff\xffx",
        b"\xc1",
        b"\xc0\xc0",
        b"\x81\x90\xc0",
        b"",
    ],
)
def test_bombs_and_cut_off_msgpack_are_refused(data: bytes):
    with pytest.raises(NotMsgpack):
        Msgpack().decoded(data)


def test_small_values_are_counted_over_every_message_inside():
    half = b"\xdd" + (MOST_VALUES // 2).to_bytes(4, "big") + b"\x80" * (MOST_VALUES // 2)
    decoder = Msgpack()
    assert decoder.decoded(half) == [{}] * (MOST_VALUES // 2)
    with pytest.raises(NotMsgpack):
        decoder.decoded(half)
