"""Packages of other platforms, made of stub programs, as npm and pip choose and install them there; ends at the first fault.

Run by scripts/check-dist:  check.py AGON FOLDER    a program that runs here, and a folder that `scripts/dist --development` made
"""

import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "scripts"))

from packages import launching, npm  # noqa: E402
from packages.archive import NAME  # noqa: E402
from packages.platforms import PLATFORMS  # noqa: E402
from packages.stubs import STUBS, Registry, mach_o, read_tar  # noqa: E402

# The glibc of stubs is that of this system's shell; any that packages are made for is older than this.
NEW_GLIBC = 99
# The names by which pip knows a new system of each platform.
NEW = {
    "x86_64-unknown-linux-gnu": [f"manylinux_2_{minor}_x86_64" for minor in range(17, NEW_GLIBC)],
    "aarch64-unknown-linux-gnu": [f"manylinux_2_{minor}_aarch64" for minor in range(17, NEW_GLIBC)],
    "aarch64-apple-darwin": ["macosx_15_0_arm64"],
    "x86_64-apple-darwin": ["macosx_15_0_x86_64"],
    "x86_64-pc-windows-msvc": ["win_amd64"],
}
# Systems for which there is no wheel.
TOO_OLD = [["manylinux_2_5_x86_64"], ["macosx_10_9_x86_64"], ["musllinux_1_2_x86_64"], ["win_arm64"], ["win32"]]
ENGINE = {"aarch64-apple-darwin": "libllama.metal.v0.4.0.dylib"}


def check(what, holds, more=""):
    if not holds:
        sys.exit(f"not so: {what}\n{more}")


def run_dist(agon, folder, out, *more):
    """Packages of all stubs; a stub of this platform must not be asked for its manual page."""
    command = [os.path.join(ROOT, "scripts", "dist"), "--host", agon, "--out", out, *more]
    for target in STUBS:
        command += ["--target", target, "--binary", os.path.join(folder, target, PLATFORMS[target].program)]
    return subprocess.run(command, capture_output=True, text=True)


def write_stubs(folder):
    for target, content in STUBS.items():
        os.makedirs(os.path.join(folder, target))
        with open(os.path.join(folder, target, PLATFORMS[target].program), "wb") as file:
            file.write(content)
    for target, library in ENGINE.items():
        os.makedirs(os.path.join(folder, target, "engine"))
        with open(os.path.join(folder, target, "engine", library), "wb") as file:
            # Its macOS is newer than the program's.
            file.write(mach_o(0x0100_000C, 13, 3))


def check_refusals(agon, room):
    """A binary of another platform, and old prices."""
    wrong = os.path.join(room, "stubs", "aarch64-apple-darwin", "agon")
    out = os.path.join(room, "refused")
    command = [os.path.join(ROOT, "scripts", "dist"), "--host", agon, "--out", out, "--target", "x86_64-apple-darwin", "--binary", wrong]
    done = subprocess.run(command, capture_output=True, text=True)
    check("a binary of another platform is refused", "is for aarch64-apple-darwin, not for x86_64" in done.stderr, done.stderr)

    # The same scripts with a catalogue of long ago.
    old = os.path.join(room, "old")
    catalogue = "crates/agon-runtime/src/prices/catalogue.toml"
    os.makedirs(os.path.join(old, os.path.dirname(catalogue)))
    shutil.copytree(os.path.join(ROOT, "scripts", "packages"), os.path.join(old, "scripts", "packages"))
    for name in ("dist", "prices"):
        shutil.copy(os.path.join(ROOT, "scripts", name), os.path.join(old, "scripts", name))
    with open(os.path.join(ROOT, catalogue)) as now, open(os.path.join(old, catalogue), "w") as then:
        then.write(re.sub(r'date = "\d{4}', 'date = "2020', now.read()))
    for more, said in ([], "the newest price is of 2020-"), (["--development"], "there is no program"):
        dist = [os.path.join(old, "scripts", "dist"), "--binary", "/absent", "--out", out, *more]
        done = subprocess.run(dist, capture_output=True, text=True)
        check(f"old prices: {' '.join(more) or 'a release'}", done.returncode == 1 and said in done.stderr, done.stderr)


