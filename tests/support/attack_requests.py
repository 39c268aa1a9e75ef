"""Hostile HTTP requests and handshakes, as bytes: what each kind is, and what may never come back."""

from __future__ import annotations

import random
from collections.abc import Iterator

METHODS = (
    *("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "MKCOL", "FOO"),
    *("get", "GET\t", "G" * 5000, "DEBUG", "TRACK", "LOCK", "SEARCH", "PURGE", "LINK", "M-SEARCH"),
)
PATHS = (
    *("/../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/....//etc/passwd"),
    *(
        "/..;/etc/passwd",
        "/%00",
        "/studio.js%00.html",
        "/studio.js/",
        "//studio.js",
        "///etc/passwd",
    ),
    *("/%c0%ae%c0%ae/etc/passwd", "/%252e%252e/etc/passwd", "/..\\..\\windows\\win.ini", "/~root/"),
    *("/.git/config", "/.env", "/mine.toml", "/dist/studio.js", "/web/src/main.js", "/server.py"),
    *(
        "/sources.sha256",
        "/ws/../studio.js",
        "/?file=../../etc/passwd",
        "/%",
        "/%zz",
        "/" + "a" * 8000,
    ),
    *("/" + "../" * 800 + "etc/passwd", "/studio.js?" + "q=1&" * 4000, "/\u00e9", "/index.html"),
    *(
        "/proc/self/environ",
        "/static/..%5c..%5cetc/passwd",
        "/cgi-bin/test",
        "/favicon.svg/../mine.toml",
    ),
    *(
        "http://evil.example/",
        "*",
        "/#frag",
        "/;jsessionid=1",
        "/%0d%0aSet-Cookie:x=1",
        "/%2f%2fevil",
    ),
)
HOSTS = (
    *(
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:{port}.evil.example",
    ),
    *(
        "127.0.0.1:{port}@evil.example",
        "localhost.evil.example:{port}",
        "127.0.0.2:{port}",
        "0.0.0.0:{port}",
    ),
    *(
        "127.1:{port}",
        "2130706433:{port}",
        "0x7f000001:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "",
        " ",
        "\t",
    ),
    *(
        "127.0.0.1:{port}/",
        "127.0.0.1:{port}#",
        "127.0.0.1:0{port}",
        "127.0.0.1:{port}\x00",
        "a" * 3000,
    ),
    *(
        "127.0.0.1:{port}, evil.example",
        "127。0。0。1:{port}",
        "localhost",
        "xn--localhost-:{port}",
    ),
)
ORIGINS = (
    *("http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1", "file://"),
    *(
        "http://127.0.0.1:{port}.evil.example",
        "http://127.0.0.1:{port}@evil.example",
        "http://127.0.0.1:{port}/",
    ),
    *(
        "http://localhost:{port}",
        "HTTP://EVIL.EXAMPLE",
        "chrome-extension://abc",
        "http://127.0.0.1:1",
        " ",
    ),
    *(
        "http://127.0.0.1:{port} http://evil.example",
        "ws://127.0.0.1:{port}",
        "data:",
        "http://[::1]:{port}",
    ),
)
HEADERS = (
    *(
        "Range: bytes=0-",
        "Range: bytes=5-1",
        "Range: bytes=0-0,1-1," + "2-2," * 2000,
        "Range: lines=1",
    ),
    *("Range: bytes=-99999999999999999999", "If-Range: x", "If-None-Match: *", "If-Match: nope"),
    *(
        "Expect: 100-continue",
        "Upgrade: h2c",
        "Connection: keep-alive, Upgrade",
        "X-HTTP-Method: PUT",
    ),
    *(
        "X-Forwarded-Host: evil.example",
        "X-Original-URL: /../etc/passwd",
        "Forwarded: host=evil.example",
    ),
    *(
        "Accept-Encoding: " + "gzip," * 5000,
        "Cookie: " + "a=b; " * 5000,
        "Transfer-Encoding: chunked",
    ),
    *(
        "Content-Length: 5",
        "Content-Length: -1",
        "Content-Length: 99999999999",
        "Content-Length: 1e3",
    ),
    *(
        "X: \x00",
        "X: a\x0bb",
        "X : spaced",
        ": empty",
        "no colon",
        " folded",
        "X: \u2028",
        "Te: trailers",
    ),
    *("X-Y: " + "z" * 70000, "Host: evil.example", "Content-Length: 3\r\nContent-Length: 4"),
    *("Content-Length: 4\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, identity"),
)
LINES = (
    *(
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\n\n",
    ),
    *(
        b"GET  /  HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"SSH-2.0-x\r\n",
    ),
    *(
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x00" * 100,
        b"\xff" * 5000,
        b"GET / HTTP/1.0\r\n\r\n",
    ),
    *(b"GET / HTTP/1.1\r\n" * 50, b"A" * 70000, b"GET /" + b"a" * 70000, b"\r\n" * 5000, b"{}\n"),
    *(
        b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
        b"GET \x00 HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ),
    *(b"EHLO x\r\n", b"*1\r\n$4\r\nPING\r\n", b"\x05\x01\x00", b"GET / HTTP/1.1\rHost: x\r\r"),
)


def head(
    port: int, path: str = "/", method: str = "GET", host: str = "127.0.0.1:{port}", more: str = ""
) -> bytes:
    """A request that ends its connection."""
    text = f"{method} {path} HTTP/1.1\r\nHost: {host.format(port=port)}\r\n"
    return (text + (f"{more}\r\n" if more else "") + "Connection: close\r\n\r\n").encode("utf-8")


def upgrade(
    port: int, more: str = "", *, origin: str = "http://127.0.0.1:{port}", path: str = "/ws"
) -> bytes:
    """A WebSocket handshake with further headers."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {origin.format(port=port)}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{more}\r\n"
    ).encode()


def requests(port: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Kind and bytes of every request; after each the connection is closed by one side."""
    rng = random.Random(seed)
    for method in METHODS:
        yield "method", head(port, method=method)
        yield "method", head(port, "/ws", method=method)
    for path in PATHS:
        yield "path", head(port, path)
    for host in HOSTS:
        yield "host", head(port, host=host)
    for origin in ORIGINS:
        yield "origin", head(port, more=f"Origin: {origin.format(port=port)}")
        yield "origin of a socket", upgrade(port, origin=origin)
    for header in HEADERS:
        yield "header", head(port, more=header)
    for line in LINES:
        yield "malformed", line
    good = head(port)
    for _ in range(60):
        bad = bytearray(good)
        for _ in range(rng.randint(1, 6)):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        yield "mutated", bytes(bad)
    for more in (
        *("Sec-WebSocket-Key: short\r\n", "Sec-WebSocket-Version: 99\r\n", "Upgrade: x\r\n"),
        *(
            "Sec-WebSocket-Protocol: " + "p," * 3000 + "\r\n",
            "Sec-WebSocket-Extensions: x; y=z\r\n",
        ),
        *(
            "Content-Length: 10\r\n",
            "Transfer-Encoding: chunked\r\n",
            "Origin: http://evil.example\r\n",
        ),
    ):
        yield "handshake", upgrade(port, more)
    for key in (
        "Sec-WebSocket-Key",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
    ):
        yield "handshake", upgrade(port).replace(key.encode(), b"X-Gone")
    for path in ("/ws/", "/ws/x", "/WS", "/", "/studio.js"):
        yield "handshake", upgrade(port, path=path)


def tokens(port: int, token: str) -> Iterator[tuple[str, bytes]]:
    """Guesses at a token that none of these knows; a server with one is asked."""
    guesses = (
        "",
        "x",
        token[:-1],
        token + "x",
        token.upper(),
        token[::-1],
        "%00" + token,
        token + "%00",
    )
    for guess in (*guesses, "a" * 5000, "%ff", "true", "*", "' or '1'='1"):
        yield "token in the address", head(port, f"/?token={guess.replace(' ', '%20')}")
        yield "token in a cookie", head(port, more=f"Cookie: gough-token={guess}")
    for cookie in (
        *(
            f"gough-token={token[:4]}; gough-token=x",
            f"GOUGH-TOKEN={token}",
            f"gough-token ={token}x",
        ),
        *(
            "gough-token",
            "=x",
            "gough-token=\\073",
            'gough-token="',
            "; ; ;",
            "\u00ff=1",
            "a" * 4000,
        ),
    ):
        yield "cookie trick", head(port, more=f"Cookie: {cookie}")
    for more in (
        f"Authorization: Bearer {token}x",
        "Authorization: Basic Og==",
        f"Token: {token}",
        f"X-Token: {token}",
    ):
        yield "token elsewhere", head(port, more=more)
    yield "token of a socket", upgrade(port)
    yield "token of a socket", upgrade(port, path="/ws?token=guess")
