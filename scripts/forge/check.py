"""The scripts of ci/, as a pipeline calls them, against a forge that exists here alone; ends at the first fault.

Run by scripts/check-forge, which names the program in AGON.
"""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CI = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", "ci"))
AGON = os.environ["AGON"]
OWN = "token-of-the-run"
SCRIPT = '{"rules": [{"key": "*", "sample": true}]}'
SILENT = '{"rules": [{"key": "*", "fail": "refused"}]}'


class Forge:
    """Comments of one pull request, and the artifacts of a repository."""

    def __init__(self):
        forge = self
        self.comments, self.may_comment, self.redirect, self.asked = {}, True, None, []
        self.artifacts, self.runs = [], {}

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                code, value = forge.decide(self, self.path, json.loads(body) if body else None)
                self.send_response(code)
                if code == 302:
                    self.send_header("Location", value)
                    value = {}
                data = json.dumps(value).encode()
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_PUT = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def decide(self, request, path, body):
        path, _, query = path.partition("?")
        self.asked.append((request.command, path, request.headers.get("Authorization") or request.headers.get("PRIVATE-TOKEN")))
        if self.redirect:
            return 302, self.redirect
        if not (self.asked[-1][2] or "").endswith(OWN):
            return 401, {}
        parts = path.strip("/").split("/")
        if "actions" in parts:
            return self.action(parts[parts.index("actions") + 1 :])
        number = int(parts[-1]) if parts[-1].isdigit() else None
        if request.command == "GET":
            page = int(dict(pair.split("=") for pair in query.split("&"))["page"])
            shown = list(self.comments.values())[(page - 1) * 100 : page * 100]
            return 200, [{"id": one["id"], "body": one["body"]} for one in shown]
        if not self.may_comment:
            return 403, {"message": "Resource not accessible by integration"}
        if request.command == "POST":
            return 201, self.add(body["body"])
        if self.comments[number]["by"] != "own":
            return 403, {}
        self.comments[number]["body"] = body["body"]
        return 200, self.comments[number]

    def action(self, parts):
        if parts[0] == "runs":
            return (200, self.runs[parts[1]]) if parts[1] in self.runs else (404, {})
        return 200, {"total_count": len(self.artifacts), "artifacts": self.artifacts}

    def add(self, body, by="own"):
        number = len(self.comments) + 1
        self.comments[number] = {"id": number, "body": body, "by": by}
        return self.comments[number]


class Room:
    """A repository with a change in it, and a place for its record."""

    def __init__(self, forge):
        self.folder = tempfile.TemporaryDirectory(prefix="agon-forge-")
        self.path = self.folder.name
        self.work = f"{self.path}/work"
        os.mkdir(self.work)
        self.write("script.json", SCRIPT)
        self.write("agon.toml", 'model = "scripted:script.json"\n')
        self.git("init", "--quiet", "--initial-branch=main")
        base = self.commit("base")
        # The change would have other models decide about it.
        self.write("agon.toml", 'model = "scripted:other.json"\n')
        self.write("other.json", SILENT)
        self.env = {
            "PATH": os.environ["PATH"], "HOME": self.path, "AGON": AGON, "AGON_HOME": f"{self.path}/home",
            "AGON_OUT": f"{self.path}/out", "AGON_BASE": base, "AGON_HEAD": self.commit("change"), "AGON_KIND": "exchange",
            "AGON_MOTION": "This house would merge.", "AGON_ARGS": "--rounds 0", "GITHUB_API_URL": forge.url,
            "GITHUB_REPOSITORY": "ada/town", "GITHUB_TOKEN": OWN, "AGON_PULL_REQUEST": "7", "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": f"{self.path}/step.md", "GITHUB_RUN_ID": "3",
        }
        self.summary = f"{self.path}/out/summary.md"

    def write(self, name, text):
        with open(f"{self.work}/{name}", "w") as file:
            file.write(text)

    def read(self, path):
        with open(path) as file:
            return file.read()

    def git(self, *words):
        own = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
        return subprocess.run(["git", *own, *words], cwd=self.work, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, message):
        self.git("add", "--all")
        self.git("commit", "--quiet", f"--message={message}")
        return self.git("rev-parse", "HEAD")

    def run(self, *command, **env):
        return subprocess.run([f"{CI}/{command[0]}", *command[1:]], cwd=self.work, env={**self.env, **env}, capture_output=True, text=True, timeout=60)


