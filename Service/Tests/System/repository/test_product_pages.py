"""Tests commands that operators paste into a terminal, and the two flows that the commands configure."""

import os
import pathlib
import subprocess

import pytest

from operator_api import Management
from person import Person, new_email, new_phone
from receiver import Receiver, Reply
from service import Service, running
from transport import Transport

CHANGE_PASSWORD = r'''
curl -X POST ${SERVICE}/v2/session/apps/${APP_ID}/config/stepup \
  -H "Authorization: Bearer ${MANAGEMENT_API_KEY}" \
  -H "Content-Type: application/json" \
  -d '{
    "jwks_url": "",
    "step_keys": [],
    "allowed_scopes": [
      {
        "scope": "prld:pwd:write", "mode": "direct",
        "direct": {
          "identifier_types": ["email_address"], "status": "review", "granted_for": 300, "grant_mode": "single-use",
          "steps": [{ "order": 1, "key": "verify_email", "expiration_duration": 600 }]
        }
      },
      {
        "scope": "prld:pwd:write", "mode": "direct",
        "direct": {
          "identifier_types": ["phone_number"], "status": "review", "granted_for": 300, "grant_mode": "single-use",
          "steps": [{ "order": 1, "key": "verify_sms", "expiration_duration": 600 }]
        }
      }
    ]
  }'

curl -X POST ${SERVICE}/v2/session/apps/${APP_ID}/config/scopes \
  -H "Authorization: Bearer ${MANAGEMENT_API_KEY}" \
  -H "Content-Type: application/json" \
  -d '{ "scope": "prld:pwd:write" }'
'''

STEP_UP = r'''
curl -X POST ${SERVICE}/v2/session/apps/${APP_ID}/config/stepup \
  -H "Authorization: Bearer ${MANAGEMENT_API_KEY}" \
  -H "Content-Type: application/json" \
  -d '{
    "jwks_url": "https://example.com/.well-known/jwks.json",
    "step_keys": [],
    "allowed_scopes": [
      { "scope": "transfer:write", "mode": "delegated", "delegated": { "delegation_hook": "YOUR_MOCK_URL" } }
    ]
  }'

curl -X POST ${SERVICE}/v2/session/apps/${APP_ID}/config/scopes \
  -H "Authorization: Bearer ${MANAGEMENT_API_KEY}" \
  -H "Content-Type: application/json" \
  -d '{ "scope": "transfer:write" }'
'''

#: The folder of further pages with commands, as *.txt.
PAGES = os.environ.get("PRELUDE_SESSION_PAGES", "")
#: The management host of the hosted product, as pages write it.
HOSTED = "https://api.prelude.dev"


@pytest.fixture
def service(tmp_path):
    """Returns a service whose app has no step-up configuration: pages create it, and the development app has one."""
    service = Service(tmp_path, "--default-app", "newapp1")
    service.app = "newapp1"
    made = service.run("app", "create", "New", "--id", service.app, "--password", "--sms", "--email")
    assert made.returncode == 0, made.stderr
    with running(service):
        yield service


def commands(page: str) -> list[str]:
    """Returns the curl commands of a page: from `curl` to the line that ends the quotation and is not continued."""
    found, current = [], []
    for line in page.splitlines():
        if not current and not line.startswith("curl "):
            continue
        current.append(line)
        text = "\n".join(current)
        if text.count("'") % 2 == 0 and not line.rstrip().endswith("\\"):
            found.append(text)
            current = []
    assert not current, "the page ends within a command"
    return found


def run(service: Service, page: str, hook_url: str, app: str | None = None) -> int:
    """Runs the commands of a page in a shell, and returns their number. Each must succeed."""
    found = commands(page)
    script = "\n".join(found).replace("YOUR_MOCK_URL", hook_url).replace(HOSTED, "${SERVICE}")
    environment = {**os.environ, "SERVICE": service.url, "APP_ID": app or service.app, "MANAGEMENT_API_KEY": service.key}
    # The commands are unchanged, except that curl fails for an error status.
    shell = 'set -eu\ncurl() { command curl --silent --show-error --fail "$@"; }\n' + script
    result = subprocess.run(["bash", "-c", shell], env=environment, capture_output=True, text=True, timeout=30)
    assert result.returncode == 0, result.stdout + result.stderr
    return len(found)


def sign_in_with_password(service: Service, email: str, password: str) -> Person:
    person = Person(service)
    answer = person.device.password(email, password)
    assert answer.status == 200, answer
    person.take(person.device.finalize(answer.json["challenge_token"]))
    return person


OLD, NEW = "correct horse battery", "staple of the better kind"


