"""Gives a client a method for each operation."""

from __future__ import annotations

import inspect
import re
from typing import Any, Callable, Iterator, List, Optional

from .calls import Retry
from .operation import Operation
from .operations import OPERATIONS


class Group:
    """Methods by name: ``client.tasks``, ``client.account.mfa``."""


def bind(client: Any, method_of: Callable[[str, Operation], Callable[..., Any]], pages: Any = Iterator) -> None:
    """Sets ``client.tasks.create`` and so on to what ``method_of`` makes of the name and the operation."""
    for name, operation in OPERATIONS.items():
        *groups, last = name.split(".")
        holder: Any = client
        for group in groups:
            if not hasattr(holder, group):
                setattr(holder, group, Group())
            holder = getattr(holder, group)
        method = method_of(name, operation)
        method.__name__ = last
        method.__qualname__ = f"{type(client).__name__}.{name}"
        method.__doc__ = _doc_of(operation)
        setattr(method, "__signature__", _signature_of(operation, pages))
        setattr(holder, last, method)


def _doc_of(operation: Operation) -> str:
    fields = [f"The keyword arguments are the fields of its {part}." for part in ("body", "query") if part in operation.traits]
    sentences = [operation.about, f"``{operation.id}``: {operation.method} {operation.path}.", *fields]
    return " ".join([*sentences, "See ``/v2/reference`` of the server. Raises ``TaskboardApiError``."])


def _signature_of(operation: Operation, pages: Any) -> inspect.Signature:
    kinds = inspect.Parameter
    ids = re.findall(r"{(\w+)}", operation.path)
    parameters: List[inspect.Parameter] = [kinds(name, kinds.POSITIONAL_OR_KEYWORD, annotation=str) for name in ids]
    if not operation.is_paged:
        parameters.append(kinds("idempotency_key", kinds.KEYWORD_ONLY, default=None, annotation=Optional[str]))
    parameters.append(kinds("retry_policy", kinds.KEYWORD_ONLY, default=None, annotation=Optional[Retry]))
    if "body" in operation.traits or "query" in operation.traits:
        parameters.append(kinds("fields", kinds.VAR_KEYWORD, annotation=Any))
    return inspect.Signature(parameters, return_annotation=pages[Any] if operation.is_paged else Any)
