"""Pickles become plain data or are refused, whatever their bytes are."""

from __future__ import annotations

import contextlib
import pickle

from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.adapters.snapshots.pickle_data import Instance, PickleRefused, decoded_pickle

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


def test_a_shared_list_is_read():
    shared = ["a", 1, None]
    assert decoded_pickle(pickle.dumps({"a": shared, "b": [shared]}, 4), ALLOWED) == {"a": shared, "b": [shared]}
