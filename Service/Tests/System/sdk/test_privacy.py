"""Tests that the privacy manifest of the SDK describes what the code does."""

import plistlib
import re

import pytest

from service import ROOT

#: The targets that are part of an app with the SDK.
LINKED = ["PreludeSession", "SessionTokens", "SessionWire"]

#: Apple's "required reason" APIs as Swift code calls them, by the category that must be declared.
REQUIRED_REASON = {
    "FileTimestamp": r"creationDate|modificationDate|contentModificationDateKey|creationDateKey|attributesOfItem"
                     r"|\b(l|f)?stat(at)?\(|getattrlist",
    "SystemBootTime": r"systemUptime|mach_absolute_time|CLOCK_UPTIME|ContinuousClock|SuspendingClock",
    "DiskSpace": r"volumeAvailableCapacity|volumeTotalCapacity|systemFreeSize|systemSize|statv?fs",
    "ActiveKeyboards": r"activeInputModes",
    "UserDefaults": r"UserDefaults|AppStorage",
}


@pytest.fixture(scope="module")
def manifest():
    return plistlib.loads((ROOT / "Sources" / "PreludeSession" / "PrivacyInfo.xcprivacy").read_bytes())


def test_the_manifest_declares_no_tracking(manifest):
    assert manifest["NSPrivacyTracking"] is False and manifest["NSPrivacyTrackingDomains"] == []
    collected = manifest["NSPrivacyCollectedDataTypes"]
    assert not any(kind["NSPrivacyCollectedDataTypeTracking"] for kind in collected)
    kinds = {kind["NSPrivacyCollectedDataType"].removeprefix("NSPrivacyCollectedDataType") for kind in collected}
    assert kinds == {"EmailAddress", "PhoneNumber", "UserID", "DeviceID"}


@pytest.mark.parametrize("category", REQUIRED_REASON)
def test_every_api_that_needs_a_reason_is_declared(manifest, category):
    declared = {entry["NSPrivacyAccessedAPIType"] for entry in manifest["NSPrivacyAccessedAPITypes"]}
    sources = [path for target in LINKED for path in (ROOT / "Sources" / target).rglob("*.swift")]
    assert len(sources) > 50
    users = [path.name for path in sources if re.search(REQUIRED_REASON[category], path.read_text())]
    assert bool(users) == (f"NSPrivacyAccessedAPICategory{category}" in declared), users


def test_the_manifest_is_part_of_the_build():
    assert list((ROOT / ".build" / "debug").glob("*_PreludeSession.*/PrivacyInfo.xcprivacy"))
