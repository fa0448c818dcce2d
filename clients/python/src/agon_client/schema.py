"""Written by clients/generate from the OpenAPI document of agon 0.1.0; do not edit."""

from __future__ import annotations

from typing import Any, Literal

from agon_client.typing_names import NotRequired, TypedDict


class ActBody(TypedDict):
    """
    The name of the client, and its reason.
    """

    name: str
    """
    Your name, as shown to readers.
    """
    why: NotRequired[str]
    """
    The reason, as shown to readers.
    """


class ActedLine(TypedDict):
    """
    A recorded act.
    """

    closed: NotRequired[dict[str, Any] | None]
    """
    The outcome, if the act ended the debate.
    """
    seq: int
    """
    Number of its entry.
    """


class AnswerBody(TypedDict):
    """
    An answer for a seat.
    """

    key: NotRequired[str | None]
    """
    The key of the request that it answers. Without it, the newest open request of the seat; only with it can the
    same answer be sent again safely.
    """
    text: str
    """
    The answer: prose, or JSON by the schema of the prompt.
    """
    token: str
    """
    The token of the claim.
    """


class AskedLine(TypedDict):
    """
    What is asked of a seat.
    """

    exhausted: str
    """
    What becomes of it if every attempt fails.
    """
    facts: NotRequired[dict[str, Any]]
    """
    Values for the prompt, if it has some.
    """
    heard: int
    """
    Number of the last entry that it takes into account.
    """
    key: str
    """
    Its key, which an answer can name.
    """
    prompt: str
    """
    Name of its prompt.
    """
    redraft: NotRequired[dict[str, Any]]
    """
    The earlier answer that broke rules, and the faults, if it asks again.
    """
    seat: str
    """
    The seat.
    """
    wait_seconds: NotRequired[int]
    """
    Seconds after which it counts as not answered, if it has a limit.
    """


class ClaimBody(TypedDict):
    """
    A claim of a seat.
    """

    holder: str
    """
    Your name, as shown to readers.
    """
    seconds: NotRequired[int]
    """
    Duration of the claim in seconds.
    """


class ClaimLine(TypedDict):
    """
    A seat that was claimed.
    """

    fence: int
    """
    Fencing number; increases with every claim of the seat.
    """
    holder: str
    """
    The name that the holder gave.
    """
    seat: str
    """
    The seat.
    """
    token: str
    """
    The token that proves the claim; only this response has it.
    """
    until: str
    """
    Time of expiry, RFC 3339 in UTC.
    """


class Entries(TypedDict):
    """
    A range of a record's entries.
    """

    entries: list[dict[str, Any]]
    """
    The entries in order. `{"redacted": {"by": SEQ}}` replaces a redacted text.
    """
    length: int
    """
    Length of the record.
    """
    next: int
    """
    The entry to continue from; the length of the record if there are no more.
    """


class ExtendBody(TypedDict):
    """
    Additions to a debate; the limits are new totals.
    """

    max_cost: NotRequired[float | None]
    """
    Maximum cost, in US dollars.
    """
    max_requests: NotRequired[int | None]
    """
    Maximum number of model calls.
    """
    max_time: NotRequired[str | None]
    """
    Maximum driven time, for example `30m`.
    """
    max_tokens: NotRequired[int | None]
    """
    Maximum number of tokens.
    """
    rounds: NotRequired[int]
    """
    Number of rounds to add.
    """


class FileLine(TypedDict):
    """
    A file of a debate.
    """

    bytes: int
    """
    Its size in bytes.
    """
    path: str
    """
    Its path below the debate's folder.
    """


class GoesOn(TypedDict):
    """
    A debate that was resumed or extended.
    """

    driven: bool
    """
    Whether this server drives it; otherwise another process does.
    """
    entries: int
    """
    Current number of entries.
    """
    id: str
    """
    Its id.
    """


class InterjectBody(TypedDict):
    """
    An interjection: a remark to all participants.
    """

    name: str
    """
    Your name, as shown to readers and participants.
    """
    text: str
    """
    The text of the remark.
    """


class LeaseLine(TypedDict):
    """
    The claim of a seat.
    """

    fence: int
    """
    Fencing number; increases with every claim of the seat.
    """
    holder: str
    """
    The name that the holder gave.
    """
    seat: str
    """
    The seat.
    """
    until: str
    """
    Time of expiry, RFC 3339 in UTC.
    """


class Listed(TypedDict):
    """
    A debate in the list.
    """

    driven_ms: int
    """
    Driven time in milliseconds.
    """
    entries: int
    """
    Number of entries.
    """
    head: str
    """
    Hash of the last entry.
    """
    id: str
    """
    The debate.
    """
    last_at: str
    """
    Time of the last entry.
    """
    motion: str
    """
    Its motion.
    """
    opened_at: str
    """
    Time of the opening, RFC 3339 in UTC.
    """
    outcome: NotRequired[str | None]
    """
    Name of the outcome, if it is closed.
    """
    protocol: str
    """
    Its protocol.
    """


