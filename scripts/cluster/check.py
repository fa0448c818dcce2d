"""Holds debates on a cluster while its parts are killed, and compares them with those of one machine.

Run by scripts/check-cluster, which names the programs.
"""

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import faults
from records import Comparison
from servers import AGON, Mock, Postgres, Worker, cluster, free_ports, until

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
    parser.add_argument("--no-faults", action="store_true", help="only debates and kills")
    parser.add_argument("--no-throughput", action="store_true")
    args = parser.parse_args()
    if args.full:
        args.debates, args.kills, args.concurrency = 300, 30, 20
    return args


class Room:
    """Everything that the check needs: a folder, the cluster, its workers, its journal and the provider."""

    def __init__(self, folder, args):
        self.folder, self.args = folder, args
        self.nodes = cluster(folder, args.nodes, min(2, args.nodes))
        self.postgres = Postgres(folder / "postgres").start() if args.journal == "postgres" else None
        self.on = ",".join(node.ingress for node in self.nodes)
        self.admins = [node.admin for node in self.nodes]
        (self.port,) = free_ports(1)
        self.workers = []

    def environment(self, name, mock, journal=None):
        """The environment of a program whose data directory is `name`."""
        work = self.folder / name
        work.mkdir(exist_ok=True)
        (work / "agon.toml").write_text(f'[providers.mock]\nkind = "openai"\nbase_url = "http://127.0.0.1:{mock.port}/v1"\n')
        env = {key: value for key, value in os.environ.items() if not key.startswith("AGON_")}
        env.update(AGON_HOME=str(work / "home"), NO_COLOR="1", XDG_CONFIG_HOME=str(work), HOME=str(work))
        if journal:
            env["AGON_JOURNAL"] = journal
        return env

    def mock(self, name, latency_ms):
        return Mock(self.folder / name, latency_ms).start()

    def start_workers(self, count, env):
        """As many workers, all of one cluster and one journal."""
        while len(self.workers) > count:
            self.workers.pop().kill(signal.SIGINT)
        while len(self.workers) < count:
            number = len(self.workers) + 1
            folder = Path(env["HOME"])
            worker = Worker(folder / f"worker-{number}", number, self.admins, self.port, env)
            (worker.folder / "agon.toml").write_text((folder / "agon.toml").read_text())
            self.workers.append(worker.start())

    def rows(self, env, sql):
        """The rows of a query of the journal of `env`, each a list of texts."""
        if self.postgres:
            return self.postgres.query(sql)
        with sqlite3.connect(Path(env["AGON_HOME"]) / "journal.db") as db:
            return [[str(cell) for cell in row] for row in db.execute(sql)]

    def repeated_calls(self, env):
        """When each call was made that had been made before. The provider's log does not have those that nobody waited for."""
        return [row[0] for row in self.rows(env, "SELECT started_at FROM calls WHERE attempt > 0 ORDER BY started_at")]

    def parts(self, kind):
        return {"worker": self.workers, "node": self.nodes, "postgres": [self.postgres] if self.postgres else []}[kind]


def lines(count, prefix, rounds=2):
    """The debates of a batch: of two protocols, each about something else, so that no two calls are equal."""
    for number in range(count):
        motion = f"Motion {prefix}{number}: this house would write decision {number} down."
        protocol = {"protocol": "exchange", "rounds": rounds} if number % 3 else {"protocol": "panel", "rounds": 1}
        yield json.dumps({**protocol, "motion": motion, "id": f"{prefix}{number}", "seed": number, "model": "mock:mock"})


def batch(env, file, *more):
    work = Path(env["HOME"])
    out = open(work / "batch.out", "wb")
    return subprocess.Popen([AGON, "batch", str(file), "--files", "none", "--output", "json", *more], cwd=work, env=env,
                            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)


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

    def __init__(self, room, child):
        self.room, self.child, self.done = room, child, []
        self.turns = [kind for kind in KINDS if room.parts(kind)]

    def go_on(self, count, pause):
        while len(self.done) < count and self.child.poll() is None:
            time.sleep(pause)
            kind = self.turns[len(self.done) % len(self.turns)]
            parts = self.room.parts(kind)
            part = parts[len(self.done) // len(self.turns) % len(parts)]
            self.done.append((kind, datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")))
            part.kill()
            time.sleep(1)
            part.start()
            print(f"  {len(self.done)}: killed {part.name}, up again after {part.up_after:.1f} s", flush=True)

    def repeated(self, env):
        """The calls that were made again, by the kind of the last kill before."""
        repeated = Counter()
        for at in self.room.repeated_calls(env):
            before = [kind for kind, killed in self.done if killed <= at]
            repeated[before[-1] if before else "none"] += 1
        return repeated


def kills(room, args):
    """The debates under kills; what was lost, doubled or made twice."""
    file = room.folder / "debates.jsonl"
    file.write_text("\n".join(lines(args.debates, "k")) + "\n")
    mock = room.mock("mock-here", 0)
    here, _ = held_here(room, file, mock, "here", 16)
    want_calls = mock.calls()
    mock.kill()

    mock = room.mock("mock-cluster", args.latency_ms)
    journal = room.postgres and room.postgres.address
    there = room.environment("there", mock, journal)
    room.start_workers(args.workers, there)
    began = time.monotonic()
    child = batch(there, file, "--on", room.on, "--concurrency", str(args.concurrency))
    killing = Kills(room, child)
    killing.go_on(args.kills, 2)
    code = ended(child, there, 1800)
    print(f"{args.debates} debates, {len(killing.done)} kills, {time.monotonic() - began:.0f} s, exit {code}")
    comparison = Comparison()
    for number in range(args.debates):
        comparison.compare(f"k{number}", here, there)
    repeated, made = killing.repeated(there), set(mock.calls())
    missing, other = len(set(want_calls) - made), len(made - set(want_calls))
    print(comparison.told())
    print(f"calls {len(want_calls)}, made again {sum(repeated.values())} {dict(repeated)}, missing {missing}, other {other}")
    print("drives of each worker: " + ", ".join(str(worker.drives()) for worker in room.workers))
    for line in comparison.shown[:8]:
        print("  " + line)
    # Two speak at once in these protocols, and a killed worker had at most all the debates.
    most = 3 * args.concurrency * sum(kind == "worker" for kind, _ in killing.done)
    assert code == 0, f"exit {code}: {(Path(there['HOME']) / 'batch.out').read_text()[-1500:]}"
    assert comparison.is_clean(), "the records are not those of one machine"
    assert missing == 0 and other == 0, "the calls are not those of one machine"
    assert set(repeated) <= {"worker"}, "calls were made again although no worker had been killed"
    assert sum(repeated.values()) <= most, f"more than {most} calls were made again"
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
        env = room.environment("there", mock, room.postgres and room.postgres.address)
        for worker in room.workers:
            worker.kill(signal.SIGINT)
        room.workers.clear()
        room.start_workers(workers, env)
        file.write_text("\n".join(lines(count, f"w{workers}-", 1)) + "\n")
        began = time.monotonic()
        code = ended(batch(env, file, "--on", room.on, "--concurrency", str(count)), env, 600)
        assert code == 0, f"exit {code}: {(Path(env['HOME']) / 'batch.out').read_text()[-1500:]}"
        took = time.monotonic() - began
        print(f"{workers} workers: {count / took:.1f} debates/s, {here / took:.2f} of one machine", flush=True)


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
            if not args.no_throughput:
                throughput(room, args)
        except AssertionError:
            if keep := os.environ.get("KEEP"):
                subprocess.run(["cp", "-a", folder, keep])
            raise
    print("ok")


if __name__ == "__main__":
    main()
