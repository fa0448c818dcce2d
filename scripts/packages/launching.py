"""Tests of the launcher of the npm package on faked platforms: arguments, streams, exit codes, signals and refusals."""

import glob
import json
import os
import pty
import select
import signal
import subprocess
import time

from . import npm
from .archive import NAME
from .platforms import PLATFORMS
from .stubs import read_tar

HERE = os.path.dirname(os.path.realpath(__file__))
# In seconds: no step of a stub takes as long.
PATIENCE = 60

# `echo` prints its arguments and what it reads; `wait` counts signals until SIGTERM ends it; `die` is killed.
STUB = """#!/bin/sh
case $1 in
echo) shift; printf '%s|' "$@"; cat; echo said >&2; exit 11 ;;
wait)
    count=0
    trap 'count=$((count + 1)); echo "interrupt $count"' INT
    trap 'kill $!; exit 7' TERM
    sleep 60 >/dev/null 2>&1 &
    echo ready
    until wait $!; do :; done ;;
die) kill -KILL $$ ;;
esac
"""


class Installed:
    """The packages as npm lays them out for a platform, with a stub that runs here."""

    def __init__(self, out, room, node):
        self.node, self.modules = node, os.path.join(room, "launched", node, "node_modules")
        self.unpack(glob.glob(os.path.join(out, f"{NAME}-[0-9]*.tgz"))[0], NAME)
        self.part = self.unpack(glob.glob(os.path.join(out, f"*-{node}-[0-9]*.tgz"))[0], f"{npm.SCOPE}/{node}")
        program = "agon.exe" if node.startswith("win32") else "agon"
        self.program = os.path.join(self.part, "bin", program)
        assert os.access(self.program, os.X_OK)
        with open(self.program, "w") as file:
            file.write(STUB)

    def unpack(self, path, name):
        folder = os.path.join(self.modules, name)
        contents, modes = read_tar(path)
        for place, content in contents.items():
            full = os.path.join(folder, place.removeprefix("package/"))
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(content)
            os.chmod(full, modes[place])
        return folder

    def command(self, *arguments):
        return ["node", "--require", os.path.join(HERE, "fake-platform.js"), os.path.join(self.modules, NAME, "bin", "agon.js"), *arguments]

    def environment(self, node=None, glibc="9.9"):
        return {**os.environ, "FAKE_PLATFORM": node or self.node, "FAKE_GLIBC": glibc}

    def run(self, *arguments, given=b"", **faked):
        return subprocess.run(self.command(*arguments), input=given, capture_output=True, env=self.environment(**faked), timeout=PATIENCE)

    def start(self):
        """The stub, once it waits for signals."""
        running = subprocess.Popen(self.command("wait"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=self.environment())
        assert running.stdout.readline() == b"ready\n"
        return running


def check_launcher(out, room, check):
    installed = {platform.node: Installed(out, room, platform.node) for platform in PLATFORMS.values()}
    hard = ["two words", "", "$HOME", '"', "a\nb", "--help", "ü"]
    for node, place in installed.items():
        done = place.run("echo", *hard, given=b"\0\xff\r\nlast")
        wanted = ("|".join(hard) + "|").encode() + b"\0\xff\r\nlast"
        check(f"{node}: arguments, streams and exit code pass", (done.stdout, done.stderr, done.returncode) == (wanted, b"said\n", 11), done)
    place = installed["linux-x64"]
    check_signals(place, check)
    check_faults(place, check)


def check_signals(place, check):
    done = place.run("die")
    check("a killed program ends the launcher in the same way", done.returncode == -signal.SIGKILL, done)
    running = place.start()
    running.send_signal(signal.SIGINT)
    check("an interrupt passes", running.stdout.readline() == b"interrupt 1\n")
    running.send_signal(signal.SIGTERM)
    check("so does SIGTERM, and the program decides how it ends", running.wait(PATIENCE) == 7)

    # In a terminal, the program gets the interrupt from the terminal, and must not get it twice.
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe("node", place.command("wait"), place.environment())
    shown = read_until(terminal, b"ready")
    # Two at the same moment can become one: so it is tried more than once.
    for count in range(1, 4):
        os.write(terminal, b"\x03")
        shown += read_until(terminal, b"interrupt %d" % count)
        time.sleep(0.1)
    os.kill(child, signal.SIGTERM)
    shown += read_until(terminal, None)
    check("each Ctrl-C arrives once", b"interrupt 3" in shown and b"interrupt 4" not in shown, shown)
    check("the launcher waits for the program", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7)


def read_until(terminal, mark):
    """What a terminal shows until a mark, or until the end."""
    shown, end = b"", time.monotonic() + PATIENCE
    while (mark is None or mark not in shown) and time.monotonic() < end:
        try:
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 4096)
        except OSError:
            break
    return shown


def check_faults(place, check):
    """Each fault is one line with its remedy, and an exit code that agon does not have."""
    about = os.path.join(place.part, "package.json")
    with open(about) as file:
        facts = json.load(file)

    def refused(why, *words, **faked):
        done = place.run("echo", **faked)
        said = done.stderr.decode()
        holds = (done.returncode, done.stdout, said.count("\n")) == (127, b"", 1)
        check(why, holds and said.startswith("agon: ") and all(word in said for word in words), done)

    sources = "build agon from its sources (https://"
    refused("a platform without a package", "no package is made for freebsd-x64", "linux-x64, linux-arm64", sources, node="freebsd-x64")
    refused("another C library", "needs glibc", "Alpine", sources, glibc="")
    needed = facts["agon"]["glibc"]
    refused("an old glibc", f"needs glibc {needed} or newer, and this system has 2.9", sources, glibc="2.9")
    check("the glibc that is needed suffices", place.run("echo", glibc=needed).returncode == 11)
    with open(about, "w") as file:
        json.dump({**facts, "version": "0.0.9"}, file)
    refused("packages of two versions", "of 0.0.9; install both of one version")
    with open(about, "w") as file:
        json.dump(facts, file)
    os.chmod(place.program, 0o644)
    refused("a program that cannot be started", "cannot be started", "EACCES")
    os.rename(place.part, f"{place.part}-away")
    absent = f"the package {npm.SCOPE}/linux-x64 {facts['version']}, is not installed"
    refused("an optional package that was left out", absent, f"install {NAME} again", "--omit=optional")
    wrapper = os.path.join(place.modules, NAME, "package.json")
    with open(wrapper) as file:
        facts = {key: value for key, value in json.load(file).items() if key != "optionalDependencies"}
    with open(wrapper, "w") as file:
        json.dump(facts, file)
    refused("a package that is not published", absent, "install its file together")
