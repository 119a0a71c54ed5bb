"""Finds and compiles the Swift listings in pages that are saved as plain text, without any marks around the listings."""

import os
import pathlib
import re
import subprocess
from dataclasses import dataclass

from service import ROOT

#: The modules of the built SDK.
MODULES = ROOT / "Service" / ".build" / "debug" / "Modules"
#: Matches the first words of an unindented line of Swift. Prose begins with a capital letter.
START = re.compile(
    r"(import \w+$|let \w+\b.*=|var \w+|if |do \{|for .* in |guard |switch |try |await |func |//|@\w+"
    r"|((private|fileprivate|public|internal|final|indirect)\s+)*(let|var|func|enum|struct|class|actor|extension"
    r"|protocol)\s)")
#: Matches what may follow an unindented closing bracket. Anything else is prose of the page, joined to it.
AFTER_BRACKET = re.compile(r"\s*$|\s*(catch|else)\b|\s*//|\s*[.,)\]}({]")
#: Matches a case whose body is empty without its comments.
EMPTY_CASE = re.compile(r"(?m)^(?P<indent>[ ]*)(?P<label>(case [^\n]*|default):)(?=\s*(case |default:|\}))")


@dataclass
class Listing:
    page: str
    text: str

    @property
    def is_app(self) -> bool:
        return "import SwiftUI" in self.text


def depths(line: str, depth: int) -> list[int]:
    """Returns the depth of brackets after each character of a line. Ignores brackets in strings and comments."""
    found, in_string = [], False
    for index, character in enumerate(line):
        if character == '"' and line[index - 1:index] != "\\":
            in_string = not in_string
        elif not in_string and line.startswith("//", index):
            return found + [depth] * (len(line) - index)
        elif not in_string and character in "([{":
            depth += 1
        elif not in_string and character in ")]}":
            depth -= 1
        found.append(depth)
    return found


def cut(line: str, after: list[int]) -> tuple[str, bool]:
    """Returns the line without prose that is joined to the last closing bracket, and whether there was any."""
    for index, depth in enumerate(after):
        if depth == 0 and line[index] == "}" and line.startswith("}") and not AFTER_BRACKET.match(line, index + 1):
            return line[:index + 1], True
    return line, False


def find(name: str, page: str) -> list[Listing]:
    """Returns the listings of a page, in order."""
    found, current, depth = [], [], 0

    def end():
        nonlocal current, depth
        text = "\n".join(current).strip()
        if text:
            found.append(Listing(name, text))
        current, depth = [], 0

    for line in page.splitlines():
        goes_on = bool(current) and (depth > 0 or not line.strip() or line.startswith((" ", "}", ")")))
        if not goes_on and not START.match(line):
            end()
            continue
        if re.match(r"import SwiftUI$", line):
            end()
        after = depths(line, depth)
        line, is_last = cut(line, after)
        depth = depths(line, depth)[-1] if line else depth
        current.append(line)
        if is_last:
            end()
    end()
    return found


def without_comments(text: str) -> str:
    return re.sub(r"(?m)(?<![:\"])//.*$", lambda comment: " " * len(comment[0]), text)


def valid(text: str) -> str:
    """Adds `break` to each case that contains only a comment, because Swift does not allow an empty case."""
    for match in reversed(list(EMPTY_CASE.finditer(without_comments(text)))):
        text = f"{text[:match.end('label')]} break  // added by the test{text[match.end('label'):]}"
    return text


def check(tmp_path, sources: list[str], version: int, *modules: pathlib.Path) -> subprocess.CompletedProcess:
    """Type-checks independent files."""
    path = tmp_path / f"Listing{version}.swift"
    path.write_text("\n".join(sources))
    return typecheck([path], version, *modules)


def typecheck(
    files: list[pathlib.Path], version: int, *modules: pathlib.Path, isolation: str = "nonisolated"
) -> subprocess.CompletedProcess:
    """Compiles the files as one module, up to SIL: values that leave their region are found there only (SE-0414)."""
    flags = [flag for folder in (*modules, MODULES) for flag in ("-I", folder)]
    return subprocess.run(
        ["swiftc", "-emit-sil", "-wmo", "-o", os.devnull, "-parse-as-library", "-swift-version", str(version),
         "-default-isolation", isolation, *flags, *files],
        capture_output=True, text=True, timeout=120)