def check_wheels(out, room):
    """Of all wheels pip takes the one for its platform, and none on a system that is too old."""
    def take(platforms, place):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
        command += ["--only-binary", ":all:", "--find-links", out, "--dest", place, NAME]
        done = subprocess.run([*command, *(f"--platform={name}" for name in platforms)], capture_output=True, text=True)
        return [os.path.basename(path) for path in glob.glob(os.path.join(place, "*.whl"))], done.stderr

    for target, platforms in NEW.items():
        taken, said = take(platforms, os.path.join(room, "wheels", target))
        check(f"pip takes one wheel for {target}", len(taken) == 1, said)
        with zipfile.ZipFile(os.path.join(out, taken[0])) as wheel:
            names = wheel.namelist()
            program = next(name for name in names if name.endswith(f".data/scripts/{PLATFORMS[target].program}"))
            check(f"it holds the program for {target}", wheel.read(program) == STUBS[target])
            check("the program is executable", wheel.getinfo(program).external_attr >> 16 & 0o777 == 0o755)
            tag = re.search(rb"^Tag: (.+)$", next(wheel.read(name) for name in names if name.endswith("/WHEEL")), re.M).group(1)
        check("the file is named after its tag", taken[0].endswith(f"-{tag.decode()}.whl"), f"{taken[0]} {tag}")
        check("no wheel holds code for Python", not [name for name in names if name.endswith(".py")])
        if target in ENGINE:
            check("the engine is where agon looks for it", [name for name in names if name.endswith(f"data/lib/agon/engine/{ENGINE[target]}")])
            check("the wheel wants the macOS of the engine", "macosx_13_0_arm64" in taken[0], taken[0])
    for platforms in TOO_OLD:
        taken, _ = take(platforms, os.path.join(room, "wheels", platforms[0]))
        check(f"pip takes no wheel for {platforms[0]}", taken == [], taken)


def check_archives(out):
    for target, platform in PLATFORMS.items():
        [path] = glob.glob(os.path.join(out, f"agon-*-{target}.zip" if platform.system == "win32" else f"agon-*-{target}.tar.gz"))
        folder = os.path.basename(path).removesuffix(".zip").removesuffix(".tar.gz")
        if path.endswith(".zip"):
            with zipfile.ZipFile(path) as archive:
                names, program = archive.namelist(), archive.read(f"{folder}/agon.exe")
            check("Windows gets completions of its shell", f"{folder}/completions/agon.ps1" in names, names)
        else:
            contents, modes = read_tar(path)
            names, program = list(contents), contents[f"{folder}/agon"]
            check("the program is executable", modes[f"{folder}/agon"] == 0o755)
        check(f"the archive holds the program for {target}", program == STUBS[target])
        check("licences come with it", f"{folder}/THIRD-PARTY-LICENSES" in names, names)
        if platform.debian and shutil.which("dpkg-deb"):
            [deb] = glob.glob(os.path.join(out, f"agon_*_{platform.debian}.deb"))
            control = subprocess.run(["dpkg-deb", "--field", deb, "Architecture"], capture_output=True, text=True, check=True)
            check("Debian gets a package for the processor", control.stdout == f"{platform.debian}\n", control.stdout)
        if platform.brew:
            with open(path, "rb") as archive, open(os.path.join(out, "agon.rb")) as formula:
                digest, text = hashlib.sha256(archive.read()).hexdigest(), formula.read()
            lines = f'on_{platform.brew} do\n      url ".+/{re.escape(os.path.basename(path))}"\n      sha256 "{digest}"'
            check("the formula names the archive and its digest", re.search(lines, text), text)
        if target in ENGINE:
            check("the engine lies next to the program", f"{folder}/engine/{ENGINE[target]}" in names, names)


