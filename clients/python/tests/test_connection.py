"""Lost connections, repeated calls and strange answers, on a transport that misbehaves."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from agon_client import Agon, AgonError, RefusedError, UnreachableError, stream
from agon_client.connection import is_loopback
from agon_client.events import Closed, Delta, Entry, Notice, UnknownEntry, UnknownEvent
from agon_client.material import sources
from agon_client.stream import FrameReader

pytestmark = pytest.mark.anyio
Handler = Callable[[httpx.Request], httpx.Response]


def client(handler: Handler, token: str | None = None) -> Agon:
    return Agon("http://agon.test", token=token, transport=httpx.MockTransport(handler))


def entry(seq: int, what: dict[str, Any]) -> str:
    data = {"seq": seq, "at": "2026-01-31T09:30:00.000Z", "what": what, "prev": "0", "hash": "1"}
    return f"id: {seq}\nevent: entry\ndata: {json.dumps(data)}\n\n"


def ruled(seq: int) -> str:
    return entry(seq, {"ruled": {"key": f"k-{seq}", "ruling": {"kind": "noted", "text": "x"}}})


CLOSED = {"closed": {"outcome": {"name": "even", "standing": "valid", "summary": "Even."}}}


class Server:
    """Answers each connection to the event stream with the next of its bodies."""

    def __init__(self, *streams: str, entries: int, closed: bool = True, stopped: Any = None) -> None:
        self.streams = list(streams)
        self.last_ids: list[str | None] = []
        self.states = [{"entries": entries, "closed": closed, "stopped": stopped}]
        """What it says of the debate, one after the other; the last stays."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/events"):
            state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
            return httpx.Response(200, json=state)
        self.last_ids.append(request.headers.get("last-event-id"))
        if not self.streams:
            return httpx.Response(503, text="starting")
        return httpx.Response(200, text="retry: 1\n\n" + self.streams.pop(0))


async def test_after_a_lost_connection_each_entry_still_comes_once() -> None:
    server = Server(ruled(0) + ruled(1), ruled(1) + ruled(2), entry(3, CLOSED), entries=4)
    events = [event async for event in client(server).events("a")]
    assert [event.seq for event in events if isinstance(event, Entry)] == [0, 1, 2, 3]
    assert isinstance(events[-1], Closed)
    assert server.last_ids == [None, "1", "2"]


async def test_a_server_that_stays_away_ends_the_events_with_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "RECONNECTS_MAX", 2)
    server = Server(ruled(0), entries=9, closed=False)
    with pytest.raises(RefusedError) as raised:
        _ = [event async for event in client(server).events("a")]
    assert raised.value.status == 503
    # The one that worked, and the two new ones that are allowed.
    assert server.last_ids == [None, "0", "0"]


