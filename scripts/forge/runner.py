"""Runs the steps of a workflow or a composite action on this machine, as the runners of GitHub and Forgejo do.

Enough of their language for the files of ci/: contexts, `||`, `&&`, `==`, `!=`, `!`, `always()` in expressions; inputs,
outputs, environments, paths and summaries of steps; `if` and `continue-on-error`. Actions of others are functions of
Python, by name. What the language has beyond that ends the run with an error, so that nothing is skipped silently.
"""

import os
import re
import subprocess

import yaml

TOKEN = re.compile(r"\s*(?:'((?:[^']|'')*)'|([A-Za-z_][\w.-]*)|(\|\||&&|==|!=|!|\(|\)))")
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
STEP_SECONDS = 120


class Expression:
    """One expression, evaluated from left to right by the precedence of the language: `!`, comparison, and, or."""

    def __init__(self, text, contexts, failed):
        self.tokens, self.contexts, self.failed = [], contexts, failed
        at = 0
        text = text.strip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise ValueError(f"not an expression that this runner knows: {text!r}")
            self.tokens.append(match)
            at = match.end()

    def next_is(self, *operators):
        return bool(self.tokens) and self.tokens[0][3] in operators

    def value(self):
        value = self.either()
        if self.tokens:
            raise ValueError(f"{self.tokens[0][0]!r} is left of an expression")
        return value

    def either(self):
        value = self.both()
        while self.next_is("||"):
            self.tokens.pop(0)
            other = self.both()
            value = value or other
        return value

    def both(self):
        value = self.compared()
        while self.next_is("&&"):
            self.tokens.pop(0)
            other = self.compared()
            value = value and other
        return value

    def compared(self):
        value = self.single()
        while self.next_is("==", "!="):
            equal = self.tokens.pop(0)[3] == "=="
            value = (as_text(value) == as_text(self.single())) == equal
        return value

    def single(self):
        token = self.tokens.pop(0)
        if token[3] == "!":
            return not self.single()
        if token[3] == "(":
            value = self.either()
            self.close()
            return value
        if token[1] is not None:
            return token[1].replace("''", "'")
        if self.next_is("("):
            self.tokens.pop(0)
            self.close()
            return {"always": True, "success": not self.failed, "failure": self.failed}[token[2]]
        if token[2] in ("true", "false"):
            return token[2] == "true"
        value = self.contexts
        for part in token[2].split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def close(self):
        if not self.next_is(")"):
            raise ValueError("a parenthesis is not closed")
        self.tokens.pop(0)


def as_text(value):
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Job:
    """A run of steps in a folder. `contexts` are those of the language; `actions` maps names to functions."""

    def __init__(self, work, env, contexts, actions):
        self.work, self.env, self.contexts, self.actions = work, dict(env), contexts, actions
        self.failed, self.log, self.files = False, "", 0
        # What actions do when the job has ended, such as storing a cache.
        self.post = []
        os.makedirs(contexts["runner"]["temp"], exist_ok=True)
        contexts.setdefault("steps", {})

    def expand(self, text):
        said = lambda match: as_text(Expression(match[1], self.contexts, self.failed).value())
        return EXPRESSION.sub(said, text) if isinstance(text, str) else as_text(text)

    def wanted(self, step):
        """Whether `if` lets a step run: after a failure only those that name a status do."""
        condition = as_text(step.get("if", "success()"))
        names_status = re.search(r"\b(always|failure|success)\(\)", condition)
        allowed = names_status or not self.failed
        inner = EXPRESSION.fullmatch(condition)
        value = Expression(inner[1] if inner else condition, self.contexts, self.failed).value()
        return bool(allowed and value)

    def run(self, steps):
        for step in steps:
            unknown = set(step) - {"name", "id", "if", "uses", "with", "env", "run", "shell", "continue-on-error"}
            if unknown:
                raise ValueError(f"this runner does not know {unknown} of a step")
            if not self.wanted(step):
                continue
            outputs, code = self.uses(step) if "uses" in step else self.shell(step)
            if "id" in step:
                self.contexts["steps"][step["id"]] = {"outputs": outputs}
            if code and not step.get("continue-on-error"):
                self.failed = True
        for work in self.post:
            work()
        return self

    def step_env(self, step):
        return {**self.env, **{name: self.expand(value) for name, value in step.get("env", {}).items()}}

    def uses(self, step):
        name = self.expand(step["uses"]).split("@")[0]
        given = {key: self.expand(value) for key, value in step.get("with", {}).items()}
        found = [action for end, action in self.actions.items() if name.endswith(end)]
        if len(found) != 1:
            raise ValueError(f"{len(found)} actions are known as {name}")
        return found[0](self, given, self.step_env(step))

    def shell(self, step):
        """Runs a script with bash, and reads what it wrote into its files."""
        self.files += 1
        names = {}
        for kind in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_ENV"):
            names[kind] = os.path.join(self.contexts["runner"]["temp"], f"{kind.lower()}-{id(self)}-{self.files}")
            open(names[kind], "w").close()
        options = ["--noprofile", "--norc", "-eo", "pipefail"] if step.get("shell") == "bash" else ["-e"]
        command = ["bash", *options, "-c", self.expand(step["run"])]
        env = {**self.step_env(step), **names, "RUNNER_TEMP": self.contexts["runner"]["temp"]}
        done = subprocess.run(command, cwd=self.work, env=env, capture_output=True, text=True, timeout=STEP_SECONDS)
        self.log += done.stdout + done.stderr
        with open(names["GITHUB_PATH"]) as file:
            for line in file.read().splitlines():
                self.env["PATH"] = f"{line}:{self.env['PATH']}"
        self.env.update(pairs(names["GITHUB_ENV"]))
        return pairs(names["GITHUB_OUTPUT"]), done.returncode


def pairs(path):
    """The `name=value` lines of a file that a step wrote."""
    with open(path) as file:
        return dict(line.split("=", 1) for line in file.read().splitlines() if line)


def composite(path):
    """The action that a file describes, to be used by the steps of a workflow."""
    with open(path) as file:
        action = yaml.safe_load(file)

    def use(job, given, env):
        unknown = set(given) - set(action["inputs"])
        if unknown:
            raise ValueError(f"{path} has no inputs {unknown}")
        inputs = {name: given.get(name, job.expand(one.get("default", ""))) for name, one in action["inputs"].items()}
        github = {**job.contexts["github"], "action_path": os.path.dirname(path)}
        inner = Job(job.work, env, {**job.contexts, "github": github, "inputs": inputs, "steps": {}}, job.actions)
        inner.run(action["runs"]["steps"])
        job.log += inner.log
        outputs = {name: inner.expand(one["value"]) for name, one in action["outputs"].items()}
        return outputs, int(inner.failed)

    return use


def steps_of(path, job):
    """The steps of the only job of a workflow."""
    with open(path) as file:
        return yaml.safe_load(file)["jobs"][job]["steps"]
