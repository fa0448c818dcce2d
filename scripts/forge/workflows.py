"""The workflow files of ci/, each run from its first step to its last against a forge that exists here alone.

Run by scripts/check-forge, which names the program in AGON and GitLab's runner in GITLAB_RUNNER. The folders under /tmp that
the files name belong to a container of their own there; here they are replaced by a folder of the room.
"""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile

import runner
from check import AGON, CI, OWN, Forge, Room, check

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True

from packages.release import PIPELINE_SCRIPTS  # noqa: E402

BEFORE = "def pages(total, size):\n    return -(-total // size)\n"
AFTER = "def pages(total, size):\n    return total // size\n"
FINDING = {
    "place": "pager.py:2", "quote": "return total // size", "claim": "The last page is lost.", "severity": "high",
    "why": "The division rounds down, so the rest of a total has no page.", "refuted_by": "A total without a rest.",
}
AGREED = {"answers": [{"finding": "F1", "checked": "The division rounds down.", "place": "", "quote": "", "answer": "agree"}]}
# What participants say, by what becomes of the change, with the exit code of the gate.
ENDS = {
    "changes wanted": (10, [{"key": "*reviewer-1", "reply": {"findings": [FINDING]}}, {"key": "*critic*", "reply": AGREED}]),
    "approved": (0, []),
    "nobody was heard": (None, [{"key": "*", "fail": "refused"}]),
}
NOTHING_FOUND = [{"key": "*reviewer*", "reply": {"findings": []}}, {"key": "*", "sample": True}]


def archive(path):
    """An archive of agon with the program under test in it, as scripts/dist lays it out; gives its checksum."""
    with tarfile.open(path, mode="w:gz") as tar:
        program = f'#!/bin/sh\nexec "{AGON}" "$@"\n'.encode()
        info = tarfile.TarInfo("agon-x/agon")
        info.size, info.mode = len(program), 0o755
        tar.addfile(info, io.BytesIO(program))
        for name in PIPELINE_SCRIPTS:
            tar.add(f"{CI}/{name}", f"agon-x/ci/{name}")
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class ChangeRoom(Room):
    """A repository with a wrong change, and an archive of agon."""

    def __init__(self, forge, rules):
        super().__init__(forge)
        self.forge = forge
        self.git("checkout", "--quiet", "-b", "change", self.env["AGON_BASE"])
        self.write("pager.py", BEFORE)
        self.script(rules)
        self.base = self.commit("pager")
        self.write("pager.py", AFTER)
        self.head = self.commit("shorter")
        self.archive = f"{self.path}/agon.tar.gz"
        self.digest = archive(self.archive)
        self.runner_env = {"PATH": os.environ["PATH"], "HOME": self.path}
        self.stored = f"{self.path}/stored"
        self.runs = 0

    def script(self, rules):
        self.write("script.json", json.dumps({"rules": [*rules, *NOTHING_FOUND]}))

    def run_info(self):
        """What the forge says of the run that is under way."""
        return {
            "id": self.runs, "workflow_id": 1, "event": "pull_request", "head_sha": self.head, "head_repository": {"id": 5},
        }

    def contexts(self):
        self.runs += 1
        return {
            "github": {
                "event": {"pull_request": {"number": 7, "base": {"sha": self.base}, "head": {"sha": self.head}}},
                "sha": self.head, "token": OWN, "run_attempt": self.runs,
            },
            "secrets": {"GITHUB_TOKEN": OWN}, "runner": {"temp": f"{self.path}/temp-{self.runs}"}, "vars": self.variables(),
        }

    def variables(self):
        """Those of the project, which name the archive; an action takes its path as well."""
        given = {"AGON_ARCHIVE": self.archive and f"file://{self.archive}", "AGON_SHA256": self.digest}
        return {name: value for name, value in given.items() if value}

    def hosted(self):
        """What a runner sets for every step."""
        return {
            **self.runner_env, "GITHUB_ACTIONS": "true", "GITHUB_API_URL": self.forge.url, "GITHUB_REPOSITORY": "ada/town",
            "GITHUB_RUN_ID": str(self.runs), "GITHUB_STEP_SUMMARY": f"{self.path}/step.md",
        }

    def own_folders(self, text):
        return text.replace("/tmp/agon", f"{self.path}/container/agon")


def keep(source, target):
    shutil.rmtree(target, ignore_errors=True)
    if os.path.exists(source):
        shutil.copytree(source, target)


def actions(room):
    """Those that the files use and that are not agon's, with folders in place of a store."""

    def checkout(_job, _given, _env):
        room.git("checkout", "--quiet", "--detach", room.head)
        return {}, 0

    def upload(_job, given, _env):
        keep(given["path"], f"{room.stored}/{given['name']}")
        run = str(room.runs)
        room.forge.artifacts.append({
            "name": given["name"], "expired": False, "created_at": f"2026-01-{room.runs:02}", "workflow_run": {"id": int(run)},
        })
        return {}, 0

    def download(_job, given, _env):
        keep(f"{room.stored}/{given['name']}", given["path"])
        return {}, 0

    def cache(job, given, _env):
        caches = f"{room.stored}/caches"
        os.makedirs(caches, exist_ok=True)
        names = sorted(os.listdir(caches), reverse=True)
        prefixes = [given["key"], *given.get("restore-keys", "").split()]
        found = [name for prefix in prefixes for name in names if name.startswith(prefix)]
        if found:
            keep(f"{caches}/{found[0]}", given["path"])
        job.post.append(lambda: keep(given["path"], f"{caches}/{given['key']}"))
        return {}, 0

    return {
        "actions/checkout": checkout, "/upload-artifact": upload, "/download-artifact": download, "actions/cache": cache,
        "<owner>/agon": runner.composite(f"{os.path.dirname(CI)}/action.yml"),
    }


