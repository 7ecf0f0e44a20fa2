"""Archives as strangers make them: each differs from an honest one in one thing. All are made here, none is kept."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass

NAME = "tools.json"
HONEST = b'{"version": 1}'


@dataclass(frozen=True)
class Zip:
    """An archive of one stored or packed entry, part by part, so that every part can lie."""

    content: bytes = HONEST
    name: bytes = NAME.encode()
    local_name: bytes | None = None
    method: int = zipfile.ZIP_DEFLATED
    flags: int = 0
    attributes: int = (stat.S_IFREG | 0o644) << 16
    crc: int | None = None
    file_size: int | None = None
    compress_size: int | None = None
    local_size: int | None = None
    packed: bytes | None = None
    extra: bytes = b""
    before: bytes = b""
    between: bytes = b""
    after: bytes = b""
    comment: bytes = b""
    num_entries: int = 1
    descriptor: bytes | None = None
    entries: int = 1

    def bytes(self) -> bytes:
        packed = self.packed if self.packed is not None else _packed(self.content, self.method)
        crc = zlib.crc32(self.content) if self.crc is None else self.crc
        size = len(self.content) if self.file_size is None else self.file_size
        num_packed = len(packed) if self.compress_size is None else self.compress_size
        local_name = self.name if self.local_name is None else self.local_name
        told = (0, 0, 0) if self.descriptor is not None else (crc, num_packed, self.local_size or size)
        local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, self.flags, self.method, 0, 0x21, *told, len(local_name), 0)
        front = self.before + local + local_name + packed + (self.descriptor or b"") + self.between
        listed = b"".join(
            struct.pack(
                "<4s6H3I5H2I", b"PK\1\2", 0x0314, 20, self.flags, self.method, 0, 0x21, crc, num_packed, size,
                len(self.name), len(self.extra), 0, 0, 0, self.attributes, len(self.before),
            ) + self.name + self.extra
            for _ in range(self.entries)
        )  # fmt: skip
        end = struct.pack(
            "<4s4H2IH", b"PK\5\6", 0, 0, self.num_entries, self.num_entries, len(listed), len(front), len(self.comment)
        )
        return front + listed + end + self.comment + self.after


def _packed(content: bytes, method: int) -> bytes:
    if method != zipfile.ZIP_DEFLATED:
        return content
    packing = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packing.compress(content) + packing.flush()


def described(content: bytes = HONEST, *, marked: bool = True) -> bytes:
    """As GitHub's own upload writes it: the numbers stand behind the data."""
    packed = _packed(content, zipfile.ZIP_DEFLATED)
    numbers = struct.pack("<3I", zlib.crc32(content), len(packed), len(content))
    return Zip(content, flags=8, descriptor=(b"PK\7\x08" if marked else b"") + numbers).bytes()


