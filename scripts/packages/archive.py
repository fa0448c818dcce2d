"""The packages that are plain archives: tar.gz, for Windows zip, and a wheel for pip."""

import base64
import hashlib
import io
import os
import tarfile
import time
import zipfile

from .release import COMPRESSION

# `agon` belongs to others on PyPI and npm; the command is agon all the same. Neither registry has a package of this name
# yet, so no page and no file may install it from there.
NAME = "agon-debate"

# The earliest time that a zip file can state.
ZIP_EPOCH = 315_532_800


def tar(made, files):
    """A tar.gz of path to (content, mode), the same for the same content."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(content), mode, made.moment
            archive.addfile(entry, io.BytesIO(content))
    return made.gzipped(stream.getvalue())


def zipped(made, out, name, files):
    """A zip file of path to (content, mode), in their order, the same for the same content."""
    moment = time.gmtime(max(made.moment, ZIP_EPOCH))[:6]
    with zipfile.ZipFile(os.path.join(out, name), "w") as archive:
        for path, (content, mode) in files.items():
            entry = zipfile.ZipInfo(path, moment)
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, COMPRESSION)


def folder(made, out):
    """The program with man page, completions, licences and the scripts of a pipeline, in one folder."""
    files = {f"{made.folder}/{path}": (content, 0o644) for path, content in made.files.items()}
    files[f"{made.folder}/{made.platform.program}"] = (made.program, 0o755)
    # agon looks for its engine next to itself, and in ../lib/agon.
    files |= {f"{made.folder}/engine/{name}": (content, 0o644) for name, content in made.engine.items()}
    if made.platform.system == "win32":
        zipped(made, out, made.archive, dict(sorted(files.items())))
    else:
        made.write(out, made.archive, tar(made, files))


def tag(made):
    """What the wheel runs on: the glibc or macOS that the program needs, and the processor."""
    if made.platform.system == "win32":
        return f"py3-none-win_{made.platform.python}"
    if made.platform.system == "darwin":
        major, minor = made.macos
        # Since macOS 11, tags count whole versions alone.
        return f"py3-none-macosx_{major}_{minor if major < 11 else 0}_{made.platform.python}"
    return f"py3-none-manylinux_{made.glibc.replace('.', '_')}_{made.platform.python}"


def wheel(made, out):
    """pip puts what is under data/scripts into bin, as it is."""
    name = NAME.replace("-", "_")
    about, scripts = f"{name}-{made.version}.dist-info", f"{name}-{made.version}.data/scripts"
    metadata = f"""Metadata-Version: 2.4
Name: {NAME}
Version: {made.version}
Summary: {made.description}
License-Expression: {made.licence}
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
License-File: THIRD-PARTY-LICENSES
Keywords: {",".join(made.keywords)}
Project-URL: Repository, {made.repository}
Requires-Python: >=3.7
Description-Content-Type: text/markdown

"""
    files = {
        f"{scripts}/{made.platform.program}": (made.program, 0o755),
        f"{about}/METADATA": (metadata.encode() + made.files["README.md"], 0o644),
        f"{about}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: agon\nRoot-Is-Purelib: false\nTag: {tag(made)}\n".encode(),
            0o644,
        ),
    }
    libraries = f"{name}-{made.version}.data/data/lib/agon/engine"
    files |= {f"{libraries}/{file}": (content, 0o644) for file, content in made.engine.items()}
    for licence in ("LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES"):
        files[f"{about}/licenses/{licence}"] = (made.files[licence], 0o644)
    record = []
    for path, (content, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(content)}\n")
    record.append(f"{about}/RECORD,,\n")
    # The list of the files comes last, as the format wants.
    files[f"{about}/RECORD"] = ("".join(record).encode(), 0o644)

    zipped(made, out, f"{name}-{made.version}-{tag(made)}.whl", files)
