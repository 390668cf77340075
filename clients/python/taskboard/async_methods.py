"""The methods of an ``AsyncClient`` by name, ``client.tasks``, ``client.account.mfa``. ``async_methods.pyi`` has their types."""


class AsyncMethods:
    """A client makes them from ``operations.py``."""
