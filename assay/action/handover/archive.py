"""Unpacking of the only file of an artifact's ZIP, in memory. Unusual archives are refused.

Programs find the files of a ZIP in different ways: by the central directory, by local headers, by the first or last of
several directories. So an archive is read only if all ways agree: one local header, its data, one directory, the end
record, and nothing before, between or after them. It is never written to disk.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator

from assay.github.errors import ArtifactRefused

MOST_RATIO = 400
"""Maximum compression ratio. A long report reaches 30, a file of zeros 1,000."""
_RATIO_IGNORED_BELOW = 64 * 1024
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_DESCRIPTOR_FOLLOWS = 0x0008
_DOS_FOLDER = 0x10
_NEW_MEANING = frozenset((0x0001, 0x7075))
"""Extra fields that override the sizes or the name."""
_FIELD = struct.Struct("<2H")
_LOCAL = struct.Struct("<4s5H3I2H")
_END = struct.Struct("<4s4H2IH")
_DESCRIPTORS = (struct.Struct("<3I"), struct.Struct("<4s3I"))


def only_file(archive: bytes, name: str, most_bytes: int) -> bytes:
    """Return the content of `name`, the only file of the archive. Raises `ArtifactRefused`."""
    entry, start_of_list = _listed(archive)
    _fitting(entry, name, most_bytes)
    return _unpacked(_packed(archive, entry, start_of_list, name), entry)


def _listed(archive: bytes) -> tuple[zipfile.ZipInfo, int]:
    """Return the only entry, and the offset of the central directory."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            entries, start = opened.infolist(), opened.start_dir
    # For malformed data the module also raises errors of its parts.
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, OSError, EOFError, IndexError):
        raise ArtifactRefused("the artifact is not a ZIP") from None
    if len(entries) != 1:
        raise ArtifactRefused(f"the artifact holds {len(entries)} entries instead of one file")
    if len(archive) < _END.size:
        raise ArtifactRefused("the artifact is not a ZIP")
    mark, disk, first_disk, num_here, num_all, size, offset, num_comment = _END.unpack(archive[-_END.size :])
    is_plain = (mark, disk, first_disk, num_here, num_all, num_comment) == (b"PK\5\6", 0, 0, 1, 1, 0)
    if not is_plain or offset != start or offset + size != len(archive) - _END.size:
        raise ArtifactRefused("the artifact's ZIP can be read in more than one way")
    return entries[0], start


def _fitting(entry: zipfile.ZipInfo, name: str, most_bytes: int) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    # The module cuts names at a NUL and changes separators; `orig_filename` is the stored name.
    if entry.filename != name or entry.orig_filename != name:
        raise ArtifactRefused(f"the artifact's file is not {name}")
    if kind not in (0, stat.S_IFREG) or entry.external_attr & _DOS_FOLDER:
        raise ArtifactRefused("the artifact's entry is not a regular file")
    if entry.flag_bits & _ENCRYPTED:
        raise ArtifactRefused("the artifact's file is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArtifactRefused("the artifact's file is packed in an unusual way")
    if _NEW_MEANING.intersection(_fields(entry.extra)):
        raise ArtifactRefused("the artifact's ZIP can be read in more than one way")
    if entry.file_size > most_bytes:
        raise ArtifactRefused(f"the artifact's file is larger than {most_bytes} bytes")
    if entry.file_size > max(_RATIO_IGNORED_BELOW, entry.compress_size * MOST_RATIO):
        raise ArtifactRefused("the artifact's file is compressed more than any report")


def _fields(extra: bytes) -> Iterator[int]:
    """Yield the kinds of the entry's extra fields; incomplete ones at the end are ignored."""
    while len(extra) >= _FIELD.size:
        kind, size = _FIELD.unpack(extra[: _FIELD.size])
        yield kind
        extra = extra[_FIELD.size + size :]


def _packed(archive: bytes, entry: zipfile.ZipInfo, start_of_list: int, name: str) -> bytes:
    """Return the packed bytes if the local header agrees with the central directory and there is no gap."""
    said = _ways(entry)
    if entry.header_offset != 0 or len(archive) < _LOCAL.size:
        raise ArtifactRefused("the artifact's ZIP does not begin with its file")
    mark, _, flags, method, _, _, *numbers, num_name, num_extra = _LOCAL.unpack(archive[: _LOCAL.size])
    begin = _LOCAL.size + num_name + num_extra
    end = begin + entry.compress_size
    is_same = (mark, method, flags, archive[_LOCAL.size : _LOCAL.size + num_name]) == (
        b"PK\3\4",
        entry.compress_type,
        entry.flag_bits,
        name.encode(),
    )
    behind = archive[end:start_of_list]
    if flags & _DESCRIPTOR_FOLLOWS:  # streaming writers, such as GitHub's, store the sizes after the data
        is_true = tuple(numbers) in (said, (0, 0, 0)) and _describes(behind, said)
    else:
        is_true = tuple(numbers) == said and not behind
    if not is_same or not is_true or end > start_of_list:
        raise ArtifactRefused("the artifact's ZIP has headers that contradict each other")
    return archive[begin:end]


def _ways(entry: zipfile.ZipInfo) -> tuple[int, int, int]:
    return entry.CRC, entry.compress_size, entry.file_size


def _describes(behind: bytes, said: tuple[int, int, int]) -> bool:
    """Return whether these bytes are the data descriptor of such a file, with or without signature."""
    plain, marked = _DESCRIPTORS
    return behind in (plain.pack(*said), marked.pack(b"PK\7\x08", *said))


def _unpacked(packed: bytes, entry: zipfile.ZipInfo) -> bytes:
    """Decompress at most the declared size, and verify the checksum."""
    content = packed
    if entry.compress_type == zipfile.ZIP_DEFLATED:
        unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            content = unpacking.decompress(packed, entry.file_size + 1)
        except zlib.error:
            raise ArtifactRefused("the artifact's file is damaged") from None
        if not unpacking.eof or unpacking.unused_data or unpacking.unconsumed_tail:
            raise ArtifactRefused("the artifact's file does not have its declared size")
    if len(content) != entry.file_size:
        raise ArtifactRefused("the artifact's file does not have its declared size")
    if zlib.crc32(content) != entry.CRC:
        raise ArtifactRefused("the artifact's file is damaged")
    return content
