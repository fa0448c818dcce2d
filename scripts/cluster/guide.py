"""The commands of docs/cluster.md, as they stand there: examples/cluster on this machine, by a user who is not root."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from servers import AGON, COMMANDS, RESTATE, until

ROOT = Path(__file__).parent.parent.parent
USER = "nobody"


def free_run(count):
    """The first of so many free ports in a row, below those that the system gives out."""
    for first in range(18080, 30000, count):
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            for port in range(first, first + count):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise AssertionError("no free ports")


class Desk:
    """A folder of a user who is not root, with agon on the path and the example next to it."""

    def __init__(self, folder, mock):
        self.folder = Path(folder)
        config = self.folder / "config/agon"
        config.mkdir(parents=True)
        (config / "config.toml").write_text(
            f'model = "mock:mock"\n[providers.mock]\nkind = "openai"\nbase_url = "http://127.0.0.1:{mock.port}/v1"\n')
        # The repository and the program may lie where that user does not see them.
        shutil.copytree(ROOT / "examples/cluster", self.folder / "examples/cluster")
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        shutil.copy(AGON, bin_folder / "agon")
        self.env = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(self.folder), "AGON_HOME": str(self.folder / "home"),
                    "XDG_CONFIG_HOME": str(self.folder / "config"), "NO_COLOR": "1", "LANG": "C.UTF-8", "PORT": str(free_run(4))}
        self.as_user = []
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", USER, self.folder], check=True)
            self.as_user = ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups"]

    def run(self, script, code=0, holds=""):
        """What a script prints that ends by itself."""
        ran = subprocess.run([*self.as_user, "sh", "-euc", script], cwd=self.folder, env=self.env, capture_output=True, text=True,
                             timeout=240, stdin=subprocess.DEVNULL)
        told = ran.stdout + ran.stderr
        assert ran.returncode == code and holds in told, f"{script}: exit {ran.returncode}, not {code} with {holds!r}: {told[-2500:]}"
        return told

    def start(self, script):
        """A script that starts the cluster and runs on; gives its process once the cluster is up."""
        log = self.folder / "start.log"
        with open(log, "wb") as out:
            # A check in the background ignores Ctrl-C; what it starts must not.
            process = subprocess.Popen([*self.as_user, "sh", "-euc", script], cwd=self.folder, env=self.env, stdout=out, stderr=out,
                                       stdin=subprocess.DEVNULL, start_new_session=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        COMMANDS.append(process)
        until(f"the example is up ({log})", 240, lambda: process.poll() is not None or "ready;" in log.read_text())
        assert process.poll() is None, log.read_text()
        return process

    def left(self):
        """Processes of the example that run: all have the folder in their command line, or the port of the workers."""
        marks = f"{self.folder}/cluster|127.0.0.1:{int(self.env['PORT']) + 3}"
        return subprocess.run(["pgrep", "-f", marks], capture_output=True, text=True).stdout.split()


def guide(mock):
    """Runs the blocks of the page, and what goes wrong before and after."""
    begin, use = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/cluster.md").read_text(), re.DOTALL)
    with tempfile.TemporaryDirectory(prefix="agon-guide-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        desk = Desk(folder, mock)
        if os.geteuid() == 0:
            ran = subprocess.run([f"{folder}/examples/cluster/start", f"{folder}/root"], env={**desk.env, "RESTATE": RESTATE},
                                 capture_output=True, text=True)
            assert ran.returncode == 1 and "does not run as root" in ran.stderr, ran.stderr
        desk.run("examples/cluster/start", code=1, holds="npm install @restatedev/restate-server")
        script = begin
        if not os.environ.get("AGON_CHECK_NPM"):
            # The package is there already, in the version of this check.
            packages = desk.folder / "node_modules/@restatedev"
            packages.mkdir(parents=True)
            package = Path(RESTATE).parent.parent
            shutil.copytree(package, packages / package.name)
            script = begin.replace("npm install @restatedev/restate-server\n", "")
        cluster = desk.start(script)
        mode = (desk.folder / "cluster").stat().st_mode & 0o777
        assert mode == 0o700, f"the folder is open to others: {mode:o}"
        desk.run(use)
        # As Ctrl-C: every process of the terminal gets it.
        os.killpg(cluster.pid, signal.SIGINT)
        cluster.wait(60)
        until("nothing is left of the cluster", 60, lambda: not desk.left())
        again(desk)
    lines = len([line for line in (begin + use).splitlines() if line.strip()])
    print(f"docs/cluster.md: its {lines} lines run as they stand", flush=True)


def again(desk):
    """Debates are there at the next start, and a part that ends by itself ends the whole, with a message."""
    cluster = desk.start("exec examples/cluster/start")
    desk.run('. cluster/env; agon list', holds="its decisions down")
    desk.run('. cluster/env; agon run exchange "After" --rounds 1 --on "$AGON_ON"')
    (restate,) = subprocess.run(["pgrep", "-f", f"{desk.folder}/cluster/node-0.toml"], capture_output=True, text=True).stdout.split()
    os.kill(int(restate), signal.SIGKILL)
    assert cluster.wait(60) == 1
    told = (desk.folder / "start.log").read_text()
    assert "node-0 ended" in told, told
    assert not desk.left(), f"processes are left: {desk.left()}"
