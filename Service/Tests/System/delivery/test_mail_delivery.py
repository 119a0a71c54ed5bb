"""Tests that mails reach servers that others wrote, and that each failure is named with what to do about it."""

import datetime
import email
import email.policy
import socket
import threading

import pytest

from certificate_authority import CertificateAuthority
from mail_servers import PASSWORD, FaultyMailServer, MailServer
from operator_api import Management
from providers import delivering_service, delivery_test, lines, smtp
from sockets import free_port
from transport import Transport
from waiting import wait_until


@pytest.fixture(scope="module")
def tls(authority):
    return authority.server_context()


def test_a_mail_arrives_with_starttls_and_auth(authority, tls):
    with MailServer(tls) as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path)
        mail = server.mails.get(timeout=5)
    assert result.returncode == 0, result
    assert (mail.sender, mail.recipient, mail.mechanism) == ("login@example.com", "bob@example.com", "PLAIN")
    assert "SMTPUTF8" not in mail.options
    shown = lines(result)
    assert list(shown) == ["DNS", "connect", "TLS", "AUTH", "sender", "recipient", "message", "result"]
    assert all(text.startswith("ok ") for text in shown.values())
    assert shown["result"] == "ok accepted: 250 OK queued as 4711"
    assert PASSWORD not in result.stdout
    message = email.message_from_bytes(mail.content, policy=email.policy.default)
    assert message["From"] == "Example <login@example.com>" and message["To"] == "bob@example.com"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"].endswith("@example.com>")
    assert "000000" in message.get_body(("plain",)).get_content()


# Proves: M5
@pytest.mark.parametrize("mechanism", ["PLAIN", "LOGIN", "XOAUTH2"])
@pytest.mark.parametrize("implicit", [False, True])
def test_every_mechanism_signs_in_over_both_kinds_of_tls(authority, tls, mechanism, implicit):
    with MailServer(tls, implicit=implicit, mechanisms=(mechanism,)) as server:
        settings = smtp(server.port, AUTH=mechanism.lower(), TLS="implicit" if implicit else "starttls")
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
        assert result.returncode == 0, result
        assert server.mails.get(timeout=5).mechanism == mechanism


def test_a_server_without_login_needs_no_credentials(authority, tls):
    with MailServer(tls, auth=False) as server:
        settings = smtp(server.port, USERNAME=None, SECRET=None)
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
        assert result.returncode == 0, result
        assert "AUTH" not in lines(result)


def test_a_second_mail_uses_the_open_connection(authority, tls):
    with MailServer(tls) as server:
        settings = smtp(server.port) | smtp(server.port, "EMAIL_FALLBACK_")
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
        assert result.returncode == 0, result
        assert [server.mails.get(timeout=5).connection for _ in range(2)] == [1, 1]
        assert server.connections == 1
    assert "on an open connection" in lines(result)["connect"]


def test_a_late_reply_is_not_taken_for_that_to_the_next_mail(authority, tls):
    with FaultyMailServer(tls, "late", "CONTENT") as server:
        settings = smtp(server.port) | smtp(server.port, "EMAIL_FALLBACK_")
        result = delivery_test("bob@example.com", settings, authority.certificate_path, "--timeout", "2")
        assert result.returncode == 1 and result.stdout.count("after the mail was sent") == 2, result
        assert server.connections == 2


# Proves: M11
def test_an_open_connection_is_not_used_with_other_credentials(authority, tls):
    with MailServer(tls) as server:
        settings = smtp(server.port) | smtp(server.port, "EMAIL_FALLBACK_", SECRET="an0ther-secret")
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
        assert result.returncode == 1 and lines(result)["AUTH"].startswith("FAILED 535")
        assert server.mails.qsize() == 1


def test_a_connection_that_the_server_has_closed_is_replaced(authority, tls):
    with FaultyMailServer(tls, closes_after=1) as server:
        settings = smtp(server.port) | smtp(server.port, "EMAIL_FALLBACK_")
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
        assert result.returncode == 0, result
        assert server.connections == 2 and server.commands.count("MAIL") >= 2


def test_an_international_address_needs_smtputf8(authority, tls):
    with MailServer(tls) as server:
        result = delivery_test("jürgen@bücher.example", smtp(server.port), authority.certificate_path)
        mail = server.mails.get(timeout=5)
    assert result.returncode == 0, result
    assert mail.recipient == "jürgen@xn--bcher-kva.example" and "SMTPUTF8" in mail.options
    with MailServer(tls, utf8=False) as server:
        result = delivery_test("jürgen@bücher.example", smtp(server.port), authority.certificate_path)
        assert server.mails.empty()
        assert result.returncode == 1 and "SMTPUTF8" in lines(result)["recipient"]
        # The domain alone is sent in its ASCII form.
        result = delivery_test("bob@bücher.example", smtp(server.port), authority.certificate_path)
        assert result.returncode == 0, result
        assert server.mails.get(timeout=5).recipient == "bob@xn--bcher-kva.example"


