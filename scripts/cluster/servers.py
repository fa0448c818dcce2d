"""The programs of a cluster on this machine: Restate's nodes, workers, Postgres and the mock provider.

Each can be killed, stopped and started again; all end with the check. Every port is a free one.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

AGON, MOCK, RESTATE = os.environ["AGON"], os.environ["MOCK"], os.environ["RESTATE"]
RUNNING, COMMANDS = [], []


def end_all():
    for command in COMMANDS:
        if command.poll() is None:
            command.kill()
    for server in RUNNING:
        server.end()


def started(words, env, **more):
    """A command of agon that runs by itself, and ends with the check."""
    command = subprocess.Popen([AGON, *words], cwd=env["HOME"], env=env, stdin=subprocess.DEVNULL, **more)
    COMMANDS.append(command)
    return command


atexit.register(end_all)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def status(url, seconds=2):
    """The HTTP status of an address; none where nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=seconds) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def until(what, seconds, is_so):
    """Waits until something is so; gives the seconds that took."""
    began = time.monotonic()
    while not is_so():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.05)
    return time.monotonic() - began


def sample(schema, number=0):
    """An answer that a seat's schema allows; the lists of it name their choices in turn."""
    kind = schema["type"]
    if kind == "object":
        return {name: sample(schema["properties"][name], number) for name in schema["required"]}
    if kind == "array":
        return [sample(schema["items"], number) for number in range(schema["minItems"])]
    if kind == "string":
        choices = schema.get("enum", ["It answers what the other side said, and says why."])
        return choices[number % len(choices)]
    return 0


def processor_seconds(main):
    """What a process and its children have computed, where the system says so (Linux)."""
    seconds = 0.0
    for process in [main, *subprocess.run(["pgrep", "-P", str(main)], capture_output=True, text=True).stdout.split()]:
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            # Its own, and that of children that have ended.
            seconds += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            pass
    return seconds


class Server:
    """A program of the cluster."""

    kind = "server"

    def __init__(self, folder, name, place=None):
        self.folder, self.name, self.child, self.place = Path(folder), name, None, place
        self.folder.mkdir(parents=True, exist_ok=True)
        RUNNING.append(self)

    def command(self):
        raise NotImplementedError

    def is_up(self):
        raise NotImplementedError

    def environment(self):
        return dict(os.environ)

    def spawn(self):
        """Starts the program, in its place of the network if it has one."""
        entered = self.place.enter() if self.place else []
        with open(self.folder / "log", "ab") as log:
            self.child = subprocess.Popen(
                [*entered, *self.command()], cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True,
            )

    def start(self, seconds=60):
        self.spawn()
        self.up_after = until(f"{self.name} is up ({self.folder}/log)", seconds, self.is_up)
        return self

    def kill(self, signal_number=signal.SIGKILL):
        self.child.send_signal(signal_number)
        self.child.wait()

    def computed(self):
        return processor_seconds(self.child.pid)

    def stop(self):
        self.child.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.child.send_signal(signal.SIGCONT)

    def end(self):
        if self.child and self.child.poll() is None:
            self.child.send_signal(signal.SIGCONT)
            self.child.kill()
            self.child.wait()


class Node(Server):
    """A node of Restate. The first one founds the cluster."""

    kind = "node"

    def __init__(self, folder, number, ports, addresses, replication, place=None, partitions=4):
        super().__init__(folder, f"node {number}", place)
        self.fabric, self.ingress_port, self.admin_port = ports
        host = place.address if place else "127.0.0.1"
        self.ingress, self.admin = (f"http://{host}:{port}" for port in ports[1:])
        (self.folder / "restate.toml").write_text(
            f"""node-name = "n{number}"
cluster-name = "agon-check"
base-dir = "{self.folder}/data"
auto-provision = {str(number == 1).lower()}
default-replication = {replication}
default-num-partitions = {partitions}
listen-mode = "tcp"
bind-ip = "{host}"
bind-port = {self.fabric}
advertised-host = "{host}"
rocksdb-total-memory-size = "256 MiB"
disable-telemetry = true
log-disable-ansi-codes = true
shutdown-timeout = "5s"
[metadata-client]
type = "replicated"
addresses = {json.dumps(addresses)}
[worker.invoker]
http2-keep-alive-interval = "5s"
http2-keep-alive-timeout = "5s"
[ingress]
bind-port = {self.ingress_port}
[admin]
bind-port = {self.admin_port}
"""
        )

    def command(self):
        return [RESTATE, "--no-logo", "--config-file", str(self.folder / "restate.toml")]

    def is_up(self):
        return status(f"{self.ingress}/restate/health") == 200 and status(f"{self.admin}/health") == 200


