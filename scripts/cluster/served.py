"""`agon serve --on` and `agon eval --on`: what people and programs do there, on debates that workers drive."""

import json
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from servers import AGON, Server, sample, until

# What differs between two runs of one evaluation: moments, hashes over them, and what the provider had cached.
OWN = {"at", "record_hash", "cached_tokens"}


class Web(Server):
    """`agon serve` that has debates driven by the workers."""

    kind = "web"

    def __init__(self, folder, on, env):
        super().__init__(folder, "agon serve")
        self.on, self.env = on, env

    def environment(self):
        return self.env

    def command(self):
        return [AGON, "serve", "--listen", "127.0.0.1:0", "--on", self.on, "--output", "json", "--rate-factor", "0"]

    def is_up(self):
        assert self.child.poll() is None, f"agon serve ended: {(self.folder / 'log').read_text()[-1500:]}"
        told = re.search(r'^\{"listening.*$', (self.folder / "log").read_text(), re.MULTILINE)
        if not told:
            return False
        self.base, self.token = json.loads(told[0])["url"].split("/?token=")
        return True

    def ask(self, method, path, body=None, expects=(200, 201, 202)):
        """The JSON or the text of an answer; of a refusal too, where it is expected."""
        request = urllib.request.Request(self.base + path, method=method, data=None if body is None else json.dumps(body).encode())
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                status, text = response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        assert status in expects, f"{method} {path}: {status}: {text[:800]}"
        return json.loads(text) if text.startswith(("{", "[")) else text

    def debate(self, name):
        return self.ask("GET", f"/api/v1/debates/{name}")

    def entries(self, name):
        told = self.ask("GET", f"/api/v1/debates/{name}/entries?limit=1000")
        return told["entries"] if isinstance(told, dict) else told

    def has_closed(self, name):
        return any("closed" in entry["what"] for entry in self.entries(name)[-1:])

    def open(self, name, **more):
        body = {"protocol": "exchange", "motion": f"Motion {name}: on a server.", "rounds": 1, "model": "mock:mock", "id": name}
        return self.ask("POST", "/api/v1/debates", {**body, **more})

    def answer(self, name, seat, holder):
        """Answers at an outside seat as the desk does: claim, see what is asked, answer."""
        base = f"/api/v1/debates/{name}/seats/{seat}"
        claim = self.ask("POST", f"{base}/claim", {"holder": holder, "seconds": 300})
        self.ask("POST", f"{base}/answer", {"token": claim["token"], "text": "It is late."}, expects=(422,))
        text = json.dumps(sample(self.ask("GET", f"{base}/prompt")["schema"]))
        receipt = self.ask("POST", f"{base}/answer", {"token": claim["token"], "text": text})
        again = self.ask("POST", f"{base}/answer", {"token": claim["token"], "text": text})
        assert receipt["seq"] == again["seq"], "the same text gets the same receipt"
        self.ask("POST", f"{base}/release", {"token": claim["token"]}, expects=(200, 403, 410))

    def events(self, name):
        """All events of a debate until it closes."""
        request = urllib.request.Request(f"{self.base}/api/v1/debates/{name}/events")
        request.add_header("Authorization", f"Bearer {self.token}")
        seen = []
        with urllib.request.urlopen(request, timeout=120) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    seen.append(json.loads(line[5:]))
                    if '"closed"' in line.decode():
                        return seen
        return seen


def command(env, *words, code=0):
    ran = subprocess.run([AGON, *words], cwd=env["HOME"], env=env, capture_output=True, text=True, timeout=120)
    assert ran.returncode == code, f"{words}: exit {ran.returncode}, not {code}: {(ran.stdout + ran.stderr)[-1200:]}"
    return ran.stdout


