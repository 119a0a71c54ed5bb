"""Every command that changes something writes an event that names the command line as its actor."""

import json
import os
import re
import sqlite3
import subprocess

import pytest

from receiver import Receiver, Reply
from service import APP, BINARY, master_keys

MAIL = ["--email", "ada@example.com"]

#: The configuration of `step-up replace`.
RULES = {"allowed_scopes": [{"scope": "transfer:write", "mode": "direct", "direct": {
    "identifier_types": ["email_address"], "status": "block"}}]}

#: Commands in an order in which each succeeds, with the events that it writes. `{user}`, `{key}` and `{webhook}` are the
#: ids that earlier ones printed. `{endpoint}` is the URL of a backend on this machine,
#: and `{rules}` a file with `RULES`.
CHANGES = [
    (["app", "create", "Shop", "--id", APP, "--email"], {"management.app.created"}),
    (["app", "enable", "--app", APP, "--sms", "--password"], {"management.app.updated"}),
    (["app", "enable", "--app", APP, "--email", "--sms", "--password"], set()),
    (["user", "create", "--app", APP, *MAIL], {"user.created"}),
    (["user", "set-password", "--app", APP, "{user}"], {"user.password.updated"}),
    (["user", "set-status", "--app", APP, "{user}", "inactive"], {"user.status.updated"}),
    (["limits", "clear", "--app", APP, "{user}"], {"user.limits.cleared"}),
    (["block", "add", "--app", APP, "--address", "203.0.113.0/24", "--for", "2h"], {"management.app.updated"}),
    (["block", "remove", "--app", APP, "--address", "203.0.113.0/24"], {"management.app.updated"}),
    (["session", "revoke", "--app", APP, "--user", "{user}"], {"user.logins.voided"}),
    (["scope", "add", "--app", APP, "reports:read"], {"management.app.updated"}),
    (["scope", "add", "--app", APP, "reports:read"], set()),
    (["scope", "remove", "--app", APP, "reports:read"], {"management.app.updated"}),
    (["domain", "add", "--app", APP, "session.example.com"], {"management.app.updated"}),
    (["domain", "remove", "--app", APP, "session.example.com"], {"management.app.updated"}),
    (["step-up", "set", "--app", APP, "transfer:write"], {"management.app.updated"}),
    (["step-up", "replace", "--app", APP, "{rules}"], {"management.app.updated"}),
    (["step-up", "remove", "--app", APP, "transfer:write"], {"management.app.updated"}),
    (["webhook", "create", "--app", APP, "--development", "{endpoint}"], {"management.webhook.created"}),
    (["webhook", "activate", "--app", APP, "--development", "{webhook}"], {"management.webhook.activated"}),
    (["webhook", "update", "--app", APP, "--development", "{webhook}", "{endpoint}?2"], {"management.webhook.updated"}),
    (["webhook", "delete", "--app", APP, "{webhook}"], {"management.webhook.deleted"}),
    (["session", "revoke", "--all", "--yes"], {"management.sessions.revoked"}),
    (["user", "delete-passkey", "--app", APP, "{user}", "AAAA", "--yes"], {"user.passkey.deleted"}),
    (["user", "delete", "--app", APP, "{user}", "--yes"], {"user.deleted"}),
    (["key", "create", "backend", "--app", APP], {"management.key.created"}),
    (["key", "revoke", "{key}"], {"management.key.revoked"}),
    (["operator", "add", "grace@example.com", "--role", "admin"],
     {"management.app.created", "user.created", "management.operator.created"}),
    (["operator", "unlock", "grace@example.com"], {"user.limits.cleared"}),
    (["operator", "remove", "grace@example.com"], {"management.operator.removed"}),
    (["key", "rotate"], {"signing_key.rotated"}),
    (["key", "reseal"], {"signing_key.resealed"}),
]

#: Commands that change nothing in the database. A restore replaces it with its events. test_lost_keys.py loses master keys.
READS = {
    "app list", "user find", "user show", "user passkeys", "limits show", "block list", "backup settings", "backup prune", "key replace-master", "operator list", "key list", "key signing", "backup create", "backup verify", "backup restore",
    "session list", "scope list", "domain list", "step-up show", "webhook list", "webhook show", "webhook deliveries",
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


def add_passkey(database, user: str) -> None:
    """Adds a passkey, which no command can register."""
    with sqlite3.connect(database) as connection:
        connection.execute(
            "INSERT INTO passkeys VALUES (?, 'AAAA', ?, x'01', x'01', 0, x'00', 'example.com', '', 0, 0, NULL, 1, NULL)",
            (APP, user))
    connection.close()


@pytest.fixture
def endpoint():
    """Returns the URL of a backend that confirms its webhook."""
    with Receiver(None) as backend:
        yield backend.on("/events", lambda received: Reply(200, {"challenge": int(received.query["challenge"])}))


# Proves: A1
def test_each_change_by_a_command_names_the_command_line(tmp_path, endpoint):
    database, old, new = f"sqlite:{tmp_path}/session.sqlite", master_keys(), master_keys()
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    seen, ids = set(), {"{rules}": f"{tmp_path}/rules.json", "{endpoint}": endpoint, "{endpoint}?2": endpoint + "?2"}
    for arguments, names in CHANGES:
        arguments = [ids.get(argument, argument) for argument in arguments]
        if "delete-passkey" in arguments:
            add_passkey(tmp_path / "session.sqlite", ids["{user}"])
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


@pytest.mark.parametrize("group", [
    "app", "user", "limits", "block", "operator", "key", "session", "backup", "scope", "domain", "step-up", "webhook"])
def test_the_table_has_every_command(group):
    """A new command fails here until it is in one of the tables."""
    shown = subprocess.run([BINARY, group, "--help"], capture_output=True, text=True, timeout=60).stdout
    commands = re.findall(r"^  ([a-z-]+)  ", shown.split("SUBCOMMANDS:")[1], re.MULTILINE)
    known = {" ".join(arguments[:2]) for arguments, _ in CHANGES} | READS
    assert {f"{group} {name}" for name in commands} == {name for name in known if name.startswith(group + " ")}
