"""Tests the log at the most verbose level: fields and not objects, and no secret."""

import base64
import json
import secrets

import pytest

from conftest import running
from operator_api import Management
from person import Person, new_email
from service import Service, free_port


@pytest.mark.parametrize("listeners", [1, 2])
def test_the_most_verbose_log_has_short_lines_and_no_secret(tmp_path, listeners):
    """The log of a start at the level debug had lines of 29 KB with the dummy password hash and keys."""
    password = "correct horse " + secrets.token_hex(4)
    port = free_port()
    flags = ["--management-port", str(port)] if listeners == 2 else []
    with running(Service(tmp_path, "--log-level", "trace", *flags)) as service:
        email = new_email()
        person = Person.signed_in(service, email)
        used = [person.access_token, person.refresh_token, person.code(email), service.key, password, email]
        person.refresh()
        used += [person.access_token, person.refresh_token]
        management = Management(service, url=f"http://localhost:{port}" if listeners == 2 else None)
        created = management.send(
            "POST", "/users", {"identifiers": [{"type": "email_address", "value": new_email()}], "password": password})
        assert created.status in (200, 201), created
        identifier = created.json["identifiers"][0]["value"]
        for attempt in [password, "wrong " + password]:
            person.transport.send(
                "POST", "/v1/session/login/email/password", {"identifier": identifier, "password": attempt})
        assert service.stop() == 0
        log = service.log()
        keys = json.loads((tmp_path / "session.sqlite.keys").read_text())["keys"]
        used += [key["secret"] for key in keys]

    lines = [line for line in log.splitlines() if not line.startswith("Management key of this start")]
    assert any(" trace " in line for line in lines) and any(" debug " in line for line in lines)
    assert max(len(line) for line in lines) < 2000
    text = "\n".join(lines)
    assert "$argon2id$" not in text and "SymmetricKey" not in text
    for secret in used:
        assert secret not in text
        assert base64.b64encode(secret.encode()).decode() not in text
