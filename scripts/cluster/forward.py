"""Takes connections at one address, and hands each to one of several others in turn.

    python3 forward.py HOST:PORT TARGET:PORT...
"""

import asyncio
import itertools
import sys

CONNECT_SECONDS = 1.0


def parts(address):
    host, port = address.rsplit(":", 1)
    return host, int(port)


async def pour(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def main():
    host, port = parts(sys.argv[1])
    targets = [parts(target) for target in sys.argv[2:]]
    turns = itertools.count()

    async def take(reader, writer):
        first = next(turns)
        for number in range(len(targets)):
            try:
                target = targets[(first + number) % len(targets)]
                connected = await asyncio.wait_for(asyncio.open_connection(*target), CONNECT_SECONDS)
                break
            except (OSError, asyncio.TimeoutError):
                continue
        else:
            writer.close()
            return
        await asyncio.gather(pour(reader, connected[1]), pour(connected[0], writer))

    server = await asyncio.start_server(take, host, port)
    print("listening", flush=True)
    await server.serve_forever()


asyncio.run(main())
