"""A client that shares no code with ours, against the real service over real HTTP."""

import pathlib
import subprocess
import sys

CLIENT = pathlib.Path(__file__).resolve().parents[1] / "ForeignJudge" / "client.py"


def test_the_foreign_client_is_content(service):
    told = subprocess.run([sys.executable, CLIENT, service.url], capture_output=True, text=True, timeout=120)
    print(told.stdout)
    assert told.returncode == 0, told.stdout[-500:] + told.stderr[-500:]