def serve(room, env):
    """A debate opened over HTTP, watched, answered, paused, extended, forked and cancelled."""
    web = Web(Path(env["HOME"]) / "web", room.on, env).start()
    drives = sum(worker.drives() for worker in room.workers)
    web.open("w1")
    seen = web.events("w1")
    assert web.has_closed("w1") and len(seen) >= len(web.entries("w1")), f"{len(seen)} events"
    assert sum(worker.drives() for worker in room.workers) > drives, "no worker drove it"
    page = web.ask("GET", "/debates/w1")
    assert "Motion w1: on a server." in page, page[:500]

    # A person at the judge's seat, who takes longer than a drive lasts.
    web.open("w2", seats={"judge": "outside"})
    until("the judge is asked", 90, lambda: '"judge"' in json.dumps(web.ask("GET", "/api/v1/debates/w2/requests")))
    until("nobody drives it", 60, lambda: room.rows(env, "SELECT wake FROM waits WHERE debate = 'w2'"))
    answers = 0
    while not web.has_closed("w2") and answers < 12:
        if '"judge"' in json.dumps(web.ask("GET", "/api/v1/debates/w2/requests")):
            web.answer("w2", "judge", "Ada")
            answers += 1
        time.sleep(0.5)
    until("it closes after the answers", 60, lambda: web.has_closed("w2"))

    # Acts over HTTP, and from another process.
    web.open("w3", rounds=3)
    until("it is under way", 60, lambda: room.length(env, "w3") > 3)
    web.ask("POST", "/api/v1/debates/w3/pause", {"name": "Ada", "why": "lunch"})
    until("it rests", 60, lambda: rests(room, env, "w3"))
    web.ask("POST", "/api/v1/debates/w3/resume", {"name": "Ada"})
    until("it closes after the pause", 120, lambda: web.has_closed("w3"))
    before = room.length(env, "w3")
    web.ask("POST", "/api/v1/debates/w3/extend", {"rounds": 1})
    until("it closes again", 120, lambda: room.length(env, "w3") > before + 3 and web.has_closed("w3"))
    command(env, "fork", "w3", "--id", "w4")
    forked = room.length(env, "w4")
    web.ask("POST", "/api/v1/debates/w4/extend", {"rounds": 1})
    until("the fork closes", 120, lambda: room.length(env, "w4") > forked + 3 and web.has_closed("w4"))
    web.open("w5", rounds=6)
    until("it is under way", 60, lambda: room.length(env, "w5") > 3)
    command(env, "cancel", "w5", "--why", "seen enough", code=9)
    until("it is cancelled", 60, lambda: web.has_closed("w5"))
    web.open("w6", rounds=6)
    until("it is under way", 60, lambda: room.length(env, "w6") > 3)
    web.ask("POST", "/api/v1/debates/w6/cancel", {"name": "Ada", "why": "seen enough"})
    until("it is cancelled", 60, lambda: web.has_closed("w6"))
    # A server that ends leaves its debates to the workers, and another one shows them.
    web.open("w7", rounds=2)
    until("it is under way", 60, lambda: room.length(env, "w7") > 2)
    web.kill(signal.SIGTERM)
    other = Web(Path(env["HOME"]) / "web-2", room.on, env).start()
    until("it closes although its server ended", 120, lambda: other.has_closed("w7"))
    for name in ("w1", "w2", "w3", "w4", "w5", "w6", "w7"):
        command(env, "check", name)
    other.kill(signal.SIGTERM)
    print(f"agon serve --on: opened, watched, answered {answers} times at the desk, paused, resumed, extended, forked and "
          "cancelled; its end left a debate to the workers", flush=True)


def rests(room, env, name, seconds=4):
    length = room.length(env, name)
    time.sleep(seconds)
    return room.length(env, name) == length


def evaluate(room, env):
    """An evaluation through the workers has the observations of one on this machine."""
    home = Path(env["HOME"])
    items = [{"id": f"i{number}", "question": f"What is {number} and {number}?", "choices": [str(2 * number), str(3 * number + 1)],
              "gold": str(2 * number), "context": f"Twice {number} is {2 * number}."} for number in range(1, 5)]
    file = home / "items.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in items))
    here = {**env, "AGON_HOME": str(home / "eval-home")}
    here.pop("AGON_JOURNAL", None)
    words = ["eval", str(file), "--arm", "direct", "--arm", "critique", "--arm", "debate", "--model", "mock:mock"]
    command(here, *words, "--out", str(home / "eval-here"))
    command(env, *words, "--out", str(home / "eval-there"), "--on", room.on)
    want, got = (observations(home / name) for name in ("eval-here", "eval-there"))
    assert len(want) == 12 and want == got, f"{len(want)} and {len(got)} observations; {differing(want, got)}"
    reports = [figures(home / name / "report.json") for name in ("eval-here", "eval-there")]
    assert reports[0] == reports[1], f"the reports differ: {differing(*reports)}"
    again = command(env, *words, "--out", str(home / "eval-there"), "--on", room.on)
    print(f"agon eval --on: {len(got)} observations and the report are those of one machine; the same command again asks "
          f"nothing ({len(again.splitlines())} lines)", flush=True)


def bare(value):
    if isinstance(value, dict):
        return {name: bare(part) for name, part in value.items() if name not in OWN and "seconds" not in name}
    return [bare(part) for part in value] if isinstance(value, list) else value


def figures(file):
    return {"report": json.dumps(bare(json.loads(file.read_text())), sort_keys=True)}


def observations(folder):
    lines = [json.loads(line) for line in (folder / "observations.jsonl").read_text().splitlines()]
    return {json.dumps([line.get(name) for name in ("id", "debate", "item", "arm")]): json.dumps(bare(line), sort_keys=True) for line in lines}


def differing(want, got):
    for name in want.keys() | got.keys():
        if want.get(name) != got.get(name):
            return f"{name}: {str(want.get(name))[:600]} / {str(got.get(name))[:600]}"
    return "nothing"
