"""Names for types that Python 3.10 lacks; from 3.11 on, all of them are in the standard library."""

import sys

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypedDict, Unpack
else:
    from typing_extensions import NotRequired, TypedDict, Unpack

__all__ = ["NotRequired", "TypedDict", "Unpack"]
