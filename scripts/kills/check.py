"""Kills a verb on entering its first, second, … change of the disk, and calls it again.

Run by scripts/check-kills, which names the program in AGON. strace kills on entry, before the change is
made: so each state between two changes is tried, and with the last kill the one before the answer. It counts
every kind of system call by itself, so each kind has its own series. Every trial begins with the same folder at
the same place.
"""

import concurrent.futures
import difflib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from cases import CASES

AGON = os.environ["AGON"]
CHANGES = (
    "write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,fallocate,rename,renameat,renameat2,"
    "unlink,unlinkat,mkdir,mkdirat,link,linkat,symlink"
)
MASKS = [
    (r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", "TIME"),
    (r"(sha256:)?[0-9a-f]{64}", "DIGEST"),
    (r"head [0-9a-f]{12}", "head DIGEST"),
    (r'("took_ms"|"duration_ms"|"driven_ms"): ?\d+', r"\1:0"),
]
# What a call that was answered may leave: it has been told, and the rest is tidying up.
LEFTOVERS = re.compile(r"\.agon-commit\.json|debate-log\.lock|\.agon-tmp$|^[poj]\.json$")
TABLES = ["debates", "entries", "duels", "duel_participants", "duel_sightings", "runs", "events", "findings"]


def masked(text):
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text)
    return text


class Room:
    """A working folder and a data directory, always at the same place."""

    def __init__(self, root):
        self.root, self.kept = root / "room", root / "kept"
        self.work, self.home = self.root / "work", self.root / "home"
        self.work.mkdir(parents=True)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.root), "AGON_HOME": str(self.home)}

    def write(self, name, content):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return str(path)

    def run(self, *words, tracing=()):
        ran = subprocess.run([*tracing, AGON, *words], cwd=self.work, env=self.env, capture_output=True, stdin=subprocess.DEVNULL)
        return ran.returncode, ran.stdout.decode(), ran.stderr.decode()

    def data(self, *words):
        """The data of a verb of the duel that must succeed."""
        code, out, err = self.run("agent-tools", "socratic-duel", *words)
        assert code == 0, (words, out, err)
        return json.loads(out)["data"]

    def keep(self):
        shutil.copytree(self.root, self.kept, symlinks=True)

    def restore(self):
        shutil.rmtree(self.root)
        shutil.copytree(self.kept, self.root, symlinks=True)

    def state(self, all_of_it):
        """Every file and everything on the journal, masked; what the next call removes only if wanted."""
        state = {}
        for path in sorted(self.work.rglob("*")):
            name = str(path.relative_to(self.work))
            if path.is_file() and (all_of_it or not LEFTOVERS.search(name)) and ".torn-" not in name:
                state[name] = masked(path.read_bytes().decode())
        journal = self.home / "journal.db"
        if journal.exists():
            db = sqlite3.connect(journal)
            for table in [*TABLES, *(["receipts"] if all_of_it else [])]:
                rows = db.execute(f"SELECT * FROM {table}").fetchall()
                state[table] = sorted(masked(repr(row)) for row in rows)
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            db.close()
        return state


def differences(want, got):
    """The first lines that differ, each with the file or table that it stands in."""
    shown = []
    for name in {**want, **got}:
        lines = [state.get(name, "") for state in (want, got)]
        lines = ["\n".join(line).splitlines() if isinstance(line, list) else line.splitlines() for line in lines]
        shown += [f"{name} {line[:300]}" for line in difflib.ndiff(*lines) if line[0] in "-+"]
    return "\n".join(shown[:8])


def changes(room, words):
    """The kinds of changes that a call makes."""
    log = room.root.parent / "changes"
    room.run(*words, tracing=["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={CHANGES}", "-e", "signal=none"])
    return sorted({found[1] for line in log.read_text().splitlines() if (found := re.match(r"\d+ +(\w+)\(", line))})


def sweep(name, prepare):
    """Tries one call; gives the number of kills."""
    with tempfile.TemporaryDirectory(prefix="agon-kills-") as folder:
        room = Room(Path(folder))
        words, proof = prepare(room)
        room.keep()
        want = room.run(*words)
        want_state = room.state(True)
        want_proof = proof(room, want[1])
        room.restore()
        kills = 0
        for kind in changes(room, words):
            number = spared = 0
            # Writes that come together are stored together, so how many there are differs from run to run:
            # a series ends when several numbers in a row were not reached.
            while spared < 3:
                number += 1
                room.restore()
                killed = trial(room, words, (kind, number), (want, want_state, want_proof), proof, name)
                kills, spared = (kills + 1, 0) if killed else (kills, spared + 1)
        assert kills, f"{name}: every call lived"
        return kills


def trial(room, words, at, wanted, proof, name):
    """Kills one call at one change and holds its repetition to the undisturbed one; False if it lived."""
    (kind, number), (want, want_state, want_proof) = at, wanted
    where = f"{name}, killed at {kind} number {number}"
    tracing = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={kind}:signal=KILL:when={number}"]
    code, out, err = room.run(*words, tracing=tracing)
    if code >= 0:
        assert (code, masked(out), masked(err)) == (want[0], masked(want[1]), masked(want[2])), f"{where}: it lives, and says {(code, out, err)}"
        return False
    told = bool(out or err)
    if told:
        # It may have been killed between its two texts.
        got = (want[0], out, err)
        same = masked(want[1]).startswith(masked(out)) and masked(want[2]).startswith(masked(err))
    else:
        got = room.run(*words)
        # A warning of what the killed call mended may have died with it.
        same = got[0] == want[0] and masked(got[1]) == masked(want[1]) and masked(got[2]) in ("", masked(want[2]))
    assert same, f"{where}: called again it says\n{got}\nand not\n{want}"
    state = room.state(not told)
    want_state = {path: held for path, held in want_state.items() if not told or path != "receipts" and not LEFTOVERS.search(path)}
    assert state == want_state, f"{where}: left is\n{differences(want_state, state)}"
    proved = proof(room, got[1])
    assert proved == want_proof, f"{where}: {proved} and not {want_proof}"
    return True


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = [case for case in CASES if word in case[0]]
    total, lock = 0, threading.Lock()

    def one(case):
        nonlocal total
        kills = sweep(*case)
        with lock:
            total += kills
            print(f"{kills:5} kills  {case[0]}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tried = [pool.submit(one, case) for case in cases]
        for case in concurrent.futures.as_completed(tried):
            if case.exception():
                pool.shutdown(cancel_futures=True)
                sys.exit(str(case.exception()) or repr(case.exception()))
    print(f"{total} kills of {len(cases)} calls: called again, each gave its result once")


main()
