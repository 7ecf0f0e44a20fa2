"""The one file of an artifact's ZIP: what is honest is read, everything else refused in a line of our own words."""

from __future__ import annotations

import io
import resource
import time
import zipfile
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.action.handover.archive import only_file
from assay.github.errors import ArtifactRefused
from assay.github.external_results.tools_payload import MOST_BODY_BYTES
from tests.examples import num_examples
from tests.github_app.action.archives import ARCHIVES, HONEST, NAME, Zip, described, of


def read(archive: bytes) -> bytes:
    return only_file(archive, NAME, MOST_BODY_BYTES)


@pytest.mark.parametrize(
    "archive",
    [
        of({NAME: HONEST}),
        of({NAME: HONEST}, zipfile.ZIP_STORED),
        of({NAME: b",".join(b"%d" % number for number in range(40_000))}),
        Zip().bytes(),
        Zip(attributes=0).bytes(),
        Zip(attributes=0x20).bytes(),
        described(),
        described(marked=False),
        described(b""),
    ],
    ids=lambda archive: f"{len(archive)} bytes",
)
def test_an_honest_archive_is_read_however_it_was_written(archive: bytes):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert read(archive) == opened.read(NAME)


@pytest.mark.parametrize("what", ARCHIVES)
def test_an_archive_with_anything_unusual_is_refused(what: str):
    archive = ARCHIVES[what]()
    if what == "an archive in an archive":  # it is a file like any other, and no JSON
        assert zipfile.is_zipfile(io.BytesIO(read(archive)))
        return
    began, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ArtifactRefused) as caught:
        read(archive)
    assert time.process_time() - began < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # kilobytes
    assert str(caught.value).isprintable()
    assert str(caught.value).startswith("the artifact")


@pytest.mark.parametrize("size", [MOST_BODY_BYTES - 1, MOST_BODY_BYTES])
def test_a_file_up_to_the_limit_is_read(size: int):
    content = (b"%d " * size)[:size]
    assert read(Zip(content, method=zipfile.ZIP_STORED).bytes()) == content


def test_a_file_over_the_limit_is_refused():
    with pytest.raises(ArtifactRefused, match="larger than 4194304 bytes"):
        read(Zip(b"x" * (MOST_BODY_BYTES + 1), method=zipfile.ZIP_STORED).bytes())


@settings(max_examples=num_examples(400), deadline=None)
@given(st.data())
def test_an_archive_damaged_anywhere_is_read_as_it_was_or_refused(data: st.DataObject):
    """Whatever single place is changed: the content is the honest one, by its sum, or there is none."""
    archive = bytearray(data.draw(st.sampled_from([Zip(HONEST * 20).bytes(), described(HONEST * 20)])))
    at = data.draw(st.integers(0, len(archive) - 1))
    archive[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=6))
    try:
        found = read(bytes(archive))
    except ArtifactRefused:
        return
    assert zlib.crc32(found) == zlib.crc32(HONEST * 20)


@settings(max_examples=num_examples(200), deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_refused_and_nothing_breaks(raw: bytes):
    with pytest.raises(ArtifactRefused):
        read(raw)
