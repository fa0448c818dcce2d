"""Whole debates, on a real server with scripted models."""

import asyncio
import json
import os
import uuid
from pathlib import Path

import pytest

from agon_client import Agon, DebateTimeoutError, RefusedError, Result, StoppedError
from agon_client.events import Answered, Asked, Closed, Entry, Opened, Stopped

pytestmark = pytest.mark.anyio
MOTION = "This house would rest."


def new_id(name: str) -> str:
    return f"{name}-{uuid.uuid4().hex[:8]}"


def argument(title: str) -> dict[str, object]:
    grounds = {"source": "reasoning", "content": f"{title} restores.", "relevance": "Work needs it."}
    claim = f"{title} makes the house able to work on the next day."
    return {"title": title, "claim": claim, "grounds": [grounds], "warrant": f"Without {title}, work fails."}


async def short(agon: Agon, model: str = "scripted:willing.json", **more: str) -> Result:
    debate = more.get("id") or new_id("short")
    return await agon.debate(protocol="exchange", motion=MOTION, rounds=0, model=model, id=debate, timeout=30)


async def test_a_debate_ends_with_its_outcome(agon: Agon) -> None:
    result = await short(agon)
    assert result.outcome["name"] == "even"
    assert result.outcome["summary"].startswith("The sides are even")
    assert result.is_valid and result.debate["closed"]
    assert "# " in await agon.transcript(result.id)
    files = {line["path"] for line in await agon.files(result.id)}
    assert "arguments/prop_000a.md" in files
    assert await agon.file(result.id, "arguments/prop_000a.md")
    assert (await agon.scores(result.id))["rulings"]
    assert result.id in [listed["id"] for listed in await agon.debates("rest")]


async def test_files_of_this_machine_become_material(agon: Agon, tmp_path: Path) -> None:
    path = tmp_path / "retry.rs"
    path.write_text("fn next() -> u32 {\n    40 + 2\n}\n", encoding="utf-8")
    result = await agon.debate(
        protocol="exchange",
        motion=MOTION,
        rounds=0,
        material=[path, {"path": "src/b.rs", "text": "fn other() {}\n", "seats": ["judge"]}],
        timeout=30,
    )
    shown: dict[str, list[str]] = {}
    async for event in agon.events(result.id):
        if isinstance(event, Opened):
            assert "material" in event.content.get("documents", {})
        if isinstance(event, Answered):
            shown[event.content["key"]] = [passage["place"] for passage in event.content.get("shown", [])]
    assert any(place.startswith("retry.rs:") for place in shown["exchange-000/proposition"])
    assert not any(place.startswith("src/b.rs:") for place in shown["exchange-000/proposition"])
    assert any(place.startswith("src/b.rs:") for place in shown["exchange-000/judgment"])


async def test_events_are_typed_and_come_once(agon: Agon) -> None:
    started = await agon.start(protocol="exchange", motion=MOTION, rounds=0, model="scripted:slow.json")
    entries: list[Entry] = []
    async for event in agon.events(started["id"]):
        if isinstance(event, Entry):
            entries.append(event)
    assert [entry.seq for entry in entries] == list(range(len(entries)))
    first, last = entries[0], entries[-1]
    assert isinstance(first, Opened) and first.content["motion"] == MOTION
    assert isinstance(last, Closed) and last.content["outcome"]["name"] == "even"
    asked = [entry.content["key"] for entry in entries if isinstance(entry, Asked)]
    answered = [entry.content["key"] for entry in entries if isinstance(entry, Answered)]
    assert sorted(asked) == sorted(answered)
    texts = [entry.text for entry in entries if isinstance(entry, Answered)]
    assert all(text is not None and text.startswith("{") for text in texts)
    later = [event async for event in agon.events(started["id"], after=last.seq - 2)]
    assert later == entries[-2:]
    assert [event async for event in agon.events(started["id"], after=last.seq)] == []


async def test_a_stopped_debate_says_why_and_continues_after_resume(agon: Agon) -> None:
    debate = new_id("stopped")
    with pytest.raises(StoppedError) as raised:
        await short(agon, "scripted:failing.json", id=debate)
    error = raised.value
    assert (error.code, error.debate) == ("provider", debate)
    assert "unavailable" in error.message and error.remedy
    # Also for who comes later: the server does not repeat the event.
    last = [event async for event in agon.events(debate)][-1]
    assert isinstance(last, Stopped) and last.code == "provider"
    await agon.resume(debate, name="Ada")
    result = await agon.result(debate, timeout=30)
    assert result.outcome["name"] == "even"


