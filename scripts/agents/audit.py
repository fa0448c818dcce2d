"""What is opened and who is asked while seats look things up, by the log of the system's calls: over function calls, the
tools of an agent, the command, the API, the page and MCP."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from host_model import HostModel, Responses, pick
from lookups import repository, review, use_provider
from room import AGON, Room, ok, said

SECRET = "what no seat may read"
# Eight each, as many as one answer may make.
PATHS = ["../outside/secret.txt", "{outside}", "src/linked.txt", "linked", ".git/config", "file://{outside}", "src/../../outside/secret.txt", "linked/secret.txt"]
HOSTS = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "[::ffff:127.0.0.1]"]
ADDRESSES = [*(f"http://{host}:{{port}}/" for host in HOSTS), "http://169.254.169.254/latest/meta-data/", "file://{outside}"]
WATCHED = "trace=open,openat,openat2,readlink,readlinkat,connect,getsockname"


class Trap:
    """A port that nobody may ask, and a file that nobody may open."""

    def __init__(self, room):
        self.room, self.visits, self.logs = room, 0, 0
        room.write("code/src/empty.txt", "")
        (room.path / "code/src/linked.txt").symlink_to("../../outside/secret.txt")
        (room.path / "code/linked").symlink_to("../outside")
        room.write("outside/secret.txt", SECRET)
        self.outside = str(room.path / "outside/secret.txt")
        self.listener = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.count, daemon=True).start()

    def count(self):
        while True:
            self.listener.accept()[0].close()
            self.visits += 1

    def lookups(self):
        fill = lambda tool, texts: [(tool, text.format(outside=self.outside, port=self.port)) for text in texts]
        return {"paths": fill("read", PATHS), "addresses": fill("open", ADDRESSES)}.items()

    def watch(self, command):
        self.logs += 1
        return ["strace", "-f", "-qq", "-s", "300", "-e", WATCHED, "-o", str(self.room.path / f"calls-{self.logs}"), *command]

    def judge(self, way, allowed, record):
        """Nothing outside was opened, nobody was asked but `allowed` ports of this machine, and no text tells the secret."""
        calls = (self.room.path / f"calls-{self.logs}").read_text()
        ok(calls.count("openat") > 10, f"the calls of the system are logged over {way}")
        opened = [line for line in calls.splitlines() if " open" in line and self.outside in line]
        ok(not opened, f"files outside are opened over {way}", *opened[:5])
        address = r".*sin6?_port=htons\((\d+)\).*?inet_(?:addr|pton)\([^\"]*\"([^\"]+)\""
        asked = set(re.findall("connect" + address, calls))
        # The server that runs for one call of an agent has a port of its own.
        own = {port for port, host in re.findall("getsockname" + address, calls) if host == "127.0.0.1"}
        strange = {(port, host) for port, host in asked if int(port) not in {*allowed, 53, 0} and port not in own}
        ok(not strange and not self.visits, f"somebody else is asked over {way}", strange, self.visits)
        ok(SECRET not in record, f"the secret is told over {way}")
        said(f"{way}: nothing outside the tree is opened, no forbidden address is asked")


def script_lookups(model, lookups):
    """Makes the model ask for these lookups, one after the other, and then answer."""

    def wanted(tools, results, searched):
        if "ToolSearch" in tools and not any(tool.endswith("__read") for tool in tools):
            return "ToolSearch", {"query": "select:mcp__agon__read,mcp__agon__open"}
        made = len(results) - searched
        if made < len(lookups):
            tool, object = lookups[made]
            return pick(tools, tool), {"path" if tool == "read" else "address": object}
        if "StructuredOutput" in tools:
            return ("StructuredOutput", model.sample) if made == len(lookups) else (None, json.dumps(model.sample))
        return None, json.dumps(model.sample)

    # After the last lookup that is allowed, no tools are offered.
    model.wanted, model.untooled = wanted, json.dumps(model.sample)


def by_models(room, model, trap, with_acp):
    at = f"http://{model.address}"
    wires = {"anthropic": "/v1", "gemini": "/v1beta", "openai": "/v1", "ollama": ""}
    config = "".join(f'[providers.to-{kind}]\nkind = "{kind}"\nbase_url = "{at}{path}"\n' for kind, path in wires.items())
    room.write("home/.config/agon/config.toml", config)
    ways = {f"function calls of the {kind} interface": f"to-{kind}:m" for kind in wires}
    ways |= {"the tools of Claude Code": "cli:claude", "the tools of Codex": "cli:codex"}
    if with_acp:
        use_provider(room, model)
        ways["the Agent Client Protocol"] = "cli:opencode:anthropic/claude-sonnet-4-5"
    for way, seat in ways.items():
        for name, wanted in trap.lookups():
            script_lookups(model, wanted)
            answered, shown = review(room, f"audit-{trap.logs}", seat, ["--lookups", "web"], trap.watch)
            made = answered.get("lookups", [])
            ok(len(made) == len(wanted) and all(one.get("failed") for one in made), f"each lookup over {way} is refused", *made, model.errors, shown)
            others = [int(at.rsplit(":", 1)[1])] + ([443] if seat.startswith("cli:") else [])
            trap.judge(f"{way}, {name}", others, json.dumps(shown))


def by_seats(room, trap):
    """Someone at an outside seat, by command, API, page and MCP."""
    room.write("code/willing.json", '{"rules": [{"key": "*", "sample": true}]}')
    serve = trap.watch([AGON, "serve", "--listen", "127.0.0.1:0", "--allow-model-files", "--output", "json"])
    server = subprocess.Popen(serve, cwd=room.path / "code", env=room.env, stdout=subprocess.PIPE, text=True)
    hello = json.loads(server.stdout.readline())
    port, token = int(hello["listening"].rsplit(":", 1)[1]), hello["url"].split("token=")[1]
    drivers = []

    def begin(id):
        seats = ["--debaters", "1", "--seat", "reviewer-1=outside", "--model", "scripted:willing.json"]
        command = [AGON, "run", "review", "--context", "git:HEAD~1..HEAD", "--lookups", "web", "--id", id, "--quiet", *seats]
        drivers.append(subprocess.Popen(command, cwd=room.path / "code", env=room.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for _ in range(100):
            if not subprocess.run([AGON, "seats", id, "--seat", "reviewer-1"], env=room.env, capture_output=True).returncode:
                return
            time.sleep(0.1)
        ok(False, f"nobody is asked in {id}")

    def ask(body, path, is_form=False):
        kind, body = ("x-www-form-urlencoded", urllib.parse.urlencode(body)) if is_form else ("json", json.dumps(body))
        headers = {"Authorization": f"Bearer {token}", "Content-Type": f"application/{kind}", "Accept": "application/json, text/event-stream"}
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body.encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()

    try:
        for name, made in trap.lookups():
            begin(f"api-{name}")
            texts = [ask({"tool": tool, "object": object}, f"/api/v1/debates/api-{name}/seats/reviewer-1/lookup") for tool, object in made]
            begin(f"mcp-{name}")
            for tool, object in made:
                call = {"name": "lookup", "arguments": {"debate": f"mcp-{name}", "seat": "reviewer-1", "tool": tool, "object": object}}
                texts.append(ask({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}, "/mcp"))
            begin(f"page-{name}")
            for tool, object in made:
                fields = {"act": "lookup", "lookup_tool": tool, "lookup_object": object}
                texts.append(ask(fields, f"/debates/page-{name}/seats/reviewer-1", is_form=True))
            ok(len(set(texts)) > 3, "the lookups are answered", *texts[:3])
            ok("Found:" in texts[-1], "the page shows what was looked up", texts[-1])
            trap.judge(f"API, MCP and page, {name}", [port], "".join(texts))
    finally:
        # What logs the calls passes no signal on.
        for child in (Path("/proc") / str(server.pid) / "task" / str(server.pid) / "children").read_text().split():
            os.kill(int(child), signal.SIGTERM)
        server.wait(30)
    for name, made in trap.lookups():
        begin(f"command-{name}")
        texts = []
        for tool, object in made:
            command = trap.watch([AGON, "lookup", f"command-{name}", "--seat", "reviewer-1", tool, object])
            done = subprocess.run(command, env=room.env, cwd=room.path / "code", capture_output=True, text=True, timeout=60)
            texts.append(done.stdout + done.stderr)
            trap.judge(f"agon lookup {tool} {object.replace(str(room.path), '')}", [], texts[-1])
    for driver in drivers:
        driver.kill()
        driver.wait()


def check(with_acp):
    Responses.names = ("read", "open")
    model = HostModel()
    room = Room(model)
    room.model = model
    trap = Trap(room)
    repository(room)
    sample, _ = review(room, "sample", None)
    model.sample = json.loads(sample["reply"]["said"]["text"])
    by_models(room, model, trap, with_acp)
    by_seats(room, trap)
    model.close()