@pytest.mark.parametrize(("command", "reply", "stage"), [
    ("MAIL", "550 5.7.1 sender not allowed", "sender"), ("MAIL", "451 4.3.0 try later", "sender"),
    ("RCPT", "554 5.7.1 Relay access denied", "sender"), ("RCPT", "550 5.7.8 log in", "AUTH"),
    ("RCPT", "550 5.1.1 no such user", "recipient"), ("RCPT", "550 no such user", "recipient"),
    ("RCPT", "452 4.2.2 mailbox full", "recipient"),
    ("DATA", "554 5.7.1 spam", "message"), ("DATA", "451 4.3.0 try later", "message"),
    ("AUTH", "535 5.7.8 wrong credentials", "AUTH"), ("AUTH", "454 4.7.0 temporary failure", "AUTH"),
])
def test_an_error_of_the_server_is_shown_with_its_stage(authority, tls, command, reply, stage):
    with MailServer(tls, replies={command: reply}) as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path)
        assert server.mails.empty()
    assert result.returncode == 1
    shown = lines(result)
    assert shown[stage].startswith("FAILED") and reply in shown[stage]
    assert shown["remedy"]


# Proves: M9
@pytest.mark.parametrize(("reply", "second"), [
    ("554 5.7.1 <ADDRESS>: Relay access denied", True), ("550 5.7.1 Client host blocked", True),
    ("553 5.7.1 Sender address rejected", True), ("550 unknown", True), ("550 5.1.1 no such user", False),
])
def test_a_denied_relay_is_not_the_end_of_a_message(tmp_path, authority, tls, monkeypatch, reply, second):
    with MailServer(tls, replies={"RCPT": reply}) as first, MailServer(tls) as other:
        settings = smtp(first.port) | smtp(other.port, "EMAIL_FALLBACK_")
        with delivering_service(tmp_path, authority, monkeypatch, settings, "--email") as service:
            assert Transport(service.url).send("POST", "/v1/session/otp", {
                "identifier": {"type": "email_address", "value": "bob@example.com"}}).status == 204
            name = "code.sent" if second else "code.failed"
            wait_until(lambda: Management(service).events(name))
        assert other.mails.qsize() == (1 if second else 0)


@pytest.mark.parametrize("mechanism", ["PLAIN", "XOAUTH2"])
def test_a_login_that_a_server_repeats_is_not_shown(authority, tls, mechanism):
    with FaultyMailServer(tls, "echo", "AUTH", mechanisms=mechanism) as server:
        settings = smtp(server.port, AUTH=mechanism.lower())
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
    assert result.returncode == 1 and "you sent" in lines(result)["AUTH"], result
    assert "(hidden)" in lines(result)["AUTH"] and "=" not in lines(result)["AUTH"]


def test_a_mail_server_is_named_by_an_ipv6_address(authority):
    try:
        listener = socket.create_server(("::1", free_port("::1")), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")

    def serve():
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"554 5.3.2 closed today\r\n")
            connection.recv(100)

    threading.Thread(target=serve, daemon=True).start()
    with listener:
        settings = smtp(listener.getsockname()[1], HOST="::1")
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
    assert result.returncode == 1 and lines(result)["answer"] == "FAILED 554 5.3.2 closed today", result


# Proves: M7
def test_neither_the_recipient_nor_the_code_of_a_reply_is_shown_as_the_reason(authority, tls):
    with MailServer(tls, replies={"RCPT": "550 <ADDRESS> is unknown"}) as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path)
    assert lines(result)["recipient"] == "FAILED 550 <(hidden)> is unknown"
    with MailServer(tls, replies={"DATA": "554 rejected: 000000 is a test"}) as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path)
    assert lines(result)["message"] == "FAILED 554 rejected: (hidden) is a test"


# Proves: M7
def test_wrong_credentials_are_named_and_not_shown(authority, tls):
    with MailServer(tls) as server:
        settings = smtp(server.port, SECRET="a-wr0ng-secret")
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
    assert result.returncode == 1
    assert lines(result)["AUTH"].startswith("FAILED 535")
    assert "username and secret" in lines(result)["remedy"]
    assert "a-wr0ng-secret" not in result.stdout + result.stderr


