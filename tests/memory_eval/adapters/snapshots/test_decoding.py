"""Pickles and MessagePack become plain data or are refused, whatever their bytes are."""

from __future__ import annotations

import contextlib
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.adapters.snapshots.decoding.msgpack import MOST_DEPTH, NotMsgpack, decoded_msgpack
from assay.memory_eval.adapters.snapshots.decoding.pickle_data import Instance, PickleRefused, decoded_pickle
from tests.memory_eval.adapters.snapshots.msgpack_writer import packed

ALLOWED = {("qdrant_client.http.models.models", "PointStruct")}


@given(st.binary(max_size=300))
def test_any_bytes_are_a_pickle_s_data_or_refused(data: bytes):
    with contextlib.suppress(PickleRefused):
        decoded_pickle(data, ALLOWED)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
    max_leaves=20,
)


@given(plain, st.integers(2, 5))
def test_plain_data_comes_back_from_a_pickle(value: object, protocol: int):
    assert decoded_pickle(pickle.dumps(value, protocol), ALLOWED) == value


def test_an_allowed_class_becomes_labelled_data():
    head = b"\x80\x04\x8c\x20qdrant_client.http.models.models\x8c\x0bPointStruct\x93)\x81}\x8c\x02id\x8c\x01asb."
    point = decoded_pickle(head, ALLOWED)
    assert isinstance(point, Instance)
    assert point.state == {"id": "a"}


# ------------------------------------------------------------------ msgpack


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values)
def test_msgpack_comes_back(value: object):
    assert decoded_msgpack(packed(value)) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_msgpack_or_refused(data: bytes):
    with contextlib.suppress(NotMsgpack):
        decoded_msgpack(data)


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
        decoded_msgpack(data)
