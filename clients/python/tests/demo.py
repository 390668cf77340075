"""Starts the demo of this repository, from its sources, for the tests."""

import atexit
import functools
import os
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MAIN = ROOT / "examples" / "express-server" / "src" / "main.ts"


class Demo:
    """A server without an agent of its own, on a free port."""

    owner = ("ada@example.com", "correct horse battery staple")

    def __init__(self) -> None:
        self._data = tempfile.mkdtemp(prefix="taskboard-python-")
        email, password = self.owner
        settings = {
            "HOST": "127.0.0.1",
            "PORT": "0",
            "DATABASE_URL": "",
            "TASKBOARD_ENCRYPTION_KEY": "",
            "TASKBOARD_DATA": self._data,
            "TASKBOARD_AGENT": "off",
            "TASKBOARD_OWNER_EMAIL": email,
            "TASKBOARD_OWNER_PASSWORD": password,
        }
        node = os.environ.get("TASKBOARD_NODE", "node")
        self._process = subprocess.Popen(
            [node, "--liftoff-only", "--conditions=@taskboard/source", "--import", "./scripts/sources.mjs", str(MAIN)],
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        greeting = ""
        for line in self._process.stdout:
            greeting += line
            if "#login=" in line:
                break
        else:
            raise RuntimeError(f"the demo did not start:\n{greeting}")
        # What follows is read, so that the demo never waits for its output.
        threading.Thread(target=self._process.stdout.read, daemon=True).start()
        self.url = re.search(r"Taskboard on \w+: (\S+)", greeting).group(1)
        self.key = re.search(r"KEY=(\S+)", greeting).group(1)
        self.workspace_id = re.search(r"Workspace: (ws_\w+)", greeting).group(1)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._data, ignore_errors=True)


@functools.cache
def running_demo() -> Demo:
    """One for the tests that need no board of their own, until the run ends: to start it takes many seconds."""
    demo = Demo()
    atexit.register(demo.close)
    return demo
