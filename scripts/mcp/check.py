"""MCP clients that others wrote, one after the other; ends at the first that is not served as it should be.

Run by scripts/check-mcp, which fetches them and names the program in AGON.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

AGON = os.environ["AGON"]
# What the suite asks of any server, or of a server that has its tools, resources and prompts: for these agon's own
# stand in, by TRANSLATED. What is left wants images, sound, sampling or subscriptions, which agon has no use for.
SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"]
SCENARIOS += ["completion-complete", "tools-call-simple-text", "tools-call-error", "tools-call-with-progress"]
SCENARIOS += ["resources-read-text", "resources-templates-read", "prompts-get-simple"]
SCENARIOS += ["server-sse-polling", "server-sse-multiple-streams"]
# A debate that is over, and one that waits.
OVER, WAITING = "conformance-123", "conformance-waiting"
TRANSLATED = {
    "test_simple_text": {"name": "transcript", "arguments": {"debate": OVER}},
    "test_error_handling": {"name": "status", "arguments": {"debate": "nobody"}},
    "test_tool_with_progress": {"name": "wait_for_turn", "arguments": {"debate": WAITING, "seat": "judge", "seconds": 8}},
    "test_simple_prompt": {"name": "exchange", "arguments": {"motion": "This house would rest."}},
    "test_prompt_with_arguments": {"ref": {"type": "ref/prompt", "name": "exchange"}, "argument": {"name": "seat", "value": "j"}},
    "test://static-text": {"uri": f"agon://debates/{OVER}/transcript"},
    "test://template/123/data": {"uri": f"agon://debates/{OVER}/record"},
}
# Many clients give up a call after a minute.
CALL_SECONDS_MAX = 55
DOCUMENT = """# Moving house

We should move to the river. The rent is lower there and the rooms are light.

## Costs

The van costs two hundred, and the deposit is three months.
"""


class Room:
    """A folder with data of its own, and a server in it."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="agon-mcp-")
        self.path = self.folder.name
        self.env = {**os.environ, "AGON_HOME": f"{self.path}/home", "HOME": self.path}
        willing, slow = '{"rules": [{"key": "*", "sample": true}]}', '{"rules": [{"key": "*", "sample": true, "delay_ms": 90000}]}'
        for name, text in [("willing.json", willing), ("slow.json", slow), ("house.md", DOCUMENT)]:
            with open(f"{self.path}/{name}", "w") as file:
                file.write(text)
        self.gate = Gate()
        command = [AGON, "serve", "--listen", "127.0.0.1:0", "--allow-model-files", "--output", "json"]
        for name in ["127.0.0.1", "localhost"]:
            command += ["--host", f"{name}:{self.gate.port}"]
        self.server = subprocess.Popen(command, cwd=self.path, env=self.env, stdout=subprocess.PIPE, text=True)
        said = json.loads(self.server.stdout.readline())
        self.url = f"http://{said['listening']}/mcp"
        self.token = said["url"].split("token=")[1]
        self.gate.open(said["listening"], self.token)

    def close(self):
        self.server.terminate()
        self.server.wait()
        self.folder.cleanup()


def translated(body):
    """What the suite asks of its own tools, as it would ask it of agon's."""
    try:
        message = json.loads(body)
        params = message["params"]
        name = params.get("name") or params.get("uri") or params["ref"].get("name")
        return json.dumps({**message, "params": {**params, **TRANSLATED[name]}}).encode()
    except (ValueError, KeyError, TypeError):
        return body


class Gate:
    """Adds the token for clients that know none, and asks for what there is."""

    def __init__(self):
        gate = self

        class Handler(BaseHTTPRequestHandler):
            def pass_on(self):
                body = translated(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
                there = HTTPConnection(gate.target, timeout=60)
                there.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    there.putheader(name, len(body) if name.lower() == "content-length" else value)
                there.putheader("Authorization", f"Bearer {gate.token}")
                there.endheaders(body or None)
                answer = there.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                        self.send_header(name, value)
                self.send_header("Connection", "close")
                self.end_headers()
                while chunk := answer.read1(65536):
                    self.wfile.write(chunk)
                    self.wfile.flush()
                self.close_connection = True

            do_GET = do_POST = do_DELETE = pass_on

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]

    def open(self, target, token):
        self.target, self.token = target, token
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def content(result):
    """What a tool gave."""
    text = result.content[0].text
    assert not result.is_error, text
    return json.loads(text)


