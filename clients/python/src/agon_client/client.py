"""The client: one method for each route of the interface, and ``debate``, which joins them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

import httpx

from . import schema
from .connection import CALL_SECONDS, REPEATS_MAX, Connection
from .errors import AgonError, DebateTimeoutError, StoppedError
from .events import Event, Stopped, stopped_of
from .material import Material, sources
from .record import Outcome
from .stream import follow
from .typing_names import Unpack

ADDRESS = "http://127.0.0.1:7878"
"""Where `agon serve` listens unless it is told otherwise."""


@dataclass(frozen=True)
class Result:
    """A debate that is closed."""

    id: str
    outcome: Outcome
    """How it ended. A debate without a result has the standing ``void``, and names no winner."""
    debate: schema.Debate
    """Its state: seats, usage, head of the record."""

    @property
    def is_valid(self) -> bool:
        """Whether the debate has a result."""
        return self.outcome["standing"] == "valid"


class Agon:
    """A server's debates. Use it with ``async with``; every method raises ``AgonError``.

    ``timeout`` limits one call, in seconds. ``repeats`` is how often a call is repeated that had no answer, or
    the answer of a server that is not ready; calls that could act twice are never repeated.
    """

    def __init__(
        self,
        url: str = ADDRESS,
        *,
        token: str | None = None,
        timeout: float = CALL_SECONDS,
        repeats: int = REPEATS_MAX,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._to = Connection(url, token=token, timeout=timeout, repeats=repeats, transport=transport)
        # What each seat was asked when it was last looked at.
        self._asked: dict[tuple[str, str], str] = {}

    async def __aenter__(self) -> Agon:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections. Debates continue on the server."""
        await self._to.http.aclose()

    # Holding a debate.

    async def debate(
        self,
        *,
        material: Iterable[Material] = (),
        timeout: float | None = None,
        **opening: Unpack[schema.Opening],
    ) -> Result:
        """Starts a debate and waits for its end.

        If it stops, ``StoppedError`` says why. If it takes longer than ``timeout`` seconds, it continues, and
        ``DebateTimeoutError`` names it. ``cancel`` ends it.
        """
        started = await self.start(material=material, **opening)
        return await self.result(started["id"], timeout=timeout)

    async def start(
        self, *, material: Iterable[Material] = (), **opening: Unpack[schema.Opening]
    ) -> schema.Started:
        """Starts a debate. Never repeated; with an ``id`` of your own, you can look whether it was started."""
        return cast(schema.Started, await self._to.post("debates", body=_opening(material, opening)))

    async def plan(
        self, *, material: Iterable[Material] = (), **opening: Unpack[schema.Opening]
    ) -> dict[str, Any]:
        """What such a debate would ask, cost and send. Starts nothing."""
        body = _opening(material, opening)
        return cast(dict[str, Any], await self._to.post("plans", body=body, is_repeatable=True))

    async def result(self, debate: str, *, timeout: float | None = None) -> Result:
        """Waits until a debate is closed."""
        try:
            return await asyncio.wait_for(self._wait(debate), timeout)
        except asyncio.TimeoutError:
            message = f"{debate} did not end within {timeout} seconds"
            remedy = f"it continues: wait with result({debate!r}), or end it with cancel"
            raise DebateTimeoutError("timeout", message, remedy, debate=debate) from None
        except AgonError as error:
            error.debate = debate
            raise

    async def _wait(self, debate: str) -> Result:
        while True:
            state = await self.get(debate)
            if state["closed"]:
                return Result(debate, cast(Outcome, state.get("outcome")), state)
            if why := state.get("stopped"):
                stopped = stopped_of(why)
                raise StoppedError(stopped.code, stopped.message, stopped.remedy, debate=debate)
            async with aclosing(self.events(debate, after=state["entries"] - 1)) as events:
                async for event in events:
                    if isinstance(event, Stopped):
                        raise StoppedError(event.code, event.message, event.remedy, debate=debate)

    def events(self, debate: str, *, after: int | None = None) -> AsyncGenerator[Event, None]:
        """What happened in a debate and what happens, until it is closed or stops; each entry once.

        ``after`` is the last entry that you have. A lost connection is made again.
        """
        return follow(self._to, debate, after)

    # Reading.

    async def debates(self, q: str | None = None, *, limit: int | None = None) -> list[schema.Listed]:
        """Debates, newest first; every word of ``q`` must occur in the motion or in a statement."""
        params = {"q": q, "limit": limit}
        return cast(list[schema.Listed], await self._to.get("debates", params=params))

    async def get(self, debate: str) -> schema.Debate:
        """The current state of a debate."""
        return cast(schema.Debate, await self._to.get("debates", debate))

    async def entries(self, debate: str, *, start: int = 0, limit: int | None = None) -> schema.Entries:
        """A part of the record, without struck texts. ``next`` of the answer continues it."""
        params = {"from": start, "limit": limit}
        return cast(schema.Entries, await self._to.get("debates", debate, "entries", params=params))

    async def scores(self, debate: str) -> schema.Scores:
        """The scores of a debate."""
        return cast(schema.Scores, await self._to.get("debates", debate, "scores"))

    async def transcript(self, debate: str) -> str:
        """The debate as Markdown."""
        return await self._to.text("debates", debate, "transcript")

    async def files(self, debate: str) -> list[schema.FileLine]:
        """The files of a debate."""
        return cast(list[schema.FileLine], await self._to.get("debates", debate, "files"))

    async def file(self, debate: str, path: str) -> str:
        """One of its files, as text."""
        return await self._to.text("debates", debate, "files", *path.split("/"))

    async def protocols(self) -> list[dict[str, Any]]:
        """The kinds of debate: seats, rounds, options."""
        return cast(list[dict[str, Any]], await self._to.get("protocols"))

    async def document(self) -> dict[str, Any]:
        """The OpenAPI document. ``info.version`` is the version of the server."""
        return cast(dict[str, Any], await self._to.get("openapi.json"))

    # Acting in a debate. ``name`` is shown to its readers.

    async def resume(self, debate: str, *, name: str) -> schema.GoesOn:
        """Continues a debate that stopped or was paused."""
        return cast(schema.GoesOn, await self._to.post("debates", debate, "resume", body={"name": name}))

    async def extend(self, debate: str, **more: Unpack[schema.ExtendBody]) -> schema.GoesOn:
        """Adds rounds, or sets new totals of what may be spent, and continues."""
        return cast(schema.GoesOn, await self._to.post("debates", debate, "extend", body=more))

    async def pause(self, debate: str, *, name: str, why: str = "") -> schema.ActedLine:
        """Pauses a debate: open calls finish, and no new ones start."""
        body = {"name": name, "why": why}
        return cast(schema.ActedLine, await self._to.post("debates", debate, "pause", body=body))

    async def cancel(self, debate: str, *, name: str, why: str = "") -> schema.ActedLine:
        """Ends a debate without a result."""
        body = {"name": name, "why": why}
        return cast(schema.ActedLine, await self._to.post("debates", debate, "cancel", body=body))

    async def interject(self, debate: str, *, name: str, text: str) -> schema.ActedLine:
        """Says something to all participants."""
        body = {"name": name, "text": text}
        return cast(schema.ActedLine, await self._to.post("debates", debate, "interject", body=body))

    # Answering for a seat whose model is ``outside``.

    async def requests(self, debate: str) -> list[schema.OpenRequest]:
        """What is asked now, and who holds the seats."""
        asked = cast(list[schema.OpenRequest], await self._to.get("debates", debate, "requests"))
        self._asked.update({(debate, one["request"]["seat"]): one["request"]["key"] for one in asked})
        return asked

    async def prompt(self, debate: str, seat: str) -> schema.Prompt:
        """What a seat is asked."""
        prompt = cast(schema.Prompt, await self._to.get("debates", debate, "seats", seat, "prompt"))
        self._asked[debate, seat] = prompt["key"]
        return prompt

    async def claim(self, debate: str, seat: str, *, holder: str, seconds: int = 900) -> schema.ClaimLine:
        """Claims a seat; the ``token`` of the answer proves it."""
        body = {"holder": holder, "seconds": seconds}
        return cast(schema.ClaimLine, await self._seat(debate, seat, "claim", body))

    async def refresh(self, debate: str, seat: str, *, token: str, seconds: int = 900) -> schema.LeaseLine:
        """Holds a seat for longer, counted from now."""
        body = {"token": token, "seconds": seconds}
        return cast(schema.LeaseLine, await self._seat(debate, seat, "refresh", body, is_repeatable=True))

    async def release(self, debate: str, seat: str, *, token: str) -> schema.LeaseLine:
        """Lets go of a seat."""
        return cast(schema.LeaseLine, await self._seat(debate, seat, "release", {"token": token}))

    async def look_up(self, debate: str, seat: str, lookup: schema.LookupBody) -> str:
        """Looks something up for what a seat is asked; it goes onto the record with the seat's answer."""
        found = cast(schema.LookupShown, await self._seat(debate, seat, "lookup", {**lookup}))
        return found["shown"]

    async def answer(
        self, debate: str, seat: str, *, token: str, text: str, key: str | None = None
    ) -> schema.ReceiptLine:
        """Answers for a seat.

        ``key`` names the request that is answered: by default the one that ``requests`` or ``prompt`` last showed for
        the seat, else the newest. The same text to the same request gets the same receipt, so an answer with a key
        is repeated if the connection fails.
        """
        key = key or self._asked.get((debate, seat))
        body = {"token": token, "text": text} | ({"key": key} if key else {})
        receipt = await self._seat(debate, seat, "answer", body, is_repeatable=key is not None)
        self._asked.pop((debate, seat), None)
        return cast(schema.ReceiptLine, receipt)

    async def _seat(
        self, debate: str, seat: str, act: str, body: dict[str, Any], is_repeatable: bool = False
    ) -> Any:
        return await self._to.post(
            "debates", debate, "seats", seat, act, body=body, is_repeatable=is_repeatable
        )


def _opening(material: Iterable[Material], opening: schema.Opening) -> schema.Opening:
    context = [*opening.get("context", []), *sources(material)]
    return {**opening, "context": context} if context else opening
