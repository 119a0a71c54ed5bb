"""Tests the pages of docs/operating: keys, proxy and backup units. test_installation.py follows the installation."""

import json
import re
import subprocess
import urllib.error
import urllib.request

import pytest

from installation import PAGE, PAGES
from service import BINARY, ROOT, Service, running

APP = "abc1234"
HOST = f"{APP}.session.example.com"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def service(tmp_path, monkeypatch):
    """Starts the service with a key of the page's command in a credential, and the proxy of the page."""
    (tmp_path / "credentials").mkdir()
    command = re.search(r"Create a key with `([^`]+)`", PAGE)[1]
    key = subprocess.run(["sh", "-euc", command], capture_output=True, text=True, check=True, timeout=10).stdout
    (tmp_path / "credentials" / "prelude-session-keys").touch(mode=0o600)
    (tmp_path / "credentials" / "prelude-session-keys").write_text(key)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "credentials"))
    (tmp_path / "session.json").write_text(
        '{"publicUrl": "https://{app_id}.session.example.com", "trustedProxies": ["127.0.0.1"]}')
    with running(Service(tmp_path, "--config", str(tmp_path / "session.json"), development=False)) as service:
        made = subprocess.run(
            [BINARY, "app", "create", "Shop", "--id", APP, "--config", str(tmp_path / "session.json"),
             "--database", service.database, "--key-file", str(tmp_path / "credentials" / "prelude-session-keys")],
            capture_output=True, text=True, timeout=30)
        assert made.returncode == 0, made.stderr
        yield service


def status(service: Service, **headers: str) -> int:
    request = urllib.request.Request(
        service.url + "/.well-known/jwks.json",
        headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code


def test_the_entry_page_lists_each_page():
    assert set(PAGES) == {path.stem for path in (ROOT / "docs" / "operating").iterdir()}


def test_health_responds_as_the_page_says(service):
    with urllib.request.urlopen(service.url + "/health", timeout=5) as answer:
        assert answer.status == 200
        health = json.load(answer)
    assert json.dumps(health) in [block.strip() for block in blocks("json")]


def test_the_service_of_the_page_trusts_the_proxy_of_the_page(service):
    assert status(service, Host=HOST) == 200
    assert status(service, Host="elsewhere.example.com") == 404
    assert status(service, Host="elsewhere.example.com", X_Forwarded_Host=HOST) == 200


def test_the_proxy_sets_every_header_that_the_service_trusts():
    source = (ROOT / "Service" / "Sources" / "SessionHTTP" / "Requests" / "HTTPFields.swift").read_text()
    trusted = {name.lower() for name in re.findall(r'"(X-Forwarded-[A-Za-z]+)"', source)}
    recipe = "".join(blocks("nginx"))
    written = dict(re.findall(r"proxy_set_header (\S+) (\S+);", recipe))
    # These are read by one call only, which no client reaches through this proxy.
    inside = {"x-forwarded-method", "x-forwarded-proto", "x-forwarded-uri"}
    assert "v1/session/verify)(/|$) {\n        return 404;" in recipe
    assert len(trusted) == 5
    assert trusted - inside <= {name.lower() for name in written}
    # These are values that the proxy knows itself, not values that a caller can set.
    assert written["Host"] == written["X-Forwarded-Host"] == "$host"
    assert written["X-Forwarded-For"] == "$remote_addr"


def test_the_units_pass_keys_and_passphrase_under_the_names_that_the_program_reads():
    sources = ROOT / "Service" / "Sources" / "prelude-session"
    names = {
        re.search(r'credentialName = "([^"]+)"', source.read_text())[1]
        for source in (sources / "Configuration" / "MasterKeySource.swift", sources / "Operator" / "Backup" / "BackupFolder.swift")}
    passed = re.findall(r"^LoadCredential=(.*?):/etc/credstore/(.*)$", "".join(blocks("ini")), re.MULTILINE)
    assert {name for pair in passed for name in pair} == names


def test_the_commands_of_the_backup_unit_create_a_backup_that_can_be_restored(service, tmp_path, monkeypatch):
    """Runs the line of the unit as systemd does, with other paths: %% and $$ are escapes."""
    unit = next(block for block in blocks("ini") if "backup create" in block)
    line = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", unit, re.MULTILINE)[1].replace("%%", "%").replace("$$", "$")
    (tmp_path / "credentials" / "prelude-session-backup-passphrase").write_text("a passphrase of the test\n")
    monkeypatch.setenv("PRELUDE_SESSION_DATABASE", service.database)
    (tmp_path / "backups").mkdir()
    line = line.replace("/usr/local/bin/prelude-session", str(BINARY)).replace("/var/backups/prelude", f"{tmp_path}/backups")
    line = line.replace("/etc/prelude/session.json", f"{tmp_path}/session.json")
    made = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    [backup] = (tmp_path / "backups").iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d{4}", backup.name)
    service.stop()
    restored = subprocess.run(
        [BINARY, "backup", "restore", backup, "--config", str(tmp_path / "session.json")],
        capture_output=True, text=True, timeout=60)
    assert restored.returncode == 0, restored.stderr
    service.start()
    assert status(service, Host=HOST) == 200
