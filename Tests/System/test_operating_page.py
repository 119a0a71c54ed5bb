"""Tests docs/operating.md: the service runs with the keys, the settings, the unit and the proxy of the page."""

import json
import re
import subprocess
import urllib.error
import urllib.request

import pytest

from conftest import running
from service import BINARY, ROOT, Service

PAGE = (ROOT / "docs" / "operating.md").read_text()
APP = "abc1234"
HOST = f"{APP}.session.example.com"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def make_keys(path) -> None:
    """Returns the commands of the page, without root and for another folder."""
    lines = [line for line in blocks("sh")[0].splitlines() if re.match(r"secret=|echo ", line)]
    assert len(lines) == 2
    script = "\n".join(lines).replace("sudo ", "").replace("/etc/prelude/keys", f"'{path}'")
    subprocess.run(["sh", "-euc", script], check=True, timeout=10)


@pytest.fixture
def service(tmp_path, monkeypatch):
    """Starts the service as in the unit, with a database and a port of the test."""
    (tmp_path / "credentials").mkdir()
    make_keys(tmp_path / "credentials" / "prelude-session-keys")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "credentials"))
    (tmp_path / "session.json").write_text(blocks("json")[0])
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
    source = (ROOT / "Sources" / "SessionHTTP" / "Client" / "Client.swift").read_text()
    trusted = set(re.findall(r'"(x-forwarded-[a-z]+)"', source))
    written = dict(re.findall(r"proxy_set_header (\S+) (\S+);", blocks("nginx")[0]))
    assert len(trusted) == 2
    assert trusted <= {name.lower() for name in written}
    # These are values that the proxy knows itself, not values that a caller can set.
    assert written["Host"] == written["X-Forwarded-Host"] == "$host"
    assert written["X-Forwarded-For"] == "$remote_addr"


def test_the_unit_passes_the_keys_under_the_name_that_the_service_reads():
    source = (ROOT / "Sources" / "prelude-session" / "Serve" / "MasterKeySource.swift").read_text()
    name = re.search(r'credentialName = "([^"]+)"', source)[1]
    unit = blocks("ini")[0]
    assert f"\nLoadCredential={name}:/etc/prelude/keys\n" in unit
    assert "\nExecStart=/usr/local/bin/prelude-session serve --config /etc/prelude/session.json\n" in unit
    assert json.loads(blocks("json")[0])["database"].startswith("sqlite:/var/lib/prelude/")
    assert "\nStateDirectory=prelude\n" in unit


def test_the_backup_unit_passes_keys_and_passphrase_under_the_names_that_the_command_reads():
    sources = ROOT / "Sources" / "prelude-session"
    keys = (sources / "Serve" / "MasterKeySource.swift").read_text()
    passphrase = (sources / "Operator" / "Backup" / "BackupPassphrase.swift").read_text()
    unit = next(block for block in blocks("ini") if "backup create" in block)
    for source in (keys, passphrase):
        name = re.search(r'credentialName = "([^"]+)"', source)[1]
        assert f"\nLoadCredential={name}:/etc/prelude/" in unit


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
