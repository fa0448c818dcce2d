"""The packages for npm: one a platform with its program, and one with the launcher; and the entry for the registry of MCP
servers."""

import json
import os

from .archive import NAME, tar

# The organisation of npm in which the packages with programs lie; nobody else can publish there. It is not registered yet.
SCOPE = "@agon-debate"

# The name of the MCP server: its first part stands for the owner of the repository. The registry of MCP servers compares it
# with `mcpName` in the package.
SERVER = "io.github.agon-debate/agon"

# The newest version of the format by November 2026.
SERVER_FORMAT = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")


def manifest(made, name, **more):
    return {
        "name": name,
        "version": made.version,
        "description": made.description,
        "license": f"({made.licence})",
        "homepage": made.repository,
        "repository": {"type": "git", "url": f"git+{made.repository}.git"},
        **more,
    }


def pack(made, out, about, files):
    """Writes the package with the file name that npm gives it."""
    files["package.json"] = (json.dumps(about, indent=2).encode() + b"\n", 0o644)
    name = about["name"].replace("@", "").replace("/", "-")
    made.write(out, f"{name}-{made.version}.tgz", tar(made, {f"package/{path}": file for path, file in files.items()}))


def platform(made, out):
    """The package with the program of a platform; nothing runs at its installation."""
    system, processor = made.platform.node.split("-")
    about = manifest(made, f"{SCOPE}/{made.platform.node}", os=[system], cpu=[processor], preferUnplugged=True)
    about["description"] = f"The program of {NAME} for {made.platform.node}"
    if system == "linux":
        about |= {"libc": ["glibc"], "agon": {"glibc": made.glibc}}
    files = {name: (made.files[name], 0o644) for name in (*LICENCES, "THIRD-PARTY-LICENSES")}
    files["README.md"] = (f"{about['description']}. Install `{NAME}`, which starts it.\n".encode(), 0o644)
    files[f"bin/{made.platform.program}"] = (made.program, 0o755)
    files |= {f"bin/engine/{name}": (content, 0o644) for name, content in made.engine.items()}
    pack(made, out, about, files)


def wrapper(releases, out, is_published):
    """The package that people install. If it is not published, it names no other package: npm would install one of that name
    from the person who registered it."""
    made = releases[0]
    nodes = [one.platform.node for one in releases]
    about = manifest(made, NAME, keywords=made.keywords, mcpName=SERVER, bin={"agon": "bin/agon.js"}, engines={"node": ">=18"})
    about["agon"] = {"scope": SCOPE, "platforms": nodes}
    if is_published:
        about["optionalDependencies"] = {f"{SCOPE}/{node}": made.version for node in nodes}
    files = {name: (made.files[name], 0o644) for name in (*LICENCES, "README.md")}
    with open(os.path.join(os.path.dirname(__file__), "agon.js"), "rb") as launcher:
        files["bin/agon.js"] = (launcher.read(), 0o755)
    pack(made, out, about, files)


def server(made, out):
    """The entry for the registry of MCP servers. It names the package of npm alone: uvx starts a wheel only if a command has
    the wheel's name."""
    about = {
        "$schema": SERVER_FORMAT,
        "name": SERVER,
        "title": "agon",
        "description": made.description,
        "repository": {"url": made.repository, "source": "github"},
        "websiteUrl": made.repository,
        "version": made.version,
        "packages": [
            {
                "registryType": "npm",
                "identifier": NAME,
                "version": made.version,
                "transport": {"type": "stdio"},
                "packageArguments": [{"type": "positional", "value": "mcp"}],
            }
        ],
    }
    made.write(out, "server.json", json.dumps(about, indent=2) + "\n")
