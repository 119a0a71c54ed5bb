"""Follows docs/runbooks.md: runs its commands with the ids of the test, and compares the outputs that it shows.

The leak of database and keys is in test_leaked_keys.py, the full disk in test_full_disk.py.
"""

import json
import os
import re
import sqlite3
import subprocess

import pytest

from outage import health
from person import Person, new_email, new_phone
from service import APP, BINARY, ROOT, Service, running
from shifted_clock import ShiftedService, needs_shift
from strangers import fail, stranger
from waiting import wait_until

ADA = "ada@example.com"
PASSPHRASE = "correct horse battery staple"

PAGE = (ROOT / "docs" / "runbooks.md").read_text()

#: What differs between two runs. The page shows an example.
VARIABLE = [
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z", "TIME"), (r"\d{8}T\d{6}Z", "TIME"),
    (r"\b(usr|ses|mk|req|web)_[0-9a-z]{26}\b", r"\1_ID"), (r"\bms=[0-9.]+", "ms=N"),
    (r"\b(after|by) -?\d+ (failures|seconds)", r"\1 N \2"), (r"in \d+ seconds", "in N seconds"),
    (r"failed (once|\d+ times) since", "failed N since"), (r" {2,}", "  "), (r"/[\w./-]*/(?=session\.sqlite)", "/"),
]


def normalized(text: str) -> str:
    for pattern, replacement in VARIABLE:
        text = re.sub(pattern, replacement, text)
    return text


class Runbook:
    """A section of the page."""

    def __init__(self, title: str):
        found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
        assert found, f"docs/runbooks.md has no section {title}"
        self.text = found[1]

    def blocks(self, kind: str) -> list[str]:
        found = re.findall(rf"^ *```{kind}\n(.*?)^ *```$", self.text, re.MULTILINE | re.DOTALL)
        return [re.sub(r"(?m)^ {3}", "", block) if block.startswith("   ") else block for block in found]

    def commands(self) -> list[str]:
        """Returns the commands, one for each line. A backslash at the end of a line continues it."""
        return [
            line for block in self.blocks("sh") for line in block.replace("\\\n", "").splitlines()]

    def shows(self, text: str) -> bool:
        """Returns whether an output block has these lines, apart from what differs between two runs."""
        shown = [line.strip() for block in self.blocks("text") for line in normalized(block).splitlines()]
        return all(line.strip() in shown for line in normalized(text).splitlines() if line.strip())


class Shell:
    """A shell of the service, in which the commands of the page run."""

    def __init__(self, service: Service):
        self.service = service
        programs = service.directory / "bin"
        programs.mkdir()
        (programs / "prelude-session").symlink_to(BINARY)
        self.environment = {
            **os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PRELUDE_SESSION_DATABASE": service.database}
        #: What the page writes, and what it is in this test.
        self.values = {
            "abc1234": APP, "/var/lib/prelude": str(service.directory), "http://127.0.0.1:8080": service.url,
            "psk_…": service.key}

    def run(self, line: str, fails: bool = False, stdin: str = "", **variables: str) -> str:
        for written, here in self.values.items():
            line = line.replace(written, here)
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line], env=self.environment | variables, input=stdin, capture_output=True,
            text=True, timeout=60)
        assert (result.returncode != 0) == fails, f"{line}\n{result.stdout}{result.stderr}"
        return result.stdout + result.stderr

    def remember(self, prefix: str, page: str, output: str) -> None:
        """Replaces the id of this kind in commands of the page by the one in an output."""
        written = re.search(rf"\b{prefix}_[0-9a-z]{{26}}\b", page)[0]
        self.values[written] = re.search(rf"\b{prefix}_[0-9a-z]{{26}}\b", output)[0]


@pytest.fixture
def shell(service):
    return Shell(service)


def lines(text: str, word: str) -> str:
    return "\n".join(line for line in text.splitlines() if word in line)


def test_a_user_was_signed_out(service, shell):
    page, person = Runbook("A user says: “I was signed out”"), Person.signed_in(service, ADA)
    find, events = page.commands()
    shell.remember("usr", events, shell.run(find))
    user = shell.values[re.search(r"usr_\w+", events)[0]]
    shell.run(f"prelude-session session revoke --app {APP} --user {user}")
    assert page.shows(lines(shell.run(events), "user.session.revoked"))
    assert person.device.refresh(person.refresh_token).status == 401
    assert page.shows(lines(service.log(), "code=unauthorized"))