def check_npm(out, room):
    """Of the packages with programs npm takes the one for its platform."""
    version = subprocess.run(["npm", "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, version.split(".")[:2])) < (10, 8):
        print("  npm on other platforms: not tried, this needs npm 10.8 or newer")
        return
    registry = Registry(out)

    def installed(case):
        name, options = case
        prefix = os.path.join(room, "npm", name)
        os.makedirs(prefix)
        command = ["npm", "install", "--prefix", prefix, "--registry", registry.address, "--cache", os.path.join(prefix, "cache")]
        command += ["--no-audit", "--no-fund", "--no-update-notifier", "--silent", NAME, *options]
        subprocess.run(command, check=True, timeout=300)
        return name, sorted(os.listdir(os.path.join(prefix, "node_modules", npm.SCOPE))
                            if os.path.isdir(os.path.join(prefix, "node_modules", npm.SCOPE)) else [])

    def on(node, *more):
        system, processor = node.split("-")
        libc = ["--libc=glibc"] if system == "linux" else []
        return [f"--os={system}", f"--cpu={processor}", *libc, *more]

    nodes = [platform.node for platform in PLATFORMS.values()]
    cases = {node: (on(node), [node]) for node in nodes}
    cases["musl"] = (on("linux-x64", "--libc=musl"), [])
    cases["freebsd"] = (on("freebsd-x64"), [])
    cases["left-out"] = (on("linux-x64", "--omit=optional"), [])
    with ThreadPoolExecutor(2) as pool:
        for name, found in pool.map(installed, [(name, options) for name, (options, _) in cases.items()]):
            check(f"npm takes what fits {name}", found == cases[name][1], found)


def check_manifests(out, development):
    """The entry for the registry of MCP servers; and what is not published names no package."""
    with open(os.path.join(out, "server.json")) as file:
        entry = json.load(file)
    [wrapper] = glob.glob(os.path.join(out, f"{NAME}-[0-9]*.tgz"))
    about = json.loads(read_tar(wrapper)[0]["package/package.json"])
    check("the format is named", re.fullmatch(r"https://static\.modelcontextprotocol\.io/schemas/[\d-]+/server\.schema\.json", entry["$schema"]))
    check("the name has the form that is asked for", re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"]))
    check("the package bears the name of the server", entry["name"] == about["mcpName"])
    check("the description is not too long", 1 <= len(entry["description"]) <= 100)
    check("repository and its host are named", entry["repository"] == {"url": about["homepage"], "source": "github"})
    [package] = entry["packages"]
    known = {"registryType", "identifier", "version", "transport", "packageArguments"}
    check("the package has the fields of the format", set(package) == known and package["transport"] == {"type": "stdio"}, package)
    named = (package["registryType"], package["identifier"], package["version"])
    check("it is the one that starts the program", named == ("npm", about["name"], about["version"]), package)
    check("versions are exact", entry["version"] == about["version"] and re.fullmatch(r"\d+\.\d+\.\d+", entry["version"]))
    check("it serves MCP", package["packageArguments"] == [{"type": "positional", "value": "mcp"}])
    names = {f"{npm.SCOPE}/{platform.node}": about["version"] for platform in PLATFORMS.values()}
    check("each platform has its package", about["optionalDependencies"] == names, about)

    [wrapper] = glob.glob(os.path.join(development, f"{NAME}-[0-9]*.tgz"))
    about = json.loads(read_tar(wrapper)[0]["package/package.json"])
    check("what is not published depends on nothing", not [key for key in about if "ependencies" in key.lower()], about)
    check("nor is it entered anywhere", not os.path.exists(os.path.join(development, "server.json")))


def main():
    agon, development = map(os.path.realpath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as room:
        write_stubs(os.path.join(room, "stubs"))
        outs = [os.path.join(room, name) for name in ("packages", "again")]
        with ThreadPoolExecutor(2) as pool:
            runs = list(pool.map(lambda out: run_dist(agon, os.path.join(room, "stubs"), out), outs))
        for done in runs:
            check("packages are made for all platforms", done.returncode == 0, done.stdout + done.stderr)
        sums = [open(os.path.join(out, "SHA256SUMS")).read() for out in outs]
        check("equal binaries give equal packages", sums[0] == sums[1], "".join(sums))
        out = outs[0]
        check_refusals(agon, room)
        check_archives(out)
        check_manifests(out, development)
        check_wheels(out, room)
        check_npm(out, room)
        launching.check_launcher(out, room, check)
    print("  the packages of other platforms passed")


if __name__ == "__main__":
    main()
