#!/usr/bin/env python3
"""Faults of the engine's files and of their download: each gets one sentence with a remedy, and nothing half stays behind.

Usage: scripts/engine/faults.py AGON     needs npm with a registry, and AGON_MODELS with smollm2-135m and the engine.
Some cases need root: a small disk, another user.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

AGON = os.path.abspath(sys.argv[1])
MODELS = os.environ["AGON_MODELS"]
ENGINE = next(path for name in sorted(os.listdir(MODELS)) if name.startswith("engine-linux") and os.path.isdir(path := os.path.join(MODELS, name)))
MODEL = "smollm2-135m"
FIRST = ["run", "exchange", "Cats are better than dogs.", "--rounds", "0", "--max-requests", "1", "--quiet", "--model"]
passed = []


def agon(*arguments, models=MODELS, prefix=(), **environment):
    """Runs agon with a home of its own; gives its exit code and what it said."""
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o777)
        whole = {**os.environ, "AGON_HOME": os.path.join(home, "agon"), "AGON_MODELS": models, **environment}
        done = subprocess.run([*prefix, AGON, *arguments], cwd=home, env=whole, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr


def check(name, said, code, *wanted, codes=(1, 2, 3, 5, 6, 7, 8)):
    """What was said holds all that is wanted, in one message."""
    missing = [text for text in wanted if text not in said]
    if missing or (codes and code not in codes) or "panicked" in said:
        sys.exit(f"FAIL  {name}: exit {code}, without {missing}\n{said[-1500:]}")
    passed.append(name)
    print(f"ok    {name}")


def copy(room, name, change=None):
    """The engine's folder under another name, changed."""
    folder = os.path.join(room, name)
    shutil.copytree(ENGINE, folder)
    if change:
        change(folder)
    return folder


def flip(path):
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))


def folders(room):
    """What the user's folder can have wrong with it."""
    base = "libggml-base.so"
    library = next(name for name in os.listdir(ENGINE) if name.startswith("libllama."))
    cases = {
        "half there": (lambda folder: os.remove(os.path.join(folder, base)), [f"has no {base}"]),
        "damaged": (lambda folder: flip(os.path.join(folder, library)), [f"{library} is damaged"]),
        "cut": (lambda folder: os.truncate(os.path.join(folder, "libggml-cpu-haswell.so"), 5000), ["haswell.so is damaged"]),
    }
    for name, (change, wanted) in cases.items():
        folder = copy(room, name.replace(" ", "-"), change)
        code, said = agon(*FIRST, f"local:{MODEL}", AGON_ENGINE=folder)
        check(f"a folder that is {name}", said, code, *wanted, folder, "AGON_ENGINE")
    code, said = agon(*FIRST, f"local:{MODEL}", AGON_ENGINE=os.path.join(room, "gone"))
    check("a folder that is not there", said, code, "cannot be read")
    code, said = agon(*FIRST, f"local:{MODEL}", AGON_KERNELS="z80")
    check("kernels that are not there", said, code, "AGON_KERNELS", "haswell")

    def rename(folder):
        for file in os.listdir(folder):
            part = file.split(".")[0]
            if part in ("libllama", "libggml"):
                os.rename(os.path.join(folder, file), os.path.join(folder, f"{part}.so"))

    own = copy(room, "own", rename)
    code, said = agon("doctor", AGON_ENGINE=own)
    check("libraries of the user's own", said, code, "engine of the embedded model", codes=())
    code, said = agon(*FIRST, f"local:{MODEL}", AGON_ENGINE=own)
    check("a debate with libraries of the user's own", said, code, "1 of 1 requests used", codes=())
    flip(os.path.join(own, "libllama.so"))
    os.truncate(os.path.join(own, "libggml-cpu-haswell.so"), 5000)
    code, said = agon(*FIRST, f"local:{MODEL}", AGON_ENGINE=own)
    check("libraries of the user's own that end their process", said, code, own, "cannot be used")
    empty = os.path.join(room, "empty")
    os.mkdir(empty)
    code, said = agon(*FIRST, f"local:{MODEL}", AGON_ENGINE=empty)
    check("an empty folder", said, code, "has no library")
    refused = os.path.join(room, "refused.gguf")
    with open(os.path.join(MODELS, f"{MODEL}.gguf"), "rb") as whole, open(refused, "wb") as part:
        part.write(whole.read(3_000_000))
    # Both sides are asked at once.
    code, said = agon(*[word if word != "1" else "4" for word in FIRST], f"local:{refused}")
    check("a model that the engine refuses", said, code, "cannot load the model", "llama.cpp refused it")
    exchanged = os.path.join(room, "models")
    os.mkdir(exchanged)
    os.symlink(os.path.join(MODELS, f"{MODEL}.gguf"), os.path.join(exchanged, f"{MODEL}.gguf"))
    shutil.copytree(ENGINE, os.path.join(exchanged, os.path.basename(ENGINE)))
    flip(os.path.join(exchanged, os.path.basename(ENGINE), library))
    code, said = agon(*FIRST, f"local:{MODEL}", models=exchanged)
    check("a library that was exchanged after it was fetched", said, code, f"{library} is damaged", "agon models pull")


def left(models):
    """What a failed download left, but for locks."""
    return [name for name in os.listdir(models) if not name.endswith(".lock")] if os.path.isdir(models) else []


