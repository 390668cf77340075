"""The methods of a client by name, ``client.tasks``, ``client.account.mfa``. ``methods.pyi`` has their types."""


class Methods:
    """A client makes them from ``operations.py``."""
