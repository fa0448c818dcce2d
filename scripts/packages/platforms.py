"""The platforms that packages are made for, and the platform that a program names in its header."""

import struct
from typing import NamedTuple


class Platform(NamedTuple):
    """A platform: what Rust, npm and Debian call it, and what Python and Homebrew call its processor."""

    target: str
    node: str
    debian: str
    python: str
    brew: str

    @property
    def system(self):
        """linux, darwin or win32."""
        return self.node.split("-")[0]

    @property
    def program(self):
        return "agon.exe" if self.system == "win32" else "agon"


PLATFORMS = {
    platform.target: platform
    for platform in (
        Platform("x86_64-unknown-linux-gnu", "linux-x64", "amd64", "x86_64", "intel"),
        Platform("aarch64-unknown-linux-gnu", "linux-arm64", "arm64", "aarch64", "arm"),
        Platform("aarch64-apple-darwin", "darwin-arm64", "", "arm64", "arm"),
        Platform("x86_64-apple-darwin", "darwin-x64", "", "x86_64", "intel"),
        Platform("x86_64-pc-windows-msvc", "win32-x64", "", "amd64", ""),
    )
}

# Of each format, the number that its header has for a processor: its target.
ELF = {62: "x86_64-unknown-linux-gnu", 183: "aarch64-unknown-linux-gnu"}
MACH_O = {0x0100_0007: "x86_64-apple-darwin", 0x0100_000C: "aarch64-apple-darwin"}
PE = {0x8664: "x86_64-pc-windows-msvc"}

# Commands of a Mach-O header that name the oldest macOS: LC_VERSION_MIN_MACOSX, LC_BUILD_VERSION; and where the version stands.
MACOS_COMMANDS = {0x24: 8, 0x32: 12}


def target_of(content):
    """The target that a program or library was built for; `None` if packages are made for no such platform."""
    if content[:4] == b"\x7fELF":
        return ELF.get(struct.unpack_from("<H", content, 18)[0])
    if content[:4] == b"\xcf\xfa\xed\xfe":
        return MACH_O.get(struct.unpack_from("<I", content, 4)[0])
    if content[:2] == b"MZ":
        start = struct.unpack_from("<I", content, 0x3C)[0]
        if content[start : start + 4] == b"PE\0\0":
            return PE.get(struct.unpack_from("<H", content, start + 4)[0])
    return None


def macos_of(content):
    """The oldest macOS that a Mach-O file runs on, as (major, minor); (0, 0) if it names none, or is of another format."""
    if content[:4] != b"\xcf\xfa\xed\xfe":
        return (0, 0)
    place = 32
    for _ in range(struct.unpack_from("<I", content, 16)[0]):
        command, size = struct.unpack_from("<II", content, place)
        if command in MACOS_COMMANDS:
            version = struct.unpack_from("<I", content, place + MACOS_COMMANDS[command])[0]
            return (version >> 16, version >> 8 & 0xFF)
        place += size
    return (0, 0)
