"""Tests that a database on a network file system is rejected, with a FUSE file system that calls itself sshfs."""

import os
import pathlib
import subprocess
import sys

import pytest

from service import BINARY, SUPPORT

HELPER = SUPPORT / "empty_fuse.py"
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not os.access("/dev/fuse", os.R_OK | os.W_OK)
    or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0,
    reason="this needs root, /dev/fuse and a mount namespace")


@pytest.fixture
def places(tmp_path) -> dict[str, pathlib.Path]:
    """A mount, a bind mount of it, and a symbolic link to the bind mount."""
    for name in ("mounted", "bound"):
        (tmp_path / name).mkdir()
    (tmp_path / "linked").symlink_to("bound")
    return {name: tmp_path / name for name in ("mounted", "bound", "linked")}


def run(places, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-B", HELPER, places["mounted"], places["bound"], BINARY, *arguments]
    return subprocess.run(
        ["unshare", "--mount", "--propagation", "private", *command], capture_output=True, text=True, timeout=60)


# Proves: B7
@pytest.mark.parametrize("command", ["serve", "check"])
@pytest.mark.parametrize("place, point", [("mounted", "mounted"), ("bound", "bound"), ("linked", "bound")])
def test_a_database_on_a_network_file_system_is_rejected(places, command, place, point):
    database = places[place] / "session.sqlite"
    refused = run(places, command, "--development", "--database", f"sqlite:{database}")
    output = refused.stdout + refused.stderr
    assert refused.returncode not in (0, -15), output
    assert f"{database} is on a network file system: fuse.sshfs, mounted at {places[point]}. " in output
    assert "--database" in output and "Use a local disk" in output


def test_a_local_disk_beside_a_network_file_system_is_allowed(places, tmp_path):
    checked = run(places, "check", "--development", "--database", f"sqlite:{tmp_path}/session.sqlite")
    assert "network file system" not in checked.stdout + checked.stderr
