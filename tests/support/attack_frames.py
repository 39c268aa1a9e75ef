"""Broken WebSocket frames, as bytes sent after a good handshake, and messages that ask for what they may not."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from support.studio_messages import Maker

NAMES = (
    *(
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "${title}",
        "@@DATA@@",
        "{{7*7}}",
    ),
    *(
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\u202egnp.exe",
        "\u200b",
        "a\u0000b",
        "\ud800",
    ),
    *(
        "</script><script>",
        "<!--",
        "]]>",
        "'; DROP TABLE x; --",
        "%s%n",
        "\r\nX: y",
        "\\u003c",
        "A" * 10000,
    ),
)
FILES = (
    *(
        "link.toml",
        "inner.toml",
        "linked/secret.toml",
        "pipe.toml",
        "pipe.csv",
        "device.toml",
        ".hidden.toml",
    ),
    *(
        "../secret.toml",
        "/etc/passwd",
        "sub/../../secret.toml",
        "..\\secret.toml",
        "C:\\x.toml",
        "folder.toml",
    ),
    *(
        "a.toml\u0000",
        "file:///etc/passwd.toml",
        "~/x.toml",
        "",
        ".",
        "x" * 300 + ".toml",
        "mine.toml/x.toml",
    ),
    *(
        "nothing.toml",
        "mine.exe",
        "\u2025/secret.toml",
        "sub/.x.toml",
        "CON.toml:",
        "binary.toml",
        "huge.toml",
    ),
)
TEXTS = (
    *("", "null", "[]", "1", '"x"', "{}", "{" * 5000, "[" * 100_000, "NaN", "-Infinity", "1e999", "\x00"),
    *('{"type":1,"id":1}', '{"type":"Hello"}', '{"type":"Nope","id":1}', '{"id":1,"id":2}'),
    '{"type":"__init__","id":1}',
    *('{"type":"Hello","id":1,"protocol":1}', '{"type":"Hello","id":1e400}', '{"type":"Hello","id":NaN}'),
    *('{"type":"Hello","id":9007199254740993}', '{"type":"Hello","id":true}', '{"type":"Hello","id":1,"x":1}'),
    '{"type":"SolvePose","id":1,"pose":{"position":[0,0,NaN]}}',
    '{"type":"SolvePose","id":1,"pose":{"position":[0,0,1e308],"pivot":[1e308,1e308,1e308]}}',
    '{"type":"SolvePose","id":1,"pose":{"position":[0,0]}}',
    '{"type":"SolvePose","id":1,"pose":{"position":"' + "9" * 100_000 + '"}}',
    '{"type":"SolvePose","id":1,"pose":{"position":[' + "9" * 5000 + ',0,1]}}',
    '{"type":"SetMachine","id":1,"document":' + '{"a":' * 500 + "1" + "}" * 500 + "}",
    '{"type":"SetMachine","id":1,"document":{"legs":[' + "[]," * 200_000 + "1]}}",
    '{"type":"SetMachine","id":1,"document":{"__class__":"os.system"}}',
    '{"type":"Restate","id":1,"rows":[' + "[0,0,0,0,0,0]," * 4000 + "[0,0,0,0,0,0]]}",
    '{"type":"MakeMotion","id":1,"kind":"demo","samples":1000000000}',
    '{"type":"MakeMotion","id":1,"kind":"waypoints","waypoints":[' + "[]," * 4000 + "[]]}",
    '{"type":"MakeMotion","id":1,"kind":"demo","formulations":[' + '"exact",' * 4000 + '"exact"]}',
    '{"type":"SliceWorkspace","id":1,"pose":{"position":[0,0,1]},"points":100000}',
    '{"type":"Simulate","id":1,"motion":{"id":1,"kind":"demo","duration":3600},"step":1e-6}',
    '{"type":"OpenMachine","id":1,"source":"text","text":"' + "[a]\\n" * 50_000 + '"}',
    '{"type":"OpenMachine","id":1,"source":"text","text":"' + "a=[" * 50_000 + '"}',
    '{"type":"Cancel","id":12345}',
    "x" * 1_100_000,
)  # fmt: skip


def frame(
    opcode: int, data: bytes, *, first: int = 0x80, mask: bool = True, claim: int | None = None
) -> bytes:
    """One frame; `claim` is the length it says it has, `first` the bits beside the opcode."""
    size = len(data) if claim is None else claim
    bit = 0x80 if mask else 0
    head = bytes([first | opcode])
    if size < 126:
        head += bytes([bit | size])
    elif size < 65536:
        head += bytes([bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", size)
    return head + (b"\0\0\0\0" if mask else b"") + data


def bomb(size: int) -> bytes:
    """`size` zeros, deflated as the extension permessage-deflate wants them."""
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (squeezed.compress(b"0" * size) + squeezed.flush(zlib.Z_SYNC_FLUSH))[:-4]


def frames() -> Iterator[tuple[str, bytes, str]]:
    """Kind, bytes after the handshake, further headers of the handshake."""
    text = b'{"type":"GetToml","id":1}'
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        yield "reserved opcode", frame(opcode, b"x"), ""
    for bits in (0x90, 0xA0, 0xC0, 0xF0):
        yield "reserved bit", frame(1, text, first=bits), ""
    for opcode in (1, 2, 8, 9, 10):
        yield "unmasked", frame(opcode, b"x", mask=False), ""
    for opcode in (8, 9, 10):
        yield "long control frame", frame(opcode, b"x" * 126), ""
        yield "fragmented control frame", frame(opcode, b"x", first=0), ""
    for claim in (10**7, 2**31, 2**62, 2**63, 2**64 - 1):
        yield "claimed length", frame(1, b"x", claim=claim), ""
    yield "continuation of nothing", frame(0, b"x"), ""
    yield "begun twice", frame(1, b"a", first=0) + frame(1, b"b"), ""
    yield "many fragments", frame(1, b"[", first=0) + frame(0, b"[", first=0) * 20_000, ""
    yield "empty fragments", frame(1, b"", first=0) + frame(0, b"", first=0) * 20_000, ""
    yield (
        "fragments without end",
        frame(1, b"x" * 60_000, first=0) + frame(0, b"x" * 60_000, first=0) * 80,
        "",
    )
    for bad in (b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"ok\xe2\x82"):
        yield "broken text", frame(1, bad), ""
    for code in (0, 999, 1004, 1005, 1006, 1015, 2999, 65535):
        yield "close code", frame(8, struct.pack(">H", code)), ""
    yield "close of one byte", frame(8, b"x"), ""
    yield "close with broken text", frame(8, struct.pack(">H", 1000) + b"\xff"), ""
    yield "after the close", frame(8, struct.pack(">H", 1000)) + frame(1, text) * 50, ""
    yield "ping flood", frame(9, b"x" * 125) * 5000, ""
    yield "pong flood", frame(10, b"x" * 125) * 5000, ""
    yield "half a frame", frame(1, text)[:5], ""
    yield "half a head", b"\x81", ""
    yield "HTTP inside", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", ""
    yield "binary message", frame(2, bytes(range(256))), ""
    yield "pickle", frame(2, b"\x80\x04\x95\x00\x00\x00\x00"), ""
    extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n"
    for size in (10**6, 10**7, 10**8):
        yield "compression bomb", frame(1, bomb(size), first=0xC0), extension
    yield "broken compression", frame(1, b"\xff" * 100, first=0xC0), extension
    yield (
        "bomb in fragments",
        frame(1, bomb(10**7), first=0x40) + frame(0, b"", first=0x80),
        extension,
    )
    for bits in (
        "server_max_window_bits=99",
        "client_max_window_bits=7",
        "x=y",
        "server_no_context_takeover=1",
    ):
        yield (
            "extension",
            frame(1, text),
            f"Sec-WebSocket-Extensions: permessage-deflate; {bits}\r\n",
        )


def messages(seed: int, drawn: int) -> Iterator[tuple[str, str]]:
    """Kind and text of messages that are refused, or do no harm."""

    def said(type_: str, **fields: Any) -> str:
        return json.dumps({"type": type_, "id": 7, **fields})

    for text in TEXTS:
        yield "message", text
    for name in FILES:
        yield "file", said("OpenMachine", source="file", name=name)
        yield "file as a motion", said("MakeMotion", kind="file", file=name, samples=3)
        if name not in (
            "nothing.toml",
            "\u2025/secret.toml",
            "~/x.toml",
            "huge.toml",
            "binary.toml",
        ):
            yield "file to write", said("SaveMachine", name=name, overwrite=False)
    for name in NAMES:
        toml = f"name = {json.dumps(name)}\n"
        yield "name in a file", said("OpenMachine", source="text", text=toml, name=name)
        yield "name of a preset", said("OpenMachine", source="preset", name=name)
        yield "name in a path", said("MakeMotion", kind=name, samples=3)
    maker = Maker(seed)
    while drawn:
        made = maker.message()
        if made.get("type") != "SaveMachine":
            drawn -= 1
            yield f"drawn {made.get('type')}", json.dumps(made)
