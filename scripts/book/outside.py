"""Turns links of a book's sources to folders, and to Markdown that is not a page of it, into links to the repository."""

import re
import sys
import tomllib
from pathlib import Path

LINK = re.compile(r"(?<=\]\()([^)#\s]+)(#[^)\s]*)?(?=\))")


def main():
    root = Path(sys.argv[1]).resolve()
    with open("Cargo.toml", "rb") as file:
        repository = tomllib.load(file)["workspace"]["package"]["repository"]
    listed = LINK.findall((root / "SUMMARY.md").read_text())
    pages = {(root / path).resolve() for path, _ in listed}
    for page in pages:

        def outside(link):
            target = (page.parent / link[1]).resolve()
            is_outside = target.is_dir() or (target.suffix == ".md" and target.exists() and target not in pages)
            if "://" in link[1] or not is_outside:
                return link[0]
            return f"{repository}/tree/main/{target.relative_to(root).as_posix()}{link[2] or ''}"

        page.write_text(LINK.sub(outside, page.read_text()))


main()
