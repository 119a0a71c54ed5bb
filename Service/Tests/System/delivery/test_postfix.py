"""Tests that Postfix accepts the mails: TLS, AUTH, international addresses and errors of a server that many use."""

import pytest

import postfix
from providers import delivery_test, lines, smtp

pytestmark = pytest.mark.skipif(postfix.missing() is not None, reason=str(postfix.missing()))


@pytest.fixture(scope="module")
def server(tmp_path_factory, authority):
    with postfix.Postfix(tmp_path_factory.mktemp("postfix"), authority.server_chain()) as server:
        yield server


def settings(port: int, **changes) -> dict[str, str]:
    return smtp(port, USERNAME=postfix.USER, SECRET=postfix.PASSWORD, **changes)


@pytest.mark.parametrize("auth", ["plain", "login", None])
@pytest.mark.parametrize("tls", ["starttls", "implicit"])
def test_postfix_accepts_a_mail(server, authority, tls, auth):
    before = len(server.mails(0))
    port = server.submission if tls == "starttls" else server.implicit
    result = delivery_test("bob@example.com", settings(port, TLS=tls, AUTH=auth), authority.certificate_path)
    assert result.returncode == 0, result
    assert "queued as" in lines(result)["result"]
    mail = server.mails(before + 1)[-1]
    assert mail["To"] == "bob@example.com" and mail["From"] == "Example <login@example.com>"
    assert "000000" in mail.get_body(("plain",)).get_content()


def test_postfix_accepts_an_international_address(server, authority):
    before = len(server.mails(0))
    result = delivery_test("jürgen@bücher.example", settings(server.submission), authority.certificate_path)
    assert result.returncode == 0, result
    assert server.mails(before + 1)[-1]["To"] == "jürgen@xn--bcher-kva.example"
    assert "to=<jürgen@xn--bcher-kva.example>" in server.log()


def test_two_mails_use_one_connection_to_postfix(server, authority):
    before = server.log().count(" connect from ")
    second = {name.replace("EMAIL_", "EMAIL_FALLBACK_"): value for name, value in settings(server.submission).items()}
    result = delivery_test("bob@example.com", settings(server.submission) | second, authority.certificate_path)
    assert result.returncode == 0, result
    assert "on an open connection" in lines(result)["connect"]
    assert server.log().count(" connect from ") == before + 1


def test_errors_of_postfix_are_named(server, authority):
    result = delivery_test("unknown@example.com", settings(server.submission), authority.certificate_path)
    assert result.returncode == 1 and "no such user" in lines(result)["recipient"]
    assert "unknown@example.com" not in lines(result)["recipient"]
    wrong = settings(server.submission) | {"EMAIL_SECRET": "wrong"}
    result = delivery_test("bob@example.com", wrong, authority.certificate_path)
    assert result.returncode == 1 and lines(result)["AUTH"].startswith("FAILED 535")
    anonymous = {name: value for name, value in wrong.items() if name not in ("EMAIL_USERNAME", "EMAIL_SECRET")}
    result = delivery_test("bob@example.com", anonymous, authority.certificate_path)
    assert result.returncode == 1 and lines(result)["sender"].startswith("FAILED 554 5.7.1")
