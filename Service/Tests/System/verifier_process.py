"""Runs the modules of Examples, and the code of docs/verify.md, as a process per language that verifies many tokens."""

import json
import pathlib
import select
import shutil
import subprocess
import sys

import snippets
from service import ROOT

DRIVERS = ROOT / "Tests" / "Verifiers"

#: By language: the module that the page describes. Of other languages, the page has the code.
MODULES = {
    "python": ROOT / "Examples" / "Python" / "session_verifier.py",
    "javascript": ROOT / "Examples" / "JavaScript" / "session-verifier.mjs",
}

#: By language: the required program, and the arguments for the driver beside the snippet.
PROGRAMS = {
    "python": (sys.executable, ["driver.py"]),
    "javascript": ("node", ["driver.mjs"]),
    "go": ("go", ["run", "snippet.go", "driver.go"]),
    "php": ("php", ["driver.php"]),
    "ruby": ("ruby", ["driver.rb"]),
}
SUFFIXES = {"python": "py", "javascript": "mjs", "go": "go", "php": "php", "ruby": "rb"}


class Refused(Exception):
    """The code rejected the input as designed."""


class VerifierProcess:
    """One module or snippet, and its driver. A crash of the process is an error, not a rejection."""

    #: Seconds to wait for an answer. The first one of Go includes its build.
    PATIENCE = 120

    def __init__(self, language: str, folder: pathlib.Path):
        suffix = SUFFIXES[language]
        if language in MODULES:
            shutil.copy(MODULES[language], folder)
        else:
            (folder / f"snippet.{suffix}").write_text(snippets.code("verify.md", language))
        shutil.copy(DRIVERS / f"driver.{suffix}", folder)
        program, arguments = PROGRAMS[language]
        self.process = subprocess.Popen(
            [program, *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def call(self, name: str, **arguments):
        """Returns the driver's answer, or raises `Refused`."""
        self.process.stdin.write(json.dumps({"call": name, **arguments}) + "\n")
        self.process.stdin.flush()
        assert select.select([self.process.stdout], [], [], self.PATIENCE)[0], "no answer"
        line = self.process.stdout.readline()
        assert line, f"ended with {self.process.wait(10)}"
        answer = json.loads(line)
        if "refused" in answer:
            raise Refused(answer["refused"])
        return answer["answer"]

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def is_installed(language: str) -> bool:
    return shutil.which(PROGRAMS[language][0]) is not None
