"""Holds debates on a cluster while its parts are killed, and compares them with those of one machine.

Run by scripts/check-cluster, which names the programs.
"""

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import clocks
import faults
import guide
import served
import split
from network import forwarded, network
from records import Comparison
from servers import Mock, Postgres, Worker, cluster, free_ports, started

KINDS = ("worker", "node", "postgres")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--debates", type=int, default=36)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=12)
    parser.add_argument("--latency-ms", type=int, default=700)
    parser.add_argument("--journal", choices=("postgres", "sqlite"), default="postgres")
    parser.add_argument("--full", action="store_true", help="300 debates, 30 kills, long faults")
    parser.add_argument("--short", action="store_true", help="fewer debates and kills, no wrong clocks, nothing cut off")
    parser.add_argument("--no-faults", action="store_true", help="only debates and kills")
    parser.add_argument("--no-throughput", action="store_true")
    args = parser.parse_args()
    if args.full:
        args.debates, args.kills, args.concurrency = 300, 30, 20
    if args.short:
        args.debates, args.kills, args.no_throughput = 24, 4, True
    return args


class Room:
    """Everything that the check needs: a folder, the cluster, its workers, its journal and the provider."""

    def __init__(self, folder, args, net=None):
        self.folder, self.args, self.net = folder, args, net
        places = [net.place() for _ in range(args.nodes)] if net else None
        self.nodes = cluster(folder, args.nodes, min(2, args.nodes), places)
        self.postgres = Postgres(folder / "postgres").start() if args.journal == "postgres" else None
        self.on = ",".join(node.ingress for node in self.nodes)
        self.admins = [node.admin for node in self.nodes]
        (self.port,) = free_ports(1)
        self.workers = []

    def seen(self, port):
        """The address of a server of this machine, as parts of the cluster reach it."""
        return forwarded(self.folder / f"forward-{port}", self.net, f"127.0.0.1:{port}") if self.net else f"127.0.0.1:{port}"

    @property
    def journal(self):
        """The address of the database, as parts of the cluster reach it; none for a journal in a folder."""
        if not self.postgres:
            return None
        if not self.net:
            return self.postgres.address
        if not hasattr(self, "seen_postgres"):
            self.seen_postgres = self.seen(int(self.postgres.address.rsplit(":", 1)[1].split("/")[0]))
        return f"postgres://agon@{self.seen_postgres}/agon?sslmode=disable"

    def environment(self, name, mock, journal=None):
        """The environment of a program whose data directory is `name`."""
        work = self.folder / name
        work.mkdir(exist_ok=True)
        provider = f"http://{self.seen(mock.port)}/v1"
        (work / "agon").mkdir(exist_ok=True)
        (work / "agon/config.toml").write_text(f'[providers.mock]\nkind = "openai"\nbase_url = "{provider}"\n')
        env = {key: value for key, value in os.environ.items() if not key.startswith("AGON_")}
        env.update(AGON_HOME=str(work / "home"), NO_COLOR="1", XDG_CONFIG_HOME=str(work), HOME=str(work))
        if journal:
            env["AGON_JOURNAL"] = journal
        return env

    def mock(self, name, latency_ms):
        return Mock(self.folder / name, latency_ms).start()

    def replace_workers(self, count, env):
        """So many workers, of one cluster and one journal, in place of those before."""
        for worker in self.workers:
            worker.kill(signal.SIGTERM)
        self.workers = []
        self.add_workers(count, env)

    def add_workers(self, count, env):
        """So many workers more."""
        folder = Path(env["HOME"])
        first = len(self.workers) + 1
        numbers, places, more = range(first, first + count), [None] * count, []
        if self.net:
            places = [self.net.place() for _ in numbers]
            balancer = forwarded(folder / "balancer", self.net, *(f"{place.address}:{self.port}" for place in places))
            more = ["--advertise", f"http://{balancer}"]
        added = [Worker(folder / f"worker-{number}", number, self.admins, self.port, env, place, more)
                 for number, place in zip(numbers, places)]
        for worker in added:
            worker.start()
        self.workers += added

    def rows(self, env, sql):
        """The rows of a query of the journal of `env`, each a list of texts."""
        if self.postgres:
            return self.postgres.query(sql)
        with sqlite3.connect(Path(env["AGON_HOME"]) / "journal.db") as db:
            return [[str(cell) for cell in row] for row in db.execute(sql)]

    def length(self, env, debate):
        """How many entries a debate has; none if it is not there."""
        found = self.rows(env, f"SELECT length FROM debates WHERE id = '{debate}'")
        return int(found[0][0]) if found else 0

    def moved(self, env, names):
        """How many of these debates were taken over from a worker that did not give them back."""
        listed = ", ".join(f"'{name}'" for name in names)
        return len(self.rows(env, f"SELECT debate FROM drives WHERE fence > 1 AND debate IN ({listed})"))

    def repeated_calls(self, env):
        """When each call was made that had been made before. The provider's log does not have those that nobody waited for."""
        return [row[0] for row in self.rows(env, "SELECT started_at FROM calls WHERE attempt > 0 ORDER BY started_at")]

    def parts(self, kind):
        return {"worker": self.workers, "node": self.nodes, "postgres": [self.postgres] if self.postgres else []}[kind]


