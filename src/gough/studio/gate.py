"""The one door: every request, of every method, path and protocol, passes here before anything else sees it.

A page on another site can make a browser talk to a local port.  So: the Host header must be exactly one that this
server answers to (no DNS rebinding), the Origin header must be exactly one of ours (no foreign page; a WebSocket must
have one), only GET and HEAD exist, and when bound to anything but loopback a token is asked for, first in
the URL and then in a cookie that only this server gets back.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

COOKIE = "gough-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-cache",
}


def is_loopback(host: str) -> bool:
    """True for an address that only this machine reaches."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def allowed_hosts(host: str, port: int) -> frozenset[str]:
    """Host headers this server answers to: host and port, literally."""
    shown = f"[{host}]" if ":" in host else host
    names = {shown}
    if is_loopback(host):
        names |= {"127.0.0.1", "localhost", "[::1]"}
    hosts = {f"{name}:{port}".lower() for name in names}
    return frozenset(hosts | {name.lower() for name in names}) if port == 80 else frozenset(hosts)


@dataclass(frozen=True)
class Gate:
    """ASGI middleware in front of the whole application.

    hosts  exact Host headers;  token  asked for when not None;  any_host: bound to all addresses, where the
    Host cannot be known beforehand: then the token alone decides and Origin must match the Host of the request
    """

    app: App
    hosts: frozenset[str]
    token: str | None = None
    any_host: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] not in ("http", "websocket"):
            return
        status, why, fresh = self.judge(scope)
        if status != 200:
            await _refuse(scope, receive, send, status, why)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = _with_headers(message.get("headers", []), self.token if fresh else None)
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, guarded)

    def judge(self, scope: Scope) -> tuple[int, str, bool]:
        """Status (200: pass), the reason in words, and whether the token came by URL (a cookie is then set)."""
        host = _only(scope, b"host")
        if host is None:
            return 400, "exactly one Host header is needed", False
        if host.lower() not in self.hosts and not (self.any_host and self.token):
            return 421, "this server does not answer to that Host", False
        origin = _only(scope, b"origin") if _count(scope, b"origin") else ""
        if origin is None:
            return 400, "at most one Origin header is allowed", False
        if origin and not self._own_origin(origin, host):
            return 403, "requests from another site are refused", False
        if scope["type"] == "websocket" and not origin:
            return 403, "a WebSocket needs the Origin header of this page", False
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            return 405, "only GET and HEAD are answered", False
        if self.token is None:
            return 200, "", False
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[-1]
        if _same(given, self.token):
            return 200, "", True
        if _same(_cookie(scope), self.token):
            return 200, "", False
        return 401, "open the address with its token, as printed when the studio was started", False

    def _own_origin(self, origin: str, host: str) -> bool:
        allowed = {host.lower()} if self.any_host else self.hosts
        return (
            origin.lower() in {f"http://{name}" for name in allowed}
            and origin.lower() == f"http://{host.lower()}"
        )


def _only(scope: Scope, name: bytes) -> str | None:
    values = [v for k, v in scope.get("headers", []) if k.lower() == name]
    return values[0].decode("latin-1").strip() if len(values) == 1 else None


def _count(scope: Scope, name: bytes) -> int:
    return sum(1 for k, _ in scope.get("headers", []) if k.lower() == name)


def _cookie(scope: Scope) -> str:
    try:
        jar = SimpleCookie(_only(scope, b"cookie") or "")
    except CookieError:
        return ""
    return jar[COOKIE].value if COOKIE in jar else ""


def _same(given: str, token: str) -> bool:
    return bool(given) and hmac.compare_digest(
        given.encode("utf-8", "replace"), token.encode("utf-8")
    )


def _with_headers(headers: Any, token: str | None) -> list[tuple[bytes, bytes]]:
    kept = [(k, v) for k, v in headers if k.decode("latin-1").lower() not in HEADERS]
    kept += [(k.encode(), v.encode()) for k, v in HEADERS.items()]
    if token is not None:
        kept.append(
            (b"set-cookie", f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/".encode())
        )
    return kept


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    body = f"{status}: {why}\n".encode()
    headers = _with_headers(
        [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
        ],
        None,
    )
    if status == 405:
        headers.append((b"allow", b"GET, HEAD"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send(
        {"type": "http.response.body", "body": b"" if scope.get("method") == "HEAD" else body}
    )
