"""Recipes that others install from: a Homebrew formula and a Containerfile."""

import hashlib
import os

# Images with glibc, libstdc++ and certificates and nothing else, by the glibc that they have.
IMAGES = [((2, 36), "gcr.io/distroless/cc-debian12"), ((2, 41), "gcr.io/distroless/cc-debian13")]

FORMULA = """\
# For the archives of this release, whose checksums are below.
class Agon < Formula
  desc "{description}"
  homepage "{repository}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{archives}  def install
    bin.install "agon"
    (lib/"agon").install "engine" if File.directory?("engine")
    man1.install "man/agon.1"
    bash_completion.install "completions/agon"
    zsh_completion.install "completions/_agon"
    fish_completion.install "completions/agon.fish"
  end

  test do
    (testpath/"sample.json").write '{{"rules": [{{"key": "*", "sample": true}}]}}'
    ENV["AGON_HOME"] = (testpath/"home").to_s
    system bin/"agon", "run", "exchange", "This house would test.", "--model", "scripted:sample.json"
  end
end
"""

ARCHIVE = """\
  on_{system} do
    on_{brew} do
      url "{repository}/releases/download/v{version}/{archive}"
      sha256 "{digest}"
    end
  end

"""

CONTAINER = """\
# Build it in the folder of the archive: podman build --tag agon .
# Debates and models stay in the volume: podman run --rm -it -v agon:/data agon run exchange "..."
FROM {image}
ADD {folder}.tar.gz /opt/
ENV AGON_HOME=/data AGON_MODELS=/data/models PATH=/opt/{folder}:/usr/bin:/bin
WORKDIR /data
VOLUME /data
ENTRYPOINT ["/opt/{folder}/agon"]
"""


def homebrew(releases, out):
    archives = ""
    for made in releases:
        if made.platform.brew:
            with open(os.path.join(out, made.archive), "rb") as archive:
                digest = hashlib.sha256(archive.read()).hexdigest()
            system = "macos" if made.platform.system == "darwin" else "linux"
            archives += ARCHIVE.format(system=system, brew=made.platform.brew, digest=digest, **vars(made))
    releases[0].write(out, "agon.rb", FORMULA.format(archives=archives, **vars(releases[0])))


def container(made, out):
    """The smallest image that is new enough for the program."""
    needed = tuple(int(part) for part in made.glibc.split("."))
    image = next((image for glibc, image in IMAGES if glibc >= needed), IMAGES[-1][1])
    made.write(out, "Containerfile", CONTAINER.format(image=image, folder=made.folder))