def of(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """As Python's own module writes it."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return kept.getvalue()


def with_second_list() -> bytes:
    """Two whole archives behind each other: some programs read the first list, some the last."""
    return of({NAME: b'{"version": 2}'}) + of({NAME: HONEST})


def with_hidden_file() -> bytes:
    """A second file that stands in no list."""
    hidden = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0x21, zlib.crc32(b"x"), 1, 1, 4, 0) + b"evil" + b"x"
    return Zip(between=hidden).bytes()


def overlapping(num: int = 200) -> bytes:
    """Many names for the same data: a small archive that unpacks to a large one."""
    return Zip(b"\0" * 4_000_000, entries=num, num_entries=num).bytes()


def quine_like(depth: int = 3) -> bytes:
    """An archive in an archive in an archive, each named as the file that is looked for."""
    content = HONEST
    for _ in range(depth):
        content = of({NAME: content})
    return content


def renamed(name: str) -> Callable[[], bytes]:
    return lambda: Zip(name=name.encode("utf-8", "surrogateescape")).bytes()


def unix(kind: int) -> Callable[[], bytes]:
    return lambda: Zip(b"/etc/passwd", attributes=(kind | 0o777) << 16).bytes()


GIGABYTE = 1024**3


def zeros(size: int = GIGABYTE) -> bytes:
    """A gigabyte of zeros, packed as well as can be: a megabyte."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    piece, crc = b"\0" * 2**20, 0
    # After a full flush no block refers to an earlier one, so one packed piece can be repeated.
    packed = packing.compress(piece) + packing.flush(zlib.Z_FULL_FLUSH)
    num = size // len(piece)
    for _ in range(num):
        crc = zlib.crc32(piece, crc)
    return Zip(packed=packed * num + packing.flush(), crc=crc, file_size=size).bytes()


ARCHIVES: dict[str, Callable[[], bytes]] = {
    "nothing at all": lambda: b"",
    "a page of HTML": lambda: b"<!doctype html><title>Sign in</title>" + b"<p>x</p>" * 100,
    "JSON without an archive": lambda: HONEST,
    "cut off in the middle": lambda: Zip(b"x" * 5_000, method=zipfile.ZIP_STORED).bytes()[:-30],
    "without its last byte": lambda: Zip().bytes()[:-1],
    "only an end": lambda: struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0, 0, 0, 0, 0),
    "an end that lists one entry too many": lambda: Zip(num_entries=2).bytes(),
    "a second file": lambda: of({NAME: HONEST, "report.json": b"{}"}),
    "the same file twice": lambda: Zip(entries=2, num_entries=2).bytes(),
    "a folder before the file": lambda: of({"folder/": b"", NAME: HONEST}),
    "a folder": renamed("tools.json/"),
    "another name": renamed("report.json"),
    "an absolute name": renamed("/tools.json"),
    "a name that leads out": renamed("../tools.json"),
    "a name that leads out and back": renamed("x/../tools.json"),
    "a name in a folder": renamed("./tools.json"),
    "a Windows name": renamed("..\\tools.json"),
    "a drive": renamed("C:tools.json"),
    "a name that goes on behind a NUL": renamed("tools.json\0.exe"),
    "a name in capitals": renamed("TOOLS.JSON"),
    "a name with a line end": renamed("tools.json\n::set-output name=x::y"),
    "another name in front than in the list": lambda: Zip(local_name=b"report.js!").bytes(),
    "a symlink": unix(stat.S_IFLNK),
    "a device": unix(stat.S_IFCHR),
    "a block device": unix(stat.S_IFBLK),
    "a pipe": unix(stat.S_IFIFO),
    "a socket": unix(stat.S_IFSOCK),
    "a folder by its attributes": unix(stat.S_IFDIR),
    "a folder by its DOS attributes": lambda: Zip(attributes=0x10).bytes(),
    "encrypted": lambda: Zip(flags=0x1).bytes(),
    "strongly encrypted": lambda: Zip(flags=0x41).bytes(),
    "a masked list": lambda: Zip(flags=0x2000).bytes(),
    "packed by bzip2": lambda: of({NAME: HONEST * 100}, zipfile.ZIP_BZIP2),
    "packed by LZMA": lambda: of({NAME: HONEST * 100}, zipfile.ZIP_LZMA),
    "packed in a way nobody knows": lambda: Zip(method=99).bytes(),
    "a wrong sum": lambda: Zip(crc=1).bytes(),
    "damaged data": lambda: Zip(packed=b"\xff" * 20).bytes(),
    "shorter than declared": lambda: Zip(file_size=len(HONEST) + 1).bytes(),
    "longer than declared": lambda: Zip(HONEST * 2, file_size=len(HONEST), crc=zlib.crc32(HONEST)).bytes(),
    "stored, longer than declared": lambda: Zip(
        HONEST * 2, method=zipfile.ZIP_STORED, file_size=len(HONEST), crc=zlib.crc32(HONEST)
    ).bytes(),
    "another size in front": lambda: Zip(local_size=99).bytes(),
    "packed data that is declared shorter": lambda: Zip(compress_size=3).bytes(),
    "packed data that reaches into the list": lambda: Zip(compress_size=60).bytes(),
    "packed data that reaches beyond the end": lambda: Zip(compress_size=2**31).bytes(),
    "something behind the packed data": lambda: Zip(packed=_packed(HONEST, 8) + b"tail").bytes(),
    "a descriptor that says something else": lambda: Zip(
        flags=8, descriptor=struct.pack("<4s3I", b"PK\7\x08", 1, 2, 3)
    ).bytes(),
    "a descriptor that is missing": lambda: Zip(flags=8).bytes(),
    "a descriptor nobody announced": lambda: Zip(between=struct.pack("<3I", 0, 0, 0)).bytes(),
    "something before it": lambda: Zip(before=b"#!/bin/sh\n").bytes(),
    "something before it that the list counts on": lambda: b"junk" + Zip().bytes(),
    "something behind it": lambda: Zip(after=b"PK\5\6").bytes(),
    "a comment": lambda: Zip(comment=b"hello").bytes(),
    "a comment that is an archive": lambda: Zip(comment=of({NAME: b"{}"})).bytes(),
    "two lists": with_second_list,
    "a file in no list": with_hidden_file,
    "names that share their data": overlapping,
    "an archive in an archive": quine_like,
    "a large file that is stored": lambda: Zip(b"x" * 5_000_000, method=zipfile.ZIP_STORED).bytes(),
    "a large file that packs well": lambda: Zip(b"\0" * 4_000_000).bytes(),
    "a gigabyte of zeros": zeros,
    "a gigabyte of zeros that claims to be small": lambda: Zip(
        packed=_packed(b"\0" * 50_000_000, 8), file_size=1_000, crc=zlib.crc32(b"\0" * 1_000)
    ).bytes(),
    "a name that another field replaces": lambda: Zip(
        extra=struct.pack("<HHBI", 0x7075, 5 + 5, 1, zlib.crc32(NAME.encode())) + b"other"
    ).bytes(),
    "sizes in a field for giants": lambda: Zip(
        extra=struct.pack("<HHQQ", 1, 16, len(HONEST), 2**40), file_size=0xFFFFFFFF, compress_size=0xFFFFFFFF
    ).bytes(),
}  # fmt: skip
"""What it is -> how it is made. None of these may be read."""
