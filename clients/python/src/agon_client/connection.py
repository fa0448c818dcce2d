"""Requests to one server: refusals become errors, and requests that are safe to repeat are repeated."""

from __future__ import annotations

import asyncio
import ipaddress
import random
from typing import Any
from urllib.parse import quote

import httpx

from .errors import AgonError, RefusedError, UnreachableError

CALL_SECONDS = 35.0
"""Timeout of one call. The server itself gives up after 30 seconds."""
REPEATS_MAX = 2
"""How often a call that is safe to repeat is repeated, so that a short restart of the server is bridged."""
PAUSE_SECONDS = 0.25
"""Pause before the first repetition; it doubles."""
PASSING = frozenset({408, 502, 503, 504})
"""Statuses of a server or a proxy that cannot answer now."""
STRANGE = "check the address, and proxies before it"
"""What to do about an answer that agon did not write."""


class Connection:
    """One server, and the token for it."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None,
        timeout: float,
        repeats: int,
        transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        self.base = httpx.URL(url.rstrip("/"))
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.call_seconds = timeout
        self._repeats = repeats
        self.http = httpx.AsyncClient(
            headers=headers,
            timeout=timeout,
            transport=transport,
            # A proxy of the environment must not see a token that is meant for this machine.
            trust_env=not is_loopback(self.base.host),
        )

    def url(self, *path: str) -> httpx.URL:
        """A route of the interface. Each part is one segment, whatever characters it has."""
        segments = "/".join(quoted(part) for part in path)
        return httpx.URL(f"{self.base}/api/v1/{segments}")

    async def get(self, *path: str, params: dict[str, Any] | None = None) -> Any:
        """Reads JSON; repeated after a passing failure."""
        return parsed(await self._call("GET", self.url(*path), params=params, repeats=self._repeats))

    async def text(self, *path: str) -> str:
        """Reads text; repeated after a passing failure."""
        return (await self._call("GET", self.url(*path), repeats=self._repeats)).text

    async def post(self, *path: str, body: Any, is_repeatable: bool = False) -> Any:
        """Writes JSON and returns the JSON of the answer. Repeated only if it ``is_repeatable``."""
        repeats = self._repeats if is_repeatable else 0
        return parsed(await self._call("POST", self.url(*path), body=body, repeats=repeats))

    async def _call(
        self,
        method: str,
        url: httpx.URL,
        *,
        params: dict[str, Any] | None = None,
        body: Any = None,
        repeats: int,
    ) -> httpx.Response:
        params = {name: value for name, value in (params or {}).items() if value is not None}
        pause = PAUSE_SECONDS
        while True:
            try:
                answer = await self.http.request(method, url, params=params or None, json=body)
                if answer.is_success:
                    return answer
                if answer.status_code not in PASSING or repeats == 0:
                    raise refusal(answer)
            except httpx.TransportError as error:
                if repeats == 0:
                    raise unreachable(self.base, error) from error
            repeats -= 1
            # Clients that failed together do not return together.
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause *= 2


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def quoted(part: str) -> str:
    """One segment of a path. What would name another route, even escaped, is refused."""
    if part in ("", ".", ".."):
        raise AgonError("malformed", f'"{part}" is not a name', "give the id of a debate, a seat or a file")
    return quote(part, safe="")


def parsed(answer: httpx.Response) -> Any:
    """The JSON of an answer. The page of a proxy is none."""
    try:
        return answer.json()
    except ValueError as error:
        raise RefusedError("status", "the answer is not JSON", STRANGE, status=answer.status_code) from error


def refusal(answer: httpx.Response) -> RefusedError:
    """The error that an answer without success describes; the answer of a proxy has another form."""
    status = answer.status_code
    try:
        error = answer.json()["error"]
        return RefusedError(
            error["code"], error["message"], error.get("remedy") or "", status=status, kept=error.get("kept")
        )
    except (ValueError, KeyError, TypeError):
        message = f"the server answered with status {status}, not in the form of agon"
        return RefusedError("status", message, STRANGE, status=status)


def unreachable(base: httpx.URL, error: Exception) -> UnreachableError:
    """The error for a call that got no answer."""
    cause = f"{type(error).__name__}: {error}".rstrip(": ")
    return UnreachableError(
        "unreachable", f"no answer from {base}: {cause}", "check that agon serve runs there"
    )
