"""The gate: every route and method, foreign hosts and origins, tokens."""

from __future__ import annotations

import asyncio
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

import gough
from gough.studio import gate, server
from gough.studio.workfolder import WorkFolder

HOST, PORT = "127.0.0.1", 8642
OWN = f"{HOST}:{PORT}"
METHODS = (
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PROPFIND",
    "FOO",
)


def ask(
    app: Any,
    path: str = "/",
    method: str = "GET",
    headers: dict[str, str] | list[tuple[str, str]] | None = None,
    query: str = "",
    kind: str = "http",
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body; a refused WebSocket gives the close code, an accepted one 101."""
    pairs = (
        headers.items()
        if isinstance(headers, dict)
        else headers
        if headers is not None
        else [("host", OWN)]
    )
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in pairs],
        "scheme": "http",
        "http_version": "1.1",
        "root_path": "",
        "client": ("127.0.0.1", 5),
        "server": (HOST, PORT),
        "subprotocols": [],
    }
    sent: list[dict[str, Any]] = []
    plain = {"type": "http.request", "body": b"", "more_body": False}
    start = {"type": "websocket.connect"} if kind == "websocket" else plain
    queue = [start, {"type": "websocket.disconnect", "code": 1000}]

    async def receive() -> dict[str, Any]:
        return queue.pop(0) if queue else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    if kind == "websocket":
        first = sent[0] if sent else {"type": "none"}
        return (101 if first["type"] == "websocket.accept" else first.get("code", 0)), {}, b""
    head = next(s for s in sent if s["type"] == "http.response.start")
    body = b"".join(s.get("body", b"") for s in sent if s["type"] == "http.response.body")
    return head["status"], {k.decode(): v.decode() for k, v in head["headers"]}, body


@pytest.fixture
def app(tmp_path: Any) -> gate.Gate:
    return server.build(WorkFolder(tmp_path), HOST, PORT)


def routes(app: gate.Gate) -> list[tuple[str, str]]:
    """Every route of the application behind the gate, with its kind: a new one is tested without being listed."""
    return [
        (route.path, "websocket" if "WebSocket" in type(route).__name__ else "http")
        for route in app.app.routes
    ]  # type: ignore[attr-defined]


def test_the_routes_are_what_we_think(app: gate.Gate) -> None:
    assert sorted(routes(app)) == sorted(
        [*((path, "http") for path in server.PAGES), ("/ws", "websocket")]
    )


def test_every_route_and_method_is_behind_the_gate(app: gate.Gate) -> None:
    bad = [{"host": "evil.example"}, {"host": OWN, "origin": "http://evil.example"}, {}]
    paths = [path for path, _ in routes(app)] + [
        "/nothing",
        "/../etc/passwd",
        "//",
        "/ws/",
        "/%2e%2e/",
    ]
    for path in paths:
        for method in METHODS:
            for headers in bad:
                status, _, body = ask(app, path, method, headers)
                assert status in (400, 403, 421), (path, method, headers)
                assert b"gough" not in body
        for headers in bad:
            assert ask(app, path, headers=headers, kind="websocket")[0] == 1008


def test_only_get_and_head_exist(app: gate.Gate) -> None:
    for path, kind in routes(app):
        for method in METHODS:
            status = ask(app, path, method)[0]
            if method not in ("GET", "HEAD"):
                assert status == 405, (path, method)
            elif kind == "http":
                assert status == 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:8643",
        "127.0.0.1:8642.evil.example",
        "evil.example",
        "127.0.0.1:8642@evil.example",
        "localhost.evil.example:8642",
        "127.0.0.1:86420",
        "127.0.0.2:8642",
        "0.0.0.0:8642",
        "",
        " ",
        "[::1]",
        "LOCALHOST:8643",
    ],
)
def test_hosts_that_are_not_ours(app: gate.Gate, host: str) -> None:
    assert ask(app, headers={"host": host})[0] == 421


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8642", "localhost:8642", "LocalHost:8642", "[::1]:8642"]
)
def test_hosts_that_are_ours(app: gate.Gate, host: str) -> None:
    assert ask(app, headers={"host": host})[0] == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1",
        "http://127.0.0.1:8643",
        "https://127.0.0.1:8642",
        "http://127.0.0.1:8642.evil.example",
        "http://127.0.0.1:86421",
        "http://evil.example/127.0.0.1:8642",
        "http://127.0.0.1:8642/",
        "http://127.0.0.1:8642@evil.example",
        "file://",
        "http://localhost:8642",
    ],
)
def test_foreign_origins_are_refused(app: gate.Gate, origin: str) -> None:
    headers = {"host": OWN, "origin": origin}
    assert ask(app, headers=headers)[0] == 403
    assert ask(app, "/ws", headers=headers, kind="websocket")[0] == 1008


def test_a_websocket_needs_its_own_origin(app: gate.Gate) -> None:
    assert ask(app, "/ws", headers={"host": OWN}, kind="websocket")[0] == 1008
    assert (
        ask(app, "/ws", headers={"host": OWN, "origin": f"http://{OWN}"}, kind="websocket")[0]
        == 101
    )


def test_doubled_headers_are_refused(app: gate.Gate) -> None:
    assert ask(app, headers=[("host", OWN), ("host", "evil.example")])[0] == 400
    assert (
        ask(
            app,
            headers=[("host", OWN), ("origin", f"http://{OWN}"), ("origin", "http://evil.example")],
        )[0]
        == 400
    )


def test_every_answer_carries_the_policy(app: gate.Gate) -> None:
    for path in [*server.PAGES, "/nothing"]:
        _, headers, _ = ask(app, path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    assert "content-security-policy" in ask(app, headers={"host": "evil.example"})[1]


def test_bound_elsewhere_needs_a_token(tmp_path: Any) -> None:
    with pytest.raises(gough.InputError, match="token"):
        server.build(WorkFolder(tmp_path), "0.0.0.0", PORT)
    app = server.build(WorkFolder(tmp_path), "192.168.7.7", PORT, token="s3cret")
    host = {"host": f"192.168.7.7:{PORT}"}
    for path in [*server.PAGES, "/nothing"]:
        assert ask(app, path, headers=host)[0] == 401
        assert ask(app, path, headers=host, query="token=wrong")[0] == 401
        assert ask(app, path, headers=host, query="token=")[0] == 401
    status, headers, _ = ask(app, headers=host, query="token=s3cret")
    assert status == 200
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    kept = {**host, "cookie": cookie.split(";")[0]}
    assert ask(app, "/studio.js", headers=kept)[0] == 200
    own = {**kept, "origin": f"http://192.168.7.7:{PORT}"}
    assert ask(app, "/ws", headers=own, kind="websocket")[0] == 101
    assert ask(app, "/ws", headers={**host, "origin": own["origin"]}, kind="websocket")[0] == 1008
    assert (
        ask(app, "/ws", headers={**kept, "origin": "http://evil.example"}, kind="websocket")[0]
        == 1008
    )


def test_all_addresses_still_match_origin_and_host(tmp_path: Any) -> None:
    app = server.build(WorkFolder(tmp_path), "0.0.0.0", PORT, token="s3cret")
    other = {"host": "10.0.0.5:8642"}
    assert ask(app, headers=other)[0] == 401
    assert ask(app, headers=other, query="token=s3cret")[0] == 200
    foreign = {**other, "origin": "http://evil.example"}
    assert ask(app, "/ws", headers=foreign, query="token=s3cret", kind="websocket")[0] == 1008
    assert (
        ask(
            app,
            "/ws",
            headers={**other, "origin": "http://10.0.0.5:8642"},
            query="token=s3cret",
            kind="websocket",
        )[0]
        == 101
    )


def test_planted_prefix_match_would_be_seen(app: gate.Gate) -> None:
    """The classic mistake, ``startswith``, lets a foreign host through: our list of hosts does catch it."""
    assert "127.0.0.1:8642.evil.example".startswith("127.0.0.1:8642")
    assert ask(app, headers={"host": "127.0.0.1:8642.evil.example"})[0] == 421


def test_the_built_page_is_made_from_these_sources() -> None:
    """``npm run build`` in studio/web writes a fingerprint of what it was made from."""
    web = Path(server.__file__).parent / "web"
    names = [
        "index.html",
        "package.json",
        "vite.config.js",
        *(f"src/{p.name}" for p in (web / "src").iterdir()),
    ]
    found = hashlib.sha256()
    for name in sorted(names):
        found.update(f"{name}\n".encode())
        found.update((web / name).read_bytes())
    built = (Path(server.__file__).parent / "dist" / "sources.sha256").read_text().strip()
    assert built == found.hexdigest(), (
        "run: cd src/gough/studio/web && npm install && npm run build"
    )
    assert "resolved" not in (web / "package-lock.json").read_text()


def test_the_built_page_asks_nothing_of_the_outside() -> None:
    from gough.report.html import asset

    page = asset("index.html")
    assert "http" not in page
    assert 'src="./studio.js"' in page
    for name in ("studio.js", "viewer.js", "report.js", "studio.css"):
        assert "registry" not in asset(name)
        wanted = {"./viewer.js"} if name == "studio.js" else set()
        assert set(re.findall(r"\bimport\([\"'`]?([^\"'`)]*)", asset(name))) == wanted, name
    assert set(re.findall(r'\bfrom"([^"]*)"', asset("viewer.js"))) == {"./studio.js"}
    assert not re.search(r'\b(from|import)"', asset("report.js"))
