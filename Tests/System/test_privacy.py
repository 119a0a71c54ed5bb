"""The privacy manifest that the SDK hands to the App Store says what the code does."""

import plistlib
import re

import pytest

from service import ROOT

#: What ends up in an app that links the SDK.
LINKED = ["PreludeSession", "SessionTokens", "SessionWire"]

#: Apple's "required reason" APIs, as Swift code calls them, by the category that has to be declared.
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


def test_nobody_is_tracked(manifest):
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