def downloads(room):
    """What can go wrong on the way."""
    pull = ["models", "pull", "--engine", "cpu"]

    def fresh(name):
        folder = os.path.join(room, name)
        os.mkdir(folder)
        return folder

    code, said = agon(*pull, "--offline", models=fresh("offline"))
    check("offline", said, code, "nothing may be fetched", "--engine-from")
    path = fresh("path")
    code, said = agon(*pull, models=fresh("npm"), PATH=path)
    check("without npm", said, code, "npm is not installed", "--engine-from", "AGON_ENGINE")
    code, said = agon(*pull, models=fresh("network"), npm_config_registry="http://127.0.0.1:1/")
    check("without a network", said, code, "npm cannot fetch", "AGON_ENGINE")
    code, said = agon(*pull, models=fresh("proxy"), npm_config_proxy="http://127.0.0.1:1", npm_config_https_proxy="http://127.0.0.1:1")
    check("with a proxy that is down", said, code, "npm cannot fetch")

    package = os.path.join(room, "package")
    os.mkdir(package)
    subprocess.run(["npm", "pack", "--silent", f"@node-llama-cpp/{os.path.basename(ENGINE)[7:].rsplit('-', 1)[0]}@{ENGINE.rsplit('-', 1)[1]}"],
                   cwd=package, check=True, stdout=subprocess.DEVNULL)
    whole = os.path.join(package, os.listdir(package)[0])
    code, said = agon(*pull, "--engine-from", whole, models=fresh("file"), PATH=path)
    check("from a file, without npm", said, code, "engine-linux", codes=(0,))
    cut = os.path.join(room, "cut.tgz")
    shutil.copy(whole, cut)
    os.truncate(cut, 4_000_000)
    models = fresh("cut-package")
    code, said = agon(*pull, "--engine-from", cut, models=models)
    check("a package that is cut", said, code, "the package is unusable")
    again, said = agon(*pull, "--engine-from", whole, models=models)
    check("and the whole one after it", said, again, "engine-linux", codes=(0,))
    other = os.path.join(room, "other")
    os.makedirs(os.path.join(other, "package/bins"))
    copytree = os.path.join(other, "package/bins/linux-x64")
    shutil.copytree(ENGINE, copytree)
    flip(os.path.join(copytree, "libggml-base.so"))
    subprocess.run(["tar", "-czf", os.path.join(room, "other.tgz"), "-C", other, "package"], check=True)
    models = fresh("digest")
    code, said = agon(*pull, "--engine-from", os.path.join(room, "other.tgz"), models=models)
    check("a digest that differs", said, code, "libggml-base.so is damaged")
    assert not any(name.startswith("engine-") and not name.endswith(".part") for name in left(models)), left(models)

    models = fresh("two")
    environment = {**os.environ, "AGON_MODELS": models, "AGON_HOME": os.path.join(room, "two-home")}
    both = [subprocess.Popen([AGON, *pull], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
    ends = [(child.communicate()[0], child.returncode) for child in both]
    for said, code in ends:
        check("two programs that fetch at once", said, code, "engine-linux", codes=(0,))
    models = fresh("killed")
    environment["AGON_MODELS"] = models
    for wait in (0.2, 0.6, 1.2):
        child = subprocess.Popen([AGON, *pull], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(wait)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    code, said = agon(*pull, models=models)
    check("after three kills in the middle", said, code, "engine-linux", codes=(0,))
    assert not any(name.endswith(".part") for name in left(models)), left(models)
    code, said = agon(*pull, models=fresh("home"), HOME="/proc/no-such-home")
    check("a home that cannot be written to", said, code, "engine-linux", codes=(0,))

    if os.geteuid() != 0:
        print("skipped: a small disk and another user need root")
        return
    small = fresh("small")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", small], capture_output=True).returncode == 0:
        try:
            code, said = agon(*pull, "--engine-from", whole, models=small)
            check("a full disk", said, code, "o space left", "AGON_MODELS")
            code, said = agon(*pull, models=small)
            check("a full disk, by npm", said, code, "AGON_MODELS")
        finally:
            subprocess.run(["umount", small], check=False)
    models = fresh("readonly")
    os.chmod(room, 0o755)
    code, said = agon(*pull, models=models, prefix=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))
    check("no permission to write", said, code, "ermission denied", "AGON_MODELS")


def little_memory():
    """A debate where all programs together may take 2 GB."""
    version_1 = os.path.isdir("/sys/fs/cgroup/memory")
    group = os.path.join("/sys/fs/cgroup", "memory" if version_1 else "", f"agon-{os.getpid()}")
    try:
        os.mkdir(group)
        with open(os.path.join(group, "memory.limit_in_bytes" if version_1 else "memory.max"), "w") as file:
            file.write(str(2 << 30))
    except OSError as error:
        return print(f"skipped: memory cannot be limited here ({error})")
    try:
        within = ("sh", "-c", f'echo $$ >{group}/cgroup.procs; exec "$@"', "sh")
        code, said = agon(*FIRST, f"local:{MODEL}", prefix=within)
        check("2 GB of memory", said, code, "1 of 1 requests used", codes=())
    finally:
        os.rmdir(group)


def main():
    with tempfile.TemporaryDirectory() as room:
        folders(room)
        downloads(room)
    little_memory()
    print(f"{len(passed)} faults of the engine")


main()
