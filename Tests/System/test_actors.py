"""Every command that changes something writes an event that names the command line as its actor."""

import json
import os
import re
import subprocess

import pytest

from service import APP, BINARY
from test_signing_keys import master

MAIL = ["--email", "ada@example.com"]

#: Commands in an order in which each succeeds, with the events that it writes. `{user}` and `{key}` are the ids that
#: earlier ones printed.
CHANGES = [
    (["app", "create", "Shop", "--id", APP, "--email"], {"management.app.created"}),
    (["user", "create", "--app", APP, *MAIL], {"user.created"}),
    (["user", "set-password", "--app", APP, "{user}"], {"user.password.updated"}),
    (["user", "set-status", "--app", APP, "{user}", "inactive"], {"user.status.updated"}),
    (["user", "unlock", "--app", APP, "{user}"], {"user.limits.cleared"}),
    (["session", "revoke", "--all", "--yes"], {"management.sessions.revoked"}),
    (["user", "delete", "--app", APP, "{user}"], {"user.deleted"}),
    (["key", "create", "backend", "--app", APP], {"management.key.created"}),
    (["key", "revoke", "{key}"], {"management.key.revoked"}),
    (["key", "rotate"], {"signing_key.rotated"}),
    (["key", "reseal"], {"signing_key.resealed"}),
]

#: Commands that change nothing in the database. A restore replaces it with its events.
READS = {
    "app list", "user find", "key list", "key signing", "backup create", "backup verify", "backup restore",
}


def command(database: str, keys: str, *arguments: str) -> str:
    """Runs a command and returns what it prints. Passwords come from the standard input."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PRELUDE_SESSION_")}
    environment |= {"PRELUDE_SESSION_DATABASE": database, "PRELUDE_SESSION_MASTER_KEYS": keys}
    result = subprocess.run(
        [BINARY, *arguments], env=environment, input="staple of the better kind\n", capture_output=True, text=True,
        timeout=60)
    assert result.returncode == 0, (arguments, result.stderr)
    return result.stdout


def test_each_change_by_a_command_names_the_command_line(tmp_path):
    database, old, new = f"sqlite:{tmp_path}/session.sqlite", master(), master()
    seen, ids = set(), {}
    for arguments, names in CHANGES:
        arguments = [ids.get(argument, argument) for argument in arguments]
        # The first key seals. So only `key reseal` has something to do.
        keys = f"{new},{old}" if arguments[:2] == ["key", "reseal"] else f"{old},{new}"
        printed = command(database, keys, *arguments, "--json")
        lines = command(database, keys, "events", "--json", "--limit", "10000").splitlines()
        events = [event for event in map(json.loads, lines) if event["id"] not in seen]
        seen |= {event["id"] for event in events}
        assert {event["name"] for event in events} == names, arguments
        assert all(event["context"] == {"actor": {"type": "command_line"}} for event in events), arguments
        if arguments[1] == "create":
            ids[f"{{{arguments[0]}}}"] = json.loads(printed)[0]["id"]


@pytest.mark.parametrize("group", ["app", "user", "key", "session", "backup"])
def test_the_table_has_every_command(group):
    """A new command fails here until it is in one of the tables."""
    shown = subprocess.run([BINARY, group, "--help"], capture_output=True, text=True, timeout=60).stdout
    commands = re.findall(r"^  ([a-z-]+)  ", shown.split("SUBCOMMANDS:")[1], re.MULTILINE)
    known = {" ".join(arguments[:2]) for arguments, _ in CHANGES} | READS
    assert {f"{group} {name}" for name in commands} == {name for name in known if name.startswith(group + " ")}
