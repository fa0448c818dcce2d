"""Stub programs for every platform: just enough of each format for packages to be made of them; and a registry of npm that
serves packages from a folder."""

import base64
import glob
import hashlib
import http.server
import json
import os
import shutil
import struct
import tarfile
import threading
import urllib.parse


def elf(machine):
    """A small program of this system, said to be for another processor."""
    with open(os.path.realpath(shutil.which("sh")), "rb") as file:
        content = bytearray(file.read())
    struct.pack_into("<H", content, 18, machine)
    return bytes(content)


def mach_o(processor, major, minor):
    """A header that names the oldest macOS."""
    header = struct.pack("<IIIIIIII", 0xFEEDFACF, processor, 0, 2, 2, 8 + 24, 0, 0)
    other = struct.pack("<II", 0x2A, 8)
    return header + other + struct.pack("<IIIIII", 0x32, 24, 1, major << 16 | minor << 8, 0, 0)


def pe(processor):
    return b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", processor).ljust(60, b"\0")


STUBS = {
    "x86_64-unknown-linux-gnu": elf(62),
    "aarch64-unknown-linux-gnu": elf(183),
    "aarch64-apple-darwin": mach_o(0x0100_000C, 11, 0),
    "x86_64-apple-darwin": mach_o(0x0100_0007, 10, 12),
    "x86_64-pc-windows-msvc": pe(0x8664),
}


def read_tar(path):
    """The files of an archive: path to content, and path to mode."""
    with tarfile.open(path) as archive:
        entries = archive.getmembers()
        contents = {entry.name: archive.extractfile(entry).read() for entry in entries}
        return contents, {entry.name: entry.mode for entry in entries}


class Registry:
    """Serves the packages of a folder as npm's registry does, on loopback; keeps the names that it was asked for."""

    def __init__(self, folder):
        self.asked, self.packages, self.archives = [], {}, {}
        for path in glob.glob(os.path.join(folder, "*.tgz")):
            about = json.loads(read_tar(path)[0]["package/package.json"])
            with open(path, "rb") as file:
                self.archives[f"/archives/{os.path.basename(path)}"] = file.read()
            self.packages[about["name"]] = (about, os.path.basename(path))
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = registry.answer(urllib.parse.unquote(self.path))
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path):
        if path in self.archives:
            return self.archives[path]
        self.asked.append(path[1:])
        if path[1:] not in self.packages:
            return None
        about, file = self.packages[path[1:]]
        place = f"/archives/{file}"
        digest = base64.b64encode(hashlib.sha512(self.archives[place]).digest()).decode()
        dist = {"tarball": self.address + place, "integrity": f"sha512-{digest}"}
        version = about["version"]
        packument = {"name": about["name"], "dist-tags": {"latest": version}, "versions": {version: {**about, "dist": dist}}}
        return json.dumps(packument).encode()