async def test_an_extended_debate_continues_behind_its_end(agon: Agon) -> None:
    first = await short(agon)
    await agon.extend(first.id, rounds=1)
    second = await agon.result(first.id, timeout=30)
    assert second.debate["entries"] > first.debate["entries"]
    kinds = [
        event.kind for event in [event async for event in agon.events(first.id)] if event.kind != "delta"
    ]
    assert kinds.count("closed") == 2 and kinds.count("extended") == 1 and kinds[-1] == "closed"


async def test_a_debate_that_takes_too_long_continues(agon: Agon) -> None:
    debate = new_id("slow")
    with pytest.raises(DebateTimeoutError) as raised:
        await agon.debate(
            protocol="exchange", motion=MOTION, rounds=0, id=debate, model="scripted:slow.json", timeout=0.3
        )
    assert (raised.value.code, raised.value.debate) == ("timeout", debate)
    assert (await agon.result(debate, timeout=30)).is_valid


async def test_a_cancelled_debate_has_no_result(agon: Agon) -> None:
    started = await agon.start(protocol="exchange", motion=MOTION, rounds=0, model="scripted:slow.json")
    await asyncio.sleep(0.2)
    await agon.cancel(started["id"], name="Ada", why="enough")
    result = await agon.result(started["id"], timeout=30)
    assert not result.is_valid
    assert result.outcome["name"] == "CANCELLED" and "enough" in result.outcome["summary"]


async def test_a_paused_debate_stops_and_continues(agon: Agon) -> None:
    started = await agon.start(protocol="exchange", motion=MOTION, rounds=0, model="scripted:slow.json")
    await asyncio.sleep(0.2)
    await agon.pause(started["id"], name="Ada", why="lunch")
    with pytest.raises(StoppedError, match="lunch") as raised:
        await agon.result(started["id"], timeout=30)
    assert raised.value.code == "paused"
    await agon.resume(started["id"], name="Ada")
    assert (await agon.result(started["id"], timeout=30)).is_valid


async def test_a_seat_from_outside_is_answered(agon: Agon) -> None:
    seats = {"proposition": "outside"}
    started = await agon.start(protocol="exchange", motion=MOTION, rounds=0, seats=seats)
    debate, seat = started["id"], "proposition"
    for _ in range(50):
        if any(open["outside"] for open in await agon.requests(debate)):
            break
        await asyncio.sleep(0.1)
    prompt = await agon.prompt(debate, seat)
    assert MOTION in "".join(message["text"] for message in prompt["messages"])
    token = (await agon.claim(debate, seat, holder="Ada"))["token"]
    await agon.refresh(debate, seat, token=token, seconds=60)
    with pytest.raises(RefusedError) as raised:
        await agon.claim(debate, seat, holder="Eve")
    assert (raised.value.code, raised.value.status) == ("held", 409)
    with pytest.raises(RefusedError, match="unusable"):
        await agon.answer(debate, seat, token=token, text="")
    text = json.dumps(
        {"stance": "for", "arguments": [argument(title) for title in ("Rest", "Sleep", "Calm")]}
    )
    receipt = await agon.answer(debate, seat, token=token, text=text)
    assert receipt["key"] == prompt["key"]
    # Twice by accident is once.
    assert await agon.answer(debate, seat, token=token, text=text, key=prompt["key"]) == receipt
    await agon.cancel(debate, name="Ada")


async def test_a_refusal_has_a_code_and_a_remedy(agon: Agon) -> None:
    with pytest.raises(RefusedError) as raised:
        await agon.get("nope")
    error = raised.value
    assert (error.code, error.status) == ("no_such_debate", 404)
    assert "nope" in error.message and error.remedy
    with pytest.raises(RefusedError) as raised:
        await agon.start(protocol="nope", motion=MOTION)
    assert raised.value.status == 422
    with pytest.raises(RefusedError):
        _ = [event async for event in agon.events("nope")]
    async with Agon(os.environ["AGON_URL"], token="wrong") as stranger:
        with pytest.raises(RefusedError) as raised:
            await stranger.debates()
    assert (raised.value.code, raised.value.status) == ("token_needed", 401)


async def test_a_plan_starts_nothing(agon: Agon) -> None:
    debate = new_id("planned")
    assert await agon.plan(protocol="exchange", motion=MOTION, rounds=0, id=debate)
    with pytest.raises(RefusedError, match="no_such_debate"):
        await agon.get(debate)


async def test_every_character_arrives(agon: Agon) -> None:
    # Separators that some readers of lines take for the end of a line.
    motion = "This house\u2028would\u2029rest\x85\u000b, \u201cnow\u201d \U0001f642."
    debate = new_id("characters")
    await agon.debate(protocol="exchange", motion=motion, rounds=0, id=debate, timeout=30)
    first = await anext(agon.events(debate))
    assert isinstance(first, Opened) and first.content["motion"] == motion
