"""What the checks of command-line agents share: a provider on loopback, and a home folder that knows no other."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STARTED = time.monotonic()
AGON, MOCK = os.environ["AGON"], os.environ["MOCK"]
AGENTS = ["claude", "codex", "gemini"]
KEY = "sk-ant-right-key-1234"
DOCUMENT = """# Moving house

We should move to the river. The rent is lower there and the rooms are light.

## Costs

The van costs two hundred, and the deposit is three months.
"""


def ok(condition, what, *more):
    if not condition:
        print(f"FAIL  {what}", *more, sep="\n", file=sys.stderr)
        sys.exit(1)


def said(what):
    print(f"ok    {what} ({time.monotonic() - STARTED:.0f} s)", flush=True)


class Provider:
    """agon-mock: what it was asked, and how it answers."""

    def __init__(self, room, *options, replies=()):
        self.log = Path(room) / f"asked-{time.monotonic_ns()}.jsonl"
        path = self.log.with_suffix(".replies")
        path.write_text("".join(f"{reply if isinstance(reply, str) else json.dumps(reply)}\n" for reply in replies))
        command = [MOCK, "--log", str(self.log), "--replies", str(path), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def asked(self):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [asked for asked in map(json.loads, lines) if asked["generation"]]

    def close(self):
        self.process.terminate()
        self.process.wait()


class Room:
    """A home folder in which the agents find one provider and one key."""

    def __init__(self, provider, key=KEY):
        self.agon = AGON
        self.folder = tempfile.TemporaryDirectory(prefix="agon-agents-")
        self.path = Path(self.folder.name)
        at = f"http://{provider.address}"
        self.write("home/.gemini/settings.json", '{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        self.write(
            "codex/config.toml",
            f'model_provider = "here"\n[model_providers.here]\nname = "here"\nbase_url = "{at}/v1"\n'
            'env_key = "CODEX_API_KEY"\nwire_api = "responses"\n',
        )
        self.write("house.md", DOCUMENT)
        self.env = {"PATH": os.environ["PATH"], "HOME": f"{self.path}/home", "AGON_HOME": f"{self.path}/agon"}
        self.env |= {"CODEX_HOME": f"{self.path}/codex", "ANTHROPIC_BASE_URL": at, "GOOGLE_GEMINI_BASE_URL": at}
        if key:
            self.env |= {name: key for name in ["ANTHROPIC_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY"]}

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def start(self, *args):
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([AGON, *args], cwd=self.path, env=self.env, text=True, **pipes)

    def run(self, *args):
        process = self.start(*args)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def json(self, *args):
        code, out, err = self.run(*args, "--output", "json")
        ok(code == 0, f"agon {' '.join(args)} ended with {code}", out, err)
        return json.loads(out)

    def living(self):
        """Processes that were started from here and still run."""
        mark, found = f"HOME={self.path}/home".encode(), []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (path / "environ").read_bytes().split(b"\0"):
                    found.append((path / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:80])
            except OSError:
                pass
        return found
