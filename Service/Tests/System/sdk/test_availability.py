"""Tests that the check of availability finds what the oldest Apple systems do not have."""

import subprocess

import pytest

from service import ROOT

TRIMMING = """\
func token(_ value: Substring) -> String {
    value.trimmingPrefix { $0 == " " }.description
}
"""

MUTEX = """\
import Synchronization

final class Uses: Sendable {
    private let count = Mutex(0)
}
"""

HPKE = """\
import Crypto

let suite = HPKE.Ciphersuite.P256_SHA256_AES_GCM_256
"""


@pytest.fixture
def findings(tmp_path):
    """Returns a function that checks a file and returns the findings, without the name of the file."""
    def check(source: str) -> list[str]:
        file = tmp_path / "File.swift"
        file.write_text(source)
        checked = subprocess.run(
            [ROOT / "scripts" / "check-availability", file], capture_output=True, text=True, timeout=300)
        lines = (checked.stdout + checked.stderr).splitlines()
        assert (checked.returncode == 0) == (lines == ["check-availability: clean"]), lines
        return [line.partition("File.swift:")[2] for line in lines if checked.returncode]
    return check


def test_an_api_of_the_standard_library_is_reported_with_required_and_declared_versions(findings):
    assert findings(TRIMMING) == [
        "2: 'trimmingPrefix(while:)' needs macOS 13.0 (declared: 12.0), iOS 16.0 (declared: 15.0), "
        "tvOS 16.0 (declared: 15.0), watchOS 9.0 (declared: 8.0)"]


def test_a_stored_mutex_is_reported(findings):
    assert any(
        line.startswith("4: 'Mutex' needs macOS 15.0 (declared: 12.0), iOS 18.0 (declared: 15.0)")
        for line in findings(MUTEX))


def test_a_marked_declaration_may_use_a_mutex(findings):
    assert findings(MUTEX.replace("final", "@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)\nfinal")) == []


def test_a_mark_that_is_too_low_is_reported_with_its_version(findings):
    low = MUTEX.replace("final", "@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)\nfinal")
    assert any(
        line.startswith("5: 'Mutex' needs macOS 15.0 (declared: 14), iOS 18.0 (declared: 17)")
        for line in findings(low))


def test_a_marked_type_is_reported_where_an_unmarked_declaration_uses_it(findings):
    marked = MUTEX.replace("final", "@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)\nfinal")
    assert findings(marked + "\nfunc reset() { _ = Uses() }\n")[0].startswith("8: 'Uses' needs macOS 15 (declared: 12.0)")


def test_foundation_is_checked(findings):
    found = findings("import Foundation\n\nlet zone = TimeZone.gmt\n")
    assert found[0].startswith("3: 'gmt' needs macOS 13 (declared: 12.0), iOS 16 (declared: 15.0)")


def test_an_api_without_a_version_on_linux_is_checked_by_the_table(findings):
    assert findings(HPKE) == [
        "3: 'HPKE' needs macOS 14.0 (declared: 12.0), iOS 17.0 (declared: 15.0), "
        "tvOS 17.0 (declared: 15.0), watchOS 10.0 (declared: 8.0)"]
    assert findings(HPKE.replace("let", "@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)\nlet")) == []


def test_a_use_behind_a_check_at_run_time_is_allowed(findings):
    assert findings("""\
        import Foundation
        func zone() -> TimeZone? {
            if #available(iOS 16, macOS 13, tvOS 16, watchOS 9, *) { return .gmt }
            return nil
        }
        """) == []