async def test_a_result_is_waited_for_where_the_server_goes_away_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "RETRY_SECONDS", 0.001)
    asked = 0

    def handler(_: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        # After the first answer it is away for longer than one call is repeated.
        if 1 < asked < 6:
            raise httpx.ConnectError("away")
        closed = asked > 1
        outcome = {"name": "even", "standing": "valid"}
        return httpx.Response(200, json={"entries": 4, "closed": closed, "outcome": outcome})

    assert (await client(handler).result("a", timeout=20)).outcome["name"] == "even"


async def test_entries_behind_stopped_come_before_it() -> None:
    stopped = {"code": "provider", "message": "gone", "remedy": "resume"}
    body = (
        ruled(0)
        + f"event: stopped\ndata: {json.dumps({'error': stopped})}\n\n"
        + ruled(1)
        + ": still here\n\n"
    )
    server = Server(body, entries=2, closed=False, stopped=stopped)
    events = [event async for event in client(server).events("a")]
    assert [event.kind for event in events] == ["ruled", "ruled", "stopped"]


async def test_a_heartbeat_shows_an_end_that_was_missed() -> None:
    stopped = {"code": "provider", "message": "gone", "remedy": "resume"}
    body = ruled(0) + ": still here\n\n" + 'event: notice\ndata: {"text": "never read"}\n\n'
    server = Server(body, entries=1, closed=False)
    server.states = [{**server.states[0]}, {**server.states[0], "stopped": stopped}]
    events = [event async for event in client(server).events("a")]
    assert [event.kind for event in events] == ["ruled", "stopped"]


async def test_an_old_end_is_not_the_end() -> None:
    extended = entry(2, {"extended": {"limits": {"rounds": 1}}})
    server = Server(ruled(0) + entry(1, CLOSED) + extended + entry(3, CLOSED), entries=4)
    events = [event async for event in client(server).events("a")]
    assert [event.kind for event in events] == ["ruled", "closed", "extended", "closed"]


async def test_kinds_of_a_newer_server_do_not_end_the_events() -> None:
    delta = {"key": "k", "seat": "judge", "attempt": 0, "begins": True, "text": "I", "new": 1}
    body = (
        entry(0, {"renamed": {"to": "x"}})
        + 'event: later\ndata: {"x": 1}\n\n'
        + f"event: delta\ndata: {json.dumps(delta)}\n\n"
        + 'event: notice\ndata: {"text": "again"}\n\n'
        + entry(1, CLOSED)
    )
    first, second, third, fourth, last = [
        event async for event in client(Server(body, entries=2)).events("a")
    ]
    assert isinstance(first, UnknownEntry) and (first.kind, first.content) == ("renamed", {"to": "x"})
    assert second == UnknownEvent(data={"x": 1}, kind="later")
    assert third == Delta(key="k", seat="judge", attempt=0, begins=True, text="I")
    assert fourth == Notice(text="again")
    assert isinstance(last, Closed)


async def test_only_calls_that_act_once_are_repeated() -> None:
    calls: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        calls.append(f"{request.method} {request.url.path}")
        if len(calls) % 3:
            raise httpx.ReadTimeout("late", request=request)
        return httpx.Response(200, json={})

    agon = client(handler)
    await agon.get("a")
    await agon.plan(protocol="exchange", motion="x")
    await agon.answer("a", "judge", token="t", text="x", key="k")
    await agon.refresh("a", "judge", token="t")
    assert len(calls) == 12
    for act in (
        agon.start(protocol="exchange", motion="x"),
        agon.resume("a", name="Ada"),
        agon.extend("a", rounds=1),
        agon.cancel("a", name="Ada"),
        agon.claim("a", "judge", holder="Ada"),
        agon.answer("a", "judge", token="t", text="x"),
        agon.interject("a", name="Ada", text="x"),
    ):
        calls.clear()
        with pytest.raises(UnreachableError) as raised:
            await act
        assert len(calls) == 1 and raised.value.code == "unreachable"


async def test_a_refusal_of_a_proxy_is_an_error_too() -> None:
    agon = client(lambda _: httpx.Response(502, text="<h1>Bad gateway</h1>"))
    with pytest.raises(RefusedError) as raised:
        await agon.debates()
    assert (raised.value.code, raised.value.status) == ("status", 502)
    with pytest.raises(RefusedError, match="not JSON"):
        await client(lambda _: httpx.Response(200, text="<h1>Welcome</h1>")).debates()


async def test_a_name_stays_one_segment_of_the_path() -> None:
    paths: list[bytes] = []

    def handler(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.raw_path)
        return httpx.Response(200, json={})

    agon = client(handler)
    await agon.get("../plans?x#y")
    await agon.file("a", "arguments/prop 1.md")
    for name in ("", ".", ".."):
        with pytest.raises(AgonError, match="malformed"):
            await agon.get(name)
    assert paths == [
        b"/api/v1/debates/..%2Fplans%3Fx%23y",
        b"/api/v1/debates/a/files/arguments/prop%201.md",
    ]


async def test_an_answer_names_the_request_that_was_shown() -> None:
    sent: list[object] = []

    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/requests"):
            asked = {"key": "one", "seat": "judge", "prompt": "p", "heard": 0, "exhausted": "answer"}
            return httpx.Response(200, json=[{"request": asked, "model": "outside", "outside": True}])
        if request.url.path.endswith("/prompt"):
            return httpx.Response(200, json={"key": "two", "messages": []})
        sent.append(json.loads(request.content).get("key"))
        return httpx.Response(200, json={"key": "k", "seq": 1, "digest": "d"})

    agon = client(handler)
    await agon.answer("a", "judge", token="t", text="x")
    await agon.requests("a")
    await agon.answer("a", "judge", token="t", text="x")
    await agon.prompt("a", "judge")
    await agon.answer("a", "judge", token="t", text="x")
    await agon.answer("a", "judge", token="t", text="x", key="three")
    await agon.answer("a", "judge", token="t", text="x")
    assert sent == [None, "one", "two", "three", None]


async def test_every_route_of_the_document_has_a_method(agon: Agon) -> None:
    called: set[tuple[str, str]] = set()

    def handler(request: httpx.Request) -> httpx.Response:
        called.add((request.method.lower(), request.url.path))
        is_list = request.url.path.endswith("/requests")
        return httpx.Response(200, json=[] if is_list else {"entries": 0, "closed": True, "key": "k", "shown": ""})

    all_of_it = client(handler)
    at, token = ("{id}", "{seat}"), "t"
    async for _ in all_of_it.events("{id}", after=-1):
        pass
    await all_of_it.debates()
    await all_of_it.start(protocol="exchange", motion="x")
    await all_of_it.plan(protocol="exchange", motion="x")
    for read in (all_of_it.get, all_of_it.entries, all_of_it.scores, all_of_it.transcript, all_of_it.files):
        await read("{id}")
    await all_of_it.file("{id}", "{path}")
    await all_of_it.requests("{id}")
    await all_of_it.prompt(*at)
    await all_of_it.claim(*at, holder="Ada")
    await all_of_it.refresh(*at, token=token)
    await all_of_it.release(*at, token=token)
    await all_of_it.look_up(*at, {"tool": "search", "object": "x"})
    await all_of_it.answer(*at, token=token, text="x")
    await all_of_it.interject("{id}", name="Ada", text="x")
    await all_of_it.pause("{id}", name="Ada")
    await all_of_it.cancel("{id}", name="Ada")
    await all_of_it.resume("{id}", name="Ada")
    await all_of_it.extend("{id}")
    await all_of_it.protocols()
    await all_of_it.document()
    document = await agon.document()
    routes = {(method, path) for path, item in document["paths"].items() for method in item}
    # The stream is not opened for a debate that is over; the tests of events do open it.
    assert routes - called == {("get", "/api/v1/debates/{id}/events")}
    assert called - routes == set()


async def test_the_token_goes_to_the_server_alone() -> None:
    seen: list[str | None] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("authorization"))
        return httpx.Response(307, headers={"location": "http://elsewhere.test/"})

    with pytest.raises(RefusedError):
        await client(handler, token="secret").debates()
    assert seen == ["Bearer secret"]
    assert is_loopback("127.0.0.1") and is_loopback("::1") and is_loopback("localhost")
    assert not is_loopback("example.org") and not is_loopback("10.0.0.1")


