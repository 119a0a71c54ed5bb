"""Tests the log at the most verbose level: fields and not objects, and no secret."""

import base64
import json
import secrets

import pytest

from conftest import running
from observed_story import Secrets, play
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


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_of_a_whole_story_is_in_the_most_verbose_log(tmp_path, authority, backend, form):
    kept = Secrets()
    flags = ["--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8"]
    with running(Service(tmp_path, "--log-level", "trace", "--log-format", form, *flags)) as service:
        play(service, backend, kept)
        assert service.stop() == 0
    kept.add(*(key["secret"] for key in json.loads((tmp_path / "session.sqlite.keys").read_text())["keys"]))
    log = (tmp_path / "service.log").read_bytes()
    assert len(kept.values) > 60
    for secret in kept.forms():
        assert secret not in log, secret
    lines = [line for line in log.decode().split("\n") if line and not line.startswith("Management key of this start")]
    assert not [character for character in "".join(lines) if character < " " or character in "\x7f\u2028\u2029"]
    records = [json.loads(line) for line in lines] if form == "json" else lines
    if form == "json":
        assert all(list(record)[:4] == ["timestamp", "level", "logger", "message"] for record in records)
        requests = [record for record in records if record["message"] == "request"]
        assert len(requests) > 60
        for record in requests:
            assert {"request_id", "route", "method", "status", "address", "ms"} <= set(record), record
            assert (record["status"] >= 400) == ("code" in record), record
        reasons = {record.get("reason") for record in requests}
        assert {"wrong_password", "unknown_user", "refresh_token_invalid", "proof_wrong_target", "proof_malformed",
                "hook_invalid_status_code", "limit_sends_hour"} <= reasons, reasons
    else:
        assert all(line[:4].isdigit() and line[23] == "Z" for line in records)
