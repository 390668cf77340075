"""The types of the client, as strict checkers see them."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from taskboard.wire import Task

from .demo import ROOT

PACKAGE = ROOT / "clients" / "python"
TYPING = PACKAGE / "tests" / "typing"
PYRIGHT = ROOT / "node_modules" / "pyright" / "index.js"
FILES = ["taskboard", "tests/typing/right.py", "tests/typing/wrong.py"]


def wrong_lines() -> set:
    lines = (TYPING / "wrong.py").read_text().split("\n")
    return {("wrong.py", number) for number, line in enumerate(lines, 1) if line.endswith("# wrong")}


class Types(unittest.TestCase):
    def test_they_are_dictionaries_while_a_program_runs(self) -> None:
        self.assertEqual(Task(id="task_1"), {"id": "task_1"})

    def test_pyright_refuses_what_is_wrong_and_nothing_else(self) -> None:
        if not PYRIGHT.exists():
            self.skipTest("pyright is not installed")
        node = os.environ.get("TASKBOARD_NODE", "node")
        checked = subprocess.run(
            [node, str(PYRIGHT), "--outputjson", "--pythonpath", sys.executable], cwd=PACKAGE, stdout=subprocess.PIPE, text=True
        )
        found = json.loads(checked.stdout)
        faults = [fault for fault in found["generalDiagnostics"] if fault["severity"] == "error"]
        places = {(os.path.basename(fault["file"]), fault["range"]["start"]["line"] + 1) for fault in faults}
        self.assertEqual(places, wrong_lines(), faults)
        self.assertGreater(found["summary"]["filesAnalyzed"], 10)

    def test_mypy_refuses_what_is_wrong_and_nothing_else(self) -> None:
        if importlib.util.find_spec("mypy") is None and shutil.which("mypy") is None:
            self.skipTest("mypy is not installed")
        mypy = [sys.executable, "-m", "mypy"] if importlib.util.find_spec("mypy") else ["mypy"]
        checked = subprocess.run(
            [*mypy, "--strict", "--cache-dir", os.devnull, "--no-error-summary", *FILES], cwd=PACKAGE, stdout=subprocess.PIPE, text=True
        )
        places = {
            (os.path.basename(file), int(line)) for file, line in re.findall(r"^(\S+?):(\d+): error", checked.stdout, re.M)
        }
        self.assertEqual(places, wrong_lines(), checked.stdout)