async def look_around(session, room):
    """A whole debate of willing seats, and everything that can be read of it."""
    tools = [tool.name for tool in (await session.list_tools()).tools]
    assert tools[:2] == ["debate", "debate_result"], tools
    assert {"start_debate", "wait_for_turn", "answer", "cancel_debate"} <= set(tools), tools
    whole = {"motion": "This house would nap.", "rounds": 0, "model": f"scripted:{room.path}/willing.json"}
    held = content(await session.call_tool("debate", whole))
    while held["status"] == "running":
        held = content(await session.call_tool("debate_result", {"debate": held["debate"]}))
    assert held["status"] == "closed" and held["verdict"], held
    wish = {"protocol": "exchange", "motion": "This house would rest.", "rounds": 0, "model": f"scripted:{room.path}/willing.json"}
    debate = content(await session.call_tool("start_debate", wish))["debate"]
    closed = None
    while not closed:
        closed = content(await session.call_tool("wait_for_turn", {"debate": debate, "seconds": 5}))["closed"]
    read = await session.read_resource(f"agon://debates/{debate}/transcript")
    assert "This house would rest." in read.contents[0].text
    prompts = (await session.list_prompts()).prompts
    assert any(prompt.name == "exchange" for prompt in prompts)
    refused = await session.call_tool("cancel_debate", {"debate": debate})
    assert refused.is_error and refused.structured_content["error"]["code"] == "closed", refused
    return closed["name"]


def turn(number, before):
    """Turn `number` of a duel that ends in agreement."""
    source = {"kind": "source", "text": "The rent is lower there and the rooms are light."}
    principle = {"kind": "principle", "text": f"Reason {number}: what is paid once weighs less than what is paid each month."}
    words = {1: "The river is the better place while the deposit stays open.",
             2: "Lower rent carries the move, and turn 1 names the one real doubt.",
             3: "Turn 2 settles the deposit by the rent that is saved within a year."}[number]
    return {
        "position": f"{words} That is where participant {2 - number % 2} stands at number {number}.",
        "counterpoints": [{"addresses": "Source: Costs" if number == 1 else f"Turn {number - 1}",
                           "claim": f"Weakness {number}: the price of {['paint', 'lamps', 'curtains'][number - 1]} is named nowhere.",
                           "support": [source]}],
        "agreements": [f"It is right about {['light', 'rent', 'the van'][number - 1]}, since the document says so plainly."],
        "novel_argument": {"claim": f"Nobody has counted {['the walk to work', 'winter floods', 'quiet nights'][number - 1]} yet.", "support": [principle]},
        "unresolved_items": [{"text": f"How long does the contract of room {number} run?", "blocking": False}],
        "answer": {"do": "Move to the river once the deposit is settled.", "unless": "the contract runs for years"},
        "stance": "OPEN_TO_DEBATE" if number == 1 else "ACCEPTING_CONSENSUS",
        "stance_revision_support": [source, {"kind": "turn", "text": "Turn 2: the rent that is saved pays the deposit"}] if number == 3 else [],
    }


async def duel(sessions, room):
    """Two clients that sit opposite each other, until they agree."""
    seats = {"participant-1": "outside", "participant-2": "outside"}
    wish = {"protocol": "duel", "motion": f"{room.path}/house.md", "seats": seats}
    debate = content(await sessions[0].call_tool("start_debate", wish))["debate"]

    async def sit(session, seat):
        after = 0
        while True:
            found = content(await session.call_tool("wait_for_turn", {"debate": debate, "seat": seat, "after": after, "seconds": 20}))
            after = found["entries"]
            if found["closed"]:
                return found["closed"]
            if not found["turn"]:
                continue
            at = {"debate": debate, "seat": seat}
            number = int(found["turn"]["key"].split("/")[0].split("-")[1])
            assert "redraft" not in found["turn"]["key"], found["turn"]["messages"][-1]["text"][-1500:]
            token = content(await session.call_tool("claim_seat", {**at, "name": f"client {seat[-1]}"}))["token"]
            answer = {**at, "token": token, "text": turn(number, found)}
            first = content(await session.call_tool("answer", answer))
            assert content(await session.call_tool("answer", answer)) == first, "sent twice it counts once"
            await session.call_tool("release_seat", {**at, "token": token})

    outcomes = await asyncio.gather(*(sit(session, seat) for session, seat in zip(sessions, seats)))
    assert outcomes[0] == outcomes[1] and outcomes[0]["name"] == "ACCEPTED_CONSENSUS", outcomes
    return outcomes[0]["name"]


