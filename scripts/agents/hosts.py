"""The plugin inside the real hosts: installed as plugin/README.md says, in an empty home, one sentence of a person leads
to a finished debate. The plugin starts `agon mcp`: `agon` is this build, on the path."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from host_model import SENTENCE, HostModel
from room import AGON, KEY, Provider, ok, said

HERE = Path(__file__).resolve().parents[2]

# How a person lets a host call the tools of the plugin without asking each time.
CODEX_PERMISSION = '\n[plugins."agon@agon".mcp_servers.agon]\ndefault_tools_approval_mode = "approve"\n'


class Host:
    """An empty home with a key, agon on the path, and models for it."""

    def __init__(self, folder, model, provider):
        self.home = Path(folder)
        at = f"http://{model.address}"
        (self.home / "bin").mkdir(parents=True)
        (self.home / "bin/agon").symlink_to(AGON)
        self.write(".gemini/settings.json", '{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        self.write(
            "codex/config.toml",
            f'model_provider = "here"\n[model_providers.here]\nname = "here"\nbase_url = "{at}/v1"\n'
            'env_key = "CODEX_API_KEY"\nwire_api = "responses"\n',
        )
        self.write(
            ".config/agon/config.toml",
            f'model = "lab:mock"\n[providers.lab]\nkind = "openai"\nbase_url = "http://{provider.address}/v1"\n',
        )
        (self.home / "work").mkdir()
        self.env = {"PATH": f"{self.home}/bin:{os.environ['PATH']}", "HOME": str(self.home), "CODEX_HOME": f"{self.home}/codex"}
        self.env |= {"ANTHROPIC_BASE_URL": at, "GOOGLE_GEMINI_BASE_URL": at}
        self.env |= {name: KEY for name in ["ANTHROPIC_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY"]}

    def write(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, *command, typed=""):
        command = [str(word) for word in command]
        done = subprocess.run(command, cwd=self.home / "work", env=self.env, input=typed, capture_output=True, text=True, timeout=120)
        ok(done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}", done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout

    def claude(self):
        self.run("claude", "plugin", "marketplace", "add", HERE)
        self.run("claude", "plugin", "install", "agon@agon")
        return self.run("claude", "-p", SENTENCE, "--allowedTools", "mcp__plugin_agon_agon")

    def codex(self):
        self.run("codex", "plugin", "marketplace", "add", HERE)
        self.run("codex", "plugin", "add", "agon@agon")
        with (self.home / "codex/config.toml").open("a") as config:
            config.write(CODEX_PERMISSION)
        return self.run("codex", "exec", "--skip-git-repo-check", SENTENCE)

    def gemini(self):
        # It asks whether the folder of the plugin is trusted.
        self.run("gemini", "extensions", "install", HERE / "plugin", "--consent", typed="y\n")
        return self.run("gemini", "-m", "gemini-3-pro", "--skip-trust", "--approval-mode", "yolo", "-p", SENTENCE)


def check():
    # Slow enough that the tool `debate` returns before the debate has closed.
    provider = Provider(tempfile.gettempdir(), "--latency-ms", "700")
    with tempfile.TemporaryDirectory(prefix="agon-hosts-") as folder:
        for name in ["claude", "codex", "gemini"]:
            model, before = HostModel(), len(provider.asked())
            host = Host(f"{folder}/{name}", model, provider)
            answer = getattr(host, name)()
            ok(not model.errors, f"{name} offers the tools", model.errors)
            ok(" closed: " in answer, f"{name} says the verdict", answer[-2000:])
            debate = answer.split(" closed: ")[0].split()[-1]
            shown = json.loads(host.run(AGON, "show", debate, "--output", "json"))
            ok(shown["outcome"], f"the debate of {name} has an outcome", shown)
            calls = len(provider.asked()) - before
            ok(calls == shown["used"]["requests"] and calls >= 4, f"the debate of {name} asked models", calls, shown["used"])
            host.run(AGON, "check", debate)
            turns = [path for path, tools, _ in model.asked if tools]
            ok(len(turns) >= 3, f"{name} asks for the result of a debate that still runs", turns)
            said(f"{name}: one sentence, {calls} calls of models, {shown['outcome']['name']}")
            model.close()
    provider.close()
