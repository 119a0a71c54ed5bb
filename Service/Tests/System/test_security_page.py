"""Tests that the security page names only existing tests, and that every rule of the standards has tests."""

import functools
import pathlib
import re

import pytest

from service import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text()
TESTS = [ROOT / "Tests", ROOT / "Service" / "Tests"]

#: The rules of the standards. RFC 9449, RFC 7638 and RFC 8725 have numbers on the page, the others have sections.
RULES = [
    *(f"D{number}" for number in range(1, 43)), *(f"T{number}" for number in range(1, 5)),
    *(f"J{number}" for number in range(1, 12)),
    "RFC 9068 §2.1", "RFC 9068 §2.2", "RFC 9068 §2.2.1", "RFC 9068 §4", "RFC 9470 §3", "RFC 9470 §6",
]
STANDARDS = {"D": "RFC 9449", "T": "RFC 7638", "J": "RFC 8725"}
PARTIES = ("service", "verifier")
SUITES = {
    "both": ["SessionConformance"],
    "service": ["EndToEndTests", "SessionDomainTests", "SessionStoreContract"],
    "verifier": ["PreludeSessionVerifierTests"],
}

#: Matches a Swift string with or without interpolations.
LITERAL = r'"((?:[^"\\\n]|\\\((?:[^()]|\([^()]*\))*\)|\\.)+)"'
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")
#: Matches the name of a test, a mutation, a variant or a contract rule.
NAMED = re.compile(rf"(?:@Test|\b(?:Proof|Token)?Mutation|\bProofVariant|\btarget|\bContractRule)\(\s*{LITERAL}")


@functools.cache
def sources(*folders: str) -> str:
    return "\n".join(path.read_text() for tests in TESTS for folder in folders for path in sorted((tests / folder).rglob("*.swift")))


@functools.cache
def names(*folders: str) -> list[re.Pattern]:
    """Returns patterns for the names of the tests in some folders. An interpolation matches any text."""
    found = []
    for literal in NAMED.findall(sources(*folders)):
        parts = INTERPOLATION.split(literal)
        if len("".join(parts)) >= 12:
            found.append(re.compile(".+".join(re.escape(part) for part in parts)))
    return found


@functools.cache
def python_tests() -> set[str]:
    return {name for path in pathlib.Path(__file__).parent.glob("test_*.py") for name in re.findall(r"def (test_\w+)\(", path.read_text())}


def sections(text: str, standard: str | None = None) -> set[str]:
    """Returns the sections in a text, each with the last standard named before it: "RFC 9449 §4.3 step 9"."""
    found = set()
    for named, section in re.findall(r"(RFC \d+)|(§[\d.]*\d(?: step \d+)?)", text):
        standard = named or standard
        if section and standard:
            found.add(f"{standard} {section}")
    return found


def rule_ids(name: str) -> list[str]:
    """Returns the ids of rules in the name of a test: in parentheses, or in front of a colon."""
    places = [*re.findall(r"\(([^()]*)\)", name), name.partition(":")[0] if ":" in name else ""]
    return [rule for place in places for rule in re.findall(r"(?<!\S)[DTJ]\d+\b(?=[ :,;(]|$)", place)]


def rows() -> dict[str, dict]:
    """Returns the tables of the standards, by rule."""
    found = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rule = re.match(r"[DTJ]\d+(?= §)|RFC \d+ §[\d.]*\d", cells[0])
        if len(cells) == 5 and rule:
            assert rule[0] not in found, f"{rule[0]} is listed twice"
            found[rule[0]] = {
                "sections": sections(cells[0], STANDARDS.get(rule[0][0])),
                **dict(zip(("both", *PARTIES), cells[2:]))}
    return found


def exemptions(party: str) -> set[str]:
    """Returns the rules under "What does not apply" for one party, including those for both."""
    entries = re.findall(r"^- \*\*(.+?)\*\*", PAGE.split("## What does not apply")[1], re.MULTILINE)
    found = set()
    for entry in entries:
        if any(f"({other})" in entry for other in PARTIES) and f"({party})" not in entry:
            continue
        found |= set(re.findall(r"\b[DTJ]\d+\b", entry)) | sections(entry)
    return found


ROWS = rows()


def test_the_tests_named_by_the_page_exist():
    swift = names(".")
    named, quoted = re.findall(r"`(test_\w+)`", PAGE), set(re.findall(r"“([^”]+)”", PAGE))
    assert len(named) > 40 and len(quoted) > 120
    for name in named:
        assert name in python_tests(), name
    for name in quoted:
        assert any(pattern.fullmatch(name) for pattern in swift), name


def test_the_page_has_every_rule_and_no_other():
    assert list(ROWS) == RULES


@pytest.mark.parametrize("party", PARTIES)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_test_or_a_reason(rule, party):
    row = ROWS[rule]
    if row[party] == "–":
        assert rule in exemptions(party), f"{rule} needs a test of the {party}, or an entry under What does not apply"
        return
    proofs = 0
    for column in ("both", party):
        known = names(*SUITES[column])
        for name in re.findall(r"“([^”]+)”", row[column]):
            assert any(pattern.fullmatch(name) for pattern in known), f"{rule}: {name} is not a test of {column}"
            says_so = re.search(rf"\b{re.escape(rule)}\b", name) or row["sections"] & sections(name, STANDARDS.get(rule[0]))
            proofs += bool(says_so)
        proofs += len(re.findall(r"`test_\w+`", row[column]))
    assert proofs, f"{rule} has no test of the {party} whose name has it, or one of {sorted(row['sections'])}"


def test_reasons_name_existing_rules():
    for party in PARTIES:
        for rule in exemptions(party):
            assert rule in RULES or rule.startswith("RFC 9470"), rule


def test_both_parties_run_the_shared_cases():
    for party in PARTIES:
        ran = sources(*SUITES[party])
        for cases in ("ProofMutation.all", "ProofMutation.withAccessToken", "ProofVariant.all", "TokenMutation.all"):
            assert cases in ran, f"{party}: {cases}"


def test_every_section_that_a_test_names_belongs_to_a_rule():
    """A section in the name of a test must belong to a rule of the page."""
    covered = set().union(*(row["sections"] for row in ROWS.values()))
    standards = {*STANDARDS.values(), "RFC 9068", "RFC 9470"}
    for folders in SUITES.values():
        for literal in NAMED.findall(sources(*folders)):
            for section in sections(literal):
                assert section.split(" §")[0] not in standards or section in covered, f"{literal}: no rule has {section}"
            for rule in rule_ids(literal):
                assert rule in RULES, f"{literal}: there is no rule {rule}"
