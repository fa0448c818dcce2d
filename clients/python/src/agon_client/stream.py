"""Following one debate: server-sent events, with a new connection after each lost one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx

from .connection import PASSING, Connection, refusal, unreachable
from .errors import AgonError, RefusedError, UnreachableError
from .events import Closed, Entry, Event, Stopped, event_of, stopped_of

SILENCE_SECONDS = 45.0
"""Silence after which the connection counts as lost: three of the server's heartbeats."""
RECONNECTS_MAX = 5
"""Lost connections in a row, without an event between them, after which following ends with an error."""
RETRY_SECONDS = 1.5
"""Pause before a new connection, until the server names one."""
FRAME_BYTES_MAX = 32 * 1024 * 1024
"""Size of one event. An answer has at most 1 MiB; JSON can make six bytes of one."""


@dataclass
class Frame:
    """One server-sent event. A heartbeat and a new pause before connections have no kind."""

    kind: str
    data: str
    retry_seconds: float | None = None

    @property
    def is_heartbeat(self) -> bool:
        """Whether the server only says that it is there."""
        return not self.kind and self.retry_seconds is None


class FrameReader:
    """Cuts bytes into frames. Only line feeds end a line: texts can contain other separators."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._frame = Frame("", "")

    def feed(self, piece: bytes) -> list[Frame]:
        """The frames that are complete after this piece."""
        frames: list[Frame] = []
        self._rest += piece
        if len(self._rest) > FRAME_BYTES_MAX:
            raise AgonError("too_large", "the server sent an event that is too large")
        *lines, rest = self._rest.split(b"\n")
        self._rest = bytearray(rest)
        for line in lines:
            frame = self._line(line.removesuffix(b"\r").decode("utf-8", "replace"))
            if frame is not None:
                frames.append(frame)
        return frames

    def _line(self, line: str) -> Frame | None:
        if not line:
            frame, self._frame = self._frame, Frame("", "")
            return frame if frame.kind or frame.retry_seconds is not None else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "":
                return Frame("", "")
            case "event":
                self._frame.kind = value
            case "data":
                before = self._frame.data
                self._frame.data = f"{before}\n{value}" if before else value
                # An event of many lines is one event.
                if len(self._frame.data) > FRAME_BYTES_MAX:
                    raise AgonError("too_large", "the server sent an event that is too large")
            case "retry" if value.isdigit():
                self._frame.retry_seconds = int(value) / 1000
        return None


@dataclass
class End:
    """The number of entries after which nothing follows for now, and why, unless the debate is closed."""

    entries: int
    stopped: Stopped | None


async def follow(connection: Connection, debate: str, after: int | None) -> AsyncGenerator[Event, None]:
    """The events of a debate after entry ``after``: each entry once, until the debate is closed or stops.

    Entries that were written before the debate stopped can follow `stopped`, and `closed` need not be the last
    entry, because a debate can be extended. So the state of the debate decides where the events end.
    """
    seen = 0 if after is None else after + 1
    # Who names the last entry that it has was connected before.
    lost, pause, was_connected = 0, RETRY_SECONDS, after is not None
    while True:
        try:
            end = await _end(connection, debate)
            was_connected = True
            if end is None or seen < end.entries:
                async with aclosing(_frames(connection, debate, seen)) as frames:
                    async for frame in frames:
                        pause = frame.retry_seconds if frame.retry_seconds is not None else pause
                        event = event_of(frame.kind, json.loads(frame.data)) if frame.kind else None
                        if isinstance(event, Entry):
                            if event.seq < seen:
                                continue
                            seen = event.seq + 1
                        if event is not None and not isinstance(event, Stopped):
                            lost = 0
                            yield event
                        # Entries that were written before it stopped can arrive after `stopped`.
                        is_hint = frame.is_heartbeat or isinstance(event, (Stopped, Closed))
                        if is_hint or (end is not None and seen >= end.entries):
                            end = await _end(connection, debate)
                            if end is not None and seen >= end.entries:
                                break
            if end is not None and seen >= end.entries:
                if end.stopped is not None:
                    yield end.stopped
                return
            # The server ended the stream: it restarts, or this client was too slow.
            failure: AgonError = unreachable(connection.base, EOFError("the event stream ended early"))
        except httpx.TransportError as error:
            failure = unreachable(connection.base, error)
        except (UnreachableError, RefusedError) as error:
            if isinstance(error, RefusedError) and error.status not in PASSING:
                raise
            failure = error
        lost += 1
        if lost > RECONNECTS_MAX or not was_connected:
            raise failure
        await asyncio.sleep(pause)


async def _frames(connection: Connection, debate: str, seen: int) -> AsyncGenerator[Frame, None]:
    headers = {"Accept": "text/event-stream"}
    if seen > 0:
        headers["Last-Event-ID"] = str(seen - 1)
    timeout = httpx.Timeout(connection.call_seconds, read=SILENCE_SECONDS)
    url = connection.url("debates", debate, "events")
    async with connection.http.stream("GET", url, headers=headers, timeout=timeout) as answer:
        if not answer.is_success:
            await answer.aread()
            raise refusal(answer)
        reader = FrameReader()
        async for piece in answer.aiter_bytes():
            for frame in reader.feed(piece):
                yield frame


async def _end(connection: Connection, debate: str) -> End | None:
    state: dict[str, Any] = await connection.get("debates", debate)
    if state["closed"]:
        return End(state["entries"], None)
    stopped = state.get("stopped")
    return End(state["entries"], stopped_of(stopped)) if stopped else None