def test_a_user_cannot_sign_in(service, shell):
    page, person = Runbook("A user cannot sign in"), Person.signed_in(service, ADA)
    show, clear, request = page.commands()
    for _ in range(2):
        fail(service, stranger(service), ADA, 5)
    shown = shell.run(show)
    block = shown.split("refuse now\n")[1].split("\n\n")[0]
    assert page.shows("Limits: 2 refuse now\n" + block), block
    assert page.shows(shown.strip().splitlines()[-1])
    refused = person.device.check("unknown", "000000")
    assert shell.run(clear) == "" and "refused until  2" not in shell.run(show)
    shell.remember("req", request, refused.headers["X-Request-Id"])
    assert shell.run(request) == "", "a call without a login has no event"


def test_a_user_was_deleted(service, shell):
    page, person = Runbook("Who has deleted this user?"), Person.signed_in(service, ADA)
    [events] = page.commands()
    shell.run(f"prelude-session user delete --app {APP} --yes {person.claims()['sub']}")
    assert page.shows(shell.run(events))


def test_a_node_does_not_answer_or_is_slow(service, shell):
    page = Runbook("A node does not answer, or the service is slow")
    health, metrics = page.commands()
    port = {"PRELUDE_SESSION_PORT": str(service.port)}
    assert page.shows(shell.run(health, **port).replace(str(service.port), "8080"))
    Person.signed_in(service)
    text = shell.run(metrics)
    for name in ("commit_wait", "commit_duration", "password_hash_wait", "egress_request_duration", "http_request_duration"):
        assert f"prelude_session_{name}_seconds_count" in text
    service.stop()
    assert "no answer" in shell.run(health, fails=True, **port)


def test_the_database_is_away(service, shell):
    [check] = Runbook("The database is away").commands()
    shell.run(check, PRELUDE_SESSION_PUBLIC_URL="https://a.example.com")
    assert "does not exist" in shell.run(
        check, fails=True, PRELUDE_SESSION_PUBLIC_URL="https://a.example.com", PRELUDE_SESSION_DATABASE="sqlite:/nowhere/a")


def test_master_keys_are_lost(service, shell):
    """The keys of a backup alone are restored in test_lost_keys.py."""
    page, person = Runbook("Master keys are lost"), Person.signed_in(service)
    keys_of_backup, replace = page.commands()
    passphrase = {"PRELUDE_SESSION_BACKUP_PASSPHRASE": PASSPHRASE}
    backup = f"{service.directory}/backup"
    shell.values["/var/backups/prelude/2026-01-01"] = backup
    shell.run(f"prelude-session backup create {backup}", **passphrase)
    service.stop()
    keys = service.directory / "session.sqlite.keys"
    keys.unlink()
    assert "Wrote the master keys" in shell.run(keys_of_backup, **passphrase)
    keys.unlink()
    printed = re.sub(r"lost master keys +\S+", "lost master keys  mK3xPq2A", shell.run(replace))
    assert page.shows(printed), printed
    service.start()
    assert person.device.refresh(person.refresh_token).status == 401


def test_a_management_key_has_leaked(shell):
    page = Runbook("A management key has leaked")
    shell.run("prelude-session key create ci --role write")
    listing, revoke, events = page.commands()
    shell.remember("mk", revoke, shell.run(listing))
    assert page.shows(shell.run(revoke))
    assert page.shows(lines(shell.run(events), "management.key."))


def test_a_signing_key_has_leaked(service, shell):
    person = Person.signed_in(service)
    rotate, listing = Runbook("A signing key has leaked").commands()
    before = set(re.findall(r"key_id +(\S+)", shell.run(listing)))
    shell.run(rotate)
    after = shell.run(listing)
    assert not before & set(re.findall(r"key_id +(\S+)", after)) and "active" in after
    wait_until(lambda: person.device.sessions(person.access_token).status == 401, 8)
    assert person.refresh()["sub"]


