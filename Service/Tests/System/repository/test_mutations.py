"""The list of mistakes that tests must find. Making them takes an hour, so the gate only checks that each can be made."""

import subprocess
import sys

from service import ROOT


def test_each_mistake_of_the_list_can_be_made():
    listed = subprocess.run(
        [sys.executable, ROOT / "Tests" / "Mutations" / "run", "--list"], capture_output=True, text=True, timeout=60)
    assert listed.returncode == 0, listed.stderr
    assert len(listed.stdout.splitlines()) >= 100