class LookupBody(TypedDict):
    """
    A lookup for what a seat is asked.
    """

    first: NotRequired[int | None]
    """
    From this line of the file, or this character of the page.
    """
    last: NotRequired[int | None]
    """
    To this line of the file.
    """
    object: str
    """
    Words, a path, an address, or what to search for.
    """
    tool: str
    """
    What to do: `search` or `read` the material, `open` a page, `find` pages.
    """


class LookupShown(TypedDict):
    """
    What a lookup showed.
    """

    shown: str
    """
    What was found, or why there is nothing.
    """


class Message(TypedDict):
    """
    A message of a prompt.
    """

    role: str
    """
    `system`, `user` or `assistant`.
    """
    text: str
    """
    Its text.
    """


class OpenRequest(TypedDict):
    """
    An open request.
    """

    lease: NotRequired[LeaseLine | None]
    model: str
    """
    The model of the seat.
    """
    outside: bool
    """
    Whether clients can answer it through this interface.
    """
    request: AskedLine
    """
    The request.
    """


class Context(TypedDict):
    path: str
    seats: NotRequired[list[str]]
    text: str


class Debaters(TypedDict):
    model: NotRequired[str]
    name: str
    persona: NotRequired[str]


class Opening(TypedDict):
    """
    Request to start a debate
    """

    allow_secrets: NotRequired[bool]
    """
    Use material even if it seems to contain secrets
    """
    baseline: NotRequired[bool]
    """
    Ask the judge's model the same question without a debate, at the same cost, and compare (exchange, chaired)
    """
    context: NotRequired[list[str | Context]]
    """
    Material that prompts show in passages, and that can be quoted: `[SEAT=]https://…`; texts with their paths, or addresses
    """
    context_tokens: NotRequired[int]
    """
    Maximum number of tokens of material in one prompt
    """
    debaters: NotRequired[list[str | Debaters] | int]
    """
    Debaters, for protocols with a row of seats: `NAME: PERSONA` lines, objects, or their number
    """
    definitions: NotRequired[dict[str, str]]
    """
    Define a term of the motion for both sides; repeatable (exchange)
    """
    drafts: NotRequired[dict[str, str]]
    """
    Existing draft; give two to four (revise): the texts, by name
    """
    extract: NotRequired[str]
    """
    Model that extracts relations between statements after the debate, for the argument graph
    """
    form: NotRequired[Literal['review', 'critique']]
    """
    How much is asked (review)
    """
    id: NotRequired[str]
    """
    Id of the debate; by default a new id that sorts by time
    """
    judges: NotRequired[str]
    """
    Number of judges (odd), or the model of each (exchange)
    """
    local_only: NotRequired[bool]
    """
    Refuse models and addresses that anything would leave this machine for
    """
    lookups: NotRequired[Literal['off', 'material', 'web']]
    """
    What seats may look up before they answer; all of it is on the record (duel, exchange, revise, panel, chaired, review)
    """
    max_cost: NotRequired[float]
    """
    Maximum cost, in US dollars
    """
    max_requests: NotRequired[int]
    """
    Maximum number of model calls
    """
    max_rounds: NotRequired[int]
    """
    Maximum number of rounds (panel, chaired)
    """
    max_time: NotRequired[str]
    """
    Maximum driven time
    """
    max_tokens: NotRequired[int]
    """
    Maximum number of tokens
    """
    min_rounds: NotRequired[int]
    """
    Minimum number of rounds (chaired)
    """
    mirror: NotRequired[bool]
    """
    Repeat the debate with the debaters swapped, and compare the outcomes (duel, exchange, revise, panel, chaired)
    """
    mode: NotRequired[Literal['plan', 'review', 'draft']]
    """
    What the authors write (revise)
    """
    model: NotRequired[str]
    """
    Model for every seat that `seats` does not name
    """
    motion: str
    """
    The motion, as text; duel: the document, as Markdown
    """
    orders: NotRequired[Literal['both', 'one']]
    """
    In how many orders of the sides to ask each judge (exchange, chaired)
    """
    phase: NotRequired[int]
    """
    Number of the phase (revise)
    """
    protocol: str
    """
    Name of the protocol
    """
    reader: NotRequired[str]
    """
    A model that reads, twice, whether the opened pages bear out what is cited from them; its reading is shown next to the comparison and changes no status (duel, exchange, revise, panel, chaired)
    """
    rounds: NotRequired[int]
    """
    Rounds: duel, number of turns; exchange, rebuttals after the opening; revise, rounds of critique; 0 for no critique; panel, maximum number of exchanges; chaired, sets both the minimum and the maximum; review, passes over the material
    """
    scope: NotRequired[str]
    """
    What the debate covers and what it excludes (exchange)
    """
    seats: NotRequired[dict[str, str]]
    """
    Model of each seat, by the seat's name
    """
    seed: NotRequired[int]
    """
    Seed of all random choices
    """
    self_judging: NotRequired[bool]
    """
    Allow a model to judge its own statements (exchange)
    """
    stop: NotRequired[Literal['stable']]
    """
    End the debate before its last round on this condition (exchange)
    """
    strategy: NotRequired[Literal['debate', 'synthesize', 'single']]
    """
    What to do with the drafts (revise)
    """
    time_budget: NotRequired[int]
    """
    Time in minutes after which the closing statements begin (chaired)
    """
    title: NotRequired[str]
    """
    Title of the phase (revise)
    """
    topic: NotRequired[str]
    """
    The question to examine the document for (duel)
    """
    verify: NotRequired[Literal['off', 'on']]
    """
    Whether to open and search cited pages during the debate (duel, exchange, revise, panel, chaired)
    """
    wait: NotRequired[str]
    """
    Timeout for one turn, for example 90s or 20m (duel)
    """


