"""Tests that the filter of common passwords is what its script makes of the pinned packages, and that it is in use."""

import subprocess
import sys

import pytest

from operator_api import Management
from person import new_email
from service import ROOT

SCRIPT = ROOT / "scripts" / "make-password-filter"


def make(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    return tmp_path_factory.mktemp("packages")


@pytest.fixture(scope="module")
def passwords(packages):
    made = make("--list", "--packages", packages)
    if made.returncode != 0 and "pip" in made.stderr:
        pytest.skip("the packages cannot be downloaded here")
    assert made.returncode == 0, made.stderr
    return made.stdout.splitlines()


# Proves: O35
def test_the_script_reproduces_the_filter_byte_by_byte(packages, passwords):
    made = make("--check", "--packages", packages)
    assert made.returncode == 0, made.stderr
    assert len(passwords) == len(set(passwords)) == 100_000


# Proves: O35
def test_the_service_rejects_a_sample_of_the_listed_passwords(passwords, shared):
    management = Management(shared)
    accepted = [password for password in passwords if 8 <= len(password) <= 64]
    for password in accepted[:3] + accepted[1000::20_000]:
        body = {"identifiers": [{"type": "email_address", "value": new_email()}], "password": password.upper()}
        answer = management.send("POST", "/users", body)
        assert answer.status == 400 and answer.json["code"] == "invalid_password", password
        assert "common and breached" in answer.json["message"]
