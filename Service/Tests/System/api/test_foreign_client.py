"""Tests the service over real HTTP with a client that shares no code with this package."""

import subprocess
import sys

from service import ROOT

CLIENT = ROOT / "Tests" / "ForeignJudge" / "client.py"


# Proves: R4, D18
def test_the_foreign_client_succeeds(service):
    result = subprocess.run([sys.executable, CLIENT, service.url], capture_output=True, text=True, timeout=120)
    print(result.stdout)
    assert result.returncode == 0, result.stdout[-500:] + result.stderr[-500:]
