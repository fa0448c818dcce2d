"""Recipes that others install from: a Homebrew formula and a Containerfile."""

import hashlib
import os

# Images with glibc, libstdc++ and certificates and nothing else, by the glibc that they have.
IMAGES = [((2, 36), "gcr.io/distroless/cc-debian12"), ((2, 41), "gcr.io/distroless/cc-debian13")]

FORMULA = """\
# For Linux: the archive that was built for it, whose checksum is below. On macOS, build from a clone.
class Agon < Formula
  desc "{description}"
  homepage "{repository}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

  on_linux do
    on_{brew} do
      url "{repository}/releases/download/v{version}/{folder}.tar.gz"
      sha256 "{digest}"
    end
  end

  def install
    bin.install "agon"
    (lib/"agon").install "engine"
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


def homebrew(made, out):
    with open(os.path.join(out, f"{made.folder}.tar.gz"), "rb") as archive:
        digest = hashlib.sha256(archive.read()).hexdigest()
    made.write(out, "agon.rb", FORMULA.format(digest=digest, **vars(made)))


def container(made, out):
    """The smallest image that is new enough for the program."""
    needed = tuple(int(part) for part in made.glibc.split("."))
    image = next((image for glibc, image in IMAGES if glibc >= needed), IMAGES[-1][1])
    made.write(out, "Containerfile", CONTAINER.format(image=image, folder=made.folder))
