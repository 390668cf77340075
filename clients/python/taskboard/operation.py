"""What a method of the client sends. ``operations.py`` is made from the operations of the API, and has one for each method.

``body`` and ``query``: what the keyword arguments are. ``key``: the server knows a repeat by its Idempotency-Key. ``repeatable``: a
second one changes nothing. ``public``: sent without the credential. ``text``: the response is no JSON.
"""

from __future__ import annotations

from typing import NamedTuple, Tuple


class Operation(NamedTuple):
    id: str
    method: str
    path: str
    traits: Tuple[str, ...]
    about: str
    is_paged: bool


def operation(operation_id: str, request: str, about: str, *, is_paged: bool) -> Operation:
    method, path, *traits = request.split(" ")
    return Operation(operation_id, method, path, tuple(traits), about, is_paged)
