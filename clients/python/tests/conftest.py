"""Tests run against the server that AGON_URL and AGON_TOKEN name; `scripts/check-clients` starts it."""

import os
from collections.abc import AsyncIterator

import pytest

from agon_client import Agon


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def agon(anyio_backend: str) -> AsyncIterator[Agon]:
    async with Agon(os.environ["AGON_URL"], token=os.environ["AGON_TOKEN"]) as agon:
        yield agon