class Postgres(Server):
    """A database server, run by scripts/postgres."""

    kind = "postgres"

    def __init__(self, folder):
        super().__init__(folder, "postgres")
        # The server may run as another user.
        for parent in [self.folder, *self.folder.parents][:3]:
            parent.chmod(parent.stat().st_mode | 0o011)

    def run(self, verb, env=None):
        script = Path(__file__).parent.parent / "postgres"
        ran = subprocess.run([script, verb, self.folder], check=True, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                             env={**os.environ, **(env or {})})
        return ran.stdout.strip()

    def start(self, seconds=60, env=None):
        began = time.monotonic()
        self.address = self.run("start", env)
        self.up_after = time.monotonic() - began
        return self

    def computed(self):
        return processor_seconds(int((self.folder / "data/postmaster.pid").read_text().splitlines()[0]))

    def kill(self, signal_number=signal.SIGKILL):
        self.run("kill")

    def end(self):
        if (self.folder / "data/postmaster.pid").exists():
            self.run("kill")

    def query(self, sql):
        """The rows of a query, each a list of texts."""
        ran = subprocess.run(["psql", "-At", "-F", "\t", self.address, "-c", f"SET search_path TO agon, public; {sql}"],
                             capture_output=True, text=True, check=True)
        return [line.split("\t") for line in ran.stdout.splitlines() if line != "SET"]


class Worker(Server):
    """A worker. All share one port, so that the kernel spreads Restate's connections over them."""

    kind = "worker"

    def __init__(self, folder, number, admins, port, env, place=None, more=()):
        super().__init__(folder, f"worker {number}", place)
        self.listen = f"{place.address if place else '127.0.0.1'}:{port}"
        self.words = ["worker", "--restate", ",".join(admins), "--listen", self.listen, "--output", "json", *more]
        self.env, self.starts = {**env, "AGON_LOG": "info"}, 0
        (self.folder / "log").unlink(missing_ok=True)

    def environment(self):
        return self.env

    def command(self):
        self.starts += 1
        return [AGON, *self.words]

    def said(self):
        return (self.folder / "log").read_text(errors="replace")

    def drives(self):
        """How often it began to drive a debate."""
        return self.said().count(": begins entries=")

    def is_up(self):
        if self.child.poll() is not None:
            raise AssertionError(f"{self.name} ended: {(self.folder / 'log').read_text()[-2000:]}")
        return (self.folder / "log").read_bytes().count(b'{"worker"') >= self.starts


class Mock(Server):
    """The provider. Its log has every call."""

    kind = "mock"

    def __init__(self, folder, latency_ms):
        super().__init__(folder, "mock")
        (self.port,) = free_ports(1)
        self.latency_ms, self.calls_log = latency_ms, self.folder / "calls.jsonl"

    def command(self):
        return [MOCK, "--listen", f"127.0.0.1:{self.port}", "--latency-ms", str(self.latency_ms), "--log", str(self.calls_log)]

    def is_up(self):
        return status(f"http://127.0.0.1:{self.port}/v1/models") == 200

    def calls(self):
        """The bodies of all calls that asked for text, in the order in which they came."""
        if not self.calls_log.exists():
            return []
        with open(self.calls_log) as lines:
            logged = [json.loads(line) for line in lines]
        return [json.dumps(call["body"], sort_keys=True) for call in logged if call["generation"]]


def cluster(folder, count, replication, places=None):
    """Starts a cluster of nodes, each in its place of the network if there are places."""
    ports = free_ports(3 * count)
    of_node = [ports[3 * number:3 * number + 3] for number in range(count)]
    places = places or [None] * count
    hosts = [place.address if place else "127.0.0.1" for place in places]
    addresses = [f"http://{host}:{own[0]}" for host, own in zip(hosts, of_node)]
    nodes = [Node(folder / f"node-{number + 1}", number + 1, own, addresses, replication, places[number])
             for number, own in enumerate(of_node)]
    # All at once: none of a replicated cluster is up alone.
    for node in nodes:
        node.spawn()
    for node in nodes:
        until(f"{node.name} is up ({node.folder}/log)", 60, node.is_up)
    return nodes