def lines(count, prefix, rounds=2):
    """The debates of a batch: of two protocols, each about something else, so that no two calls are equal."""
    for number in range(count):
        motion = f"Motion {prefix}{number}: this house would write decision {number} down."
        protocol = {"protocol": "exchange", "rounds": rounds} if number % 3 else {"protocol": "revise", "rounds": 1}
        yield json.dumps({**protocol, "motion": motion, "id": f"{prefix}{number}", "seed": number, "model": "mock:mock"})


def batch(env, file, *more):
    out = open(Path(env["HOME"]) / "batch.out", "wb")
    return started(["batch", str(file), "--files", "none", "--output", "json", *more], env, stdout=out, stderr=subprocess.STDOUT)


def ended(child, env, seconds):
    """Waits for a batch; gives its exit code."""
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        raise AssertionError(f"the batch took more than {seconds} s: {(Path(env['HOME']) / 'batch.out').read_text()[-1500:]}") from None


def held_here(room, file, mock, name, concurrency):
    """Holds the debates on one machine; gives the environment and the seconds."""
    env = room.environment(name, mock)
    began = time.monotonic()
    code = ended(batch(env, file, "--concurrency", str(concurrency)), env, 900)
    assert code == 0, f"the batch on one machine ended with {code}: {(Path(env['HOME']) / 'batch.out').read_text()[-1500:]}"
    return env, time.monotonic() - began


