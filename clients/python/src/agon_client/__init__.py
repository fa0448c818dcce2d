"""Hold debates between models with agon, over its HTTP interface.

async with Agon(token=...) as agon:
    result = await agon.debate(protocol="exchange", motion="This house would write its decisions down.")
    print(result.outcome["summary"])
"""

from . import events, record, schema
from .client import ADDRESS, Agon, Result
from .errors import AgonError, DebateTimeoutError, RefusedError, StoppedError, UnreachableError
from .events import Event
from .material import Material

__all__ = [
    "ADDRESS",
    "Agon",
    "AgonError",
    "DebateTimeoutError",
    "Event",
    "Material",
    "RefusedError",
    "Result",
    "StoppedError",
    "UnreachableError",
    "events",
    "record",
    "schema",
]
