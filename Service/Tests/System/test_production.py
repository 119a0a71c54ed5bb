"""One story in production mode: from an empty folder to a user who signs in with a code from a mail, and signs out.

The commands are those of docs/operating.md. They run in a network of their own, with the ports of the page: nginx with TLS
and the server block of the page, a mail server with TLS and AUTH, and the SDK, as the client commands use it. The service
has no flag and no setting of development.
"""

import email
import email.policy
import json
import re
import subprocess
import sys
import time

import pytest

import network
from certificate_authority import CertificateAuthority
from installation import HOST, first_user, install
from machine import Machine, find_nginx
from mail_servers import PASSWORD, USER
from network import Network
from service import ROOT

pytestmark = [
    pytest.mark.skipif(not find_nginx(), reason="there is no nginx; scripts/bootstrap unpacks it"),
    pytest.mark.skipif(bool(network.MISSING), reason=f"no network of its own: {network.MISSING}"),
]

MAIL_HOST = "smtp.example.com"
#: Public addresses: the service sends mail to no others. They exist in the network of the test only.
MAIL_SERVER = "9.0.0.25"
#: The addresses of two clients. The name of the service has the address of the client that calls it: such a call comes
#: from the same address.
PHONE, LAPTOP = "8.0.0.7", "8.0.0.8"


class Production:
    """The server of the page, and two devices of its user."""

    def __init__(self, machine: Machine, printed: dict[str, str]):
        self.machine = machine
        self.printed = printed

    def mails(self) -> list[dict]:
        return [json.loads(line) for line in (self.machine.root / "mails").read_text().splitlines()]

    def code(self, number: int) -> str:
        """Returns the code in a mail, counted from 0, when it has arrived."""
        deadline = time.monotonic() + 20
        while len(self.mails()) <= number:
            assert time.monotonic() < deadline, (self.machine.root / "log").read_text()[-2000:]
            time.sleep(0.05)
        content = email.message_from_string(self.mails()[number]["content"], policy=email.policy.default)
        return re.search(r"\b\d{6}\b", content.get_body(("plain",)).get_content())[0]

    def at(self, address: str) -> dict[str, str]:
        """Moves to the device with this address. Returns its variables."""
        self.machine.network.name({HOST: address, MAIL_HOST: MAIL_SERVER})
        return {"PRELUDE_SESSION_CREDENTIALS": f"{self.machine.home}/{address}"}

    def log_in(self, line: str, address: str) -> str:
        """Runs the command of the page, and types the code of the next mail."""
        variables, number = self.at(address), len(self.mails())
        process = subprocess.Popen(
            self.machine.shell(line), env=self.machine.environment | variables, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            output, errors = process.communicate(self.code(number) + "\n", timeout=30)
        finally:
            process.kill()
        assert process.returncode == 0, errors
        return output

    def client(self, line: str, address: str) -> subprocess.CompletedProcess:
        return self.machine.run(f"{line} --endpoint https://{HOST}", **self.at(address))

    def operator(self, line: str) -> list[dict]:
        printed = self.machine.must(f"sudo -u prelude prelude-session {line} --json --config /etc/prelude/session.json")
        return [json.loads(entry) for entry in printed.splitlines()] if line.startswith("events") else json.loads(printed)


@pytest.fixture(scope="module")
def production(tmp_path_factory):
    folder = tmp_path_factory.mktemp("production")
    authority = CertificateAuthority(folder)
    with Network(folder, authority.certificate_path, [MAIL_SERVER, PHONE, LAPTOP]) as inside:
        machine = Machine(folder / "server", inside)
        (machine.home / "mail-password").write_text(PASSWORD + "\n")
        inside.name({HOST: PHONE, MAIL_HOST: MAIL_SERVER})
        with open(machine.root / "mails", "wb") as mails:
            server = subprocess.Popen(
                [*inside.enter, sys.executable, ROOT / "Service" / "Tests" / "System" / "mail_server.py", MAIL_SERVER, "587",
                 authority.server_chain(MAIL_HOST)], stdin=subprocess.DEVNULL, stdout=mails)
        try:
            yield Production(
                machine, install(machine, authority, lambda line: line.replace("--email-username login", f"--email-username {USER}")))
        finally:
            machine.stop_all()
            server.kill()
            server.wait(10)


def test_a_user_signs_in_with_a_code_from_a_mail_and_signs_out(production):
    machine = production.machine
    tried, login, whoami = first_user()

    # The settings are those that init wrote, and the unit starts nothing else.
    file = (machine.root / "etc" / "prelude" / "session.json").read_text()
    settings = "\n".join(line for line in file.splitlines() if not line.lstrip().startswith("//"))
    unit = (machine.root / "etc" / "systemd" / "system" / "prelude-session.service").read_text()
    assert "development" not in (settings + unit).lower() and "egress" not in settings
    assert any(text.startswith("The configuration is valid.") for text in production.printed.values())

    # Mail arrives, over TLS and after AUTH: the server accepts no other.
    assert "accepted: 250" in machine.must(tried)
    assert [(mail["to"], mail["mechanism"]) for mail in production.mails()] == [("you@example.com", "PLAIN")]

    signed_in = production.log_in(login, PHONE)
    assert signed_in.startswith("Signed in as usr_")
    user = re.search(r"usr_\w+", signed_in)[0]
    shown = production.machine.must(whoami, **production.at(PHONE))
    assert user in shown and "you@example.com" in shown

    # A second device, and each one refreshes and sees both.
    assert user in production.log_in(login, LAPTOP)
    for device in (PHONE, LAPTOP):
        assert production.client("prelude-session refresh", device).returncode == 0
        listed = production.client("prelude-session sessions --json", device)
        assert len(json.loads(listed.stdout)) == 2, listed.stderr

    # The service knows the addresses of the devices, and not that of nginx.
    created = production.operator("events --name user.session.created")
    assert [event["context"]["ip"] for event in created] == [PHONE, LAPTOP]

    assert production.client("prelude-session logout", PHONE).returncode == 0
    after = production.client("prelude-session whoami", PHONE)
    assert after.returncode == 2 and "signed in" in after.stderr
    app = production.operator("app list")[0]["id"]
    assert len(production.operator(f"session list --app {app} {user}")) == 1
    assert production.client("prelude-session whoami", LAPTOP).returncode == 0

    log = (machine.root / "log").read_text()
    assert "forwarding header" not in log and " error " not in log and " warning " not in log


def test_the_mailbox_of_development_and_the_management_api_are_not_reachable(production):
    get = "curl --silent --output /dev/null --write-out '%{http_code}' "
    for path in ("/dev", "/dev/mailbox", "/v2/session/apps"):
        assert production.machine.must(get + f"https://{HOST}{path}") == "404"
