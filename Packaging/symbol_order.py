#!/usr/bin/env python3
"""Writes the functions that the service runs, for the linker's --symbol-ordering-file: symbol_order.py PROGRAM OUTPUT

It starts the program under callgrind, signs users in and refreshes their sessions. Functions that were called at least as
often as there are users come first and get huge pages (CHotCode). The others follow: the kernel maps 64 KB around each page
that a process touches, so they are resident in small numbers of pages only when they are neighbours.
PROGRAM needs its symbols. Valgrind cannot read its debug information, so a copy without it runs. Needs valgrind, binutils
and the Python of the foreign judge.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

from training import train

# More than most functions are called by a start alone.
PEOPLE = 20
# The end of the first part.
LAST = "chotcode_last"
# Packaging/program.ld has them. Many modules have functions of these names, also those that do not run.
LOCAL = re.compile(r"objectdestroy|block_(copy|destroy)_helper|__swift_")


def calls(program: pathlib.Path, folder: pathlib.Path) -> collections.Counter[str]:
    """How often each function was called by a start, sign-ins, refreshes and the background tasks; 0 for the first one."""
    profile = folder / "profile"
    # Both starts write the profile, the last one stays.
    train(
        f"exec valgrind --tool=callgrind --callgrind-out-file={profile} --demangle=no --compress-strings=no {program}",
        folder, people=PEOPLE, refreshes=10)
    counts, callee = collections.Counter(), ""
    for line in profile.read_text(errors="replace").splitlines():
        key, _, value = line.partition("=")
        # A recursive function has a number behind its name.
        name = value.split("'")[0]
        if key == "fn":
            counts[name] += 0
        elif key == "cfn":
            callee = name
        elif key == "calls":
            counts[callee] += int(value.split()[0])
    return counts


def functions(program: pathlib.Path) -> list[str]:
    """The functions of a program in the order of their addresses, so that those of a module stay together."""
    lines = subprocess.run(["readelf", "--symbols", "--wide", program], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in lines.splitlines()]
    ordered = sorted((int(row[1], 16), row[7]) for row in rows if len(row) == 8 and row[3] == "FUNC")
    return list(dict.fromkeys(name for _, name in ordered))


def main() -> None:
    program, target = (pathlib.Path(argument) for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "prelude-session"
        subprocess.run(["objcopy", "--strip-debug", "--remove-section=.swift_ast", program, copy], check=True)
        counts = calls(copy, pathlib.Path(folder))
        ran = [name for name in functions(copy) if name in counts and name != LAST and not LOCAL.match(name)]
    hot = [name for name in ran if counts[name] >= PEOPLE]
    if len(hot) < 3000:
        raise SystemExit(f"callgrind has seen {len(hot)} functions only; are the symbols of {program} stripped?")
    target.write_text("".join(f"{name}\n" for name in [*hot, LAST, *(name for name in ran if counts[name] < PEOPLE)]))
    print(f"{len(ran)} functions in {target}, {len(hot)} of them for users")


if __name__ == "__main__":
    main()
