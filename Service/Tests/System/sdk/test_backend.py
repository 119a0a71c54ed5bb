"""Tests the example backend and the example app with the real service."""

import json
import os
import re
import subprocess
import time
import urllib.request

import pytest

from example_backend import running_backend
from operator_api import Management
from person import Person, new_email
from service import BINARY, ROOT
from transport import Transport

SCOPE = "transfer:write"
BALANCE, TRANSFERS = "/accounts/balance", "/accounts/transfers"
RULE = {
    "scope": SCOPE, "mode": "direct", "direct": {
        "identifier_types": ["email_address"], "status": "review", "granted_for": 120, "grant_mode": "session-bound",
        "steps": [{"order": 1, "key": "verify_email"}],
    },
}


#: Built by scripts/check-consumer from the manifests of the examples.
PROGRAMS = BINARY.parent


@pytest.fixture(scope="module")
def bank(shared, tmp_path_factory):
    management = Management(shared)
    management.register(SCOPE)
    management.set("stepup", {"allowed_scopes": [RULE]})
    with running_backend(tmp_path_factory.mktemp("backend"), shared.url) as transport:
        yield transport


@pytest.fixture
def ada(shared) -> Person:
    email = new_email()
    person = Person.signed_in(shared, email)
    person.email = email
    return person


def call(bank: Transport, method: str, path: str, *authorization: str):
    return bank.send(method, path, None, [("Authorization", value) for value in authorization])


def test_an_access_token_of_the_service_is_accepted_and_names_its_user(bank, ada):
    answer = call(bank, "GET", BALANCE, f"Bearer {ada.access_token}")
    assert (answer.status, answer.json["owner"]) == (200, ada.claims()["sub"])


def test_a_request_without_credentials_is_offered_both_schemes_without_an_error(bank):
    answer = call(bank, "GET", BALANCE)
    assert (answer.status, answer.code) == (401, "missing_credentials")
    assert answer.headers["WWW-Authenticate"] == 'Bearer, DPoP algs="ES256"'


def test_a_token_with_another_signature_is_rejected(bank, ada):
    head, _, signature = ada.access_token.rpartition(".")
    changed = ("A" if signature[0] != "A" else "B") + signature[1:]
    answer = call(bank, "GET", BALANCE, f"Bearer {head}.{changed}")
    assert (answer.status, answer.code) == (401, "invalid_signature")
    assert answer.headers["WWW-Authenticate"].startswith('Bearer error="invalid_token"')


def test_two_authorization_headers_are_rejected(bank, ada):
    bearer = f"Bearer {ada.access_token}"
    assert call(bank, "GET", BALANCE, bearer, bearer).code == "several_credentials"


def test_a_transfer_needs_a_step_up_and_the_response_names_its_scope(bank, ada):
    refused = call(bank, "POST", TRANSFERS, f"Bearer {ada.access_token}")
    assert (refused.status, refused.code) == (401, "insufficient_user_authentication")
    challenge = refused.headers["WWW-Authenticate"]
    assert 'error="insufficient_user_authentication"' in challenge and f'scope="{SCOPE}"' in challenge

    ada.refresh(ada.do_code_step(ada.challenge(SCOPE), ada.email))
    assert call(bank, "POST", TRANSFERS, f"Bearer {ada.access_token}").status == 202


class ExampleApp:
    """Examples/Terminal: each command is a process, and the session is stored in a home directory."""

    def __init__(self, service, bank: Transport, home):
        self.service = service
        self.environment = {
            "HOME": str(home), "EXAMPLE_SERVICE": service.url, "EXAMPLE_BACKEND": bank.base_url, "PATH": os.environ["PATH"]}

    def mailbox(self) -> list[dict]:
        """Returns the messages with codes."""
        with urllib.request.urlopen(self.service.url + "/dev/mailbox") as answer:
            return [mail for mail in json.load(answer) if "code" in mail]

    def run(self, *arguments: str, types_code: bool = False) -> str:
        before = len(self.mailbox())
        process = subprocess.Popen(
            [PROGRAMS / "Terminal", *arguments], env=self.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        typed = ""
        deadline = time.monotonic() + 30
        while types_code and not typed and process.poll() is None:
            assert time.monotonic() < deadline, "no code was sent"
            mails = self.mailbox()
            typed = mails[0]["code"] + "\n" if len(mails) > before else ""
            time.sleep(0.02)
        output, errors = process.communicate(typed, timeout=60)
        assert process.returncode == 0, output + errors
        return output


@pytest.mark.parametrize("binding", ["none", "dpop"])
def test_the_example_app_calls_the_example_backend_and_does_the_step_up(service, tmp_path, binding):
    management = Management(service)
    management.register(SCOPE)
    management.set("stepup", {"allowed_scopes": [RULE]})
    management.expect(200, "PUT", "/config/sessions", {"access_token_binding": binding})
    with running_backend(tmp_path, service.url) as bank:
        app = ExampleApp(service, bank, tmp_path)
        assert "Signed in as usr_" in app.run("login", new_email(), types_code=True)
        user = app.run("whoami").strip()
        status, balance = app.run("call", "GET", BALANCE).split(" ", 1)
        assert (status, json.loads(balance)) == ("200", {"owner": user, "cents": 1200})
        assert app.run("call", "POST", TRANSFERS, types_code=True).endswith("202 \n")
        # The grant belongs to the session, so no further step-up is needed.
        assert app.run("call", "POST", TRANSFERS) == "202 \n"


def test_the_example_app_prints_why_it_cannot_work(tmp_path):
    def login(**settings: str) -> list[str]:
        result = subprocess.run(
            [PROGRAMS / "Terminal", "login", "ada@example.com"], capture_output=True, text=True,
            env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], **settings}, timeout=60)
        assert (result.returncode, result.stdout) == (1, "")
        return result.stderr.splitlines()

    mistyped, = login(EXAMPLE_SERVICE="http//localhost:8080")
    assert mistyped.startswith("A setting is invalid: the endpoint must be an origin")
    nowhere = {"EXAMPLE_SERVICE": "http://127.0.0.1:9"}
    message, = login(**nowhere)
    assert message == "The service does not answer. Try again later. You stay signed in if you were signed in."
    *log, last = login(EXAMPLE_LOG="1", **nowhere)
    assert last == message and [line for line in log if line.startswith("warning: ")]