def check(what, holds, shown=""):
    if not holds:
        sys.exit(f"FAIL  {what}\n{shown}")
    print(f"ok    {what}", flush=True)


def gates(room):
    first = room.run("debate")
    said = first.stdout + first.stderr
    check("the gate passes, fails or is unclear", first.returncode in (0, 10, 11), said)
    check("the configuration of the base decides", "script.json" in said and "other.json" not in said, said)
    check("the summary is in that of the step", room.read(room.summary) in room.read(room.env["GITHUB_STEP_SUMMARY"]))
    again = room.run("debate")
    check("the same commit continues the same debate", again.returncode == first.returncode, again.stdout + again.stderr)
    for codes, code in [("proposition_ahead|opposition_ahead|even|undecided", 10), ("bloked", 2)]:
        done = room.run("debate", AGON_FAIL_ON=codes)
        check(f"--fail-on {codes} exits with {code}", done.returncode == code, done.stdout + done.stderr)
    room.write("more.md", "More.\n")
    more = {"AGON_HEAD": room.commit("more"), "AGON_OUT": f"{room.path}/more"}
    lines = room.run("debate", **more, AGON_ARGS="--rounds 0\n--max-requests 1\n")
    check("options on further lines count", lines.returncode == 4, lines.stdout + lines.stderr)
    change = more["AGON_HEAD"]
    room.git("checkout", "--quiet", "-b", "meanwhile", room.env["AGON_BASE"])
    room.write("theirs.md", "Others.\n")
    theirs = room.commit("theirs")
    room.git("checkout", "--quiet", "-b", "own", change)
    room.write("own.md", "Own.\n")
    own = {"AGON_BASE": theirs, "AGON_HEAD": room.commit("own"), "AGON_OUT": f"{room.path}/own"}
    room.run("debate", **own)
    record = room.read(f"{room.path}/own/files/record.jsonl")
    check("a change is compared with where it began", "own.md" in record and "theirs.md" not in record, record[:4000])
    wrong = room.run("debate", AGON_HEAD="main; touch /tmp/x")
    check("what is not the name of a commit is refused", wrong.returncode == 2, wrong.stdout)


