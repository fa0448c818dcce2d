"""Material of a debate: what prompts show in passages, and what statements can quote."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

from .errors import AgonError
from .schema import Context

Material: TypeAlias = str | Path | Context
"""An address (`https://…`, or `SEAT=https://…`), a file of this machine, or a text with its path."""


def sources(material: Iterable[Material]) -> list[str | Context]:
    """Material as the interface takes it. Files are read here, because the server does not read any.

    A file below the current folder is named by its path from there, any other by its name alone. One that cannot
    be read is an ``AgonError`` with the code ``material``.
    """
    return [_read(source) if isinstance(source, Path) else source for source in material]


def _read(path: Path) -> Context:
    absolute, here = path.resolve(), Path.cwd()
    name = absolute.relative_to(here).as_posix() if absolute.is_relative_to(here) else absolute.name
    try:
        return {"path": name, "text": path.read_text(encoding="utf-8")}
    except (OSError, UnicodeError) as error:
        raise AgonError("material", f"{path}: {error}", "name a file of UTF-8 text that you may read") from error