async def in_time(session, room, way):
    """The longest call while the models of a debate take longer than a client waits for a call."""
    longest = (0, "")

    async def call(tool, arguments):
        nonlocal longest
        started = time.monotonic()
        result = await session.call_tool(tool, arguments)
        longest = max(longest, (time.monotonic() - started, tool))
        assert longest[0] < CALL_SECONDS_MAX, f"{way}: {longest[1]} took {longest[0]:.1f} s"
        return result

    slow = {"motion": f"This house would wait over {way}.", "model": f"scripted:{room.path}/slow.json", "rounds": 0}
    held = content(await call("debate", slow))
    assert held["status"] == "running", held
    at = {"debate": held["debate"]}
    for tool, arguments in [
        ("status", at), ("debate_result", {**at, "seconds": 1}), ("wait_for_turn", {**at, "seconds": 1}),
        ("transcript", at), ("list_debates", {}), ("pause_debate", {**at, "name": "client"}),
        ("resume_debate", {**at, "name": "client"}), ("cancel_debate", at),
    ]:
        await call(tool, arguments)
    return longest


async def slow_debates(room):
    async def over(way, connect):
        async with connect(room) as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            return await in_time(session, room, way)

    ways = [("standard streams", by_streams), ("HTTP", by_http)]
    for (way, _), (seconds, tool) in zip(ways, await asyncio.gather(*(over(*way) for way in ways))):
        print(f"ok    longest call over {way} while models take 90 s: {tool}, {seconds:.1f} s", flush=True)


def by_streams(room):
    return stdio_client(StdioServerParameters(command=AGON, args=["mcp"], env=room.env, cwd=room.path))


def by_http(room):
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {room.token}"}, timeout=60)
    return streamable_http_client(room.url, http_client=client)


async def clients(room):
    for name, connect in [("standard streams", by_streams), ("HTTP", by_http)]:
        async with connect(room) as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            print(f"ok    Python SDK over {name}: {await look_around(session, room)}", flush=True)
    async with by_streams(room) as one, ClientSession(one[0], one[1]) as first:
        async with by_streams(room) as two, ClientSession(two[0], two[1]) as second:
            await first.initialize()
            await second.initialize()
            print(f"ok    two Python clients in one duel: {await duel([first, second], room)}", flush=True)


def start(room, opening):
    headers = {"Authorization": f"Bearer {room.token}"}
    started = httpx2.post(room.url.replace("/mcp", "/api/v1/debates"), json=opening, headers=headers)
    assert started.status_code == 201, started.text


def ran(name, command, room, wanted=None):
    done = subprocess.run(command, cwd=room.path, env=room.env, capture_output=True, text=True, timeout=90)
    if done.returncode or (wanted and wanted not in done.stdout):
        sys.exit(f"FAIL  {name}: exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    print(f"ok    {name}", flush=True)


def main():
    room = Room()
    try:
        asyncio.run(asyncio.wait_for(clients(room), 120))
        asyncio.run(asyncio.wait_for(slow_debates(room), 150))
        local = ["mcp-inspector", "--cli", AGON, "mcp"]
        local += ["-e", f"AGON_HOME={room.env['AGON_HOME']}"]
        web = ["mcp-inspector", "--cli", room.url, "--transport", "http", "--header", f"Authorization: Bearer {room.token}"]
        for way, command in [("standard streams", local), ("HTTP", web)]:
            for method, wanted in [("tools/list", "wait_for_turn"), ("resources/list", "agon://debates/"), ("prompts/list", "exchange")]:
                ran(f"inspector over {way}: {method}", [*command, "--method", method], room, wanted)
            call = ["--method", "tools/call", "--tool-name", "list_debates", "--tool-arg", "limit=20"]
            ran(f"inspector over {way}: tools/call", [*command, *call], room, "This house would rest.")
        for debate, seats in [(OVER, {}), (WAITING, {"proposition": "outside", "judge": "outside"})]:
            opening = {"protocol": "exchange", "motion": "This house would rest.", "id": debate, "rounds": 0}
            start(room, {**opening, "model": "scripted:willing.json", "seats": seats})
        for scenario in SCENARIOS:
            command = ["conformance", "server", "--url", f"http://localhost:{room.gate.port}/mcp", "--scenario", scenario]
            ran(f"conformance: {scenario}", command, room)
    finally:
        room.close()
    print("all passed")


main()
