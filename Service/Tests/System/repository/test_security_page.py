"""Tests that every rule of security, and every promise of the SDK, has tests, and that tests name only these."""

import functools
import re

import pytest

from security_matrix import (
    ROOT, STANDARDS, TAG, Case, all_rules, cases, matrix, named_ids, proven, python_cases, sections, sources, swift_cases)

PAGE = (ROOT / "docs" / "security.md").read_text()
RULES = {rule.id: rule for rule in all_rules()}
#: The rules of the standards. RFC 9449, RFC 7638 and RFC 8725 have numbers on the page, the others have sections.
STANDARD_RULES = [
    *(f"D{number}" for number in range(1, 43)), *(f"T{number}" for number in range(1, 5)),
    *(f"J{number}" for number in range(1, 12)),
    "RFC 9068 §2.1", "RFC 9068 §2.2", "RFC 9068 §2.2.1", "RFC 9068 §4", "RFC 9470 §3", "RFC 9470 §6",
]
PARTIES = ("service", "verifier")
#: The folders whose tests count for a party. A mutation or a variant counts for both, and a Python test for the service.
SUITES = {
    "service": {"SessionConformance", "EndToEndTests", "SessionDomainTests", "SessionStoreContract", "System"},
    "verifier": {"SessionConformance", "PreludeSessionVerifierTests"},
}


@functools.cache
def found() -> tuple[Case, ...]:
    return tuple(cases(sources()))


@functools.cache
def proofs() -> dict[str, list[Case]]:
    return matrix([*RULES.values()], [*found()])


def exemptions(party: str) -> set[str]:
    """Returns the rules under "What does not apply" for one party, including those for both."""
    reasons = PAGE.split("## What does not apply")[1].split("\n## ")[0]
    exempt = set()
    for entry in re.findall(r"^- \*\*(.+?)\*\*", reasons, re.MULTILINE):
        if any(f"({other})" in entry for other in PARTIES) and f"({party})" not in entry:
            continue
        exempt |= set(re.findall(r"\b[DTJ]\d+\b", entry)) | sections(entry)
    return exempt


def test_the_page_has_every_rule_of_the_standards_and_no_rule_twice():
    assert [rule for rule in RULES if rule[0] in STANDARDS or rule.startswith("RFC")] == STANDARD_RULES
    assert len(RULES) == len(all_rules()) >= 263


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in STANDARD_RULES])
def test_every_rule_has_a_test(rule):
    assert proofs()[rule], f"{rule} has no test: write '// Proves: {rule}' above one"


@pytest.mark.parametrize("party", PARTIES)
@pytest.mark.parametrize("rule", STANDARD_RULES)
def test_every_rule_of_the_standards_has_a_test_or_a_reason(rule, party):
    proven_by = [test for test in proofs()[rule] if SUITES[party] & set(test.file.split("/"))]
    assert proven_by or rule in exemptions(party), \
        f"{rule} needs a test of the {party}, or an entry under What does not apply"


def test_reasons_name_existing_rules():
    for party in PARTIES:
        assert len(exemptions(party)) > 10
        for rule in exemptions(party):
            assert rule in RULES or rule.startswith("RFC 9470"), rule


def test_tests_name_only_rules_of_the_page():
    for test in found():
        for rule in [*test.tags, *named_ids(test.name)]:
            assert rule in RULES, f"{test.file}: {test.name}: there is no rule {rule}"


def test_every_test_of_real_processes_with_the_sdk_proves_a_promise():
    tests = [test for test in found() if test.file.endswith("/test_sdk_processes.py")]
    assert len(tests) > 8
    assert not [test.name for test in tests if not {f"E{number}" for number in range(1, 14)} & {*test.tags}]


def test_every_tag_is_above_a_test():
    """A tag that is above no test proves nothing."""
    for file, source in sources().items():
        lines = [line for line in source.splitlines() if TAG.match(line)]
        tagged = [test for test in cases({file: source}) if test.tags]
        assert len(tagged) == len(lines), f"{file}: one of {lines} is above no test"


def test_every_section_that_a_test_names_belongs_to_a_rule():
    """A section of the standards in the name of a test must belong to a rule of the page."""
    covered = set().union(*(rule.sections for rule in RULES.values()))
    standards = {*STANDARDS.values(), "RFC 9068", "RFC 9470"}
    for test in found():
        for section in sections(test.name):
            assert section.split(" §")[0] not in standards or section in covered, f"{test.name}: no rule has {section}"


def test_the_matrix_is_complete():
    """Few pairs mean that the reader no longer finds tests or tags."""
    assert sum(len(proving) for proving in proofs().values()) > 1160
    assert sum(bool(test.tags) for test in found()) > 780


def test_both_parties_run_the_shared_cases():
    for party in PARTIES:
        ran = "\n".join(
            source for file, source in sources().items() if SUITES[party] - {"SessionConformance"} & set(file.split("/")))
        for shared in ("ProofMutation.all", "ProofMutation.withAccessToken", "ProofVariant.all", "TokenMutation.all"):
            assert shared in ran, f"{party}: {shared}"


def test_the_reader_finds_tags_and_ids():
    swift = swift_cases(
        '// Proves: X3, R8\n@Test(\n    "A name with \\(value(1)) in it (O12, X4)") func a() {}\n'
        '// Proves: X1\n\n@Test("A claim (RFC 9449 §4.3 step 8)") func b() {}\n')
    assert [proven(test, [*RULES.values()]) for test in swift] == [{"X3", "R8", "O12", "X4"}, {"D9"}]
    python = python_cases("# Proves: RFC 9068 §4\n@first(\n    1)\n@second\ndef test_a():\n    pass\n")
    assert [test.tags for test in python] == [["RFC 9068 §4"]]
