"""Clocks that jump by an hour, of the database and of a worker. libfaketime sets them; Restate's server is linked
statically, so it keeps its clock."""

import glob
import time
from pathlib import Path

from servers import Worker, until


class Clock:
    """A clock that some programs go by."""

    def __init__(self, file):
        self.file = Path(file)
        self.set(0)

    def set(self, seconds):
        new = self.file.with_suffix(".new")
        new.write_text(f"{seconds:+d}s\n")
        new.chmod(0o644)
        new.replace(self.file)

    def environment(self):
        """What a program is started with that goes by it."""
        (library,) = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")[:1] or [None]
        assert library, "libfaketime is missing (Debian: faketime)"
        return {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_RESET": "1"}


def clocks(room, env, debate, followed):
    """Debates go on whatever the clocks say; nobody takes over from one that lives, and all from one that is dead."""
    store, own = Clock(room.folder / "clock-store"), Clock(room.folder / "clock-worker")
    room.postgres.kill()
    room.postgres.start(env=store.environment())
    for worker in room.workers:
        worker.kill()
    first, second = room.workers[:2]
    steady_env, own_env = first.env, {**second.env, **own.environment()}
    room.workers = [first, Worker(second.folder, 2, room.admins, room.port, own_env)]
    for worker in room.workers:
        worker.start()
    # Only who was there all the time takes over.
    time.sleep(12)

    def held(name, count, jumps, kill=None):
        names = [f"{name}{number}" for number in range(count)]
        known = len(room.repeated_calls(env))
        began = {worker.name: worker.drives() for worker in room.workers}
        children = [followed(env, *debate(each, "--max-time", "10m", "--on", room.on)) for each in names]
        until("they are under way", 60, lambda: all(room.length(env, each) > 2 for each in names))
        for clock, seconds in jumps:
            clock.set(seconds)
        if kill:
            busy = max(room.workers, key=lambda worker: worker.drives() - began[worker.name])
            busy.kill()
        since = time.monotonic()
        codes = [child.wait(240) for child in children]
        took = time.monotonic() - since
        if kill:
            busy.start()
        assert codes == [0] * count, f"ended with {codes}: {[child.stderr.read()[-300:] for child in children]}"
        return room.moved(env, names), len(room.repeated_calls(env)) - known, took

    told = int(room.rows(env, "SELECT CAST(extract(epoch FROM clock_timestamp()) AS BIGINT)")[0][0])
    assert abs(told - time.time()) < 5, "the clock of the database is not the usual one yet"
    for name, jumps, what in (
        ("ta", [(store, 3600)], "the database's clock jumped ahead by an hour"),
        ("tb", [(store, 0)], "the database's clock jumped back by an hour"),
        ("tc", [(own, 3600)], "a worker's clock jumped ahead by an hour"),
        ("td", [(own, -3600)], "a worker's clock jumped back by two hours"),
    ):
        moved, again, _ = held(name, 6, jumps)
        assert (moved, again) == (0, 0), f"{what}: {moved} debates moved and {again} calls were made again"
        print(f"{what}: 6 debates closed, none moved to another worker, no call made again, no time limit passed", flush=True)
    told = int(room.rows(env, "SELECT CAST(extract(epoch FROM clock_timestamp()) AS BIGINT)")[0][0])
    store.set(3600)
    until("the database goes by its clock", 10, lambda: int(room.rows(
        env, "SELECT CAST(extract(epoch FROM clock_timestamp()) AS BIGINT)")[0][0]) > told + 3000)
    time.sleep(12)
    moved, again, took = held("te", 6, [(store, 0)], kill=True)
    assert moved > 0 and took < 120, f"{moved} debates moved in {took:.0f} s"
    print(f"the database's clock jumped back by an hour and a worker was killed: its {moved} debates moved, all closed "
          f"after {took:.0f} s, {again} calls made again", flush=True)
    for worker in room.workers:
        worker.kill()
    room.workers[1].env = steady_env
    room.postgres.kill()
    room.postgres.start()
    for worker in room.workers:
        worker.start()