class Kills:
    """Kills parts of the cluster in turn while a batch runs."""

    def __init__(self, room, child, kinds, env):
        self.room, self.child, self.env, self.done = room, child, env, []
        # Calls that were under way when each kill was made, as the journal knows them; and when that was.
        self.open, self.moments = [], []
        self.turns = [kind for kind in kinds if room.parts(kind)]

    def under_way(self, kind):
        """How many calls a kill of such a part can make again: all that are open, if it is a worker."""
        sql = """SELECT count(DISTINCT c.debate || ' ' || c.key) FROM calls c WHERE c.state = 'open' AND NOT EXISTS
                 (SELECT 1 FROM entries e WHERE e.debate = c.debate AND e.kind = 'answered' AND e.key = c.key)"""
        return int(self.room.rows(self.env, sql)[0][0]) if kind == "worker" else 0

    def again(self, name):
        """How many calls were made again after each kill, and those that no kill of a worker explains."""
        sql = f"""SELECT c.debate || ' ' || c.key, b.started_at, c.started_at FROM calls c JOIN calls b
                  ON b.debate = c.debate AND b.key = c.key AND b.attempt = c.attempt - 1
                  WHERE c.debate LIKE '{name}%' ORDER BY c.started_at"""
        counts, unexplained, seen = [0] * len(self.done), [], set()
        for call, before, again in self.room.rows(self.env, sql):
            kill = next((number for number, at in enumerate(self.moments)
                         if self.done[number] == "worker" and before <= at <= again), None)
            if kill is None:
                unexplained.append(call)
                continue
            assert (kill, call) not in seen, f"{call} was made again twice after kill {kill + 1}"
            seen.add((kill, call))
            counts[kill] += 1
        return counts, unexplained

    def go_on(self, count, pause):
        while len(self.done) < count and self.child.poll() is None:
            time.sleep(pause)
            kind = self.turns[len(self.done) % len(self.turns)]
            parts = self.room.parts(kind)
            part = parts[len(self.done) // len(self.turns) % len(parts)]
            self.open.append(self.under_way(kind))
            part.kill()
            self.moments.append(datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"))
            self.done.append(kind)
            time.sleep(1)
            part.start()
            print(f"  {len(self.done)}: killed {part.name}, up again after {part.up_after:.1f} s", flush=True)


def kills(room, args):
    """Debates under kills of everything, then under kills of all but workers, which cost no call at all."""
    there = held_under_kills(room, args, "k", args.debates, args.kills, KINDS)
    held_under_kills(room, args, "s", max(args.debates // 3, args.concurrency), max(args.kills // 3, 2), KINDS[1:])
    return there


def held_under_kills(room, args, name, count, most_kills, kinds):
    """Debates while parts of `kinds` are killed; what was lost, doubled or made twice."""
    file = room.folder / f"{name}.jsonl"
    file.write_text("\n".join(lines(count, name)) + "\n")
    mock = room.mock(f"mock-here-{name}", 0)
    here, _ = held_here(room, file, mock, f"here-{name}", 16)
    want_calls = mock.calls()
    mock.kill()

    mock = room.mock(f"mock-cluster-{name}", args.latency_ms)
    there = room.environment("there", mock, room.journal)
    room.replace_workers(args.workers, there)
    known = len(room.repeated_calls(there))
    began = time.monotonic()
    child = batch(there, file, "--on", room.on, "--concurrency", str(args.concurrency))
    killing = Kills(room, child, kinds, there)
    killing.go_on(most_kills, 2)
    code = ended(child, there, 1800)
    print(f"{count} debates, {len(killing.done)} kills, {time.monotonic() - began:.0f} s, exit {code}")
    comparison = Comparison()
    for number in range(count):
        comparison.compare(f"{name}{number}", here, there)
    made, again = set(mock.calls()), len(room.repeated_calls(there)) - known
    missing, other = len(set(want_calls) - made), len(made - set(want_calls))
    print(comparison.told())
    print(f"calls {len(want_calls)}, made again {again}, missing {missing}, other {other}")
    counts, unexplained = killing.again(name)
    told = [f"{count} of {under_way}" for kind, count, under_way in zip(killing.done, counts, killing.open) if kind == "worker"]
    print(f"made again after each kill of a worker, of those under way: {', '.join(told) or 'none'}; largest {max(counts, default=0)}; "
          f"without one: {len(unexplained)}")
    print("drives of each worker: " + ", ".join(str(worker.drives()) for worker in room.workers), flush=True)
    for line in comparison.shown[:8]:
        print("  " + line)
    assert code == 0, f"exit {code}: {(Path(there['HOME']) / 'batch.out').read_text()[-1500:]}"
    assert comparison.is_clean(), "the records are not those of one machine"
    assert missing == 0 and other == 0, "the calls are not those of one machine"
    assert not unexplained, f"made again although no worker was killed: {unexplained[:5]}"
    for kind, count, under_way in zip(killing.done, counts, killing.open):
        # One that begins while the kill is made is not among those that were counted.
        assert count <= under_way + args.concurrency // 4, f"{count} calls were made again, and {under_way} were under way"
    return there


def throughput(room, args):
    """Debates a second with one to four workers, as ratios to one machine with its embedded journal."""
    count = 60 if args.full else 24
    mock = room.mock("mock-fast", 0)
    file = room.folder / "fast.jsonl"
    file.write_text("\n".join(lines(count, "h", 1)) + "\n")
    _, here = held_here(room, file, mock, "fast-here", count)
    print(f"one machine, embedded journal: {count / here:.1f} debates/s")
    for workers in (1, 2, 4):
        env = room.environment("there", mock, room.journal)
        room.replace_workers(workers, env)
        file.write_text("\n".join(lines(count, f"w{workers}-", 1)) + "\n")
        began, before = time.monotonic(), computed(room)
        code = ended(batch(env, file, "--on", room.on, "--concurrency", str(count)), env, 600)
        assert code == 0, f"exit {code}: {(Path(env['HOME']) / 'batch.out').read_text()[-1500:]}"
        took, after = time.monotonic() - began, computed(room)
        cost = ", ".join(f"{name} {(after[name] - before[name]) / count * 1e3:.0f}" for name in after)
        print(f"{workers} workers: {count / took:.1f} debates/s, {here / took:.2f} of one machine; processor time of a debate in ms: "
              f"{cost}", flush=True)


def late_workers(room):
    """The shares of two workers, and of four more that come while debates are driven."""
    mock = room.mock("mock-late", 100)
    file = room.folder / "late.jsonl"
    file.write_text("\n".join(lines(240, "late", 1)) + "\n")
    env = room.environment("there", mock, room.journal)
    room.replace_workers(2, env)
    child = batch(env, file, "--on", room.on, "--concurrency", "24")
    while sum(worker.drives() for worker in room.workers) < 60 and child.poll() is None:
        time.sleep(0.2)
    room.add_workers(4, env)
    before = [worker.drives() for worker in room.workers]
    code = ended(child, env, 600)
    assert code == 0, f"exit {code}: {(Path(env['HOME']) / 'batch.out').read_text()[-1500:]}"
    behind = [worker.drives() - drives for worker, drives in zip(room.workers, before)]
    print(f"drives of each worker until four were added: {before}; behind: {behind}", flush=True)


def computed(room):
    """The processor time of each kind of program so far, in seconds."""
    kinds = {"workers": room.workers, "Restate": room.nodes, "Postgres": [room.postgres] if room.postgres else []}
    return {name: sum(part.computed() for part in parts) for name, parts in kinds.items() if parts}


def split_off(folder, args):
    """Parts that the network cuts off, where this user may make a network; else a part that is stopped stands for that."""
    net, why = network()
    if not net:
        print(f"not cut off by the network, only stopped: {why}", flush=True)
        return
    folder = folder / "split"
    folder.mkdir()
    room = Room(folder, args, net)
    try:
        split.splits(room, held_here, lines, batch, ended)
    finally:
        for part in (*room.workers, *room.nodes):
            part.end()
        room.postgres.end()


def main():
    args = arguments()
    with tempfile.TemporaryDirectory(prefix="agon-cluster-", ignore_cleanup_errors=True) as folder:
        room = Room(Path(folder), args)
        print(f"{args.nodes} nodes up, journal {args.journal}", flush=True)
        try:
            if not args.no_faults:
                faults.before_workers(room)
            env = kills(room, args)
            if not args.no_faults:
                faults.with_workers(room, env)
                served.serve(room, env)
                served.evaluate(room, env)
            if not args.no_faults and room.postgres:
                guide.guide(room.mock("mock-guide", 0))
                if not args.short:
                    clocks.clocks(room, env, faults.debate, faults.followed)
                    split_off(Path(folder), args)
            if not args.no_throughput:
                late_workers(room)
                throughput(room, args)
        except AssertionError:
            if keep := os.environ.get("KEEP"):
                subprocess.run(["cp", "-a", folder, keep])
            raise
    print("ok")


if __name__ == "__main__":
    main()
