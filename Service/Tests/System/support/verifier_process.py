"""Runs the verifiers of Examples, as a process per language that verifies many tokens."""

import json
import pathlib
import select
import shutil
import subprocess
import sys

from service import ROOT

DRIVERS = ROOT / "Tests" / "Verifiers"

#: By language: the module that docs/verify.md describes.
MODULES = {
    "python": ROOT / "Examples" / "Python" / "session_verifier.py",
    "javascript": ROOT / "Examples" / "JavaScript" / "session-verifier.mjs",
}
#: The functions of further languages, for bearer tokens.
FUNCTIONS = {
    "go": ROOT / "Examples" / "Go" / "verify.go",
    "php": ROOT / "Examples" / "PHP" / "verify.php",
    "ruby": ROOT / "Examples" / "Ruby" / "verify.rb",
}

#: By language: the required program, and the arguments for the driver beside the module.
PROGRAMS = {
    "python": (sys.executable, ["driver.py"]),
    "javascript": ("node", ["driver.mjs"]),
    "go": ("go", ["run", "verify.go", "driver.go"]),
    "php": ("php", ["driver.php"]),
    "ruby": ("ruby", ["driver.rb"]),
}


class Refused(Exception):
    """The code rejected the input as designed."""


class VerifierProcess:
    """One module, and its driver. A crash of the process is an error, not a rejection."""

    #: Seconds to wait for an answer. The first one of Go includes its build.
    PATIENCE = 120

    def __init__(self, language: str, folder: pathlib.Path):
        source = (MODULES | FUNCTIONS)[language]
        shutil.copy(source, folder)
        shutil.copy(DRIVERS / f"driver{source.suffix}", folder)
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
