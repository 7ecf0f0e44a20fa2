"""The one file inside an artifact's ZIP, unpacked in memory. An archive with anything unusual about it is refused.

Every program that reads a ZIP finds its files in a way of its own: by the list at the end, by the headers in front,
from the first or the last of several lists. So the only archive that is read is one that all of them read alike: one
header, its data, one list, the end, nothing before, between or behind. It is never written to disk.
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
"""Ours: how many times smaller a file may be packed. A long report comes to 30, a file of zeros to 1,000."""
_NOT_JUDGED_BELOW = 64 * 1024
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_DESCRIPTOR_FOLLOWS = 0x0008
_DOS_FOLDER = 0x10
_NEW_MEANING = frozenset((0x0001, 0x7075))
"""Further fields that put other sizes, or another name, in the place of those that stand there."""
_FIELD = struct.Struct("<2H")
_LOCAL = struct.Struct("<4s5H3I2H")
_END = struct.Struct("<4s4H2IH")
_DESCRIPTORS = (struct.Struct("<3I"), struct.Struct("<4s3I"))


def only_file(archive: bytes, name: str, most_bytes: int) -> bytes:
    """The content of the file `name`, which is all there is in the archive; raises `ArtifactRefused`, in our words."""
    entry, start_of_list = _listed(archive)
    _fitting(entry, name, most_bytes)
    return _unpacked(_packed(archive, entry, start_of_list, name), entry)


def _listed(archive: bytes) -> tuple[zipfile.ZipInfo, int]:
    """The one entry of the one list, and where the list begins."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            entries, start = opened.infolist(), opened.start_dir
    # Besides its own error the module lets through what its parts raise over nonsense.
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, OSError, EOFError, IndexError):
        raise ArtifactRefused("the artifact is not a ZIP") from None
    if len(entries) != 1:
        raise ArtifactRefused(f"the artifact holds {len(entries)} entries, not the one file that belongs there")
    if len(archive) < _END.size:
        raise ArtifactRefused("the artifact is not a ZIP")
    mark, disk, first_disk, num_here, num_all, size, offset, num_comment = _END.unpack(archive[-_END.size :])
    is_plain = (mark, disk, first_disk, num_here, num_all, num_comment) == (b"PK\5\6", 0, 0, 1, 1, 0)
    if not is_plain or offset != start or offset + size != len(archive) - _END.size:
        raise ArtifactRefused("the artifact's ZIP can be read in more than one way")
    return entries[0], start


def _fitting(entry: zipfile.ZipInfo, name: str, most_bytes: int) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    # The module cuts names at a NUL and turns separators round; what stood there is `orig_filename`.
    if entry.filename != name or entry.orig_filename != name:
        raise ArtifactRefused(f"the artifact's file is not {name}")
    if kind not in (0, stat.S_IFREG) or entry.external_attr & _DOS_FOLDER:
        raise ArtifactRefused("the artifact's entry is no regular file")
    if entry.flag_bits & _ENCRYPTED:
        raise ArtifactRefused("the artifact's file is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArtifactRefused("the artifact's file is packed in an unusual way")
    if _NEW_MEANING.intersection(_fields(entry.extra)):
        raise ArtifactRefused("the artifact's ZIP can be read in more than one way")
    if entry.file_size > most_bytes:
        raise ArtifactRefused(f"the artifact's file is larger than {most_bytes} bytes")
    if entry.file_size > max(_NOT_JUDGED_BELOW, entry.compress_size * MOST_RATIO):
        raise ArtifactRefused("the artifact's file is packed as no report is")


def _fields(extra: bytes) -> Iterator[int]:
    """The kinds of the entry's further fields; what is left over at their end is none."""
    while len(extra) >= _FIELD.size:
        kind, size = _FIELD.unpack(extra[: _FIELD.size])
        yield kind
        extra = extra[_FIELD.size + size :]


def _packed(archive: bytes, entry: zipfile.ZipInfo, start_of_list: int, name: str) -> bytes:
    """The packed bytes, where the header in front says the same as the list and everything fits without a gap."""
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
    if flags & _DESCRIPTOR_FOLLOWS:  # what writes as it packs, as GitHub's own does, knows the numbers only behind it
        is_true = tuple(numbers) in (said, (0, 0, 0)) and _describes(behind, said)
    else:
        is_true = tuple(numbers) == said and not behind
    if not is_same or not is_true or end > start_of_list:
        raise ArtifactRefused("the artifact's ZIP says one thing in front and another at its end")
    return archive[begin:end]


def _ways(entry: zipfile.ZipInfo) -> tuple[int, int, int]:
    return entry.CRC, entry.compress_size, entry.file_size


def _describes(behind: bytes, said: tuple[int, int, int]) -> bool:
    """Whether these bytes are the descriptor of such a file, with its mark or without."""
    plain, marked = _DESCRIPTORS
    return behind in (plain.pack(*said), marked.pack(b"PK\7\x08", *said))


def _unpacked(packed: bytes, entry: zipfile.ZipInfo) -> bytes:
    """The content, never more of it than was declared; its sum is checked."""
    content = packed
    if entry.compress_type == zipfile.ZIP_DEFLATED:
        unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            content = unpacking.decompress(packed, entry.file_size + 1)
        except zlib.error:
            raise ArtifactRefused("the artifact's file is damaged") from None
        if not unpacking.eof or unpacking.unused_data or unpacking.unconsumed_tail:
            raise ArtifactRefused("the artifact's file is not as long as it says")
    if len(content) != entry.file_size:
        raise ArtifactRefused("the artifact's file is not as long as it says")
    if zlib.crc32(content) != entry.CRC:
        raise ArtifactRefused("the artifact's file is damaged")
    return content
