"""`agon serve` over a journal, and journals of many debates. Shared by the commands here."""

import atexit
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time
import urllib.request

from room import AGON, MOTION


class Served:
    """`agon serve` over the journal of a room, or over the database at `journal`."""

    def __init__(self, room, *more, journal=None, home=None):
        args = [AGON, "serve", "--listen", "127.0.0.1:0", "--read-without-token", "--output", "json", *more]
        env = {**room.env, **({"AGON_JOURNAL": journal} if journal else {}), **({"AGON_HOME": home} if home else {})}
        self.child = subprocess.Popen(args, env=env, cwd=room.folder, stdout=subprocess.PIPE, text=True)
        atexit.register(self.child.kill)
        said = json.loads(self.child.stdout.readline())
        self.address, self.token = said["listening"], said["url"].split("token=")[1]

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.address}{path}") as answer:
            return answer.read()

    def end(self):
        self.child.terminate()
        self.child.wait()


def multiply(home, debate, count):
    """Puts `count` copies of a debate into the journal, each with an id, a motion and a chain of its own."""
    db = sqlite3.connect(os.path.join(home, "journal.db"))
    summary = list(db.execute("SELECT * FROM debates WHERE id = ?", (debate,)).fetchone())
    entries = db.execute("SELECT seq, kind, key, line FROM entries WHERE debate = ? ORDER BY seq", (debate,)).fetchall()
    calls = db.execute("SELECT * FROM calls WHERE debate = ?", (debate,)).fetchall()
    for number in range(count):
        id, motion = f"copy-{number:05}", MOTION.replace("its", f"its {number:05}")
        prev, old, rows = None, None, []
        for seq, kind, key, text in entries:
            own = json.loads(text)["hash"]
            text = text.replace(f'"{debate}"', f'"{id}"').replace(MOTION, motion)
            text = text.replace(f'"prev":"{old}"', f'"prev":"{prev}"') if seq else text
            old = own
            body = text[: text.rindex(',"hash":"')] + "}"
            prev = hashlib.sha256(body.encode()).hexdigest()
            rows.append((id, seq, kind, key, body[:-1] + f',"hash":"{prev}"}}'))
        at = f"2026-01-{1 + number % 28:02}T{number % 24:02}:{number % 60:02}:00.000Z"
        row = [id, summary[1], motion, at, summary[4], prev, at, summary[7], None, summary[9]]
        db.execute(f"INSERT INTO debates VALUES ({','.join('?' * len(row))})", row)
        db.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", rows)
        db.executemany(f"INSERT INTO calls VALUES ({','.join('?' * len(calls[0]))})", [(id, *c[1:]) for c in calls])
    db.commit()
    db.close()


def wait_for_index(home):
    """Waits until the server has put every debate into the search index."""
    started = time.perf_counter()
    db = sqlite3.connect(os.path.join(home, "journal.db"))
    before = os.path.getsize(os.path.join(home, "journal.db"))
    missing = "SELECT count(*) FROM debates d LEFT JOIN searchable s ON s.debate = d.id WHERE s.length IS NOT d.length"
    while left := db.execute(missing).fetchone()[0]:
        if time.perf_counter() - started > 1800:
            sys.exit(f"{left} debates are not in the search index after half an hour")
        time.sleep(1)
    db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    db.close()
    larger = os.path.getsize(os.path.join(home, "journal.db")) - before
    print(f"the search index was built in {time.perf_counter() - started:.0f} s, in the background ({larger / 1e6:.0f} MB)")