def test_a_password_is_changed_as_on_the_page(service):
    assert run(service, CHANGE_PASSWORD, "") == 2
    email = new_email()
    identifiers = [{"type": "email_address", "value": email}]
    Management(service).expect(201, "POST", "/users", {"identifiers": identifiers, "password": OLD})
    person = sign_in_with_password(service, email, OLD)
    early = person.device.change_password(person.access_token, NEW)
    assert (early.status, early.code) == (403, "insufficient_scope")

    answer = person.request_scope("prld:pwd:write")
    assert answer.json["status"] == "review"
    challenge = answer.json["challenge_token"]
    assert person.device.send_step_code(challenge).status == 204
    right = person.code(email)
    wrong = str((int(right[0]) + 1) % 10) + right[1:]
    refused = person.device.check_step(challenge, wrong)
    assert (refused.status, refused.code) == (401, "bad_check_code"), "and the challenge goes on"
    checked = person.device.check_step(challenge, right)
    assert checked.status == 200, checked
    person.refresh(checked.json["challenge_token"])
    assert person.scopes() == ["prld:pwd:write"]

    weak = person.device.change_password(person.access_token, "short")
    assert (weak.status, weak.code) == (400, "invalid_password"), "and the scope is still there"
    changed = person.device.change_password(person.access_token, NEW)
    assert changed.status == 204, changed
    again = person.device.change_password(person.access_token, "one more password")
    assert (again.status, again.code) == (403, "insufficient_scope"), "the same access token, its grant spent"
    person.refresh()
    assert person.scopes() == []

    with_old = Person(service).device.password(email, OLD)
    assert (with_old.status, with_old.code) == (401, "unauthorized")
    sign_in_with_password(service, email, NEW)


# Proves: S2
def test_a_user_with_only_a_phone_gets_the_code_by_the_second_rule(service):
    run(service, CHANGE_PASSWORD, "")
    phone = new_phone()
    person = Person.signed_in(service, phone)
    person.refresh(person.do_code_step(person.challenge("prld:pwd:write"), phone))
    assert person.scopes() == ["prld:pwd:write"]
    assert person.device.change_password(person.access_token, NEW).status == 204


def test_changing_the_password_ends_the_other_sessions(service):
    run(service, CHANGE_PASSWORD, "")
    email = new_email()
    person = Person.signed_in(service, email)
    Management(service).expect(
        204, "PUT", f"/users/{person.claims()['sub']}/password",
        {"password": OLD, "revoke_sessions": False})
    elsewhere = sign_in_with_password(service, email, OLD)
    person.refresh(person.do_code_step(person.challenge("prld:pwd:write"), email))
    assert person.device.change_password(person.access_token, NEW).status == 204
    ended = elsewhere.device.refresh(elsewhere.refresh_token)
    assert (ended.status, ended.code) == (401, "unauthorized")
    person.refresh()


def test_a_step_up_works_as_on_the_page(service):
    review = {
        "status": "review", "granted_for": 300, "grant_mode": "single-use",
        "steps": [{"order": 1, "key": "verify_sms", "expiration_duration": 600}],
    }
    with Receiver(None) as mock:
        assert run(service, STEP_UP, mock.on("/mock", Reply(200, review))) == 2
        phone = new_phone()
        person = Person.signed_in(service, phone)
        answer = person.request_scope("transfer:write")
    assert answer.status == 200 and answer.json["status"] == "review", answer
    person.refresh(person.do_code_step(answer.json["challenge_token"], phone))
    assert person.scopes() == ["transfer:write"]
    person.refresh()
    assert person.scopes() == [], "a single use is one access token"


def test_configuring_step_up_twice_is_a_conflict(service):
    run(service, CHANGE_PASSWORD, "")
    again = Management(service).send("POST", "/config/stepup", {"allowed_scopes": []})
    assert (again.status, again.code) == (409, "step_up_config_already_exists")


def test_a_scope_that_is_not_registered_is_not_allowed(service):
    first = commands(CHANGE_PASSWORD)[0]
    assert run(service, first, "") == 1
    refused = Person.signed_in(service).request_scope("prld:pwd:write")
    assert (refused.status, refused.code) == (403, "scope_not_allowed")


@pytest.mark.skipif(not PAGES, reason="PRELUDE_SESSION_PAGES names no folder")
def test_the_commands_of_further_pages_succeed(shared):
    total = 0
    for number, path in enumerate(sorted(pathlib.Path(PAGES).glob("*.txt"))):
        # Each page needs a new app, because a configuration can be created only once.
        app = f"page{number:03d}"
        headers = [("Authorization", f"Bearer {shared.key}")]
        made = Transport(shared.url).send("POST", "/v2/session/apps", {"id": app, "name": path.stem[:100]}, headers)
        assert made.status == 201, made
        total += run(shared, path.read_text(), "http://localhost:9/mock", app)
    assert total > 0, "no page has a command"