def test_frames_are_read_in_any_pieces() -> None:
    text = 'retry: 250\n\n: still here\n\nid: 1\nevent: entry\r\ndata: {"a":\ndata: "\u2028ä"}\n\n'.encode()
    for size in (1, 2, 3, 7, len(text)):
        reader = FrameReader()
        frames = [frame for at in range(0, len(text), size) for frame in reader.feed(text[at : at + size])]
        assert [(frame.kind, frame.data, frame.retry_seconds) for frame in frames] == [
            ("", "", 0.25),
            ("", "", None),
            ("entry", '{"a":\n"\u2028ä"}', None),
        ]
        assert [frame.is_heartbeat for frame in frames] == [False, True, False]


def test_an_event_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "FRAME_BYTES_MAX", 1000)
    reader = FrameReader()
    with pytest.raises(AgonError, match="too_large"):
        for _ in range(20):
            reader.feed(b"x" * 100)
    reader = FrameReader()
    with pytest.raises(AgonError, match="too_large"):
        for _ in range(20):
            reader.feed(b"data: " + b"x" * 100 + b"\n")
    reader = FrameReader()
    for _ in range(20):
        assert len(reader.feed(b"event: entry\ndata: " + b"x" * 100 + b"\n\n")) == 1


def test_a_file_that_cannot_be_read_is_an_error_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"\xff\xfe\x00")
    for name in ("x.png", "absent.md", "."):
        with pytest.raises(AgonError, match="material") as raised:
            sources([tmp_path / name])
        assert str(tmp_path) in raised.value.message and raised.value.remedy
