"""Makes the packages of the built debug program with scripts/package, once for all processes of a run."""

import fcntl
import os
import pathlib
import subprocess

from service import BINARY, ROOT

VERSION = "1.2.3"


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600, **options)


def must(*command, **options) -> str:
    result = run(*command, **options)
    assert result.returncode == 0, f"{command}: {result.stdout} {result.stderr}"
    return result.stdout


def packages_of_this_run(factory) -> pathlib.Path:
    """The folder of the packages, without the container image."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "packages-of-this-run"
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # The checksums are written last.
        if not (folder / "SHA256SUMS").exists():
            # The program of the tests has no debug information. That of a release has some. The copy is beside the program,
            # because the licences are those of what the build has linked.
            program = BINARY.with_name("prelude-session-packed")
            information = factory.mktemp("program") / "information"
            information.write_text("of a release")
            must("objcopy", "--strip-debug", BINARY, program)
            must("objcopy", "--add-section", f".debug_info={information}", program)
            must(
                ROOT / "scripts" / "package", "--binary", program, "--version", VERSION, "--fast", "--no-image",
                "--output", folder)
            program.unlink()
    return folder