def test_a_secret_in_a_file_is_read(authority, tls, tmp_path):
    file = tmp_path / "secret"
    file.write_text(PASSWORD + "\n")
    with MailServer(tls) as server:
        settings = smtp(server.port, SECRET=None, SECRET_FILE=str(file))
        assert delivery_test("bob@example.com", settings, authority.certificate_path).returncode == 0
        file.unlink()
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
    assert result.returncode != 0 and "PRELUDE_SESSION_EMAIL_SECRET_FILE" in result.stderr


def test_a_server_without_the_mechanism_never_gets_the_mail(authority, tls):
    with FaultyMailServer(tls, mechanisms="") as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path)
    assert result.returncode == 1 and "MAIL" not in server.commands
    assert "no authentication" in lines(result)["AUTH"] and "remove username" in lines(result)["remedy"]
    with FaultyMailServer(tls, mechanisms="XOAUTH2 GSSAPI") as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path)
    assert result.returncode == 1 and not {"MAIL", "AUTH"} & set(server.commands)
    assert "XOAUTH2" in lines(result)["AUTH"] and lines(result)["remedy"] == "set auth to xoauth2"


# Proves: M5
def test_a_server_without_tls_gets_neither_credentials_nor_mail(authority):
    with MailServer(None, auth=False) as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path)
        assert server.mails.empty()
    assert result.returncode == 1
    assert "does not offer STARTTLS" in lines(result)["TLS"]
    assert lines(result)["remedy"] == "use port 587, or port 465 with tls implicit"


def test_implicit_tls_on_a_port_for_starttls_is_explained(authority, tls):
    with MailServer(tls) as server:
        settings = smtp(server.port, TLS="implicit")
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
    assert result.returncode == 1
    assert "does not begin with TLS" in lines(result)["TLS"] and "starttls" in lines(result)["remedy"]


def test_starttls_on_a_port_for_implicit_tls_is_explained(authority, tls):
    with MailServer(tls, implicit=True) as server:
        result = delivery_test(
            "bob@example.com", smtp(server.port), authority.certificate_path, "--timeout", "2")
    assert result.returncode == 1
    assert "before the greeting" in lines(result)["time"] and "implicit" in lines(result)["remedy"]


# Proves: M5
@pytest.mark.parametrize("implicit", [False, True])
@pytest.mark.parametrize(("name", "days", "remedy"), [
    ("mail.example.com", 1, "the name that the certificate has"), ("localhost", -1, "renew the certificate"),
])
def test_a_wrong_or_expired_certificate_is_rejected(authority, implicit, name, days, remedy):
    context = authority.server_context(name, datetime.timedelta(days=days))
    with MailServer(context, implicit=implicit) as server:
        settings = smtp(server.port, TLS="implicit" if implicit else "starttls")
        result = delivery_test("bob@example.com", settings, authority.certificate_path)
        assert server.mails.empty()
    assert result.returncode == 1
    assert lines(result)["TLS"].startswith("FAILED") and remedy in lines(result)["remedy"]


# Proves: M5
def test_an_unknown_authority_is_rejected(authority, tls, tmp_path):
    with MailServer(tls) as server:
        other = CertificateAuthority(tmp_path)
        for trusted in (None, other.certificate_path):
            result = delivery_test("bob@example.com", smtp(server.port), trusted)
            assert result.returncode == 1
            assert lines(result)["TLS"].startswith("FAILED") and "--egress-trust-roots" in lines(result)["remedy"]
        assert server.mails.empty()


# Proves: H1
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_private_address_is_never_connected_to(authority, tls, host):
    with MailServer(tls) as server:
        result = delivery_test(
            "bob@example.com", smtp(server.port, HOST=host), authority.certificate_path, allows_loopback=False)
        assert server.connections == 0
    assert result.returncode != 0
    assert "address is refused" in result.stderr


def test_a_name_without_an_address_is_named(authority):
    result = delivery_test("bob@example.com", smtp(587, HOST="mail.invalid"), authority.certificate_path)
    assert result.returncode == 1
    assert lines(result)["DNS"].startswith("FAILED") and "spelling of mail.invalid" in lines(result)["remedy"]


def test_a_closed_port_is_named(authority):
    result = delivery_test("bob@example.com", smtp(1), authority.certificate_path)
    assert result.returncode == 1
    assert lines(result)["connect"].startswith("FAILED") and "firewall" in lines(result)["remedy"]