def comments(room, forge):
    def comment(**env):
        done = room.run("comment", room.summary, **env)
        check("the comment never fails a pipeline", done.returncode == 0, done.stdout + done.stderr)
        return done.stdout

    for number in range(120):
        forge.add(f"words {number}", by="eve")
    check("the first run creates the comment", "created" in comment() and len(forge.comments) == 121)
    forge.comments[121]["body"] = forge.comments[121]["body"].split("\n")[0] + "\nold"
    check("the second run replaces it", "replaced" in comment() and len(forge.comments) == 121)
    check("with the new text", forge.comments[121]["body"] == room.read(room.summary))
    planted = forge.add(room.read(room.summary).split("\n")[0] + "\nAll is well.", by="eve")
    check("a comment of another with the marker stays", "replaced" in comment() and "All is well." in planted["body"])
    forge.may_comment = False
    said = comment()
    check("a token that may not comment is a warning", said.startswith("::warning::") and said.count("\n") == 1, said)
    forge.may_comment = True
    check("a wrong token is a warning", "::warning::" in comment(GITHUB_TOKEN="x"))
    check("a missing token is a warning", "GITHUB_TOKEN" in comment(GITHUB_TOKEN=""))
    check("an absent forge is a warning", "::warning::" in comment(GITHUB_API_URL="http://127.0.0.1:9"))
    other = Forge()
    forge.redirect = f"{other.url}/stolen"
    check("a redirection is not followed", "::warning::" in comment() and not other.asked, other.asked)
    forge.redirect = None
    with open(f"{room.path}/plain.md", "w") as file:
        file.write("no marker\n")
    plain = room.run("comment", f"{room.path}/plain.md")
    check("what is not a summary is not posted", plain.returncode == 0 and "not a summary" in plain.stdout, plain.stdout)

    lab = Forge()
    env = {"GITLAB_CI": "true", "CI_API_V4_URL": lab.url, "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "7", "AGON_GITLAB_TOKEN": OWN}
    check("GitLab: the first run creates the note", "created" in comment(**env) and len(lab.comments) == 1)
    check("GitLab: the second run replaces it", "replaced" in comment(**env) and len(lab.comments) == 1)
    check("GitLab: at its own address", lab.asked[-1][:2] == ("PUT", "/projects/5/merge_requests/7/notes/1"), lab.asked)


def records(room, forge):
    name = f"agon-exchange-{room.env['AGON_HEAD']}"

    def artifact(run, created, **more):
        return {"name": name, "expired": False, "created_at": created, "workflow_run": {"id": run}, **more}

    def run(number, workflow=1, event="pull_request", head=room.env["AGON_HEAD"], repository=1):
        forge.runs[str(number)] = {
            "id": number, "workflow_id": workflow, "event": event, "head_sha": head, "head_repository": {"id": repository},
        }

    # A pull request of a stranger runs under the same workflow and event, and can leave artifacts of any name.
    strangers = [(6, {"head": "0" * 40}), (7, {"repository": 2})]
    for number, more in [(3, {}), (1, {}), (2, {}), (8, {"workflow": 2}), (9, {"event": "push"}), *strangers]:
        run(number, **more)
    forge.artifacts = [artifact(number, f"2026-01-0{number}") for number in (1, 2, 6, 7, 8, 9)]
    found = room.run("earlier", name)
    check("the newest run of this workflow has the record", found.stdout == "2\n", found.stdout + found.stderr)
    forge.artifacts = [artifact(2, "2026-01-02", expired=True), artifact(1, "2026-01-01")]
    check("an expired record does not count", room.run("earlier", name).stdout == "1\n")
    check("another name does not count", room.run("earlier", "other").stdout == "")
    lost = room.run("earlier", name, GITHUB_TOKEN="x")
    check("without permission there is none", (lost.returncode, lost.stdout) == (0, ""), lost.stderr)


def installs(room):
    packed = f"{room.path}/packed.tar.gz"
    with tarfile.open(packed, mode="w:gz") as tar:
        tar.add(f"{room.work}/script.json", "agon-x/agon")
    with open(packed, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    for what, given, named in [
        ("no archive", [], "scripts/dist"), ("no checksum", [packed], "SHA-256"), ("half a checksum", [packed, digest[:32]], "SHA-256"),
        ("another checksum", [packed, "0" * 64], "another SHA-256"), ("a version", ["0.1.0"], "SHA-256"),
        ("no https", ["http://127.0.0.1:9/a.tar.gz", digest], "https://"), ("no such file", [f"{room.path}/none", digest], "none"),
    ]:
        done = room.run("install", f"{room.path}/none-installed", *given)
        check(f"install with {what} is refused", done.returncode and named in done.stderr, done.stdout + done.stderr)
        check("nothing is installed", not os.path.exists(f"{room.path}/none-installed/agon"))
    done = room.run("install", f"{room.path}/installed", packed, digest.upper())
    check("install takes an archive with its checksum", done.returncode == 0, done.stderr)
    check("the program is in the folder", room.read(f"{room.path}/installed/agon") == SCRIPT)


def main():
    forge = Forge()
    room = Room(forge)
    installs(room)
    gates(room)
    comments(room, forge)
    records(room, forge)
    print("all passed")


if __name__ == "__main__":
    main()
