"""A network on this machine in which a part of a cluster can be cut off: a network namespace for each part, joined by a
bridge. It takes the rights of root on Linux."""

import atexit
import os
import shutil
import subprocess
import sys
from pathlib import Path

from servers import Server, free_ports


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)


class Place:
    """A namespace with one address of the bridge."""

    def __init__(self, network, number):
        self.name, self.address = f"{network.name}n{number}", f"{network.prefix}.{number + 1}"
        self.outer, inner = f"{network.name}v{number}", f"{network.name}w{number}"
        ip("netns", "add", self.name)
        ip("link", "add", self.outer, "type", "veth", "peer", "name", inner)
        ip("link", "set", self.outer, "master", network.name, "up")
        ip("link", "set", inner, "netns", self.name)
        for words in (["addr", "add", f"{self.address}/24", "dev", inner], ["link", "set", inner, "up"], ["link", "set", "lo", "up"]):
            ip("-n", self.name, *words)

    def enter(self):
        """What a command begins with that runs here."""
        return ["ip", "netns", "exec", self.name]

    def cut(self):
        """From now on, whatever goes in or out is lost without a word."""
        ip("link", "set", self.outer, "down")

    def join(self):
        ip("link", "set", self.outer, "up")


class Network:
    """The bridge; its first address is this machine's."""

    def __init__(self):
        number = os.getpid()
        self.name, self.prefix = f"ag{number % 100000}", f"10.{200 + number // 250 % 50}.{number % 250}"
        self.here, self.places = f"{self.prefix}.1", []
        ip("link", "add", self.name, "type", "bridge")
        atexit.register(self.end)
        ip("addr", "add", f"{self.here}/24", "dev", self.name)
        ip("link", "set", self.name, "up")

    def place(self):
        self.places.append(Place(self, len(self.places) + 1))
        return self.places[-1]

    def end(self):
        for place in self.places:
            ip("netns", "del", place.name, check=False)
            ip("link", "del", place.outer, check=False)
        ip("link", "del", self.name, check=False)


def network():
    """A network, where this user may make one; else why not."""
    if os.geteuid() != 0 or not shutil.which("ip"):
        return None, "network namespaces take root and the program ip"
    try:
        made = Network()
        made.place()
        return made, None
    except subprocess.CalledProcessError as error:
        return None, f"no network namespace can be made here: {error.stderr.strip()}"


class Forward(Server):
    """Takes connections at an address and hands each to one of the targets in turn, to the next one if it is silent."""

    kind = "forward"

    def __init__(self, folder, host, targets):
        super().__init__(folder, f"forward to {targets[0]}")
        (self.port,) = free_ports(1)
        self.host, self.targets = host, targets

    def command(self):
        return [sys.executable, str(Path(__file__).parent / "forward.py"), f"{self.host}:{self.port}", *self.targets]

    def is_up(self):
        return b"listening" in (self.folder / "log").read_bytes()


def forwarded(folder, network, *targets):
    """The address in the network behind which the targets are."""
    server = Forward(folder, network.here, list(targets)).start()
    return f"{network.here}:{server.port}"
