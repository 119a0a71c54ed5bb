#!/usr/bin/env python3
"""Writes how often each branch of the service runs, for the compiler: branch_counts.py INSTRUMENTED_PROGRAM LLVM_PROFDATA OUTPUT

The compiler then puts what runs together, and what does not run aside. Needs the Python of the foreign judge.
"""

import pathlib
import subprocess
import sys
import tempfile

from training import train


def main() -> None:
    program, tool, target = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        raw = pathlib.Path(folder) / "raw"
        train(f"LLVM_PROFILE_FILE={raw}/%p.profraw exec {program}", pathlib.Path(folder), people=100, refreshes=20)
        subprocess.run([tool, "merge", f"--output={target}", *raw.iterdir()], check=True)
    shown = subprocess.run([tool, "show", "--covered", target], capture_output=True, text=True, check=True).stdout
    count = sum("$s" in name for name in shown.splitlines())
    if count < 5000:
        raise SystemExit(f"{count} functions of Swift have run only; is {program} instrumented?")
    print(f"{count} functions of Swift in {target}")


if __name__ == "__main__":
    main()