def on_github(room):
    """The workflow that ci/workflow.yml shows, with the action of action.yml."""
    contexts = room.contexts()
    contexts["vars"] |= {"AGON_ARCHIVE": room.archive}
    room.forge.runs[str(room.runs)] = room.run_info()
    job = runner.Job(room.work, room.hosted(), contexts, actions(room))
    return job.run(runner.steps_of(f"{CI}/workflow.yml", "agon"))


def on_forgejo(room):
    path = f"{room.path}/forgejo.yml"
    with open(f"{CI}/forgejo.yml") as file, open(path, "w") as own:
        own.write(room.own_folders(file.read()))
    shutil.rmtree(f"{room.path}/container", ignore_errors=True)
    os.makedirs(f"{room.path}/container")
    job = runner.Job(room.work, room.hosted(), room.contexts(), actions(room))
    return job.run(runner.steps_of(path, "agon"))


class GitLabRun:
    """A job that gitlab-ci-local, the runner from npm, ran in the shell."""

    def __init__(self, room):
        with open(f"{CI}/gitlab.yml") as file:
            # Without its image the job runs in the shell of this machine.
            room.write(".gitlab-ci.yml", room.own_folders(file.read().replace("  image: python:3.13\n", "")))
        shutil.rmtree(f"{room.path}/container", ignore_errors=True)
        os.makedirs(f"{room.path}/container")
        values = {
            "GITLAB_CI": "true", "CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_DIFF_BASE_SHA": room.base, "CI_COMMIT_SHA": room.head,
            "CI_API_V4_URL": room.forge.url, "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "7", "AGON_GITLAB_TOKEN": OWN,
            **room.variables(),
        }
        command = [os.environ["GITLAB_RUNNER"]]
        for name, value in values.items():
            command += ["--variable", f"{name}={value}"]
        room.git("remote", "add", "origin", "git@example.org:ada/town.git") if not room.git("remote") else None
        done = subprocess.run([*command, "agon"], env=room.runner_env, cwd=room.work, capture_output=True, text=True, timeout=180)
        self.failed, self.log = done.returncode != 0, done.stdout + done.stderr


FORGES = {"workflow.yml with action.yml": on_github, "forgejo.yml": on_forgejo, "gitlab.yml": GitLabRun}


def comment(forge):
    return "\n".join(one["body"] for one in forge.comments.values())


def ends(name, run):
    """Every end of a review: the code of the gate, the comment, and annotations."""
    for end, (code, rules) in ENDS.items():
        room = ChangeRoom(Forge(), rules)
        job = run(room)
        is_red = code != 0
        check(f"{name}, {end}: the job is {'red' if is_red else 'green'}", job.failed == is_red, job.log)
        check(f"{name}, {end}: one comment", len(room.forge.comments) == 1, job.log)
        check(f"{name}, {end}: the comment tells it", ("pager.py:2" in comment(room.forge)) == (code == 10), comment(room.forge))
        if code == 10 and run is not GitLabRun:
            check(f"{name}, {end}: the line is annotated", "file=pager.py,line=2" in job.log, job.log)


def refused(name, run):
    """Without an archive and its checksum nothing is installed, and nothing else takes its place."""
    for what, change in {
        "no archive": {"archive": ""}, "no checksum": {"digest": ""}, "another checksum": {"digest": "0" * 64},
    }.items():
        room = ChangeRoom(Forge(), [])
        vars(room).update(change)
        job = run(room)
        check(f"{name}, {what}: the job is red", job.failed, job.log)
        check(f"{name}, {what}: no debate, no comment", not room.forge.comments and "script.json" not in job.log, job.log)


def again(name, run):
    """A run that stopped is continued by the next one, and its comment is replaced."""
    room = ChangeRoom(Forge(), [])
    room.write("script.json", json.dumps({"rules": [{"key": "*reviewer-1", "reply": {"findings": [FINDING]}}]}))
    first = run(room)
    check(f"{name}: a debate that stopped is red", first.failed, first.log)
    room.write("script.json", json.dumps({"rules": [
        {"key": "*reviewer-1", "fail": "unavailable"}, {"key": "*critic*", "reply": AGREED}, *NOTHING_FOUND,
    ]}))
    second = run(room)
    said = comment(room.forge)
    check(f"{name}: the next run continues it, and asks nobody twice", "pager.py:2" in said, second.log + said)
    check(f"{name}: still one comment", len(room.forge.comments) == 1, said)


def main():
    wanted = sys.argv[1:]
    for name, run in FORGES.items():
        if wanted and not any(word in name for word in wanted):
            continue
        ends(name, run)
        refused(name, run)
        again(name, run)
    print("the workflows passed")


if __name__ == "__main__":
    main()
