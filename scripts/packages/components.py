"""What is linked into the program: the SBOM (CycloneDX), and the licences of others that it carries."""

import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import time
import tomllib
import uuid

# Sources of others that crates bring and compile: crate, name, licence (`None`: the crate's covers them).
BUNDLED = [
    ("libsqlite3-sys", "sqlite", "blessing"),
    ("aws-lc-sys", "aws-lc", None),
]

# The library of the engine: libllama.v0.5.0.so, libllama.metal.v0.4.0.dylib, llama.v0.4.0.dll.
LLAMA = re.compile(r"(?:lib)?llama\.(?:\w+\.)?v(\d+\.\d+\.\d+)\.(?:so|dylib|dll)")

# In bytes: a text that is longer is no licence.
LICENCE_MAX = 200_000


def linked(made):
    """The packages that the program is made of, and their dependencies: without those of tests."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", made.target, *made.features]
    command += ["--manifest-path", os.path.join(made.root, "crates/agon/Cargo.toml")]
    everything = json.loads(subprocess.run(command, cwd=made.root, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in everything["packages"]}
    nodes = {node["id"]: node for node in everything["resolve"]["nodes"]}
    start = next(id for id, package in packages.items() if package["name"] == "agon")
    found, waiting = {}, [start]
    while waiting:
        id = waiting.pop()
        if id in found:
            continue
        below = nodes[id]["deps"]
        found[id] = [dep["pkg"] for dep in below if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])]
        waiting += found[id]
    return packages, found, start


def of(made):
    """The SBOM as JSON, and the licence texts."""
    packages, found, start = linked(made)
    with open(os.path.join(made.root, "Cargo.lock"), "rb") as lock:
        sums = {(p["name"], p["version"]): p.get("checksum") for p in tomllib.load(lock)["package"]}

    def url(id):
        return f"pkg:cargo/{packages[id]['name']}@{packages[id]['version']}"

    def component(id):
        package = packages[id]
        entry = {"type": "library", "bom-ref": url(id), "name": package["name"], "version": package["version"]}
        entry["purl"] = url(id)
        if package["license"]:
            # The older form of a choice.
            entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        if checksum := sums.get((package["name"], package["version"])):
            entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        if package["repository"]:
            entry["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        return entry

    components = [component(id) for id in sorted(found, key=url) if id != start]
    depends = {url(id): sorted(map(url, below)) for id, below in found.items()}
    for crate, name, licence in BUNDLED:
        for holder in [entry for entry in components if entry["name"] == crate]:
            version, reference = holder["version"], f"bundled:{name}@{holder['version']}"
            note = f"the sources in the crate {crate} {version}"
            licences = [{"expression": licence}] if licence else holder["licenses"]
            entry = {"type": "library", "bom-ref": reference, "name": name, "version": f"in {crate} {version}"}
            components.append({**entry, "description": note, "licenses": licences})
            depends[holder["bom-ref"]].append(reference)
            depends[reference] = []
    if made.engine:
        entry = engine(made)
        components.append(entry)
        depends[url(start)].append(entry["bom-ref"])
        depends[entry["bom-ref"]] = []
    main = {**component(start), "type": "application"}
    digest = hashlib.sha256(made.program).hexdigest()
    main["hashes"] = [{"alg": "SHA-256", "content": digest}]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(made.moment))
    tools = {"components": [{"type": "application", "name": "scripts/dist", "version": made.version}]}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        # Of the program, so that equal programs have equal bills.
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{made.repository}#{digest}").urn,
        "version": 1,
        "metadata": {"timestamp": moment, "tools": tools, "component": main},
        "components": components,
        "dependencies": [{"ref": ref, "dependsOn": below} for ref, below in sorted(depends.items())],
    }
    texts = notices(made, packages, found)
    if made.engine:
        with open(os.path.join(made.root, "crates/agon-local/engines/LICENSES"), encoding="utf-8") as file:
            texts += f"\n{'=' * 80}\nThe engine of the embedded model\n{'-' * 80}\n{file.read()}"
    return json.dumps(bill, indent=1, ensure_ascii=False) + "\n", texts


def engine(made):
    """The libraries that lie next to the program. They are named by the release in their names."""
    library, release = next(found.group(0, 1) for found in map(LLAMA.fullmatch, made.engine) if found)
    entry = {"type": "library", "bom-ref": f"engine:llama.cpp@{release}", "name": "llama.cpp", "version": release}
    content = hashlib.sha256(made.engine[library]).hexdigest()
    return {**entry, "licenses": [{"expression": "MIT"}], "hashes": [{"alg": "SHA-256", "content": content}]}


def notices(made, packages, found):
    """Each licence text once, below the names of all that use it."""
    holders = {}
    for id in sorted(found, key=lambda id: packages[id]["name"]):
        package = packages[id]
        if package["source"] is None:
            continue
        name = f"{package['name']} {package['version']} ({package['license']})"
        for text in brought(package) or [substitute(made, package, packages)]:
            names = holders.setdefault(text, [])
            if name not in names:
                names.append(name)
    parts = ["What agon is made of, and under which licences. Each text stands once, below all that use it.\n"]
    parts += [f"{'=' * 80}\n" + "\n".join(names) + f"\n{'-' * 80}\n{text}\n" for text, names in holders.items()]
    return "\n".join(parts)


def brought(package):
    """The licence texts that lie in a crate."""
    folder = os.path.dirname(package["manifest_path"])
    patterns = ("LICEN[CS]E*", "COPYING*", "NOTICE*")
    paths = [path for pattern in patterns for path in sorted(glob.glob(os.path.join(folder, pattern)))]
    texts = []
    for path in paths:
        if os.path.isfile(path) and os.path.getsize(path) <= LICENCE_MAX:
            with open(path, encoding="utf-8", errors="replace") as file:
                texts.append("\n".join(line.rstrip() for line in file.read().strip().splitlines()))
    return texts


def substitute(made, package, packages):
    """The text for a crate that brings none: of Apache's licence, which names nobody; or that of another crate of the same
    repository; or of the MIT licence, with the authors that the crate names."""
    licences = re.split(r" OR |/", package["license"] or "")
    if "Apache-2.0" in licences:
        return made.text("LICENSE-APACHE")
    for other in packages.values():
        if package["repository"] and other["repository"] == package["repository"] and (texts := brought(other)):
            return texts[0]
    authors = ", ".join(author.split(" <")[0] for author in package["authors"])
    if "MIT" not in licences or not authors:
        sys.exit(f"{package['name']} brings no text of its licence ({package['license']}), and names no author for one")
    return re.sub(r"(?m)^Copyright .*$", f"Copyright (c) {authors}", made.text("LICENSE-MIT"))