class Prompt(TypedDict):
    """
    The open request of a seat.
    """

    key: str
    """
    The request's key.
    """
    messages: list[Message]
    """
    The prompt.
    """
    schema: NotRequired[dict[str, Any] | None]
    """
    JSON Schema of the answer; null for prose.
    """


class Reason(TypedDict):
    """
    The reason for a refusal.
    """

    code: str
    """
    A stable code for programs.
    """
    kept: NotRequired[str | None]
    """
    Path of a rejected text on the server's machine.
    """
    message: str
    """
    What happened.
    """
    remedy: str
    """
    What to do; empty if nothing can be done.
    """


class ReceiptLine(TypedDict):
    """
    The receipt of an accepted answer.
    """

    digest: str
    """
    SHA-256 of its text.
    """
    key: str
    """
    The key of the answered request.
    """
    seq: int
    """
    Number of its entry.
    """


class RefreshBody(TypedDict):
    """
    A request to extend a claim.
    """

    seconds: NotRequired[int]
    """
    New duration in seconds, from now.
    """
    token: str
    """
    The token of the claim.
    """


class Refused(TypedDict):
    """
    The body of an error response.
    """

    error: Reason
    """
    The reason.
    """


class ReleaseBody(TypedDict):
    """
    A request to release a seat.
    """

    token: str
    """
    The token of the claim.
    """


class ResumeBody(TypedDict):
    """
    A request to resume a debate.
    """

    name: str
    """
    Your name, as shown to readers.
    """


class ScoreRuling(TypedDict):
    """
    A ruling on scores.
    """

    data: NotRequired[dict[str, Any] | None]
    """
    The scores, in the protocol's form.
    """
    key: str
    """
    Its key.
    """
    seq: int
    """
    Number of its entry.
    """
    text: str
    """
    A summary for readers, in one line.
    """


class Scores(TypedDict):
    """
    The scores of a debate; empty if its protocol gives none.
    """

    figures: NotRequired[dict[str, Any] | None]
    """
    Figures of the outcome, if there is one.
    """
    rulings: list[ScoreRuling]
    """
    Every ruling on scores, oldest first.
    """


class Seated(TypedDict):
    """
    A seat and its participants.
    """

    answered: list[str]
    """
    The models that answered, without repetition.
    """
    asked: str
    """
    The assigned model, as the user named it; `outside` if any client can answer.
    """
    name: str
    """
    Its name for readers.
    """
    seat: str
    """
    The seat.
    """


class Started(TypedDict):
    """
    A debate that was started.
    """

    id: str
    """
    Its id.
    """
    page: str
    """
    Its page.
    """
    url: str
    """
    Its path in this interface.
    """


class UsageLine(TypedDict):
    """
    What a debate has used so far.
    """

    cache_write_tokens: int
    """
    Tokens written into a cache that has a price of its own.
    """
    cached_tokens: int
    """
    Tokens read from a cache.
    """
    completion_tokens: int
    """
    Tokens written.
    """
    cost_basis: str
    """
    How far the cost is known: `reported`, `estimated` or `unknown`.
    """
    cost_microusd: int
    """
    What is known of the cost, in millionths of a US dollar; 0 if nothing is.
    """
    estimated: bool
    """
    Whether a provider gave no usage, so that its reservation counts.
    """
    prompt_tokens: int
    """
    Tokens read, cached ones included.
    """
    requests: int
    """
    Calls made, those that failed included.
    """
    tokens_basis: str
    """
    How far the tokens are known: `reported` or `estimated`.
    """


class Debate(TypedDict):
    """
    The current state of one debate.
    """

    closed: bool
    """
    Whether it is closed.
    """
    driven: bool
    """
    Whether this server drives it now.
    """
    entries: int
    """
    Number of entries.
    """
    head: str
    """
    Hash of the last entry.
    """
    opened: dict[str, Any]
    """
    The content of the first entry.
    """
    opened_at: str
    """
    Time of the opening, RFC 3339 in UTC.
    """
    outcome: NotRequired[dict[str, Any] | None]
    """
    The latest outcome, even if the debate was extended since.
    """
    phase: NotRequired[str | None]
    """
    The current phase, as the protocol names it.
    """
    seats: list[Seated]
    """
    The seats, in the protocol's order.
    """
    stopped: NotRequired[dict[str, Any] | None]
    """
    Why nobody drives it before its end, if a driver is needed.
    """
    usage: UsageLine
    """
    Usage so far, including calls in progress.
    """
