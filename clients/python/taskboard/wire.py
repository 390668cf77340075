"""The TypedDicts of the wire, for type checkers: ``wire.pyi`` has them. While a program runs, each is a ``dict``."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return dict
