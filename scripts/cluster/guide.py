"""The commands of docs/cluster.md, as they stand there: a cluster on this machine, by a user who is not root."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from servers import AGON, RESTATE

PAGE = Path(__file__).parent.parent.parent / "docs/cluster.md"
USER = "nobody"


def blocks(page):
    return re.findall(r"```sh\n(.*?)```", page, re.DOTALL)


class Desk:
    """A folder of a user who is not root, with agon on the path."""

    def __init__(self, folder, mock):
        self.folder = Path(folder)
        config = self.folder / "config/agon"
        config.mkdir(parents=True)
        (config / "config.toml").write_text(
            f'model = "mock:mock"\n[providers.mock]\nkind = "openai"\nbase_url = "http://127.0.0.1:{mock.port}/v1"\n')
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        # The program may lie where that user does not see it.
        shutil.copy(AGON, bin_folder / "agon")
        self.env = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(self.folder), "AGON_HOME": str(self.folder / "home"),
                    "XDG_CONFIG_HOME": str(self.folder / "config"), "NO_COLOR": "1", "LANG": "C.UTF-8"}
        self.as_user = []
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", USER, self.folder], check=True)
            self.as_user = ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups"]

    def run(self, *words, code=0, holds="", env=None, seconds=240):
        ran = subprocess.run([*self.as_user, *words], cwd=self.folder, env={**self.env, **(env or {})}, capture_output=True, text=True,
                             timeout=seconds, stdin=subprocess.DEVNULL)
        told = ran.stdout + ran.stderr
        assert ran.returncode == code and holds in told, f"{words}: exit {ran.returncode}, not {code} with {holds!r}: {told[-2500:]}"
        return ran.stdout


def guide(mock):
    """Runs the blocks, and what goes wrong before and after."""
    found = blocks(PAGE.read_text())
    assert len(found) == 1, f"{len(found)} blocks of sh in {PAGE}"
    with tempfile.TemporaryDirectory(prefix="agon-guide-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        desk = Desk(folder, mock)
        if os.geteuid() == 0:
            ran = subprocess.run([AGON, "cluster", "up", f"{folder}/root", "--restate-server", RESTATE], env={**desk.env, "HOME": "/root"},
                                 capture_output=True, text=True)
            assert ran.returncode == 2 and "does not run as root" in ran.stderr, ran.stderr
        desk.run("agon", "cluster", "up", code=3, holds="npm install @restatedev/restate-server")
        desk.run("agon", "cluster", "status", code=8, holds="agon cluster up")
        desk.run("agon", "cluster", "down", holds="no cluster runs")
        block = found[0]
        if not os.environ.get("AGON_CHECK_NPM"):
            # The package is there already, in the version of this check.
            packages = Path(folder) / "node_modules/@restatedev"
            packages.mkdir(parents=True)
            shutil.copytree(Path(RESTATE).parent.parent, packages / Path(RESTATE).parent.parent.name)
            block = block.replace("npm install @restatedev/restate-server\n", "")
            desk.env["PATH"] = desk.env["PATH"]
        assert block.rstrip().endswith("agon cluster down"), block
        told = desk.run("sh", "-euc", block)
        assert "export" not in told.splitlines()[-1], told
        twice(desk)
    lines = len([line for line in found[0].splitlines() if line.strip()])
    print(f"docs/cluster.md: its {lines} lines run as they stand", flush=True)


def twice(desk):
    """A second `up` finds the first; what a keeper that was killed left behind is ended by the next."""
    first = json.loads(desk.run("agon", "cluster", "up", "--detach", "--output", "json"))
    second = json.loads(desk.run("agon", "cluster", "up", "--output", "json"))
    assert first == second, f"{first} / {second}"
    env = {"AGON_JOURNAL": first["journal"]}
    desk.run("agon", "run", "exchange", "Kept", "--id", "kept", "--rounds", "1", "--on", first["ingress"], env=env)
    mode = (Path(first["folder"]).stat().st_mode) & 0o777
    assert mode == 0o700, f"the folder is open to others: {mode:o}"
    os.kill(first["keeper"], 9)
    third = json.loads(desk.run("agon", "cluster", "up", "--detach", "--output", "json"))
    assert third["keeper"] != first["keeper"] and third["ingress"] == first["ingress"], third
    assert "kept" in desk.run("agon", "list", env=env)
    desk.run("agon", "run", "exchange", "After", "--rounds", "1", "--on", third["ingress"], env=env)
    # Restate that ends by itself ends the whole, with a message.
    state = json.loads((Path(third["folder"]) / "cluster.json").read_text())
    restate = next(process for process in state["processes"] if process["name"] == "Restate")
    os.kill(restate["id"], 9)
    for _ in range(200):
        if subprocess.run(["kill", "-0", str(third["keeper"])], capture_output=True).returncode:
            break
        subprocess.run(["sleep", "0.1"], check=True)
    desk.run("agon", "cluster", "status", code=8)
    left = subprocess.run(["pgrep", "-f", third["folder"]], capture_output=True, text=True).stdout.split()
    assert not left, f"processes are left: {left}"
    desk.run("agon", "cluster", "up", "--detach")
    desk.run("agon", "cluster", "down", holds="ended")
    left = subprocess.run(["pgrep", "-f", third["folder"]], capture_output=True, text=True).stdout.split()
    assert not left, f"processes are left: {left}"
