"""Prints which tests prove each rule of docs/security.md and each promise of docs/promises.md, as Markdown.

A test proves the rules that its name has in parentheses, and those of the `Proves:` line above it. In a name without an
id, a section of an RFC that only one rule has stands for this rule.
"""

import ast
import pathlib
import re
from typing import NamedTuple

ROOT = next(folder for folder in pathlib.Path(__file__).resolve().parents if (folder / "docs" / "security.md").exists())

#: The standards of the rules whose sections have no RFC of their own.
STANDARDS = {"D": "RFC 9449", "T": "RFC 7638", "J": "RFC 8725"}

#: Matches a Swift string with or without interpolations.
LITERAL = r'"((?:[^"\\\n]|\\\((?:[^()]|\([^()]*\))*\)|\\.)+)"'
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")
#: Matches the name of a test, a mutation, a variant or a contract rule.
NAMED = re.compile(rf"(?:@Test|\b(?:Proof|Token)?Mutation|\bProofVariant|\btarget|\bContractRule)\(\s*{LITERAL}")
TAG = re.compile(r"^ *(?://|#) Proves: (.+)$")


class Rule(NamedTuple):
    id: str
    text: str
    area: str
    sections: set[str]


class Case(NamedTuple):
    name: str
    file: str
    tags: list[str]
    """The rules of the `Proves:` line."""


def sections(text: str, standard: str | None = None) -> set[str]:
    """Returns the sections in a text, each with the last standard named before it: "RFC 9449 §4.3 step 9"."""
    found = set()
    for named, section in re.findall(r"(RFC \d+)|(§[\d.]*\d(?: step \d+)?)", text):
        standard = named or standard
        if section and standard:
            found.add(f"{standard} {section}")
    return found


def rules(page: str) -> list[Rule]:
    """Returns the rules of the page: "- **id sections** rule" in a list, "| id sections | rule |" in a table."""
    found, area = [], ""
    # A rule of a list may have several lines.
    for line in re.sub(r"\n  (?=\S)", " ", page).splitlines():
        rule = re.match(r"(?:\| |- \*\*)((?:[A-Z]\d+|RFC \d+ §[\d.]*\d)(?=[ ,*]))([^|*]*)(?: \||\*\*) (.*?)(?: \|)?$", line)
        if line.startswith("#"):
            area = line.lstrip("# ")
        elif rule:
            found.append(Rule(rule[1], rule[3], area, sections(rule[1] + rule[2], STANDARDS.get(rule[1][0]))))
    return found


def all_rules() -> list[Rule]:
    """Returns the rules of security, and the promises of the SDK."""
    return [rule for page in ("security.md", "promises.md") for rule in rules((ROOT / "docs" / page).read_text())]


def tags_above(lines: list[str], line: int) -> list[str]:
    """Returns the rules of the `Proves:` line above a line, which counts from 1."""
    tag = TAG.match(lines[line - 2]) if line > 1 else None
    return tag[1].split(", ") if tag else []


def swift_cases(source: str, file: str = "") -> list[Case]:
    lines = source.splitlines()
    return [
        Case(name[1], file, tags_above(lines, source.count("\n", 0, name.start()) + 1))
        for name in NAMED.finditer(source)]


def python_cases(source: str, file: str = "") -> list[Case]:
    lines = source.splitlines()
    return [
        Case(node.name, file, tags_above(lines, min(part.lineno for part in [node, *node.decorator_list])))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]


def sources() -> dict[str, str]:
    """Returns the text of each file with tests, by its path in the repository."""
    paths = [
        *ROOT.glob("Tests/**/*.swift"), *ROOT.glob("Service/Tests/**/*.swift"),
        *(ROOT / "Service" / "Tests" / "System").rglob("test_*.py")]
    return {str(path.relative_to(ROOT)): path.read_text() for path in sorted(paths)}


def cases(files: dict[str, str]) -> list[Case]:
    readers = {".swift": swift_cases, ".py": python_cases}
    return [test for file, source in files.items() for test in readers[pathlib.Path(file).suffix](source, file)]


def parentheses(name: str) -> list[str]:
    """Returns the texts in the parentheses of a name."""
    return re.findall(r"\(([^()]*)\)", INTERPOLATION.sub("", name))


def named_ids(name: str) -> list[str]:
    """Returns the ids of rules in the parentheses of a name."""
    return [rule for text in parentheses(name) for rule in re.findall(r"(?<!\S)[A-Z]\d+(?=[ ,;]|$)", text)]


def proven(test: Case, known: list[Rule]) -> set[str]:
    """Returns the rules that a test proves."""
    ids = named_ids(test.name)
    if not ids:
        for section in sections(" ".join(parentheses(test.name))):
            owners = [rule.id for rule in known if section in rule.sections]
            ids += owners if len(owners) == 1 else []
    return {*test.tags, *ids}


def matrix(known: list[Rule], found: list[Case]) -> dict[str, list[Case]]:
    """Returns the tests of each rule."""
    proofs = [(test, proven(test, known)) for test in found]
    return {rule.id: [test for test, ids in proofs if rule.id in ids] for rule in known}


def main() -> None:
    known = all_rules()
    proofs, area = matrix(known, cases(sources())), ""
    print("# Rules and their tests\n")
    for rule in known:
        if rule.area != area:
            area = rule.area
            print(f"## {area}\n")
        print(f"**{rule.id}** {rule.text}\n")
        for test in proofs[rule.id]:
            print(f"- {test.name} (`{test.file}`)")
        print("" if proofs[rule.id] else "No test: see What does not apply.\n")


if __name__ == "__main__":
    main()