# Proves: M12
@pytest.mark.parametrize(("at", "where"), [
    ("CONNECT", "before the greeting"), ("EHLO", "after EHLO"), ("STARTTLS", "during STARTTLS"), ("AUTH", "during AUTH"),
    ("MAIL", "after MAIL"), ("RCPT", "after RCPT"), ("DATA", "after DATA"), ("CONTENT", "after the mail was sent"),
])
def test_a_server_that_stops_answering_costs_the_timeout_and_is_named(authority, tls, at, where):
    started = datetime.datetime.now()
    with FaultyMailServer(tls, "stall", at) as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path, "--timeout", "2")
    assert result.returncode == 1
    assert where in lines(result)["time"]
    assert (datetime.datetime.now() - started).total_seconds() < 10


@pytest.mark.parametrize("at", ["CONNECT", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "CONTENT"])
@pytest.mark.parametrize("fault", ["close", "garbage"])
def test_a_server_that_disconnects_or_talks_nonsense_fails_the_attempt(authority, tls, fault, at):
    with FaultyMailServer(tls, fault, at) as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path, "--timeout", "2")
    assert result.returncode == 1, result
    assert "FAILED" in result.stdout


# Proves: M12
@pytest.mark.parametrize("fault", ["drip", "huge"])
@pytest.mark.parametrize("at", ["CONNECT", "EHLO", "RCPT"])
def test_a_slow_drip_and_an_endless_reply_end_at_the_timeout(authority, tls, fault, at):
    started = datetime.datetime.now()
    with FaultyMailServer(tls, fault, at) as server:
        result = delivery_test("bob@example.com", smtp(server.port), authority.certificate_path, "--timeout", "2")
    assert result.returncode == 1
    assert (datetime.datetime.now() - started).total_seconds() < 10
    assert len(result.stdout) < 3000


# Proves: M6
@pytest.mark.parametrize(("changes", "named"), [
    ({"ROUTE": "smpt"}, "PRELUDE_SESSION_EMAIL_ROUTE: must be one of"), ({"HOST": None}, "PRELUDE_SESSION_EMAIL_HOST: is required"),
    ({"FROM": None}, "PRELUDE_SESSION_EMAIL_FROM: is required"), ({"FROM": "nobody"}, "PRELUDE_SESSION_EMAIL_FROM: must be a mail address"),
    ({"PORT": "0"}, "PRELUDE_SESSION_EMAIL_PORT: must be a number from 1 to 65535"), ({"PORT": "465", "TLS": "starttls"}, "PRELUDE_SESSION_EMAIL_TLS: must be implicit with port 465"),
    ({"TLS": "ssl"}, "PRELUDE_SESSION_EMAIL_TLS: must be one of"),
    ({"AUTH": "cram-md5"}, "PRELUDE_SESSION_EMAIL_AUTH: must be one of"), ({"SECRET": None}, "PRELUDE_SESSION_EMAIL_SECRET: is required with username, here or in PRELUDE_SESSION_EMAIL_SECRET_FILE"),
    ({"USERNAME": None}, "PRELUDE_SESSION_EMAIL_USERNAME: is required"), ({"ROUTE": "twilio"}, "PRELUDE_SESSION_EMAIL_ROUTE: must be one of"),
    ({"ROUTE": None}, "PRELUDE_SESSION_EMAIL_HOST: needs PRELUDE_SESSION_EMAIL_ROUTE"), ({"SECRET_FILE": "x"}, "PRELUDE_SESSION_EMAIL_SECRET_FILE: is set, and PRELUDE_SESSION_EMAIL_SECRET, too"),
    ({"URL": "https://example.com"}, "PRELUDE_SESSION_EMAIL_URL: is not a setting of a smtp route"),
    ({"HOST": "mail example"}, "PRELUDE_SESSION_EMAIL_HOST: must be the name of a server"), ({"SECRET": "two\nlines"}, "PRELUDE_SESSION_EMAIL_SECRET: must be one line"),
    ({"FROM": "a@example.com\r\nBcc: b@example.com"}, "PRELUDE_SESSION_EMAIL_FROM"),
])
def test_a_wrong_setting_is_named(authority, changes, named):
    result = delivery_test("bob@example.com", smtp(587, **changes), authority.certificate_path)
    assert result.returncode != 0 and named in result.stderr, result
    assert PASSWORD not in result.stderr


def test_without_a_route_the_command_says_what_to_set():
    result = delivery_test("bob@example.com", {}, None)
    assert result.returncode == 1 and "PRELUDE_SESSION_EMAIL_ROUTE" in result.stdout
    result = delivery_test("+14155550123", {}, None)
    assert result.returncode == 1 and "PRELUDE_SESSION_SMS_ROUTE" in result.stdout
