"""What happens in a debate, as typed events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from . import record


@dataclass(frozen=True)
class Entry:
    """An entry of the record: its number, its time (RFC 3339 in UTC) and its place in the hash chain."""

    seq: int
    at: str
    prev: str
    hash: str


@dataclass(frozen=True)
class Opened(Entry):
    """The debate was opened."""

    content: record.OpenedContent
    kind: Literal["opened"] = "opened"


@dataclass(frozen=True)
class Asked(Entry):
    """A seat was asked."""

    content: record.AskedContent
    kind: Literal["asked"] = "asked"


@dataclass(frozen=True)
class Answered(Entry):
    """A seat answered, or failed to."""

    content: record.AnsweredContent
    kind: Literal["answered"] = "answered"

    @property
    def text(self) -> str | None:
        """The words of the seat; ``None`` after a failure, and if they were struck."""
        reply = self.content["reply"]
        if isinstance(reply, str) or "said" not in reply:
            return None
        return reply["said"]["text"]


@dataclass(frozen=True)
class Ruled(Entry):
    """The protocol decided."""

    content: record.RuledContent
    kind: Literal["ruled"] = "ruled"


@dataclass(frozen=True)
class Extended(Entry):
    """A person allowed more rounds, or more spending."""

    content: record.ExtendedContent
    kind: Literal["extended"] = "extended"


@dataclass(frozen=True)
class Acted(Entry):
    """A person acted without being asked."""

    content: record.ActedContent
    kind: Literal["acted"] = "acted"


@dataclass(frozen=True)
class Closed(Entry):
    """The debate ended. Only an extension can follow."""

    content: record.ClosedContent
    kind: Literal["closed"] = "closed"


@dataclass(frozen=True)
class UnknownEntry(Entry):
    """An entry of a kind that this version does not know."""

    content: Any
    kind: str


@dataclass(frozen=True)
class Delta:
    """Text that a model is writing. It is not on the record; ``begins`` says that the text restarts."""

    key: str
    seat: str
    attempt: int
    begins: bool
    text: str
    kind: Literal["delta"] = "delta"


@dataclass(frozen=True)
class Notice:
    """A line for readers, for example about a repeated call."""

    text: str
    kind: Literal["notice"] = "notice"


@dataclass(frozen=True)
class Stopped:
    """The server stopped driving the debate before its end. No event follows."""

    code: str
    message: str
    remedy: str
    kind: Literal["stopped"] = "stopped"


@dataclass(frozen=True)
class UnknownEvent:
    """An event of a kind that this version does not know."""

    data: Any
    kind: str


Event: TypeAlias = (
    Opened
    | Asked
    | Answered
    | Ruled
    | Extended
    | Acted
    | Closed
    | UnknownEntry
    | Delta
    | Notice
    | Stopped
    | UnknownEvent
)

_ENTRIES: dict[str, type[Any]] = {
    "opened": Opened,
    "asked": Asked,
    "answered": Answered,
    "ruled": Ruled,
    "extended": Extended,
    "acted": Acted,
    "closed": Closed,
}


def entry_of(data: dict[str, Any]) -> Event:
    """An entry as it stands in the record, typed."""
    kind, content = next(iter(data["what"].items()))
    place = {name: data[name] for name in ("seq", "at", "prev", "hash")}
    known = _ENTRIES.get(kind)
    if known is None:
        return UnknownEntry(**place, content=content, kind=kind)
    event: Event = known(**place, content=content)
    return event


def event_of(kind: str, data: Any) -> Event:
    """A server-sent event, typed. Fields that this version does not know are left out."""
    match kind:
        case "entry":
            return entry_of(data)
        case "delta":
            return Delta(**{name: data[name] for name in ("key", "seat", "attempt", "begins", "text")})
        case "notice":
            return Notice(text=data["text"])
        case "stopped":
            return stopped_of(data["error"])
        case _:
            return UnknownEvent(data=data, kind=kind)


def stopped_of(error: dict[str, Any]) -> Stopped:
    """Why a debate stopped, from the error that the server gives."""
    return Stopped(code=error["code"], message=error["message"], remedy=error.get("remedy") or "")
