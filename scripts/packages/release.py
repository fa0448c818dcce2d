"""What all packages have in common: the stripped program, what it needs, and the texts that go with it."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

from .platforms import macos_of, target_of

# Which GCC first had a version of libstdc++'s symbols; Debian counts its libstdc++6 by GCC.
GCC_OF_GLIBCXX = {26: "9", 27: "9", 28: "9", 29: "11", 30: "12", 31: "13", 32: "13.2", 33: "14", 34: "15"}

# Shared libraries that a package may rely on: they are in every distribution with glibc.
LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}

# What the engine of the embedded model needs.
ENGINE_GLIBC, ENGINE_GLIBCXX = (2, 34, 0), (3, 4, 30)

# Of ci/: what a pipeline runs that has the archive and no clone.
PIPELINE_SCRIPTS = ("comment", "debate")

# Of deflate: 9 takes three times as long for a hundredth of the size.
COMPRESSION = 6


def tool(*command, **options):
    """The standard output of a program that must be there."""
    if shutil.which(command[0]) is None:
        sys.exit(f"missing: {command[0]}; install binutils (Debian: apt-get install binutils) and try again")
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


def read_folder(folder):
    """The files of a folder, name to content; empty if there is no such folder."""
    files = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    return files


class Release:
    """One binary and its facts."""

    def __init__(self, root, platform, binary, host, features=()):
        """`host` is a program of the same version that runs here: the binary itself, or one that says what it cannot."""
        self.root, self.platform, self.target, self.features = root, platform, platform.target, features
        for program in (binary, host):
            if not os.access(program, os.R_OK):
                sys.exit(f"there is no program {program}: build it first (cargo build --release --package agon)")
        with open(os.path.join(root, "Cargo.toml"), "rb") as manifest:
            workspace = tomllib.load(manifest)["workspace"]["package"]
        with open(os.path.join(root, "crates/agon/Cargo.toml"), "rb") as manifest:
            self.description = tomllib.load(manifest)["package"]["description"]
        self.version, self.licence, self.repository = (workspace[key] for key in ("version", "license", "repository"))
        self.keywords = workspace["keywords"]
        said = tool(host, "--version", text=True).split()
        if said[1] != self.version:
            sys.exit(f"{host} is agon {said[1]}, this is {self.version}: build it again")

        with open(binary, "rb") as file:
            self.program = file.read()
        if target_of(self.program) != self.target:
            sys.exit(f"{binary} is for {target_of(self.program) or 'another platform'}, not for {self.target}")
        if binary == host:
            self.program = self.strip(binary)
            self.engine = self.fetch_engine(binary)
        else:
            self.engine = read_folder(os.path.join(os.path.dirname(binary), "engine"))
        self.read_needs(binary)
        self.moment = self.date()
        self.folder = f"agon-{self.version}-{self.target}"
        self.archive = f"{self.folder}.{'zip' if platform.system == 'win32' else 'tar.gz'}"
        self.files = self.texts(host)

    @staticmethod
    def strip(binary):
        """The program without its symbols."""
        with tempfile.TemporaryDirectory() as room:
            stripped = os.path.join(room, "agon")
            tool("strip", "--strip-all", "-o", stripped, binary)
            with open(stripped, "rb") as file:
                return file.read()

    def fetch_engine(self, binary):
        """The libraries that run the embedded model, name to content, as agon fetches and checks them; none without it."""
        environment = {**os.environ}
        environment.setdefault("AGON_MODELS", os.path.join(self.root, "target", "engine"))
        command = [binary, "models", "pull", "--engine", "cpu", "--output", "json", "--quiet"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            if "without the embedded model" in done.stderr:
                return {}
            sys.exit(f"the engine of the embedded model cannot be had:\n{done.stderr}")
        return read_folder(json.loads(done.stdout)["engine"])

    def read_needs(self, binary):
        """Which system, and which libraries of which age, the program and its engine need."""
        self.macos = max(map(macos_of, (self.program, *self.engine.values())))
        if self.platform.system == "darwin" and self.macos == (0, 0):
            sys.exit(f"{binary} does not say which macOS it needs")
        if self.platform.system != "linux":
            return
        dynamic = tool("readelf", "--dynamic", "--wide", binary, text=True)
        needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic))
        foreign = {name for name in needed - LIBRARIES if not name.startswith("ld-linux")}
        if foreign:
            sys.exit(f"the program needs libraries that not every system has: {', '.join(sorted(foreign))}")
        versions = tool("readelf", "--version-info", "--wide", binary, text=True)

        def newest(name):
            found = re.findall(rf"\b{name}_(\d+)\.(\d+)(?:\.(\d+))?\b", versions)
            return max((tuple(int(part or 0) for part in version) for version in found), default=(0, 0, 0))

        glibc, stdcxx = newest("GLIBC"), newest("GLIBCXX")
        if glibc == (0, 0, 0):
            sys.exit(f"{binary} needs no glibc: packages are made for systems that have it")
        if self.engine:
            glibc, stdcxx = max(glibc, ENGINE_GLIBC), max(stdcxx, ENGINE_GLIBCXX)
            needed.add("libstdc++.so.6")
        self.glibc = f"{glibc[0]}.{glibc[1]}"
        self.depends = [f"libc6 (>= {self.glibc})", "libgcc-s1"]
        if "libstdc++.so.6" in needed:
            last = GCC_OF_GLIBCXX[max(GCC_OF_GLIBCXX)]
            self.depends.append(f"libstdc++6 (>= {GCC_OF_GLIBCXX.get(stdcxx[2], '9' if stdcxx[2] < 26 else last)})")

    def date(self):
        """The moment that every file in a package gets: SOURCE_DATE_EPOCH, or that of the commit."""
        if "SOURCE_DATE_EPOCH" in os.environ:
            return int(os.environ["SOURCE_DATE_EPOCH"])
        log = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=self.root, capture_output=True, text=True)
        return int(log.stdout or 1_700_000_000)

    def texts(self, host):
        """What lies next to the program: path to content."""
        files = {}
        for name in ("LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md", *(f"ci/{name}" for name in PIPELINE_SCRIPTS)):
            with open(os.path.join(self.root, name), "rb") as file:
                files[name] = file.read()
        if self.platform.system == "win32":
            shells = {"powershell": "agon.ps1"}
        else:
            files["man/agon.1"] = tool(host, "man")
            shells = {"bash": "agon", "zsh": "_agon", "fish": "agon.fish"}
        for shell, name in shells.items():
            files[f"completions/{name}"] = tool(host, "completions", shell)
        return files

    def add_notices(self, notices):
        """The licences of what is linked into the program."""
        self.files["THIRD-PARTY-LICENSES"] = notices.encode()

    def text(self, name):
        """One of the texts, without the blank lines at its ends."""
        return self.files[name].decode().strip()

    def gzipped(self, content, level=COMPRESSION):
        return gzip.compress(content, level, mtime=0)

    @staticmethod
    def write(out, name, content):
        with open(os.path.join(out, name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