def test_codes_do_not_arrive(service, shell):
    page = Runbook("Codes do not arrive")
    route = {"EMAIL_ROUTE": "smtp", "EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": "2", "EMAIL_FROM": "login@example.com",
             "EGRESS_NETWORKS": "127.0.0.0/8"}
    delivery, events = page.commands()
    output = shell.run(delivery, fails=True, **{f"PRELUDE_SESSION_{name}": value for name, value in route.items()})
    # libcurl measures how long it took.
    shown = re.sub(r"after \d+ ms", "after N ms", page.text)
    assert all(line in shown for line in re.sub(r"after \d+ ms", "after N ms", output).splitlines()), output
    Person.signed_in(service, ADA)
    assert "code.sent" in shell.run(events)


def test_the_sms_bill_explodes(service, shell):
    page = Runbook("The SMS bill explodes")
    person = Person.signed_in(service, new_phone())
    count, sent, limit = page.commands()
    assert re.fullmatch(r'1 "calling_code" *: *"\+1"', shell.run(count).strip())
    assert "channel=sms" in shell.run(sent)
    shell.run(limit)
    # The service reads changed settings within five seconds. A restart has them at once.
    service.stop()
    service.start()
    phone, mail = Person(service), Person(service)
    assert phone.device.start(new_phone(), "phone_number").status == 429
    assert mail.device.start(new_email()).status == 204
    assert page.shows(lines(service.log(), "has sent as many codes to +1"))
    assert person.refresh()["sub"], "users who are signed in stay so"


@needs_shift
@pytest.mark.parametrize("hours, word", [(2, "ahead"), (-2, "back")])
def test_the_clock_is_wrong(tmp_path, hours, word):
    page, said = Runbook("The clock is wrong"), f"the system clock was set {word}"
    with running(ShiftedService(tmp_path)) as service:
        person = Person.signed_in(service)
        assert health(service, "/readyz") == (200, '{"reasons":{},"status":"ready"}')
        service.set_clock(3600 * hours)
        wait_until(lambda: said in service.log())
        assert page.shows(lines(service.log(), said))
        # The device gets a nonce, and stays signed in.
        assert person.device.refresh(person.refresh_token).status == 200
        assert page.shows(lines(service.log(), "proof_nonce_required"))
        wait_until(lambda: "clock" in json.loads(health(service, "/readyz")[1])["reasons"])
        if word == "back":
            ready = health(service, "/readyz")[1]
            assert page.shows(ready)
            # Exact but for the time that the test takes between its two readings of a clock.
            assert abs(int(re.search(r"jumped by (-\d+) seconds", ready)[1]) + 7200) < 60


@needs_shift
def test_a_clock_that_is_wrong_at_the_start_signs_no_device_out(tmp_path):
    service = ShiftedService(tmp_path)
    with running(service):
        people = [Person.signed_in(service) for _ in range(2)]
        for days in (-40, -1000):
            service.stop()
            service.set_clock(86_400 * days)
            service.start()
            for _ in range(2):
                people[0].keep(people[0].device.refresh(people[0].refresh_token))
        assert "years in the past" in health(service, "/readyz")[1]
        service.stop()
        service.set_clock(0)
        service.start()
        for person in people:
            person.refresh()


def test_a_backup_is_restored(service, shell):
    page, [restore] = Runbook("Restore a backup"), Runbook("Restore a backup").commands()
    shell.values["/var/backups/prelude"] = str(service.directory / "backups")
    passphrase = {"PRELUDE_SESSION_BACKUP_PASSPHRASE": PASSPHRASE}
    (service.directory / "backups").mkdir()
    shell.run(restore.replace("restore", "create"), **passphrase)
    assert "Stop the service" in shell.run(restore, fails=True, **passphrase)
    service.stop()
    output = shell.run(restore, stdin=PASSPHRASE + "\n")
    shown = [line for line in output.splitlines() if line.startswith(("Restored", "The replaced", "The master"))]
    assert len(shown) == 3 and page.shows("\n".join(shown)), output
    assert "What was ended after the backup is valid again" in output
    service.start()


def test_an_older_version_refuses_a_migrated_database(service):
    page = Runbook("Roll back a version")
    service.stop()
    with sqlite3.connect(service.directory / "session.sqlite") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(RuntimeError, match="has schema 99") as error:
        service.start()
    said = re.search(r"has schema 99, and this prelude-session [\w.-]+ supports (.*)", str(error.value))[1]
    assert said in page.text
