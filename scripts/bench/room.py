"""A place to measure in: a data folder, a mock server, and what a program took. Shared by the commands here."""

import atexit
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BINARIES = os.path.abspath(os.environ.get("BINARIES", "target/release"))
AGON = os.environ.get("AGON", os.path.join(BINARIES, "agon"))
MOCK = os.path.join(BINARIES, "agon-mock")
MOTION = "This house would write its decisions down."


def measured(args, env, cwd, allowed=(0,)):
    """Runs a command; gives wall seconds, CPU seconds, peak megabytes."""
    started = time.perf_counter()
    child = subprocess.Popen(args, env=env, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    if os.environ.get("SPLIT"): print(f"user {usage.ru_utime:.2f} sys {usage.ru_stime:.2f} minflt {usage.ru_minflt} vcs {usage.ru_nvcsw} ics {usage.ru_nivcsw}")
    code = os.waitstatus_to_exitcode(status)
    if code not in allowed:
        sys.exit(f"{args}: exit {code}: {error.decode()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def own_memory(child):
    """Most megabytes that a child had for itself while it ran: what is not a file that others may share."""
    most = 0
    while child.poll() is None:
        with open(f"/proc/{child.pid}/status") as status:
            most = max([most, *(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))])
        time.sleep(0.005)
    return most / 1024


class Room:
    """A journal, a folder and a mock server of their own."""

    def __init__(self, *mock, logged=True):
        self.folder = tempfile.mkdtemp(prefix="agon-bench-")
        self.log = os.path.join(self.folder, "log.jsonl")
        log = ["--log", self.log] if logged else []
        self.mock = subprocess.Popen(
            [MOCK, "--listen", "127.0.0.1:0", "--model", "small", *log, *mock], stdout=subprocess.PIPE, text=True
        )
        atexit.register(self.mock.kill)
        self.address = re.search(r"127\.0\.0\.1:\d+", self.mock.stdout.readline()).group()
        with open(os.path.join(self.folder, "agon.toml"), "w") as config:
            config.write(f'[providers.mock]\nkind = "openai"\nbase_url = "http://{self.address}/v1"\n')
        self.home = os.path.join(self.folder, "home")
        self.env = {**os.environ, "AGON_HOME": self.home, "AGON_TRUST": self.folder, "NO_COLOR": "1"}

    def run(self, name, rounds, *more):
        args = [AGON, "run", "exchange", MOTION, "--model", "mock:small", "--rounds", str(rounds)]
        return [*args, "--id", name, "--out", name, "--quiet", *more]

    def measure(self, name, rounds, *more):
        return measured(self.run(name, rounds, *more), self.env, self.folder)

    def asked(self):
        """The bodies of all requests for text so far."""
        with open(self.log) as log:
            lines = [json.loads(line) for line in log]
        return [line["body"] for line in lines if line["generation"]]

    def billed(self):
        """Tokens read, of them from the cache, and tokens written, as the mock counts them."""
        with open(self.log) as log:
            tokens = [tokens for line in log if (tokens := json.loads(line).get("usage"))]
        return [sum(one[name] for one in tokens) for name in ("prompt", "cached", "completion")]

    def calls(self):
        return len(self.asked())

    def close(self):
        self.mock.kill()
        self.mock.wait()
        # At the very end: a file system that has just freed many files makes new ones more slowly.
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
