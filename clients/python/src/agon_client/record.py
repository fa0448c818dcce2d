"""The contents of a record's entries, as docs/record.md of agon describes them.

The OpenAPI document leaves entries open, so these types are written by hand. A newer server can add fields.
"""

from __future__ import annotations

from typing import Any, Literal

from .typing_names import NotRequired, TypedDict


class Absent(TypedDict):
    """A seat that did not answer, and the reason."""

    seat: str
    why: str


class Outcome(TypedDict):
    """How a debate ended. If ``standing`` is ``void``, it has no result."""

    name: str
    standing: Literal["valid", "void"]
    summary: str
    winner: NotRequired[str]
    absent: NotRequired[list[Absent]]
    figures: NotRequired[dict[str, Any]]


class SeatModel(TypedDict):
    """A seat of the line-up, and the model as the user named it."""

    seat: str
    model: str
    name: NotRequired[str]
    persona: NotRequired[str]
    details: NotRequired[dict[str, Any]]


class Limits(TypedDict):
    """What a debate may spend. In an extension, ``rounds`` are added and the others are new totals."""

    rounds: int
    requests_max: NotRequired[int]
    tokens_max: NotRequired[int]
    cost_microusd_max: NotRequired[int]
    time_seconds_max: NotRequired[int]


class OpenedContent(TypedDict):
    """The first entry: protocol, motion, line-up and pinned texts."""

    debate: str
    protocol: str
    rules: int
    motion: str
    lineup: list[SeatModel]
    limits: Limits
    seed: int
    prompts: dict[str, str]
    documents: NotRequired[dict[str, str]]
    options: NotRequired[dict[str, Any]]
    parent: NotRequired[dict[str, Any]]


class AskedContent(TypedDict):
    """A request to a seat."""

    key: str
    seat: str
    prompt: str
    facts: dict[str, Any]
    heard: int
    exhausted: str
    redraft: NotRequired[dict[str, Any]]
    wait_seconds: NotRequired[int]


class Said(TypedDict):
    """The words of a seat."""

    text: str


class Failed(TypedDict):
    """A failure that counts as the answer."""

    kind: str
    detail: str


class Redacted(TypedDict):
    """Number of the entry that struck the answer."""

    by: int


class Reply(TypedDict, total=False):
    """What a seat answered; exactly one of the fields is there."""

    said: Said
    failed: Failed
    redacted: Redacted


class ShownPassage(TypedDict):
    """A passage of the material that the prompt showed."""

    place: str
    digest: str


class AnsweredContent(TypedDict):
    """The answer to a request, with its cost."""

    key: str
    reply: Reply | Literal["elapsed"]
    usage: dict[str, Any]
    by: dict[str, Any]
    prompt: NotRequired[str]
    shortened: NotRequired[int]
    shown: NotRequired[list[ShownPassage]]


class Ruling(TypedDict):
    """A decision of the protocol: ``text`` is for readers, ``data`` for programs."""

    kind: str
    text: str
    data: NotRequired[Any]


class RuledContent(TypedDict):
    """A decision, under its permanent key."""

    key: str
    ruling: Ruling


class ExtendedContent(TypedDict):
    """A person allowed more."""

    limits: Limits


class ActedContent(TypedDict):
    """A person acted without being asked; ``deed`` is ``"resumed"`` or an object with one field."""

    by: str
    deed: Any


class ClosedContent(TypedDict):
    """The end. Only an extension can follow."""

    outcome: Outcome
