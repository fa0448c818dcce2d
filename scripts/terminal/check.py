"""The plays of scripts/check-terminal: what a person sees and types, one screen each."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AGON = os.environ["AGON"]
SLOW = "--slow" in sys.argv
SHOWN = Path(sys.argv[sys.argv.index("--shown") + 1]) if "--shown" in sys.argv else None
LONG = (
    "Signs at the corner cost the town little and tell a stranger where the market is before they turn "
    "away; that is why I would put them up this year, and say so in the plan for the street."
)
# Nobody at a seat is told so.
FORBIDDEN = ["<statement", "<argument", "<motion", "JSON object", "_seq", '{"', "redraft", "round-001/"]


class Screen:
    """A terminal of its own, 88 columns wide unless another size is given."""

    def __init__(self, name, home, *args, env=None, size=(88, 2000)):
        self.name, self.home = name, home
        self.session = f"agon-check-{os.getpid()}-{name}"
        (home / name).mkdir(parents=True, exist_ok=True)
        (home / name / "willing.json").write_text('{"rules": [{"key": "*", "sample": true}]}')
        words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in (AGON, *args))
        settings = {"AGON_HOME": str(home / "home"), "XDG_CONFIG_HOME": str(home / "none"), "CI": "", **(env or {})}
        exports = [part for key, value in settings.items() for part in ("-e", f"{key}={value}")]
        line = f"{words}; echo \"ended with $?\"; sleep 600"
        sized = ["-x", str(size[0]), "-y", str(size[1])]
        self.tmux("new-session", "-d", "-s", self.session, *sized, *exports, "-c", str(home / name), line)

    def tmux(self, *words, check=True):
        """A command to this terminal's own server: one that all share may be ending with its last session just now."""
        return subprocess.run(["tmux", "-L", self.session, *words], check=check, stdout=subprocess.PIPE)

    def text(self):
        return self.tmux("capture-pane", "-p", "-J", "-t", self.session, check=False).stdout.decode()

    def wait(self, pattern, seconds=40, after=0):
        until = time.time() + seconds
        while time.time() < until:
            text = self.text()
            found = [match.start() for match in re.finditer(pattern, text)]
            if len(found) > after:
                return text
            time.sleep(0.1)
        raise AssertionError(f"{self.name}: never saw {pattern!r}:\n{self.text().strip()[-3000:]}")

    def type(self, text, enter=True):
        self.tmux("send-keys", "-t", self.session, "-l", "--", text)
        if enter:
            self.key("Enter")

    def key(self, name):
        self.tmux("send-keys", "-t", self.session, name)
        time.sleep(0.15)

    def say(self, text):
        """Words, and the empty line that ends them."""
        self.type(text)
        self.key("Enter")

    def end(self, code=0):
        text = self.wait(r"ended with \d+")
        assert f"ended with {code}" in text, text[-3000:]
        self.tmux("kill-server", check=False)
        if SHOWN:
            SHOWN.mkdir(parents=True, exist_ok=True)
            (SHOWN / f"{self.name}.txt").write_text(text.strip() + "\n")
        return text

    def record(self):
        (path,) = (self.home / self.name / "debates").glob("*/record.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()]


def said(screen, seat):
    """What the record holds of a seat: its answers, by the key."""
    asked, answers = {}, {}
    for entry in screen.record():
        what = entry.get("what", {})
        if "asked" in what:
            asked[what["asked"]["key"]] = what["asked"]["seat"]
        if "answered" in what and asked.get(what["answered"]["key"]) == seat:
            answers[what["answered"]["key"]] = what["answered"]["reply"]
    return answers


def chaired(name, home, seat, agreed=True):
    lineup = ["--debater", "ada:sells bread", "--debater", "bob:drives a van"]
    args = ["run", "chaired", "Should the main street be closed to cars?", *lineup, "--rounds", "1"]
    args += ["--model", "scripted:willing.json", "--verify", "off", "--seat", f"{seat}=human", *(["--yes"] if agreed else [])]
    return Screen(name, home, *args)


def plain(text):
    for word in FORBIDDEN:
        assert word not in text, f"{word!r} is shown:\n{text[-3000:]}"


def audience(home):
    screen = chaired("audience", home, "audience", agreed=False)
    # Whoever opens a debate at a terminal is asked about the line-up first.
    text = screen.wait(r"HOST \(you\)")
    assert "ada: sells bread" in screen.wait("An empty line accepts it"), text
    screen.key("Enter")
    text = screen.wait(r"AUDIENCE \(you\)")
    assert "a question for one of the debaters" in text and "2 minutes" in text, text
    screen.say("Who pays for the signs?")
    screen.wait(r"To\? \[1-2\]")
    screen.type("2")
    screen.wait(r"AUDIENCE \(you\)", after=1)
    screen.wait("200 to 400 words", after=0)
    screen.key("Enter")
    text = screen.end()
    answers = said(screen, "audience")
    (questions,) = [json.loads(reply["said"]["text"]) for key, reply in answers.items() if "question" in key]
    assert questions == {"questions": [{"to": "bob", "question": "Who pays for the signs?"}]}, questions
    assert any("failed" in reply for key, reply in answers.items() if "opinion" in key), answers
    assert "Debate complete" in text, text[-2000:]
    plain(text)


def debater(home):
    screen = chaired("debater", home, "debater-1")
    screen.wait(r"ADA \(you\)")
    screen.say("[CONJECTURE] As an opening: " + LONG)
    screen.wait(r"ADA \(you\)", after=1)
    screen.say("[CONJECTURE] In the round: a cart that carries flour may still pass before eight in the morning.")
    screen.wait(r"ADA \(you\)", after=2)
    screen.say("[CONJECTURE] To close: what was asked of me has its answer, and the street keeps its bakers, seq 2.")
    text = screen.end()
    answers = said(screen, "debater-1")
    assert len(answers) == 3 and not any("redraft" in key for key in answers), answers
    plain(text)


def chair(home):
    screen = chaired("chair", home, "chair")
    screen.wait(r"CHAIR \(you\)")
    assert "Named already, at their place: 1. ada, 2. bob" in screen.wait("Debaters 1")
    stands = ["Carts need the road in the morning.", "The square is for those who walk and sit there."]
    for at, name in enumerate(("ada", "bob")):
        screen.wait("  Name: ", after=at)
        screen.type(name)
        screen.wait("  Persona: ", after=at)
        screen.type("Knows the street and everybody who has a shop in it.")
        screen.wait("  Starting position: ", after=at)
        screen.type(stands[at])
        screen.wait("  Incentives: ", after=at)
        screen.type("A street that works.")
    screen.wait("Send it")
    screen.key("Enter")
    screen.wait(r"CHAIR \(you\)", after=1)
    screen.wait("Open points: Add one")
    screen.type("y")
    screen.wait("Point: ")
    screen.type("Who pays for the road has not been said by anybody.")
    screen.wait("Arguments: ")
    screen.type("1")
    screen.wait("One more")
    screen.type("n")
    screen.wait("Rulings on conduct: Add one")
    screen.key("Enter")
    screen.wait("Send it", after=1)
    screen.key("Enter")
    # A chair is asked for the outcome in both orders of the debaters.
    for at, order in enumerate((("ada", "bob"), ("bob", "ada"))):
        screen.wait("Declare the outcome", after=at)
        for number, name in enumerate(order):
            screen.wait(rf"  For: the debater\s+1\. {order[0]}\s+2\. {order[1]}", after=number)
            screen.type(str(number + 1))
            screen.wait("  Reason: ", after=3 * at + number)
            screen.type(f"It spoke to the matter and answered what was put to it, as {name} would, to the end of the debate.")
            screen.wait("  Entries: ", after=2 * at + number)
            screen.type("1")
        screen.wait("Reasons: Add one|One more", after=at)
        screen.type("n")
        screen.wait("Reason: ", after=3 * at + 2)
        screen.type("Both made their case from what they know, and neither was answered in full; so it is close.")
        screen.wait("Outcome: ", after=at)
        screen.type("draw")
        screen.wait("Do: ", after=at)
        screen.type("Close the street to cars in the afternoon and look again in a year.")
        screen.wait("Because: ", after=at)
        screen.key("Enter")
        screen.wait("Unless: ", after=at)
        screen.key("Enter")
        screen.wait("Send it", after=2 + at)
        screen.key("Enter")
    text = screen.end()
    assert "draw" in text and not any("redraft" in key for key in said(screen, "chair")), text[-2000:]
    plain(text)


def panelist(home):
    args = ["run", "panel", "Should our team write every decision down?", "--rounds", "1", "--model", "scripted:willing.json"]
    screen = Screen("panelist", home, *args, "--yes", "--debater", "Ann", "--debater", "Bo", "--debater", "Cy", "--seat", "Ann=human")
    asked = 0
    while True:
        text = screen.wait(r"ANN \(you\)|ended with", after=asked)
        if "ended with" in text:
            break
        asked = len(re.findall(r"ANN \(you\)", text))
        screen.say(f"I would write it down, since number {asked} of our talks was forgotten within the week by everybody.")
    text = screen.end()
    assert asked >= 1, text
    plain(text)


def judge(home):
    args = ["run", "exchange", "This house would rest.", "--rounds", "0", "--model", "scripted:willing.json"]
    screen = Screen("judge", home, *args, "--seat", "judge=human", env={"NO_COLOR": "1", "LC_ALL": "C"})
    screen.wait(r"JUDGE \(you\)")
    screen.type("They meet on what is lost. The first argument decides it: what it rests on bears it.")
    for grade in (8, 7, 5, 5, 3, 2):
        screen.type(f"What it rests on is worth about {grade}.")
        screen.type(str(grade))
    screen.wait("Send it")
    screen.key("Enter")
    text = screen.end()
    assert "Scores:" in text and not re.search("[─━┃▌·]", text), "a terminal that is not of Unicode gets plain signs"
    plain(text)


def ask(home):
    for answer, is_held in [("n", False), ("", False), ("yes", True)]:
        name = f"ask-{answer or 'nothing'}"
        screen = Screen(name, home, "ask", "Should we rest?", "--model", "scripted:willing.json", "--plain")
        text = screen.wait(r"Hold this debate\?")
        assert "Proposed by the words of the question" in text and "Nothing was sent." in text, text
        assert not (home / name / "debates").exists(), "nothing is started before the answer"
        screen.type(answer)
        screen.end()
        assert (home / name / "debates").exists() == is_held, f"answered {answer!r}"
    # A question in another language: a person chooses the kind.
    screen = Screen("ask-kind", home, "ask", "Welche Datenbank passt zu uns?", "--model", "scripted:willing.json", "--plain")
    text = screen.wait(r"Kind \[1\]:")
    (number,) = re.findall(r"(\d)  panel", text)
    screen.type(number)
    assert re.search(r"kind +panel: you chose it", screen.wait(r"Hold this debate\?"))
    screen.type("n")
    screen.end()


def live(home):
    for columns in (80, 160):
        name = f"live-{columns}"
        model = home / f"{name}.json"
        model.write_text(json.dumps({"rules": [{"key": "*", "sample": True, "delay_ms": 2000}]}))
        args = ["run", "exchange", "This house would write its decisions down.", "--rounds", "1"]
        screen = Screen(name, home, *args, "--model", f"scripted:{model}", "--id", name, size=(columns, 24))
        text = screen.wait(r"\d of at most 9 calls")
        assert "PROPOSITION" in text and "p pause" in text, text
        screen.key("p")
        screen.wait("nobody is asked while it is paused; p continues")
        screen.key("p")
        screen.wait("continued the debate")
        screen.key("?")
        assert "q: stop here" in screen.wait("closes this help"), screen.text()
        screen.key("?")
        text = screen.wait("Scores: ")
        assert "proposition" in text and max(map(len, text.splitlines())) <= columns, text
        if SHOWN:
            SHOWN.mkdir(parents=True, exist_ok=True)
            (SHOWN / f"{name}-view.txt").write_text(text)
        screen.key("q")
        text = screen.end(130)
        assert f"agon resume {name}" in text and "p pause" not in text, text
        settings = {**os.environ, "AGON_HOME": str(home / "home"), "XDG_CONFIG_HOME": str(home / "none")}
        resumed = subprocess.run([AGON, "resume", name], cwd=home / name, env=settings, capture_output=True, text=True)
        assert resumed.returncode == 0 and "▌REPORTER" in resumed.stdout, resumed


def fill_in(screen, words):
    """Answers field after field in plain words until the debate ends. `words` has the words for a field by its label, or what
    finds them on the screen; what it lacks is left empty or denied, and of choices the first one is taken."""
    done = []
    while True:
        lines = [line for line in screen.wait(r"(>|-|\d:|\]) ?\s*$|ended with \d+").splitlines() if line.strip()]
        if lines[-1].startswith("ended with"):
            return
        if lines == done:
            time.sleep(0.05)
            continue
        done, text, prompt = lines, "\n".join(lines), lines[-1].strip()
        label = re.findall(r"^  ([A-Z][\w ]*)(?:: .*|)$", text, re.MULTILINE)[-1]
        said = words.get(label, "")
        said = said(text) if callable(said) else said
        options = re.findall(r"^    (\d+)\. (.*)$", text, re.MULTILINE)
        if prompt.endswith("[y/N]"):
            screen.type("y" if "Add one" in prompt and label in words else "n")
        elif re.match(r"1-\d+:", prompt):
            first = max(place for place, (number, _) in enumerate(options) if number == "1")
            screen.type(next((number for number, option in options[first:] if said and said in option), "1"))
        elif prompt.endswith("[Y/n]") or prompt == "-" and lines[-2].strip().startswith("- "):
            screen.key("Enter")
        else:
            screen.type(said or ("no" if "yes or no" in lines[-2] else ""))
        assert text.count("This field is required.") < 3, text[-1500:]


def in_plain_words(name, home, words, seat, *args):
    """A seat to the end of a debate in plain words: all that was typed is on the record, and nothing was asked for twice."""
    screen = Screen(name, home, *args, "--model", "scripted:willing.json", "--seat", f"{seat}=human")
    fill_in(screen, words)
    text = screen.end()
    answers = said(screen, seat)
    assert answers and not any("redraft" in key or "failed" in reply for key, reply in answers.items()), answers
    for typed in (typed for typed in words.values() if isinstance(typed, str) and len(typed) > 20):
        assert any(typed in json.dumps(reply) for reply in answers.values()), f"{typed!r} is not on the record"
    plain(text)
    return text


def reviewer(home):
    (home / "reviewer").mkdir()
    (home / "reviewer" / "mean.py").write_text("def mean(values):\n    return sum(values) / len(values)\n")
    words = {
        "Findings": "any",
        "Place": "mean.py:2",
        "Quote": "return sum(values) / len(values)",
        "Claim": "An empty list divides by zero, and nothing says so.",
        "Why": "mean([]) raises ZeroDivisionError, since nothing looks at the length.",
        "Refuted by": "A look at the length before the division.",
        "Severity": "medium",
    }
    text = in_plain_words("reviewer", home, words, "reviewer-1", "run", "review", "--context", "mean.py")
    assert re.search(r"What it is about:\s+mean.py, 1-2\s+1\| def mean.*\s+2\|     return sum", text), "no material is shown"


def duellist(home):
    (home / "duellist").mkdir()
    (home / "duellist" / "plan.md").write_text("# A library\n\nOpen on Sundays. Two people are at the desk.\n")
    turn = lambda text: text.count("(you)") - 1
    words = {
        "Position": lambda text: (
            "The hours are right, but the plan names no money for them.",
            "Who staffs a desk must be named, and the plan leaves that to chance.",
            "Without a trial of a month the town learns nothing from its Sundays.",
        )[turn(text)],
        "Claim": lambda text: ("Nobody says who pays.", "Two may be too few.", "No day is named for the start.")[turn(text)],
        "Kind": "source",
        "Words": "Two people are at the desk.",
        "Agreements": "That the doors open on Sundays at all is right.",
        "New claim": lambda text: ("Plans without money are wishes.", "Illness closes a desk.", "Trials teach.")[turn(text)],
        "Question": lambda text: ("Who pays?", "Who stands in?", "When does it begin?")[turn(text)],
        "Do": "Write the money into the plan before the doors open.",
    }
    in_plain_words("duellist", home, words, "participant-1", "run", "duel", "plan.md")


def moderator(home):
    names, lenses = ("Ann", "Bo", "Cy"), ("Contrarian", "First Principles", "Risk Assessor")

    def part(text):
        return int(re.findall(r"^  (?:Lenses|Claims) (\d)$", text, re.MULTILINE)[-1]) - 1

    def quote(text):
        """Words of the panelist that was chosen last, or of another one, where the question quotes somebody else."""
        name = names[int(re.findall(r"^  1-3:.* (\d)$", text, re.MULTILINE)[-1]) - 1]
        if "somebody else" in text.splitlines()[-2]:
            name = "Bo" if name == "Ann" else "Ann"
        return re.findall(rf"^    {name}(?: \(.*\))?\n    (This sample says:(?: [a-z]+){{4}})", text, re.MULTILINE)[-1]

    words = {
        "Panelist": lambda text: names[part(text)],
        "Lens": lambda text: lenses[part(text)],
        "What all share": "They all want less to be forgotten than today.",
        "Disagreements": "any",
        "About": "the time that it takes",
        "Quote": quote,
        "Question": "What would it cost in an ordinary week?",
        "Repeats round": "0",
        "Rests on": "What each of them said of an ordinary week.",
        "One side": "Less is forgotten where it is written down.",
        "The other side": "The time is missing for what has to be done.",
        "Why it stayed open": "Nobody measured what a week of it would cost.",
        "Finding": "Writing takes time that an ordinary week does not have.",
        "Do": "Write down what costs money, and nothing else.",
    }
    args = ["run", "panel", "Should our team write every decision down?", "--rounds", "1", "--yes"]
    in_plain_words("moderator", home, words, "moderator", *args, *(f"--debater={name}" for name in names))


def too_late(home):
    screen = chaired("too-late", home, "audience")
    screen.wait(r"AUDIENCE \(you\)")
    screen.type("Half a ques", enter=False)
    text = screen.wait("The time is up", seconds=140)
    screen.wait(r"AUDIENCE \(you\)", after=1)
    screen.key("Enter")
    text = screen.end()
    (kept,) = re.findall(r"kept in\s+(\S+)", text)
    assert Path(kept).read_text().strip() == "Half a ques", text
    assert not any("Half" in json.dumps(reply) for reply in said(screen, "audience").values())


with tempfile.TemporaryDirectory() as folder:
    plays = [audience, debater, chair, panelist, judge, reviewer, duellist, moderator, ask, live] + ([too_late] if SLOW else [])
    for play in plays:
        began = time.time()
        play(Path(folder))
        print(f"ok    {play.__name__.replace('_', ' ')} ({time.time() - began:.1f} s)", flush=True)
