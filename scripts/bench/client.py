"""What others would write by hand: asks the same as debates of agon, and keeps nothing.

Python's standard library alone (asyncio streams): one connection a debate, its calls one after the other, all
debates at once. Every answer is read as it streams, and its JSON read at the end.

Usage: client.py ADDRESS BODIES DEBATES     (BODIES: a JSON list of request bodies with {NUMBER} in them)
"""

import asyncio
import json
import sys


async def call(reader, writer, address, body):
    data = json.dumps(body).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n"
    writer.write(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)
    await writer.drain()
    status = await reader.readuntil(b"\r\n\r\n")
    if not status.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(status.decode())
    pieces, rest = [], b""
    while size := int(await reader.readline(), 16):
        rest += (await reader.readexactly(size + 2))[:-2]
        *frames, rest = rest.split(b"\n\n")
        for frame in frames:
            if frame.startswith(b"data: ") and frame != b"data: [DONE]":
                for choice in json.loads(frame[6:]).get("choices", []):
                    pieces.append(choice["delta"].get("content") or "")
    await reader.readline()
    return json.loads("".join(pieces))


async def debate(address, bodies, number):
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 20)
    for body in bodies:
        messages = [{**m, "content": m["content"].replace("{NUMBER}", str(number))} for m in body["messages"]]
        await call(reader, writer, address, {**body, "messages": messages})
    writer.close()


async def main():
    address, bodies, debates = sys.argv[1], json.load(open(sys.argv[2])), int(sys.argv[3])
    await asyncio.gather(*(debate(address, bodies, number) for number in range(debates)))


asyncio.run(main())
