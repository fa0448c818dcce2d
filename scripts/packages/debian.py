"""The .deb, by dpkg-deb."""

import os
import shutil
import subprocess
import sys
import tempfile

# Where Debian keeps what an archive has; a manual is compressed there.
PLACES = {
    "man/agon.1": "usr/share/man/man1/agon.1.gz",
    "completions/agon": "usr/share/bash-completion/completions/agon",
    "completions/_agon": "usr/share/zsh/vendor-completions/_agon",
    "completions/agon.fish": "usr/share/fish/vendor_completions.d/agon.fish",
    "CHANGELOG.md": "usr/share/doc/agon/changelog.gz",
    "THIRD-PARTY-LICENSES": "usr/share/doc/agon/THIRD-PARTY-LICENSES.gz",
}


def control(made, size):
    return f"""Package: agon
Version: {made.version}
Architecture: {made.platform.debian}
Maintainer: agon contributors <agon-debate@users.noreply.github.com>
Installed-Size: {size // 1024}
Depends: {', '.join(made.depends)}
Recommends: ca-certificates
Section: utils
Priority: optional
Homepage: {made.repository}
Description: {made.description}
 agon assigns opposite sides to language models, command-line agents or people,
 has a judge score the arguments, and keeps a record that can be checked.
"""


def copyright(made):
    """In the form that Debian's tools read; the text of Apache's licence is on every system of Debian."""
    lines = made.text("LICENSE-MIT").split("\n")
    holder = next(line for line in lines if line.startswith("Copyright"))
    terms = "\n".join(f" {line or '.'}" for line in lines[lines.index(holder) + 2 :])
    return f"""Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: agon
Source: {made.repository}
Comment: What others wrote, and its licences, are in THIRD-PARTY-LICENSES.gz.

Files: *
Copyright: {holder.removeprefix("Copyright (c) ")}
License: MIT or Apache-2.0

License: MIT
{terms}

License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
"""


def package(made, out, is_quick):
    """There is one for Linux alone. With `is_quick`, it is a quarter larger and made in a sixth of the time. Leaves it out, and
    says so, where dpkg-deb is missing."""
    if made.platform.system != "linux":
        return
    if shutil.which("dpkg-deb") is None:
        print("no .deb: dpkg-deb is missing (it is in every Debian and Ubuntu; elsewhere, package dpkg)", file=sys.stderr)
        return
    files = {"usr/bin/agon": made.program}
    files |= {f"usr/lib/agon/engine/{name}": content for name, content in made.engine.items()}
    for source, place in PLACES.items():
        content = made.files[source]
        # Debian's policy wants the strongest compression.
        files[place] = made.gzipped(content, 9) if place.endswith(".gz") else content
    files["usr/share/doc/agon/copyright"] = copyright(made).encode()
    files["DEBIAN/control"] = control(made, sum(map(len, files.values()))).encode()

    with tempfile.TemporaryDirectory() as room:
        for path, content in files.items():
            full = os.path.join(room, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(content)
            os.chmod(full, 0o755 if path == "usr/bin/agon" else 0o644)
        for folder, _, names in os.walk(room, topdown=False):
            os.chmod(folder, 0o755)
            for name in [*names, "."]:
                os.utime(os.path.join(folder, name), (made.moment, made.moment))
        name = f"agon_{made.version}_{made.platform.debian}.deb"
        # Not zstd: Debian's own dpkg reads it only since version 12.
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z1" if is_quick else "-z6", "--build", room, os.path.join(out, name)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(made.moment)}
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
